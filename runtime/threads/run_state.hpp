/// How the threads of a run agree on its end: each flag of the end has one writer and only rises.
#pragma once

#include <atomic>

namespace kagami::runtime {

struct RunState {
  std::atomic<bool> cycle_is_at_rest{false};  ///< cycle: no further target moves the robot
  std::atomic<bool> line_is_done{false};      ///< serial: a whole round has passed since then
  std::atomic<bool> cycle_is_done{false};     ///< cycle: has taken that round's sample
  /// cycle: raised when a stop's command was published; serial: lowered before it fetches that
  std::atomic<bool> stop_waits{false};
};

}  // namespace kagami::runtime
