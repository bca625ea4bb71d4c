/// How the joints of a robot hang on its servo boards: the part of robot.json that both the driver
/// and the models read.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/base/config_fwd.hpp"

namespace kagami {

inline constexpr int kMaxBoards = 2;
inline constexpr int kChannelsPerBoard = 12;
inline constexpr int kSpeedCodes = 8;

/// One servo channel. count = home + sign * angle in degrees; the board adds trim below that.
struct JointWiring {
  std::string joint;      ///< name in robot.urdf
  int channel = 0;        ///< 1..24 over both boards, as in the manual
  int sign = 1;           ///< +1 or -1
  int home_deg = 90;      ///< count at joint angle zero, 0..180
  int trim_deg = 0;       ///< -20..19, stored in the board
  double soft_min = 0.0;  ///< rad, joint angle
  double soft_max = 0.0;  ///< rad, joint angle

  [[nodiscard]] int board() const { return (channel - 1) / kChannelsPerBoard; }  ///< index 0, 1
  [[nodiscard]] int slot() const {
    return (channel - 1) % kChannelsPerBoard;
  }  ///< 0..11 on its board
};

struct BoardWiring {
  int id = 0;               ///< 0..31 on the line
  bool knows_free = false;  ///< "red" version: may be sent the codes 221..226
};

/// How long a board takes for a pose: robot.json /speed_codes, docs/rcb1.md, "Time".
struct SpeedTable {
  std::array<double, kSpeedCodes> seconds_per_degree{};  ///< code 0 fastest .. 7 slowest
  double minimum_travel_deg = 10.0;  ///< a pose takes at least as long as this travel
  bool scaled = true;                ///< all channels of a pose on one board arrive together

  /// Seconds from the command until the last channel arrives; largest_travel_deg >= 0.
  [[nodiscard]] double duration(int code, double largest_travel_deg) const noexcept;
};

struct RobotWiring {
  std::vector<BoardWiring> boards;
  std::vector<JointWiring> joints;  ///< in model order
  SpeedTable speed;
};

/// Reads "boards", "joints" and "speed_codes" of robot.json. Throws ConfigError for a channel used
/// twice, a board that does not exist, values out of range, unknown keys inside these three.
RobotWiring read_wiring(const ConfigNode& robot);

}  // namespace kagami
