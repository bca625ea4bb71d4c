#include "models/base/wiring.hpp"

#include <algorithm>
#include <set>

#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "models/base/types.hpp"

namespace kagami {
namespace {

BoardWiring read_board(const ConfigNode& node) {
  BoardWiring board;
  board.id = static_cast<int>(node.integer("id", {0, 31}));
  board.knows_free = node.boolean_or("knows_free", false);
  node.reject_unknown_keys();
  return board;
}

JointWiring read_joint(const ConfigNode& node, int boards) {
  JointWiring joint;
  joint.joint = node.text("name");
  joint.channel = static_cast<int>(node.integer("channel", {1, 1.0 * boards * kChannelsPerBoard}));
  joint.sign = static_cast<int>(node.integer("sign", {-1, 1}));
  if (joint.sign == 0) node.fail("sign", "is 0, expected 1 or -1");
  joint.home_deg = static_cast<int>(node.integer("home_deg", {0, 180, "deg"}));
  joint.trim_deg = static_cast<int>(node.integer_or("trim_deg", 0, {-20, 19, "deg"}));
  const std::vector<double> limits = node.numbers("soft_limits_deg", 2, {-180, 180, "deg"});
  if (limits[0] >= limits[1])
    node.fail("soft_limits_deg", "the first limit is not below the second");
  joint.soft_min = to_rad(limits[0]);
  joint.soft_max = to_rad(limits[1]);
  node.reject_unknown_keys();
  return joint;
}

SpeedTable read_speed(const ConfigNode& node) {
  SpeedTable table;
  const std::vector<double> codes =
      node.numbers("seconds_per_degree", kSpeedCodes, {1e-4, 1.0, "s/deg"});
  std::copy(codes.begin(), codes.end(), table.seconds_per_degree.begin());
  table.minimum_travel_deg = node.number("minimum_travel_deg", {0.0, 90.0, "deg"});
  table.scaled = node.boolean("scaled");
  node.reject_unknown_keys();
  return table;
}

}  // namespace

double SpeedTable::duration(int code, double largest_travel_deg) const noexcept {
  const auto index = static_cast<std::size_t>(std::clamp(code, 0, kSpeedCodes - 1));
  return std::max(largest_travel_deg, minimum_travel_deg) * seconds_per_degree[index];
}

RobotWiring read_wiring(const ConfigNode& robot) {
  RobotWiring wiring;
  std::set<int> ids;
  for (const ConfigNode& node : robot.list("boards")) {
    wiring.boards.push_back(read_board(node));
    if (!ids.insert(wiring.boards.back().id).second)
      node.fail("id", "another board has the same id");
  }
  if (wiring.boards.empty() || wiring.boards.size() > kMaxBoards) {
    robot.fail("boards", "expected 1 or 2 boards, found " + std::to_string(wiring.boards.size()));
  }

  std::set<int> channels;
  std::set<std::string> names;
  for (const ConfigNode& node : robot.list("joints")) {
    wiring.joints.push_back(read_joint(node, static_cast<int>(wiring.boards.size())));
    const JointWiring& joint = wiring.joints.back();
    if (!channels.insert(joint.channel).second) {
      node.fail("channel",
                std::to_string(joint.channel) + " of this board is already used by another joint");
    }
    if (!names.insert(joint.joint).second)
      node.fail("name", "duplicate joint '" + joint.joint + "'");
  }
  if (wiring.joints.empty() || wiring.joints.size() > kMaxJoints) {
    robot.fail("joints", "expected 1.." + std::to_string(kMaxJoints) + " joints, found " +
                             std::to_string(wiring.joints.size()));
  }
  wiring.speed = read_speed(robot.object("speed_codes"));
  return wiring;
}

}  // namespace kagami
