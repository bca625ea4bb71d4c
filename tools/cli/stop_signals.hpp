/// Signals that ask a run to stop, for the life of this object.
#pragma once

#include <array>
#include <csignal>

#include "runtime/threads/stop_request.hpp"

namespace kagami::tools {

/// SIGINT and SIGTERM raise the request by one level each: slow down, hold, release. SIGHUP (a
/// closed terminal, a lost connection; the kernel and the shell may both send it) and SIGTSTP
/// (Ctrl-Z: a suspended program cannot watch a robot) slow down, however often they come. SIGQUIT
/// holds at once. None releases a servo but the third SIGINT or SIGTERM. At most one object at a
/// time (throws std::logic_error); the handlers before it come back with its end. Waiting system
/// calls go on.
class StopSignals {
 public:
  explicit StopSignals(runtime::StopRequest& stop);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  std::array<struct sigaction, 5> before_{};  // in the order of the signals in the source file
};

/// A pipe or terminal without a reader (`| head -1`, a lost connection) and a file at its size
/// limit make writes fail instead of ending the program. For the life of the process.
void ignore_output_signals();

}  // namespace kagami::tools
