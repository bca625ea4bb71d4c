/// Rates of cycle and line between two looks at the rows.
#pragma once

#include "runtime/channels/cycle_types.hpp"
#include "runtime/threads/progress.hpp"

namespace kagami::runtime {

/// The writer's thread.
class FigureWindow {
 public:
  struct Figures {
    double rate_hz = 0.0;  ///< of the cycle
    LineFigures line{};
  };
  /// Over the time since the last call; the first call knows the counters alone.
  Figures next(const CycleRecord& row);

 private:
  bool has_last_ = false;
  std::int64_t now_ns_ = 0;
  std::int64_t tick_ = 0;
  std::uint64_t round_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace kagami::runtime
