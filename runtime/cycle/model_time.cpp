#include "runtime/cycle/model_time.hpp"

#include <algorithm>
#include <cmath>

namespace kagami::runtime {
namespace {

/// So far behind the model waits for new commands; then it continues without.
constexpr std::int64_t kWaitLimitNs = 100'000'000;

std::int64_t shortest_delay_ns(const ServoSet& servos) {
  double shortest = 1.0;
  for (const ServoParameters& servo : servos.joints) shortest = std::min(shortest, servo.delay);
  return std::llround(shortest * 1e9);
}

}  // namespace

ModelTime::ModelTime(const ServoSet& servos, const CycleConfig& config)
    : delay_ns_(shortest_delay_ns(servos)),
      period_ns_(config.period_ns),
      substeps_max_(config.substeps_max) {}

void ModelTime::start(std::uint64_t round, std::int64_t now_ns) noexcept {
  round_ = round;
  known_ns_ = now_ns;
}

void ModelTime::begin_tick(std::uint64_t round, std::int64_t now_ns) noexcept {
  if (round != round_) known_ns_ = now_ns;
  round_ = round;
  end_ns_ = std::min(now_ns, std::max(known_ns_ + delay_ns_, now_ns - kWaitLimitNs));
  substeps_ = 0;
}

std::int64_t ModelTime::next_step(std::int64_t time_ns) noexcept {
  const std::int64_t left = end_ns_ - time_ns;
  if (left <= 0 || substeps_ == substeps_max_) return 0;
  ++substeps_;
  return 2 * left <= 3 * period_ns_ ? left : period_ns_;
}

}  // namespace kagami::runtime
