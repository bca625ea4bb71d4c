/// Height of a foot by the shadow model, the only model with a floor.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "control/core/controller.hpp"
#include "models/robot/model.hpp"
#include "models/spatial/pose.hpp"

namespace kagami::control {

/// Higher than this (m) a foot does not stand.
inline constexpr double kFootLift = 0.02;

/// Of one sole of a robot whose base floats; borrows nothing.
class FootHeight {
 public:
  /// `names`: the robot's joints in the order of ControlInput. Set-up.
  FootHeight(const models::Model& robot, const models::Frame& sole,
             std::span<const std::string> names);

  /// m above the floor; NaN where the shadow has no base or is lost. Cycle code.
  [[nodiscard]] double operator()(const ControlInput& in) const noexcept;

 private:
  /// A joint between the base and the foot.
  struct Link {
    models::Pose X_PJ;
    models::Joint joint;
    int index = -1;  // of the joint in the run's order; -1: fixed
  };
  std::vector<Link> way_;  // from the foot up to the base
  models::Pose X_BF_;      // the sole on its body
};

}  // namespace kagami::control
