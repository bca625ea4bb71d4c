/// The serial side of a run: one round after the other, newest targets in, newest sample out.
#pragma once

#include <atomic>
#include <cstdint>

#include "drivers/link/robot_link.hpp"
#include "drivers/port/clock.hpp"
#include "runtime/channels/thread_channels.hpp"
#include "runtime/threads/run_state.hpp"

namespace kagami::runtime {

/// What a kind of rounds cost.
struct LineUse {
  std::uint64_t rounds = 0;
  std::int64_t ns = 0;            ///< by the run's clock
  std::int64_t processor_ns = 0;  ///< of this thread
  drivers::LineCounters moved;    ///< sent, answered and bytes of these rounds alone
};

/// Real time: the serial thread calls `run`. Virtual time: the one thread calls `round`. The next
/// round starts when the previous one ended, not on a tick. Allocates nothing after construction.
class SerialLoop {
 public:
  /// A round that takes longer is given up: retries inside it included.
  static constexpr std::int64_t kRoundBudgetNs = 120'000'000;
  /// With nothing to send or read the line is looked at again after this time.
  static constexpr std::int64_t kIdleNs = 500'000;

  SerialLoop(drivers::RobotLink& link, int num_boards, ThreadChannels& channels,
             drivers::Clock& clock, RunState& state) noexcept
      : link_(link), channels_(channels), clock_(clock), state_(state), num_boards_(num_boards) {}

  /// What the line has counted before the first round (the probe); before `run` or `round`.
  void start_after(const drivers::LineCounters& counters) noexcept {
    start_ = sample_.counters = counters;
  }
  [[nodiscard]] const drivers::LineCounters& start() const noexcept { return start_; }
  /// One round; sleeps instead when the line had nothing to do.
  void round() noexcept;
  /// Rounds until the state marks the last one as done.
  void run() noexcept {
    while (!state_.line_is_done()) round();
  }

  /// Newest sample, for the result; after the loop has ended.
  [[nodiscard]] const drivers::ServoSample& sample() const noexcept { return sample_; }
  /// Rounds that used the line.
  [[nodiscard]] const LineUse& busy() const noexcept { return busy_; }
  /// Those among them in which every board was set and read.
  [[nodiscard]] const LineUse& full() const noexcept { return full_; }

 private:
  drivers::RobotLink& link_;
  ThreadChannels& channels_;
  drivers::Clock& clock_;
  RunState& state_;
  drivers::ServoTargets targets_{};
  drivers::ServoSample sample_{};
  drivers::LineCounters start_{};
  int num_boards_;
  LineUse busy_;
  LineUse full_;
};

}  // namespace kagami::runtime
