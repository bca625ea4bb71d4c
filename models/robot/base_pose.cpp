#include "models/robot/base_pose.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "models/base/trig.hpp"
#include "models/robot/state.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::models {

BasePose base_pose_of(const Pose& X_WB) noexcept {
  const Mat3& R = X_WB.R;
  const Eigen::Quaterniond turn = quaternion_of(R);
  return {.x = X_WB.p.x(),
          .y = X_WB.p.y(),
          .z = X_WB.p.z(),
          .heading = trig::atan2(R(1, 0), R(0, 0)),
          .tilt = trig::acos(std::clamp(R(2, 2), -1.0, 1.0)),
          .turn = {turn.w(), turn.x(), turn.y(), turn.z()}};
}

bool has_fallen(const BasePose& base, double standing) noexcept {
  return !(base.tilt <= kFallenTilt && base.z >= kFallenHeight * standing);
}

double lowest_corner(const Model& model, const std::vector<CollisionBox>& boxes) {
  const State zero = neutral_state(model);
  std::vector<Pose> X_WB(static_cast<std::size_t>(model.num_bodies()));
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    const Pose parent = b.parent == kWorld ? Pose{} : X_WB[static_cast<std::size_t>(b.parent)];
    X_WB[static_cast<std::size_t>(i)] =
        parent * b.X_PJ * joint_pose(b.joint, zero.q.data() + b.q_index);
  }
  double lowest = boxes.empty() ? 0.0 : 1e9;
  for (const CollisionBox& box : boxes) {
    for (const Vec3& corner : corners(box)) {
      lowest = std::min(lowest, (X_WB[static_cast<std::size_t>(box.body)] * corner).z());
    }
  }
  return lowest;
}

}  // namespace kagami::models
