/// The clocks of a run: the machine's and the simulated one.
#pragma once

#include <cstdint>
#include <ctime>
#include <vector>

#include "drivers/port/clock.hpp"

namespace kagami::runtime {

/// CLOCK_MONOTONIC, counted from construction. Any thread.
class SteadyClock final : public drivers::Clock {
 public:
  SteadyClock() noexcept;
  [[nodiscard]] std::int64_t now_ns() const noexcept override;
  void sleep_until(std::int64_t at_ns) noexcept override;
  /// CLOCK_MONOTONIC at the epoch, ns: maps this clock's times to those of other programs.
  [[nodiscard]] std::int64_t epoch_ns() const noexcept { return epoch_ns_; }

 private:
  std::int64_t epoch_ns_;
};

/// What a simulated clock runs periodically.
class TimedTask {
 public:
  virtual ~TimedTask() = default;
  /// Called when the simulated time is `at_ns`. Returns the time of its next call (> at_ns),
  /// or a negative number to be called no more. Must not sleep.
  virtual std::int64_t run_at(std::int64_t at_ns) noexcept = 0;
};

/// What stops in a simulated stall.
enum class Stalled : std::uint8_t {
  kComputer,  ///< everything, as when the process is suspended
  kTasks,     ///< what the clock runs: the cycle
  kSleeper,   ///< who sleeps on the clock: the line
};

/// Simulated time: advances only while a thread sleeps on it, and runs in that sleep everything
/// that is due until its end, in order of time; at equal times in order of registration. One
/// thread.
class SimulatedClock final : public drivers::Clock {
 public:
  /// What would wake in [from_ns, until_ns) wakes at until_ns. Set-up only.
  void stall(Stalled what, std::int64_t from_ns, std::int64_t until_ns);
  [[nodiscard]] std::int64_t now_ns() const noexcept override { return now_ns_; }
  /// Runs what is due up to and including `at_ns`, then stays at `at_ns`. Called from inside a
  /// task it returns at once: a task happens at one instant.
  void sleep_until(std::int64_t at_ns) noexcept override;
  /// Adds a task whose first call is at `first_ns` (>= now). The task outlives the clock's use.
  /// Set-up only.
  void add(TimedTask& task, std::int64_t first_ns);

 private:
  struct Entry {
    TimedTask* task = nullptr;
    std::int64_t due_ns = -1;  ///< negative = no more
  };
  struct Stall {
    Stalled what = Stalled::kComputer;
    std::int64_t from_ns = 0;
    std::int64_t until_ns = 0;
  };
  /// When `who` (kTasks or kSleeper) wakes that is due at `at_ns`.
  [[nodiscard]] std::int64_t wakes_ns(Stalled who, std::int64_t at_ns) const noexcept;

  std::vector<Entry> entries_;
  std::vector<Stall> stalls_;  // by their begin
  std::int64_t now_ns_ = 0;
  bool running_ = false;
};

}  // namespace kagami::runtime
