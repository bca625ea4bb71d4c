/// SIGINT and SIGTERM as steps of the stop ladder, for the life of this object.
#pragma once

#include <csignal>

#include "runtime/app/stop_request.hpp"

namespace kagami::tools {

/// Each signal raises the request by one level: slow down, hold, release. At most one object at a
/// time (throws std::logic_error); the handlers before it come back with its end. Waiting system
/// calls go on.
class StopSignals {
 public:
  explicit StopSignals(runtime::StopRequest& stop);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
};

}  // namespace kagami::tools
