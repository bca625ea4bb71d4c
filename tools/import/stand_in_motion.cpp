#include "tools/import/stand_in_motion.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/file_replacement.hpp"
#include "models/base/temporary_folder.hpp"

namespace kagami::tools {
namespace {

std::string stand_in_text(const StandInPose& pose, const models::RobotDescription& robot) {
  nlohmann::json angles = nlohmann::json::array();
  for (std::size_t j = 0; j < robot.wiring.joints.size(); ++j) {
    const JointWiring& joint = robot.wiring.joints[j];
    angles.push_back(to_deg(std::clamp(pose.angle[j], joint.soft_min, joint.soft_max)));
  }
  nlohmann::json motion = {
      {"schema", "kagami.motion/1"},
      {"name", pose.name},
      {"note", pose.note},
      {"joints", robot.joint_names},
      {"poses", nlohmann::json::array({{{"speed", 7}, {"angles_deg", angles}}})}};
  if (pose.start == motions::Start::kLyingFront) motion["start"] = "lying_front";
  if (pose.start == motions::Start::kLyingBack) motion["start"] = "lying_back";
  return motion.dump(1) + "\n";
}

}  // namespace

runtime::RunSetup read_setup_with_pose(const runtime::RunConfig& config, const StandInPose& pose) {
  const models::RobotDescription robot = models::read_robot_folder(
      config.robot_folder,
      config.on == runtime::Scene::kStand ? models::BaseKind::kFixed : models::BaseKind::kFloating);
  const TemporaryFolder folder;
  runtime::RunConfig with_motion = config;
  with_motion.motion_file = folder.file("motion.json");
  write_file_atomically(with_motion.motion_file, stand_in_text(pose, robot));
  runtime::RunSetup setup = runtime::read_setup(with_motion);
  setup.config.motion_file = config.motion_file;
  return setup;
}

}  // namespace kagami::tools
