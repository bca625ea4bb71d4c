#include "models/robot/joint.hpp"

#include <Eigen/Geometry>

#include "models/spatial/rotation.hpp"

namespace kagami::models {
namespace {

Eigen::Quaterniond quaternion_at(const double* q) noexcept {
  return {q[0], q[1], q[2], q[3]};
}

}  // namespace

int num_q(JointType type) noexcept {
  switch (type) {
    case JointType::kFixed:
      return 0;
    case JointType::kRevolute:
      return 1;
    case JointType::kFloating:
      return 7;
  }
  return 0;
}

int num_v(JointType type) noexcept {
  switch (type) {
    case JointType::kFixed:
      return 0;
    case JointType::kRevolute:
      return 1;
    case JointType::kFloating:
      return 6;
  }
  return 0;
}

Pose joint_pose(const Joint& joint, const double* q) noexcept {
  switch (joint.type) {
    case JointType::kFixed:
      break;
    case JointType::kRevolute:
      return {rotation_about(joint.axis, q[0]), Vec3::Zero()};
    case JointType::kFloating:
      return {rotation_of(quaternion_at(q + 3).normalized()), Vec3(q[0], q[1], q[2])};
  }
  return {};
}

void joint_subspace(const Joint& joint, const double* /*q*/, Motion* S) noexcept {
  switch (joint.type) {
    case JointType::kFixed:
      break;
    case JointType::kRevolute:
      S[0] = Motion::from(joint.axis, Vec3::Zero());
      break;
    case JointType::kFloating:
      for (int k = 0; k < 6; ++k) S[k] = Motion{Vec6::Unit(k)};
      break;
  }
}

Motion joint_bias(const Joint& /*joint*/, const double* /*q*/, const double* /*v*/) noexcept {
  return Motion::zero();
}

void integrate_joint(const Joint& joint, const double* v, double dt, double* q) noexcept {
  switch (joint.type) {
    case JointType::kFixed:
      break;
    case JointType::kRevolute:
      q[0] += v[0] * dt;
      break;
    case JointType::kFloating: {
      // exact turn; position by the velocity at half the turn, so that dt^2 errors cancel
      const Vec3 w_B(v[0], v[1], v[2]);
      const Eigen::Quaterniond q_JB = quaternion_at(q + 3).normalized();
      const Vec3 p = rotation_of(integrate(q_JB, w_B, 0.5 * dt)) * Vec3(v[3], v[4], v[5]) * dt;
      const Eigen::Quaterniond next = integrate(q_JB, w_B, dt);
      for (int k = 0; k < 3; ++k) q[k] += p[k];
      q[3] = next.w();
      q[4] = next.x();
      q[5] = next.y();
      q[6] = next.z();
      break;
    }
  }
}

void neutral_joint(const Joint& joint, double* q) noexcept {
  for (int k = 0; k < num_q(joint.type); ++k) q[k] = 0.0;
  if (joint.type == JointType::kFloating) q[3] = 1.0;
}

}  // namespace kagami::models
