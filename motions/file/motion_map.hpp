/// Which channel of a motion file moves which joint: "kagami.motion_map/1"; docs/motion_files.md.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/wiring.hpp"
#include "motions/file/motion.hpp"

namespace kagami::motions {

/// joint angle = sign * (value of the file - zero)
struct ChannelMap {
  int channel = 0;  ///< 0..40, as in the file
  std::string joint;
  int sign = 1;
  double zero = 0.0;  ///< rad, the file's value where the joint is at 0
};

struct MotionMap {
  std::string name;
  std::string note;
  std::string file;  ///< for messages
  std::vector<ChannelMap> channels;
  std::set<int> ignored;                  ///< channels that have no joint here
  std::map<std::string, double> missing;  ///< joints that no channel moves, and their angle, rad

  [[nodiscard]] const ChannelMap* of_channel(int channel) const;
};

/// Throws ConfigError that lists every problem. Set-up only.
MotionMap parse_motion_map(std::string_view text, const std::string& file);

/// The number of a channel's joint name, "ch7" = 7; -1: not one.
int channel_number(std::string_view joint);
std::string channel_name(int channel);

/// Throws ConfigError that names the joints of the robot that the map neither moves nor lists as
/// missing, and the joints of the map that the robot does not have.
void check_map(const MotionMap& map, const RobotWiring& wiring);

/// `motion`, whose joints are channels, with the joints of the map. A channel that moves and is
/// neither mapped nor ignored gives a warning. Throws ConfigError if none of its channels is
/// mapped.
Motion map_channels(const Motion& motion, const MotionMap& map);

/// The reverse, for writing: joints to channels in the file's values. Joints without a channel
/// that leave their place in `missing` give a warning.
Motion unmap_channels(const Motion& motion, const MotionMap& map);

}  // namespace kagami::motions
