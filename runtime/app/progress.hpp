/// A look at a run that goes on: what a progress bar shows.
#pragma once

#include <cstdint>

#include "runtime/cycle/cycle_types.hpp"

namespace kagami::runtime {

/// Trivially copyable: crosses from the writer to the thread that talks to the user.
struct Progress {
  Phase phase = Phase::kWaiting;
  double fraction = 0.0;     ///< 0..1 of the whole run
  double time_s = 0.0;       ///< of the run's clock
  double motion_time = 0.0;  ///< s into the motion
  double rms_deg = 0.0;      ///< residual over all joints until now; NaN before the first
  std::int64_t ticks = 0;
};

}  // namespace kagami::runtime
