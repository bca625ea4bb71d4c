/// State of a run in progress, for a progress bar and a status bar.
#pragma once

#include <cstdint>
#include <limits>

#include "drivers/link/samples.hpp"
#include "runtime/channels/cycle_timing.hpp"
#include "runtime/channels/cycle_types.hpp"

namespace kagami::runtime {

/// Of the serial line, over the last tenth of a second.
struct LineStatistics {
  double cycle_hz = 0.0;     ///< rounds over both boards
  double utilisation = 0.0;  ///< bytes' time on the wire over time, 0..1
  double age_ms = std::numeric_limits<double>::quiet_NaN();  ///< oldest board's newest reading
  drivers::LineCounters counters;                            ///< since the start
};

/// Of the record that is being written.
struct RecordingStatistics {
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;  ///< rows and messages
  bool is_writing = true;  ///< false: the disk refused
};

/// Trivially copyable: crosses from the writer to the thread that talks to the user.
struct Progress {
  Phase phase = Phase::kWaiting;
  double fraction = 0.0;     ///< 0..1 of the whole run
  double time_s = 0.0;       ///< of the run's clock
  double motion_time = 0.0;  ///< s into the motion
  double rms_deg = 0.0;      ///< residual over all joints until now; NaN before the first
  std::int64_t ticks = 0;

  SupervisorState state = SupervisorState::kIdle;
  bool confirmed = false;  ///< all boards acknowledged the newest command, or the sleep bit
  StopLevel stop = StopLevel::kNone;
  std::int64_t stop_tick = -1;       ///< at which the stop was requested; -1: none
  double rate_hz = 0.0;              ///< of the cycle, over the last tenth of a second
  std::int32_t controller = -1;      ///< which leads, from 0; -1: none
  std::uint64_t tuning_version = 0;  ///< applied
  CycleTiming loop{};
  LineStatistics line{};
  RecordingStatistics recording{};
};

}  // namespace kagami::runtime
