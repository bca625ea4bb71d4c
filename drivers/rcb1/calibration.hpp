/// Joint angles to the boards' counts and back, by channel, sign and home of robot.json.
#pragma once

#include <array>
#include <cstdint>

#include "drivers/link/samples.hpp"
#include "drivers/port/byte_port.hpp"
#include "models/base/wiring.hpp"

namespace kagami::drivers::rcb1 {

/// count = home + sign * (angle in whole degrees, halves away from zero). Rounding the angle and
/// not the count keeps left and right mirror images: right = 180 - left. Trim is the board's own
/// business. Immutable after construction; usable from any thread; no call allocates.
class Calibration {
 public:
  explicit Calibration(const RobotWiring& wiring);

  [[nodiscard]] int num_boards() const noexcept { return num_boards_; }
  [[nodiscard]] int num_joints() const noexcept { return num_joints_; }
  /// Joint on a slot (0..11) of a board, -1 for an unused channel.
  [[nodiscard]] int joint_at(int board, int slot) const noexcept;

  /// The 12 channels of one board; unused ones carry 225. kRefused when an angle is not finite or
  /// its count lies outside 0..180: `refused_joint` then names the first such joint, `counts` is
  /// untouched.
  [[nodiscard]] IoStatus to_counts(int board, const JointArray<double>& angle,
                                   ChannelCounts& counts, int& refused_joint) const noexcept;
  /// Angle (rad) of one joint at a count of 0..180.
  [[nodiscard]] double to_angle(int joint, std::uint8_t count) const noexcept;
  /// Writes the angles (rad) of the joints on `board`; other joints stay. A count above 180 (a
  /// special code) leaves its joint as it is.
  void to_angles(int board, const ChannelCounts& counts, JointArray<double>& angle) const noexcept;
  /// What a board would answer for joints that stand at `q` (rad): writes whole degrees of the
  /// joints on `board`, each at its own end of 0..180 counts when it is beyond, as a board does;
  /// the others stay, and so does one whose q is not finite.
  void read_angles(int board, const JointArray<double>& q,
                   JointArray<double>& angle) const noexcept;

 private:
  struct Channel {
    int board = 0;
    int slot = 0;
    int sign = 1;
    int home_deg = 90;
  };
  int num_boards_ = 0;
  int num_joints_ = 0;
  JointArray<Channel> channel_{};
  std::array<std::array<int, kChannelsPerBoard>, kMaxBoards> joint_at_{};
};

}  // namespace kagami::drivers::rcb1
