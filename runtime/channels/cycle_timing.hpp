/// Statistics of the cycle's own timing.
#pragma once

#include <cstdint>

namespace kagami::runtime {

/// Of the cycle's own thread, by the cycle, ten times per second. Times by the machine's clock.
struct CycleTiming {
  std::int64_t late_ticks = 0;     ///< since the start
  std::int64_t skipped_ticks = 0;  ///< since the start
  double wake_p99_us = 0.0;        ///< begin of a tick behind its time, by the run's clock
  double step_p50_us = 0.0;
  double step_p99_us = 0.0;
  std::uint64_t lost_records = 0;  ///< rows that found the queue to the writer full
};

}  // namespace kagami::runtime
