#include "runtime/threads/runner.hpp"

#include <algorithm>

namespace kagami::runtime {

Runner::Runner(CycleCore& core, Border& border, drivers::Clock& clock, const StopRequest* stop,
               RunState& state, std::int64_t period_ns, LatePolicy policy) noexcept
    : core_(core),
      border_(border),
      clock_(clock),
      stop_(stop),
      state_(state),
      period_ns_(period_ns),
      policy_(policy),
      ticker_(0, period_ns, policy) {}

void Runner::start_at(std::int64_t start_ns) noexcept {
  ticker_ = Ticker(start_ns, period_ns_, policy_);
}

void Runner::run() noexcept {
  while (!state_.cycle_is_done.load(std::memory_order_relaxed)) {
    clock_.sleep_until(ticker_.due_ns());
    tick();
  }
}

std::int64_t Runner::run_at(std::int64_t /*at_ns*/) noexcept {
  tick();
  return state_.cycle_is_done.load(std::memory_order_relaxed) ? -1 : ticker_.due_ns();
}

void Runner::mark(void* self, CyclePart part) noexcept {
  Runner& runner = *static_cast<Runner*>(self);
  const std::int64_t now_ns = runner.stopwatch_.now_ns();
  runner.part_time_[static_cast<std::size_t>(part)].add(now_ns - runner.part_begin_ns_);
  runner.part_begin_ns_ = now_ns;
}

void Runner::tick() noexcept {
  // read before the sample is fetched: the last round's sample is then in this tick
  const bool line_is_done = state_.line_is_done.load(std::memory_order_acquire);
  const Ticker::Tick t = ticker_.begin(clock_.now_ns());
  wake_time_.add(t.lateness_ns);
  if (t.stop) own_stop_ = StopLevel::kHoldNow;
  cycle(t.index);
  if (line_is_done) state_.cycle_is_done.store(true, std::memory_order_release);
}

void Runner::cycle(std::int64_t index) noexcept {
  CycleInput& in = record_.in;
  CycleOutput& out = record_.out;
  in.tick = index;
  in.now_ns = clock_.now_ns();                         // time enters here, nowhere else
  in.sample_is_new = border_.sample.fetch(in.sample);  // carries its own time stamp
  in.tuning_is_new = border_.tuning.fetch(in.tuning);
  in.stop = std::max(own_stop_, stop_ == nullptr ? StopLevel::kNone : stop_->level());

  const std::int64_t begin_ns = stopwatch_.now_ns();
  part_begin_ns_ = begin_ns;
  core_.step(in, out, CycleProbe{&Runner::mark, this});  // pure: state + input -> output
  step_time_.add(stopwatch_.now_ns() - begin_ns);

  border_.targets.publish(out.targets);
  if (!border_.records.push(record_)) ++counters_.lost_records;
  const int events = std::min<int>(out.num_events, kMaxEventsPerCycle);
  for (int i = 0; i < events; ++i) {
    if (!border_.events.push(out.events[static_cast<std::size_t>(i)])) ++counters_.lost_events;
  }

  if (first_tick_ns_ < 0) first_tick_ns_ = in.now_ns;
  if (first_command_ns_ < 0 && out.targets.sequence > 0) first_command_ns_ = in.now_ns;
  if (end_.is_over(out, in.now_ns)) {
    state_.cycle_is_at_rest.store(true, std::memory_order_release);
  }
}

}  // namespace kagami::runtime
