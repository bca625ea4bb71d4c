/// Controllers of the shipped gain sets on the KHR-1, for tests.
#pragma once

#include <limits>
#include <memory>
#include <string>

#include "control/core/controller.hpp"
#include "control/factory/factory.hpp"
#include "models/base/config.hpp"
#include "models/base/test/support/expect_refused.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/robot/state.hpp"

namespace kagami::test {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline const std::string kGains = KAGAMI_SOURCE_DIR "/control/data/gains/";

inline const models::RobotDescription& khr1(models::BaseKind base) {
  static const models::RobotDescription on_stand =
      models::read_robot_folder(KAGAMI_SOURCE_DIR "/models/data/khr1", models::BaseKind::kFixed);
  static const models::RobotDescription on_floor =
      models::read_robot_folder(KAGAMI_SOURCE_DIR "/models/data/khr1", models::BaseKind::kFloating);
  return base == models::BaseKind::kFixed ? on_stand : on_floor;
}

inline control::ControlPlace place_of(const models::RobotDescription& robot) {
  control::ControlPlace place;
  place.model = &robot.model;
  place.robot = robot.name;
  place.joint_names = robot.joint_names;
  return place;
}

inline std::unique_ptr<control::Controller> make(const std::string& set, models::BaseKind base) {
  return control::ControllerFactory().make(ConfigDocument::read(kGains + set),
                                           place_of(khr1(base)));
}

inline control::ControlInput input(const control::Controller& controller) {
  control::ControlInput in;
  in.num_joints = 17;
  in.dt = 1e-3;
  in.sample_dt.fill(1e-3);
  in.base.z = kNaN;
  if (const models::Model* model = controller.reference_model()) {
    const models::State s = models::neutral_state(*model);
    in.q = s.q;
    in.v = s.v;
  }
  return in;
}

}  // namespace kagami::test
