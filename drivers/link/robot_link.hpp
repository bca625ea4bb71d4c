/// Interface of the robot for runtime's serial thread: one exchange at a time.
#pragma once

#include "drivers/link/samples.hpp"
#include "drivers/port/byte_port.hpp"

namespace kagami::drivers {

class RobotLink {
 public:
  virtual ~RobotLink() = default;
  /// One round over all boards in fixed order: set positions (if `targets` is new to the board),
  /// read positions (if requested). Updates `sample` in place: what fails keeps its last value and
  /// its age. Returns kOk when every exchange of the round succeeded, else the worst status.
  /// Returns by `deadline`. No allocation.
  [[nodiscard]] virtual IoStatus exchange(const ServoTargets& targets, ServoSample& sample,
                                          Deadline deadline) noexcept = 0;
};

}  // namespace kagami::drivers
