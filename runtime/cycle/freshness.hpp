/// How old the newest readings are, and whether there is a line at all.
#pragma once

#include <cstdint>

#include "models/base/wiring.hpp"
#include "runtime/cycle/cycle_config.hpp"
#include "runtime/cycle/event_list.hpp"

namespace kagami::runtime {

/// Age travels with the data: judged by when the servos were read, not by when the sample arrived.
/// Cycle code.
class Freshness {
 public:
  Freshness(const RobotWiring& wiring, const CycleConfig& config);

  /// Once per tick, before the others.
  void take(const CycleInput& in) noexcept;
  /// Every board was read lately and every joint has an angle: a run may start here.
  [[nodiscard]] bool is_complete(const CycleInput& in) const noexcept;
  /// From now on the age is watched.
  void start(const CycleInput& in) noexcept;
  /// True at the tick in which readings become stale or the port goes: hold. Reports start and end
  /// of each episode once.
  [[nodiscard]] bool watch(const CycleInput& in, EventList& events) noexcept;

 private:
  /// Time of the oldest board's newest reading; with readings off, of the last round.
  [[nodiscard]] std::int64_t newest_ns(const CycleInput& in) const noexcept;

  int num_joints_ = 0;
  int num_boards_ = 0;
  bool reads_ = true;
  std::int64_t limit_ns_ = 0;

  bool started_ = false;
  std::uint64_t round_ = 0;
  std::int64_t round_ns_ = 0;  ///< when the round counter moved last
  bool stale_ = false;
  std::int64_t stale_since_ns_ = 0;  ///< time of the last reading before the episode
  bool gone_ = false;
  std::int64_t gone_since_ns_ = 0;
};

}  // namespace kagami::runtime
