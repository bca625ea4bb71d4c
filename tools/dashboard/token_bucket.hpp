/// So many a second, and a burst of so many.
#pragma once

#include <algorithm>
#include <chrono>

namespace kagami::tools {

/// One thread. The caller passes the time.
class TokenBucket {
 public:
  /// `rate`: 1/s, > 0; `burst` >= 1: how many at once, and at the start.
  TokenBucket(double rate, double burst) noexcept : rate_(rate), burst_(burst), tokens_(burst) {}

  /// Takes one; false when there is none.
  bool take(std::chrono::steady_clock::time_point now) noexcept {
    if (started_) {
      const double passed = std::chrono::duration<double>(now - last_).count();
      tokens_ = std::min(burst_, tokens_ + rate_ * std::max(0.0, passed));
    }
    started_ = true;
    last_ = now;
    if (tokens_ < 1.0) return false;
    tokens_ -= 1.0;
    return true;
  }

 private:
  double rate_;
  double burst_;
  double tokens_;
  bool started_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace kagami::tools
