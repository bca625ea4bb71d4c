/// The cycle's side of a run: absolute ticks, inputs in, one pure step, outputs out.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "drivers/port/clock.hpp"
#include "runtime/channels/thread_channels.hpp"
#include "runtime/clock/clock.hpp"
#include "runtime/clock/ticker.hpp"
#include "runtime/cycle/cycle_core.hpp"
#include "runtime/cycle/cycle_probe.hpp"
#include "runtime/threads/end_watch.hpp"
#include "runtime/threads/histogram.hpp"
#include "runtime/threads/run_state.hpp"
#include "runtime/threads/stop_request.hpp"

namespace kagami::runtime {

/// What did not get through; read after the cycle has ended.
struct RunnerCounters {
  std::uint64_t lost_records = 0;  ///< the queue to the writer was full
  std::uint64_t lost_events = 0;
};

/// Real time: the cycle thread calls `run`. Virtual time: the simulated clock calls `run_at`. Both
/// do the same per tick. Allocates nothing after construction. Large: lives on the heap.
class Runner final : public TimedTask {
 public:
  /// Ticks from time 0 of the clock, `period_ns` apart. `stop` may be null. Borrows everything.
  Runner(CycleCore& core, ThreadChannels& channels, drivers::Clock& clock, const StopRequest* stop,
         RunState& state, std::int64_t period_ns, LatePolicy policy) noexcept;

  /// Puts the first tick at `start_ns`; before `run` or the first `run_at`.
  void start_at(std::int64_t start_ns) noexcept;
  /// See EndWatch; before `run`.
  void wait_when_held(std::int64_t wait_ns) noexcept { end_.wait_when_held(wait_ns); }
  /// See EndWatch; before `run`.
  void stay_released() noexcept { end_.stay_released(); }
  /// What a LiveControl hands to the cycle besides the tuning; before `run`. All outlive the run.
  struct LiveInputs {
    ControllerHandover* units = nullptr;
    const StopRequest* stop = nullptr;
    const std::atomic<bool>* finished = nullptr;
  };
  void follow(const LiveInputs& side) noexcept {
    live_ = side;
    end_.wait_for(side.finished);
  }
  /// Ticks until the run is over.
  void run() noexcept;
  /// One tick of the simulated clock; returns the time of the next, or -1 when the run is over.
  std::int64_t run_at(std::int64_t at_ns) noexcept override;

  /// After the cycle has ended:
  [[nodiscard]] const CycleOutput& last_output() const noexcept { return record_.out; }
  [[nodiscard]] const CycleInput& last_input() const noexcept { return record_.in; }
  [[nodiscard]] const Ticker& ticker() const noexcept { return ticker_; }
  [[nodiscard]] const EndWatch& end() const noexcept { return end_; }
  /// LatePolicy::kStop alone caused the hold.
  [[nodiscard]] bool stopped_itself() const noexcept {
    return own_stop_ != StopLevel::kNone &&
           (stop_ == nullptr || stop_->level() == StopLevel::kNone) &&
           (live_.stop == nullptr || live_.stop->level() == StopLevel::kNone);
  }
  [[nodiscard]] const RunnerCounters& counters() const noexcept { return counters_; }
  /// Duration of `step`, by the machine's clock.
  [[nodiscard]] const Histogram& step_time() const noexcept { return step_time_; }
  /// Duration of one of its parts, by the machine's clock.
  [[nodiscard]] const Histogram& part_time(CyclePart part) const noexcept {
    return part_time_[static_cast<std::size_t>(part)];
  }
  /// Begin of the tick behind its time, by the run's clock.
  [[nodiscard]] const Histogram& wake_time() const noexcept { return wake_time_; }
  /// Begin of the first tick; of the first that had a command for the boards. -1 = never.
  [[nodiscard]] std::int64_t first_tick_ns() const noexcept { return first_tick_ns_; }
  [[nodiscard]] std::int64_t first_command_ns() const noexcept { return first_command_ns_; }

 private:
  /// A CycleProbe's mark; `self` is the runner.
  static void mark(void* self, CyclePart part) noexcept;
  void tick() noexcept;
  void cycle(std::int64_t index) noexcept;
  /// The stop to obey in this tick, `before`: in the former one.
  [[nodiscard]] StopLevel stop_level(StopLevel before) noexcept;
  /// Hands over a waiting controller and marks that in the input.
  void take_unit(CycleInput& in) noexcept;
  void publish_timing(std::int64_t now_ns) noexcept;

  CycleCore& core_;
  ThreadChannels& channels_;
  drivers::Clock& clock_;
  const StopRequest* stop_;
  RunState& state_;
  std::int64_t period_ns_;
  LatePolicy policy_;
  Ticker ticker_;
  EndWatch end_;
  LiveInputs live_;
  std::int64_t timing_ns_ = 0;             // when they were last reported
  SteadyClock stopwatch_;                  // times `step` from outside, in virtual time too
  StopLevel own_stop_ = StopLevel::kNone;  // LatePolicy::kStop
  CycleRecord record_{};                   // of the newest tick; its sample and tuning persist
  std::uint32_t published_sequence_ = 0;   // of the newest command
  bool was_stop_ = false;                  // hold, fault or release in the former tick
  std::int64_t first_tick_ns_ = -1;
  std::int64_t first_command_ns_ = -1;
  RunnerCounters counters_;
  Histogram step_time_;
  std::array<Histogram, kNumCycleParts> part_time_;
  std::int64_t part_begin_ns_ = 0;
  Histogram wake_time_;
};

}  // namespace kagami::runtime
