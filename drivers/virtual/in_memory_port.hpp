/// The virtual robot at the end of a line that exists in memory alone: for `--clock virtual` and
/// for tests.
#pragma once

#include "drivers/port/byte_port.hpp"
#include "drivers/virtual/virtual_robot.hpp"

namespace kagami::drivers::virtual_robot {

/// BytePort over a VirtualRobot. Time passes only inside read(), which sleeps on the injected
/// clock; on a simulated clock nothing ever waits. Borrows both, which must outlive it.
class InMemoryPort final : public BytePort {
 public:
  /// Switches the robot on at the clock's present time. DTR is low, as a host of an RCB-1 keeps it.
  InMemoryPort(VirtualRobot& robot, Clock& clock);

  /// Like a UART: hands the bytes to the wire and returns at once. Waits by the clock only when
  /// the wire's buffer is full; kTimedOut when it stays so.
  [[nodiscard]] IoStatus write(std::span<const std::uint8_t> bytes,
                               Deadline deadline) noexcept override;
  /// Sleeps to the time at which the bytes are complete, or to the deadline when that is earlier.
  [[nodiscard]] IoStatus read(std::span<std::uint8_t> bytes, std::size_t& received,
                              Deadline deadline) noexcept override;
  std::size_t drop_input() noexcept override;

  /// The modem line: high = the boards' answers never arrive.
  void set_dtr(bool high) noexcept;
  /// Pulls the plug: from now on every call returns kGone. Plugging in again: a new port.
  void unplug() noexcept;

 private:
  VirtualRobot& robot_;
  Clock& clock_;
  bool gone_ = false;
};

}  // namespace kagami::drivers::virtual_robot
