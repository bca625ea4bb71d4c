/// Rows of /cycle for a robot that another program commands: the shadow model beside what its
/// boards received and read.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/app/assemble.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "runtime/cycle/shadow.hpp"

namespace kagami::tools {

/// What was observed in a tick. Borrows.
struct ObservedTick {
  std::int64_t tick = 0;
  std::int64_t now_ns = 0;
  runtime::Phase phase = runtime::Phase::kPlaying;
  const drivers::ServoSample& sample;
  bool has_reading = false;             ///< the sample has a new one
  const JointArray<double>& commanded;  ///< rad
  const JointArray<double>& reference;  ///< rad
  std::uint32_t sequence = 0;           ///< of the newest command
};

/// The model starts at rest with the first tick, at the angles of its sample; commands in that
/// sample are not followed. The setup outlives it.
class ObservedCycle {
 public:
  explicit ObservedCycle(const runtime::RunSetup& setup);

  /// The row of a tick; valid until the next call. Ticks follow each other.
  const runtime::CycleRecord& step(const ObservedTick& tick);
  /// rad, what the boards received last.
  [[nodiscard]] const JointArray<double>& commanded() const { return shadow_.commanded(); }

 private:
  void write_command(const ObservedTick& tick, runtime::CycleOutput& out) const;

  const runtime::RunSetup& setup_;
  runtime::Shadow shadow_;
  std::unique_ptr<runtime::CycleRecord> row_;
  std::uint64_t events_lost_ = 0;
  std::int64_t first_ns_ = 0;
};

}  // namespace kagami::tools
