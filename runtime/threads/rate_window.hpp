/// Rates of cycle and line between two samples.
#pragma once

#include "runtime/channels/cycle_types.hpp"
#include "runtime/threads/progress.hpp"

namespace kagami::runtime {

/// The writer's thread.
class RateWindow {
 public:
  struct Rates {
    double rate_hz = 0.0;  ///< of the cycle
    LineStatistics line{};
  };
  /// Over the time since the last call; the first call returns the counters alone.
  Rates next(const CycleRecord& row);

 private:
  bool has_last_ = false;
  std::int64_t now_ns_ = 0;
  std::int64_t tick_ = 0;
  std::uint64_t round_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace kagami::runtime
