/// Home positions: a board has no command to write them. It stores the pose in which it is (FB), so
/// the pose is held, read back and compared first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/robot/pose_reading.hpp"

namespace kagami::tools {

struct HomeRules {
  int agree_deg = 2;  ///< what is held and what is read differ at most by this on every joint
  int speed = 7;      ///< code of the move to the pose
  int rounds = 4;     ///< moves by which a servo that stops beside its target is corrected
};

/// What the boards hold now.
struct StoredHome {
  std::vector<ChannelCounts> before;
  std::vector<ChannelCounts> held;    ///< the pose to hold
  std::vector<ChannelCounts> read;    ///< when it was held
  std::vector<ChannelCounts> stored;  ///< read back from the memory
};

/// The homes of all boards. Throws LinkError, PortError.
std::vector<ChannelCounts> read_homes(BoardSession& session);

/// Drives the servos to `pose` (none: to the pose that is read now), waits, reads fresh, corrects
/// the targets by whole degrees until the reading is the pose, and stores it as home on every
/// board. Wakes boards that are asleep. Throws LinkError that says what was stored: nothing when a
/// reading fails or does not agree, or the boards that were done when a later one failed.
StoredHome store_home(BoardSession& session, const std::optional<std::vector<ChannelCounts>>& pose,
                      const HomeRules& rules = {});

}  // namespace kagami::tools
