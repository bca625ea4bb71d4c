/// A robot folder as one value: robot.urdf (or robot.model.json) and robot.json read, checked and
/// put into model order. For the mechanics alone see read_model.hpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/base/servo_parameters.hpp"
#include "models/base/types.hpp"
#include "models/base/wiring.hpp"
#include "models/robot/collision.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

struct RobotDescription {
  std::string name;  ///< from robot.json
  Model model;       ///< joints in the order of joint_names
  std::vector<std::string>
      joint_names;     ///< actuated joints, all revolute; their order is the model order everywhere
  RobotWiring wiring;  ///< wiring.joints in the same order
  ServoSet servos;     ///< the twin's, in the same order
  std::optional<JointArray<double>> sit_pose;  ///< rad, in the same order; key sit_pose_deg
  std::vector<CollisionBox> boxes;             ///< what touches the floor
  std::string urdf_text;  ///< the model file, for records and viewers; may be a model JSON
  std::string json_text;
  std::vector<std::string> notices;  ///< what was ignored, one sentence each
};

/// Reads a folder. Throws ModelError or ConfigError naming file and link, joint or key.
RobotDescription read_robot_folder(const std::filesystem::path& folder, BaseKind base);
/// The same from texts, as `verify` finds them in a record; `name` is shown in errors. A model text
/// that starts with '{' is a model JSON.
RobotDescription read_robot_texts(std::string urdf_text, std::string json_text,
                                  const std::string& name, BaseKind base);
/// The robot of the same texts with this base, and with its own servos.
RobotDescription with_base(const RobotDescription& robot, BaseKind base);

}  // namespace kagami::models
