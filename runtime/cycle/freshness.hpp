/// How old the newest readings are, and whether there is a line at all.
#pragma once

#include <array>
#include <cstdint>

#include "models/base/wiring.hpp"
#include "runtime/cycle/cycle_config.hpp"
#include "runtime/cycle/event_list.hpp"

namespace kagami::runtime {

/// Age travels with the data: judged by when the servos were read, not by when the sample arrived.
/// Time in which this computer did not run the cycle does not count, and a board is at fault only
/// when it left questions unanswered. Cycle code.
class Freshness {
 public:
  /// So many failed exchanges in a row are the board's, not this computer's.
  static constexpr int kFailed = 3;
  /// A longer time without a question is a fault of this computer, ns.
  static constexpr std::int64_t kLateNs = 1'000'000'000;

  Freshness(const RobotWiring& wiring, const CycleConfig& config);

  /// Once per tick, before the others.
  void take(const CycleInput& in) noexcept;
  /// Every board was read lately and every joint has an angle: a run may start here.
  [[nodiscard]] bool is_complete(const CycleInput& in) const noexcept;
  /// From now on the age is watched.
  void start(const CycleInput& in) noexcept;
  /// True at the tick in which readings become stale, the port goes or this computer has not polled
  /// for kLateNs: hold. Reports start and end of each episode once.
  [[nodiscard]] bool watch(const CycleInput& in, EventList& events) noexcept;
  /// A hold was for kLateNs without a question.
  [[nodiscard]] bool was_late() const noexcept { return was_late_; }

 private:
  /// Age of a board's newest sign of life, without the stalls of this computer, ns.
  [[nodiscard]] std::int64_t age_ns(int board, const CycleInput& in) const noexcept;
  /// Time of that sign of life, ns of the run's clock.
  [[nodiscard]] std::int64_t newest_ns(int board, const CycleInput& in) const noexcept;
  /// True when no cycle ran before this one for longer than the limit.
  [[nodiscard]] bool note_stall(const CycleInput& in) noexcept;
  [[nodiscard]] bool watch_port(const CycleInput& in, EventList& events) noexcept;
  [[nodiscard]] bool watch_boards(const CycleInput& in, EventList& events) noexcept;
  [[nodiscard]] bool watch_computer(bool is_late, std::int64_t age, const CycleInput& in,
                                    EventList& events) noexcept;

  int num_joints_ = 0;
  int num_boards_ = 0;
  bool reads_ = true;
  std::int64_t limit_ns_ = 0;

  std::int64_t period_ns_ = 0;
  std::int64_t stall_limit_ns_ = 0;

  bool started_ = false;
  std::uint64_t round_ = 0;
  std::int64_t round_ns_ = 0;        ///< when the round counter moved last
  std::int64_t now_ns_ = -1;         ///< of the last tick
  std::int64_t stall_begin_ns_ = 0;  ///< tick before the last stall
  std::int64_t stall_end_ns_ = 0;    ///< and the one after
  struct SignOfLife {
    std::int64_t at_ns = -1;
    std::int64_t lost_ns = 0;  ///< of the time since then: no cycle ran
  };
  std::array<SignOfLife, kMaxBoards> newest_{};
  bool stale_ = false;
  std::int64_t stale_since_ns_ = 0;  ///< time of the last reading before the episode
  bool late_ = false;
  bool was_late_ = false;
  std::int64_t late_since_ns_ = 0;
  bool gone_ = false;
  std::int64_t gone_since_ns_ = 0;
};

}  // namespace kagami::runtime
