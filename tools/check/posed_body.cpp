#include "tools/check/posed_body.hpp"

#include <algorithm>
#include <array>

#include "models/base/idx.hpp"
#include "models/robot/joint.hpp"

namespace kagami::tools {

PosedBody::PosedBody(const models::RobotDescription& robot)
    : robot_(robot),
      kinematics_(robot.model),
      q_(JointVector::Zero(robot.model.num_q())),
      v_(JointVector::Zero(robot.model.num_v())) {}

bool PosedBody::set(const JointArray<double>& angle, const BasePose& base) {
  std::size_t joint = 0;
  for (int i = 0; i < robot_.model.num_bodies(); ++i) {
    const models::Body& body = robot_.model.body(i);
    if (i == 0 && is_floating()) {
      const std::array<double, 7> pose{base.x,       base.y,       base.z,      base.turn[0],
                                       base.turn[1], base.turn[2], base.turn[3]};
      std::copy(pose.begin(), pose.end(), q_.data());
    } else if (body.joint.type == models::JointType::kRevolute &&
               joint < robot_.joint_names.size()) {
      q_[body.q_index] = angle[joint++];
    } else {
      models::neutral_joint(body.joint, q_.data() + body.q_index);
    }
  }
  if (!q_.allFinite()) return false;
  models::forward_kinematics(robot_.model, q_, v_, kinematics_);
  return mass_centre().allFinite();
}

Vec3 PosedBody::mass_centre() const {
  return models::center_of_mass(robot_.model, kinematics_);
}

std::vector<PosedBody::Touching> PosedBody::touching(double height) const {
  std::vector<Touching> bodies;
  if (!is_floating()) return bodies;
  for (const models::CollisionBox& box : robot_.boxes) {
    const models::Pose& X_WB = kinematics_.X_WB[idx(box.body)];
    for (const Vec3& corner : models::corners(box)) {
      const Vec3 p = X_WB.R * corner + X_WB.p;
      if (!(p.z() < height)) continue;
      auto found = std::find_if(bodies.begin(), bodies.end(),
                                [&](const Touching& t) { return t.body == box.body; });
      if (found == bodies.end()) found = bodies.insert(found, {box.body, {}});
      found->corners.push_back({p.x(), p.y(), 0.0});
    }
  }
  return bodies;
}

}  // namespace kagami::tools
