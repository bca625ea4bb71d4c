#include "tools/board/start_pose.hpp"

#include "models/base/base_pose.hpp"
#include "models/base/errors.hpp"
#include "models/spatial/rotation.hpp"
#include "motions/file/library.hpp"
#include "runtime/app/assemble.hpp"

namespace kagami::tools {
namespace {

StartPose named_pose(const std::string& text, const DataFolders& data, const RobotWiring& wiring) {
  if (text == "home") return {};
  if (text == "standing") return {.angle = JointArray<double>{}};
  if (text == "lying_front") {
    return {.angle = JointArray<double>{}, .start = motions::Start::kLyingFront};
  }
  if (text == "lying_back") {
    return {.angle = JointArray<double>{}, .start = motions::Start::kLyingBack};
  }
  const motions::Motion motion = motions::load_motion(find_motion(data, text), wiring);
  StartPose pose{.angle = JointArray<double>{}, .start = motion.start};
  const std::vector<std::optional<double>>& first = motion.poses.front().angle;
  for (std::size_t j = 0; j < first.size() && j < pose.angle->size(); ++j) {
    (*pose.angle)[j] = first[j].value_or(0.0);
  }
  return pose;
}

}  // namespace

std::optional<drivers::virtual_robot::VirtualStart> StartPose::virtual_start() const {
  if (!angle) return std::nullopt;
  drivers::virtual_robot::VirtualStart virtual_start;
  virtual_start.angle = *angle;
  const auto turn = runtime::start_of(start).turn;
  virtual_start.R_WB = models::rotation_of(Eigen::Quaterniond(turn[0], turn[1], turn[2], turn[3]));
  return virtual_start;
}

StartPose read_start_pose(const std::string& text, bool on_floor, const DataFolders& data,
                          const RobotWiring& wiring) {
  const StartPose pose = named_pose(text, data, wiring);
  if (!on_floor && pose.start != motions::Start::kStanding) {
    throw ConfigError("--start " + text + ": a robot on the stand cannot lie; add --on floor");
  }
  return pose;
}

}  // namespace kagami::tools
