#include "drivers/rcb1/turnaround.hpp"

#include <algorithm>

namespace kagami::drivers::rcb1 {
namespace {

constexpr std::int64_t kUnlearnedNs = 1'000'000;
constexpr int kMaxDoublings = 5;

}  // namespace

void Turnaround::add(std::int64_t w_ns) noexcept {
  time_outs_ = 0;
  // later than any board may answer: this computer read it late, which shows nothing about the
  // board
  if (w_ns > kReplyLimitNs) return;
  window_[next_] = std::max<std::int64_t>(w_ns, 0);
  next_ = (next_ + 1) % window_.size();
  size_ = std::min(size_ + 1, window_.size());
  const auto end = window_.begin() + static_cast<std::ptrdiff_t>(size_);
  min_ = *std::min_element(window_.begin(), end);
  max_ = *std::max_element(window_.begin(), end);
}

void Turnaround::timed_out() noexcept {
  time_outs_ = std::min(time_outs_ + 1, kMaxDoublings);
}

std::int64_t Turnaround::max_ns() const noexcept {
  return known() ? max_ : kUnlearnedNs;
}

std::int64_t Turnaround::allowance_ns(std::int64_t margin_ns) const noexcept {
  if (!known()) return kReplyLimitNs;
  return std::min((max_ + margin_ns) << time_outs_, kReplyLimitNs);
}

}  // namespace kagami::drivers::rcb1
