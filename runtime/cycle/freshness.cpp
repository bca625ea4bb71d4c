#include "runtime/cycle/freshness.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/time.hpp"

namespace kagami::runtime {
Freshness::Freshness(const RobotWiring& wiring, const CycleConfig& config)
    : num_joints_(static_cast<int>(wiring.joints.size())),
      num_boards_(static_cast<int>(wiring.boards.size())),
      reads_(config.read_every != 0),
      // each round without a reading may add its own length
      limit_ns_(config.stale_ns + std::max(0, config.read_every - 1) * config.round_limit_ns),
      period_ns_(config.period_ns),
      stall_limit_ns_(config.stall_ns) {}

void Freshness::take(const CycleInput& in) noexcept {
  const bool stalled = note_stall(in);
  if (in.sample.round != round_) {
    round_ = in.sample.round;
    round_ns_ = in.now_ns;
  }
  for (int b = 0; b < num_boards_; ++b) {
    SignOfLife& newest = newest_[static_cast<std::size_t>(b)];
    const std::int64_t at_ns = newest_ns(b, in);
    const bool is_new = at_ns != newest.at_ns;
    if (is_new) newest = {.at_ns = at_ns, .lost_ns = 0};
    // what a stall took of the time since then; a sample may arrive after the stall it was read in
    if (stalled || is_new) {
      const std::int64_t after_ns = stall_end_ns_ - std::max(at_ns, stall_begin_ns_);
      newest.lost_ns += std::max<std::int64_t>(0, after_ns - period_ns_);
    }
  }
}

bool Freshness::is_complete(const CycleInput& in) const noexcept {
  if (in.sample.port_gone) return false;
  for (int b = 0; b < num_boards_; ++b) {
    const std::int64_t sampled_ns = in.sample.reading[static_cast<std::size_t>(b)].sampled_ns;
    if (sampled_ns < 0 || in.now_ns - sampled_ns > limit_ns_) return false;
  }
  return std::all_of(in.sample.angle.begin(), in.sample.angle.begin() + num_joints_,
                     [](double angle) { return std::isfinite(angle); });
}

void Freshness::start(const CycleInput& in) noexcept {
  started_ = true;
  round_ns_ = in.now_ns;
}

bool Freshness::note_stall(const CycleInput& in) noexcept {
  const std::int64_t before_ns = now_ns_ < 0 ? in.now_ns - period_ns_ : now_ns_;
  now_ns_ = in.now_ns;
  if (in.now_ns - before_ns <= stall_limit_ns_) return false;
  stall_begin_ns_ = before_ns;
  stall_end_ns_ = in.now_ns;
  return true;
}

std::int64_t Freshness::newest_ns(int board, const CycleInput& in) const noexcept {
  const auto b = static_cast<std::size_t>(board);
  const drivers::BoardCommand& command = in.sample.command[b];
  if (reads_) return in.sample.reading[b].sampled_ns;
  // with readings off a board is silent when it leaves commands unacknowledged
  return command.failed > 0 ? command.effective_ns : round_ns_;
}

std::int64_t Freshness::age_ns(int board, const CycleInput& in) const noexcept {
  const SignOfLife& newest = newest_[static_cast<std::size_t>(board)];
  return in.now_ns - newest.at_ns - newest.lost_ns;
}

bool Freshness::watch(const CycleInput& in, EventList& events) noexcept {
  const bool port_went = watch_port(in, events);
  const bool boards_went = started_ && watch_boards(in, events);
  return port_went || boards_went;
}

bool Freshness::watch_port(const CycleInput& in, EventList& events) noexcept {
  if (in.sample.port_gone == gone_) return false;
  gone_ = in.sample.port_gone;
  if (gone_) {
    gone_since_ns_ = in.now_ns;
    events.add(EventCode::kPortGone);
  } else {
    events.add(EventCode::kPortBack, seconds(in.now_ns - gone_since_ns_));
  }
  return gone_;
}

bool Freshness::watch_boards(const CycleInput& in, EventList& events) noexcept {
  bool is_old = false;     // some board's readings are
  bool is_silent = false;  // and it was polled
  std::int64_t oldest_ns = 0;
  for (int b = 0; b < num_boards_; ++b) {
    const std::int64_t age = age_ns(b, in);
    oldest_ns = std::max(oldest_ns, age);
    if (age <= limit_ns_) continue;
    const auto i = static_cast<std::size_t>(b);
    is_old = true;
    is_silent |= in.sample.reading[i].failed + in.sample.command[i].failed >= kFailed;
  }
  if (gone_) return false;  // explains old readings: one fault, one event
  bool hold = watch_computer(is_old && !is_silent && !stale_, oldest_ns, in, events);
  if (is_silent && !stale_) {
    stale_ = true;
    stale_since_ns_ = in.now_ns - oldest_ns;
    events.add(EventCode::kSampleStale, seconds(oldest_ns));
    hold = true;
  } else if (!is_old && stale_) {
    stale_ = false;
    events.add(EventCode::kSampleBack, seconds(in.now_ns - stale_since_ns_));
  }
  return hold;
}

bool Freshness::watch_computer(bool is_late, std::int64_t age, const CycleInput& in,
                               EventList& events) noexcept {
  if (is_late && !late_) {
    late_ = true;
    late_since_ns_ = in.now_ns - age;
    events.add(EventCode::kComputerLate, seconds(age));
  } else if (!is_late && late_) {
    late_ = false;
    events.add(EventCode::kComputerBack, seconds(in.now_ns - late_since_ns_));
  }
  const bool begins = late_ && age > kLateNs && !was_late_;
  was_late_ |= begins;
  return begins;
}

}  // namespace kagami::runtime
