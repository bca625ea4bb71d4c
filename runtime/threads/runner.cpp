#include "runtime/threads/runner.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace kagami::runtime {

Runner::Runner(CycleCore& core, ThreadChannels& channels, drivers::Clock& clock,
               const StopRequest* stop, RunState& state, std::int64_t period_ns,
               LatePolicy policy) noexcept
    : core_(core),
      channels_(channels),
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
  const bool line_is_done = state_.line_is_done();
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
  in.now_ns = clock_.now_ns();                           // time enters here, nowhere else
  in.sample_is_new = channels_.sample.fetch(in.sample);  // carries its own time stamp
  in.tuning_is_new = channels_.tuning.fetch(in.tuning);
  in.stop = stop_level(in.stop);
  take_unit(in);

  const std::int64_t begin_ns = stopwatch_.now_ns();
  part_begin_ns_ = begin_ns;
  core_.step(in, out, CycleProbe{&Runner::mark, this});  // pure: state + input -> output
  step_time_.add(stopwatch_.now_ns() - begin_ns);
  if (std::unique_ptr<ControllerInstance> old = core_.take_back(); old && live_.units != nullptr) {
    live_.units->give_back(std::move(old));
  }

  const bool is_stop = in.stop >= StopLevel::kHoldNow || out.state == SupervisorState::kFault ||
                       out.state == SupervisorState::kReleased;
  const bool is_new = out.targets.sequence != published_sequence_;
  channels_.targets.publish(out.targets);
  // a hold may stand on the command before it, which has not gone out yet
  if (is_stop && (is_new || !was_stop_)) state_.stop_waits.store(true, std::memory_order_release);
  published_sequence_ = out.targets.sequence;
  was_stop_ = is_stop;
  if (!channels_.records.push(record_)) ++counters_.lost_records;
  const int events = std::min<int>(out.num_events, kMaxEventsPerCycle);
  for (int i = 0; i < events; ++i) {
    if (!channels_.events.push(out.events[static_cast<std::size_t>(i)])) ++counters_.lost_events;
  }

  if (first_tick_ns_ < 0) first_tick_ns_ = in.now_ns;
  if (first_command_ns_ < 0 && out.targets.sequence > 0) first_command_ns_ = in.now_ns;
  if (end_.is_over(out, in.now_ns)) state_.rest();
  publish_timing(in.now_ns);
}

StopLevel Runner::stop_level(StopLevel before) noexcept {
  StopLevel level = std::max(own_stop_, stop_ == nullptr ? StopLevel::kNone : stop_->level());
  if (live_.stop != nullptr) level = std::max(level, live_.stop->level());
  // a stop that comes when the line has ended would be taken and never sent
  return level > before && !state_.move_on() ? before : level;
}

void Runner::take_unit(CycleInput& in) noexcept {
  in.handover_id = in.handover_place = 0;
  if (live_.units == nullptr) return;
  std::unique_ptr<ControllerInstance> unit = live_.units->take();
  if (!unit) return;
  in.handover_id = unit->number;
  in.handover_place = unit->place;
  core_.hand_over(std::move(unit));
}

void Runner::publish_timing(std::int64_t now_ns) noexcept {
  constexpr std::int64_t kPeriodNs = 100'000'000;
  constexpr double kMicro = 1e-3;  // ns to us
  if (now_ns - timing_ns_ < kPeriodNs) return;
  timing_ns_ = now_ns;
  const auto us = [](const Histogram& h, double p) {
    return static_cast<double>(h.quantile_ns(p)) * kMicro;
  };
  channels_.loop.publish({.late_ticks = ticker_.late(),
                          .skipped_ticks = ticker_.skipped(),
                          .wake_p99_us = us(wake_time_, 0.99),
                          .step_p50_us = us(step_time_, 0.5),
                          .step_p99_us = us(step_time_, 0.99),
                          .lost_records = counters_.lost_records});
}

}  // namespace kagami::runtime
