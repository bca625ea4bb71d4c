#include "control/core/foot_height.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>

namespace kagami::control {

FootHeight::FootHeight(const models::Model& robot, const models::Frame& sole,
                       std::span<const std::string> names)
    : X_BF_(sole.X_BF) {
  for (BodyIndex i = sole.body; robot.body(i).parent != kWorld; i = robot.body(i).parent) {
    const models::Body& body = robot.body(i);
    const auto name = std::find(names.begin(), names.end(), body.joint_name);
    way_.push_back(
        {body.X_PJ, body.joint, name == names.end() ? -1 : static_cast<int>(name - names.begin())});
  }
}

double FootHeight::operator()(const ControlInput& in) const noexcept {
  models::Pose X_BF = X_BF_;
  for (const Link& link : way_) {
    const double* q = link.index < 0 ? nullptr : &in.q_shadow[static_cast<std::size_t>(link.index)];
    X_BF = link.X_PJ * (models::joint_pose(link.joint, q) * X_BF);
  }
  const std::array<double, 4>& turn = in.base.turn;
  const Mat3 R_WB = Eigen::Quaterniond(turn[0], turn[1], turn[2], turn[3]).toRotationMatrix();
  return in.base.z + R_WB.row(2).dot(X_BF.p);
}

}  // namespace kagami::control
