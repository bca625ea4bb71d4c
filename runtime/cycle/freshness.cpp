#include "runtime/cycle/freshness.hpp"

#include <algorithm>
#include <cmath>

namespace kagami::runtime {
namespace {

double seconds(std::int64_t time_ns) noexcept {
  return static_cast<double>(time_ns) * 1e-9;
}

}  // namespace

Freshness::Freshness(const RobotWiring& wiring, const CycleConfig& config)
    : num_joints_(static_cast<int>(wiring.joints.size())),
      num_boards_(static_cast<int>(wiring.boards.size())),
      reads_(config.read_every != 0),
      // each round without a reading may add its own length
      limit_ns_(config.stale_ns + std::max(0, config.read_every - 1) * config.round_limit_ns) {}

void Freshness::take(const CycleInput& in) noexcept {
  if (in.sample.round == round_) return;
  round_ = in.sample.round;
  round_ns_ = in.now_ns;
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

std::int64_t Freshness::newest_ns(const CycleInput& in) const noexcept {
  if (!reads_) return round_ns_;
  std::int64_t newest_ns = in.sample.reading[0].sampled_ns;
  for (int b = 1; b < num_boards_; ++b) {
    newest_ns = std::min(newest_ns, in.sample.reading[static_cast<std::size_t>(b)].sampled_ns);
  }
  return newest_ns;
}

bool Freshness::watch(const CycleInput& in, EventList& events) noexcept {
  bool hold = false;
  if (in.sample.port_gone != gone_) {
    gone_ = in.sample.port_gone;
    if (gone_) {
      gone_since_ns_ = in.now_ns;
      events.add(EventCode::kPortGone);
      hold = true;
    } else {
      events.add(EventCode::kPortBack, seconds(in.now_ns - gone_since_ns_));
    }
  }
  if (!started_) return hold;

  const std::int64_t newest = newest_ns(in);
  const bool is_old = in.now_ns - newest > limit_ns_;
  // a port that is gone explains old readings: one fault, one event
  if (is_old && !stale_ && !gone_) {
    stale_ = true;
    stale_since_ns_ = newest;
    events.add(EventCode::kSampleStale, seconds(in.now_ns - newest));
    hold = true;
  } else if (!is_old && stale_) {
    stale_ = false;
    events.add(EventCode::kSampleBack, seconds(in.now_ns - stale_since_ns_));
  }
  return hold;
}

}  // namespace kagami::runtime
