/// Home positions: a board has no command to write them. It stores the pose in which it is (FB), so
/// the pose is held, read back and compared first.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/base/errors.hpp"
#include "tools/robot/pose_reading.hpp"

namespace kagami::tools {

struct HomeRules {
  int agree_deg = 2;  ///< what is held and what is read differ at most by this on every joint
  int speed = 7;      ///< code of the move to the pose
  int rounds = 4;     ///< moves by which a servo that stops beside its target is corrected
  std::function<bool()> stop_requested{};  ///< asked before each move and before the first board
                                           ///< stores; may be empty
};

/// A stop was requested; no home was stored.
class HomeInterrupted : public Error {
 public:
  using Error::Error;
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
/// reading fails or does not agree, or the boards that were done when a later one failed. Throws
/// PortError with the same text, HomeInterrupted.
StoredHome store_home(BoardSession& session, const std::optional<std::vector<ChannelCounts>>& pose,
                      const HomeRules& rules = {});

}  // namespace kagami::tools
