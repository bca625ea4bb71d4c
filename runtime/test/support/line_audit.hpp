/// What a run did on the line, judged from its record alone: frames, rows and events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "drivers/rcb1/calibration.hpp"
#include "runtime/app/run_result.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "runtime/test/support/run_case.hpp"

namespace kagami::test {

/// One request and everything that was read before the next one.
struct Exchange {
  std::int64_t at_ns = 0;  ///< just before the write
  std::uint8_t command = 0;
  int board = -1;  ///< index
  std::vector<std::uint8_t> request;
  std::vector<std::uint8_t> answer;

  [[nodiscard]] bool sets_positions() const { return command == 0xFD; }
  [[nodiscard]] bool asks_for_sleep() const { return command == 0xF1 && (request.at(2) & 1) != 0; }
  [[nodiscard]] bool wakes() const { return command == 0xF1 && (request.at(2) & 1) == 0; }
  /// Nothing but the acknowledgement came, or the one answer that was requested.
  [[nodiscard]] bool is_acknowledged() const;
  [[nodiscard]] bool is_reading() const { return command == 0xFC && answer.size() == 14; }
  /// The board reports that it sleeps.
  [[nodiscard]] bool says_asleep() const;
};

/// A run to be judged.
struct AuditedRun {
  AuditedRun(runtime::RunResult run_result, const RobotWiring& wiring,
             const JointArray<double>& rate_max);

  runtime::RunResult result;
  std::vector<runtime::CycleRecord> rows;
  std::vector<Exchange> exchanges;
  drivers::rcb1::Calibration calibration;
  JointArray<double> rate_max;  ///< rad/s
};

/// What the judgement grants.
struct AuditLimits {
  /// Beyond 100 ms and 300 ms, before an event is missed or unfounded: a round and a tick.
  std::int64_t slack_ns = 30'000'000;
  /// A request that the serial thread has begun to write when the stop's tick runs: real time.
  bool may_race = false;
  /// Time in which this computer, or its line, was stalled: the sum of what was injected.
  std::int64_t stalled_ns = 0;
  /// Stops that were requested, ns of the run's clock; -1: none.
  std::int64_t stopped_at_ns = -1;
};

using Findings = std::vector<std::string>;

/// No frame steps farther than its joint may move since the last acknowledged one.
void check_steps(const AuditedRun& run, Findings& findings);
/// Each gap of more than 100 ms has its event, each event its gap, and the gap counter is their
/// length.
void check_gaps(const AuditedRun& run, const AuditLimits& limits, Findings& findings);
/// A hold or a release is the next frame; afterwards nothing moves on or powers a servo, and sleep
/// is repeated until the board confirms it.
void check_stops(const AuditedRun& run, const AuditLimits& limits, Findings& findings);
/// Every other event has its cause in the record, every cause its event, and the end fits them.
void check_events(const AuditedRun& run, const AuditLimits& limits, Findings& findings);

/// All of them.
Findings audit(const AuditedRun& run, const AuditLimits& limits);

/// Times of all events of this code, in order, with board or joint and value.
struct TimedEvent {
  std::int64_t at_ns = 0;
  runtime::Event event;
};
std::vector<TimedEvent> events_of(const AuditedRun& run, runtime::EventCode code);

}  // namespace kagami::test
