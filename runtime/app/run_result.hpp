/// What a run answers: the numbers of `kagami.run/1` that the run itself measures.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "drivers/link/samples.hpp"
#include "runtime/app/outcome.hpp"
#include "runtime/cycle/cycle_probe.hpp"

namespace kagami::runtime {

/// Median, tail and maximum of a duration, us.
struct Durations {
  double p50 = 0.0;
  double p99 = 0.0;
  double max = 0.0;
  /// Upper edge of a bar (us) and the number of durations in it; empty = not kept.
  std::vector<std::pair<double, std::uint64_t>> histogram;
};

/// Pose of a base at the end; what is not known stays empty.
struct BaseResult {
  std::optional<double> x_m;
  std::optional<double> y_m;
  std::optional<double> heading_deg;
};

/// Shares of the time that the line was in use; they sum to 1.
struct LineShares {
  double bytes = 0.0;            ///< bytes on the wire at 115200 baud
  std::optional<double> boards;  ///< the boards' own answer latency; empty = not known, in waking
  double library = 0.0;  ///< processor time of the serial thread (port library, link) beyond those
  double waking = 0.0;   ///< the rest: waiting for the scheduler and the terminal's kernel worker
};

struct LineResult {
  std::uint64_t cycles = 0;     ///< rounds over both boards that used the line
  double cycle_hz = 0.0;        ///< while the line was in use
  double limit_hz = 0.0;        ///< what the bytes and the boards' latency allow
  double bytes_limit_hz = 0.0;  ///< what the bytes alone allow
  double utilisation = 0.0;     ///< bytes' time over the time of the run
  LineShares shares;
  drivers::LineCounters counters;
  double longest_command_gap_s = 0.0;  ///< of any board, while its targets changed
  std::uint64_t lost_frames = 0;       ///< frames of /line that the full queue dropped
};

/// What a controller did in a run.
struct ControlResult {
  std::string controller;   ///< "pid"
  std::string gains;        ///< name of the gain set
  std::string gains_hash;   ///< of its text, 16 hexadecimal digits
  std::string status;       ///< at the end: "ok", or why it gave up
  double led_s = 0.0;       ///< for so long it led
  double saturation = 0.0;  ///< share of joints and cycles at the law's own limit while it led
};

/// How a run ended.
enum class RunEnd : std::uint8_t {
  kCompleted,    ///< the motion was played to its end: exit code 0
  kInterrupted,  ///< a stop was requested: 130
  kLinkLost,     ///< the boards fell silent or the port went away: 4
  kSafetyStop,   ///< jump refused at the start, a controller or the deadline policy stopped it: 5
};

/// Result of `run`. Optional = not measured in this run.
struct RunResult {
  std::string motion;
  std::string robot;
  std::string clock;     ///< "real" or "virtual"
  std::string on;        ///< "floor" or "stand"
  std::string dynamics;  ///< name of the models' forward dynamics: "aba"
  RunEnd end = RunEnd::kCompleted;
  std::string end_text;                    ///< one sentence
  std::vector<RobotFaultResult> faults;    ///< where the robot did not obey; see outcome.hpp
  std::vector<double> gate_shortfall_deg;  ///< per joint, the most that the gate cut off
  double duration_s = 0.0;
  std::int64_t ticks = 0;
  std::int64_t late_ticks = 0;
  std::int64_t skipped_ticks = 0;
  std::string state_hash;  ///< 16 hexadecimal digits
  std::optional<bool> fell_shadow;
  std::optional<bool> fell_robot;
  BaseResult base_shadow;
  BaseResult base_robot;
  std::optional<Durations> cycle_us;  ///< of `step`, by the machine's clock
  /// Of its parts, in the order of CyclePart.
  std::array<std::optional<Durations>, kNumCycleParts> part_us;
  std::optional<Durations> wake_us;  ///< empty in virtual time
  LineResult line;
  std::optional<double> running_rms_deg;  ///< residual over all joints as the cycle saw it
  std::uint64_t lost_records = 0;         ///< rows of /cycle
  std::uint64_t lost_events = 0;          ///< of /events; a row that is kept has its own
  bool realtime_granted = false;
  std::string realtime_why;
  std::optional<double> start_to_motion_s;  ///< start of the run's clock to the first command
  std::optional<double> memory_mib;         ///< largest resident memory of the process
  std::optional<ControlResult> control;     ///< empty: the motion alone
  std::optional<bool> sleep_confirmed;      ///< after a release: every board answered
  /// After a stop or a fault: all boards answered to its last command.
  std::optional<bool> stop_confirmed;
  double wall_s = 0.0;  ///< real time that the run took
  std::filesystem::path record;
  std::vector<std::string>
      refused;  ///< requests of the timeline that the run refused, with the reason
  double longest_record_delay_s = 0.0;  ///< from a tick to the write of its sample
  bool record_complete = true;          ///< the record holds every sample, and its end
  std::string record_cause;             ///< why the record is not complete; empty = it is
};

/// The object `kagami.run/1` without "joints", "rms_deg" and "report", which the comparison adds.
/// Unmeasured values are null.
nlohmann::json run_result_json(const RunResult& result);

}  // namespace kagami::runtime
