/// Runs of a virtual robot that differs from its model by what a test planted.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/robot/robot_folder.hpp"
#include "runtime/app/assemble.hpp"
#include "tools/gap/run_analysis.hpp"
#include "tools/test/replay_case.hpp"

namespace kagami::test {

/// A virtual robot whose servos are the model's, but for what is changed before `history`.
struct PlantedCause : ReplayCase {
  const models::RobotDescription model = models::read_robot_folder(
      std::filesystem::path(KAGAMI_SOURCE_DIR) / "models/data/khr1", models::BaseKind::kFixed);
  models::RobotDescription robot = model;
  std::vector<std::string> more;  ///< arguments, such as a fault

  std::size_t index_of(const std::string& joint) const {
    const auto& names = robot.joint_names;
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), joint) - names.begin());
  }
  ServoParameters& servo(const std::string& joint) { return robot.servos.joints[index_of(joint)]; }

  std::string record() const { return out_dir + "/run.mcap"; }
  /// Another name for the record, which the next run leaves alone.
  std::string keep_record(const std::string& name) const {
    const std::string kept = folder.file(name + ".mcap");
    std::filesystem::rename(record(), kept);
    return kept;
  }

  /// A file with the first 27 s of the motion `identify`: raised limbs, then random poses.
  std::string short_motion() const {
    std::ifstream in(std::filesystem::path(KAGAMI_SOURCE_DIR) / "motions/data/identify.json");
    nlohmann::json motion = nlohmann::json::parse(in);
    auto& poses = motion["poses"];
    constexpr std::ptrdiff_t kPoses = 55;
    poses.erase(poses.begin() + kPoses, poses.end());
    const std::string file = folder.file("motion.json");
    std::ofstream(file) << motion;
    return file;
  }

  /// Plays the motion on the stand.
  tools::DriveHistory history(const std::string& motion) {
    const std::string plant = folder.file("plant.json");
    std::ofstream(plant) << runtime::servo_set_text(robot.servos, robot.joint_names);
    std::vector<std::string> args = {"--plant", plant, "--no-report"};
    args.insert(args.end(), more.begin(), more.end());
    replay(motion, args);
    return tools::analyse_record(tools::RunRecord(record())).history;
  }
};

}  // namespace kagami::test
