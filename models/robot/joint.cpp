// Joint models. [T] = Takahashi 2012, tables 2.1 (S, T_a) and 2.2 (T); the universal joint there is
// z-y, here any two perpendicular axes. Everything is expressed in B, about Bo.
#include "models/robot/joint.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "models/spatial/rotation.hpp"

namespace kagami::models {
namespace {

Eigen::Quaterniond quaternion_at(const double* q) noexcept {
  return {q[0], q[1], q[2], q[3]};
}

// at unit length; one of no length becomes NaN, where Eigen's normalized() leaves it as it is
Eigen::Quaterniond unit_quaternion_at(const double* q) noexcept {
  const Eigen::Quaterniond found = quaternion_at(q);
  const double length = std::sqrt(found.squaredNorm());
  return Eigen::Quaterniond(Eigen::Vector4d(found.coeffs() / length));
}

void put(const Eigen::Quaterniond& quaternion, double* q) noexcept {
  q[0] = quaternion.w();
  q[1] = quaternion.x();
  q[2] = quaternion.y();
  q[3] = quaternion.z();
}

Vec3 vec3_at(const double* v) noexcept {
  return {v[0], v[1], v[2]};
}

void put(const Vec3& x, double* v) noexcept {
  for (int k = 0; k < 3; ++k) v[k] = x[k];
}

// first axis of a universal joint, seen from B: it turns back by the second angle
Vec3 first_axis_in_B(const Joint& joint, double angle2) noexcept {
  return rotation_about(joint.axis2, -angle2) * joint.axis;
}

// two unit vectors that make a right-handed frame with the unit vector `axis`
void perpendicular_to(const Vec3& axis, Vec3& e1, Vec3& e2) noexcept {
  int smallest = 0;
  axis.cwiseAbs().minCoeff(&smallest);
  e1 = Vec3::Unit(smallest).cross(axis).normalized();
  e2 = axis.cross(e1);
}

Force pure_moment(const Vec3& n) noexcept {
  return Force::from(n, Vec3::Zero());
}

Force pure_force(const Vec3& f) noexcept {
  return Force::from(Vec3::Zero(), f);
}

Force* put_all_moments(Force* T) noexcept {
  for (int k = 0; k < 3; ++k) *T++ = pure_moment(Vec3::Unit(k));
  return T;
}

Force* put_all_forces(Force* T) noexcept {
  for (int k = 0; k < 3; ++k) *T++ = pure_force(Vec3::Unit(k));
  return T;
}

}  // namespace

const char* joint_type_name(JointType type) noexcept {
  constexpr const char* kNames[] = {"fixed",     "revolute",  "prismatic",
                                    "universal", "spherical", "floating"};
  return kNames[static_cast<int>(type)];
}

Pose joint_pose(const Joint& joint, const double* q) noexcept {
  switch (joint.type) {
    case JointType::kFixed:
      break;
    case JointType::kRevolute:
      return {rotation_about(joint.axis, q[0]), Vec3::Zero()};
    case JointType::kPrismatic:
      return {Mat3::Identity(), q[0] * joint.axis};
    case JointType::kUniversal:
      return {rotation_about(joint.axis, q[0]) * rotation_about(joint.axis2, q[1]), Vec3::Zero()};
    case JointType::kSpherical:
      return {rotation_of(unit_quaternion_at(q)), Vec3::Zero()};
    case JointType::kFloating:
      return {rotation_of(unit_quaternion_at(q + 3)), vec3_at(q)};
  }
  return {};
}

void joint_subspace(const Joint& joint, const double* q, Motion* S) noexcept {
  switch (joint.type) {
    case JointType::kFixed:
      break;
    case JointType::kRevolute:
      S[0] = Motion::from(joint.axis, Vec3::Zero());
      break;
    case JointType::kPrismatic:
      S[0] = Motion::from(Vec3::Zero(), joint.axis);
      break;
    case JointType::kUniversal:
      S[0] = Motion::from(first_axis_in_B(joint, q[1]), Vec3::Zero());
      S[1] = Motion::from(joint.axis2, Vec3::Zero());
      break;
    case JointType::kSpherical:
      for (int k = 0; k < 3; ++k) S[k] = Motion{Vec6::Unit(k)};
      break;
    case JointType::kFloating:
      for (int k = 0; k < 6; ++k) S[k] = Motion{Vec6::Unit(k)};
      break;
  }
}

Motion joint_bias(const Joint& joint, const double* q, const double* v) noexcept {
  if (joint.type != JointType::kUniversal) return Motion::zero();
  // the first axis is fixed in the middle part, which turns by -v2 axis2 against B
  const Vec3 a1 = first_axis_in_B(joint, q[1]);
  return Motion::from(a1.cross(joint.axis2) * (v[0] * v[1]), Vec3::Zero());
}

void joint_constraint_subspace(const Joint& joint, const double* q, Force* T) noexcept {
  Vec3 e1;
  Vec3 e2;
  switch (joint.type) {
    case JointType::kFixed:
      put_all_forces(put_all_moments(T));
      break;
    case JointType::kRevolute:
      perpendicular_to(joint.axis, e1, e2);
      T[0] = pure_moment(e1);
      T[1] = pure_moment(e2);
      put_all_forces(T + 2);
      break;
    case JointType::kPrismatic:
      perpendicular_to(joint.axis, e1, e2);
      put_all_moments(T);
      T[3] = pure_force(e1);
      T[4] = pure_force(e2);
      break;
    case JointType::kUniversal:
      T[0] = pure_moment(first_axis_in_B(joint, q[1]).cross(joint.axis2));
      put_all_forces(T + 1);
      break;
    case JointType::kSpherical:
      put_all_forces(T);
      break;
    case JointType::kFloating:
      break;
  }
}

void integrate_joint(const Joint& joint, const double* v, double dt, double* q) noexcept {
  switch (joint.type) {
    case JointType::kFixed:
      break;
    case JointType::kRevolute:
    case JointType::kPrismatic:
      q[0] += v[0] * dt;
      break;
    case JointType::kUniversal:
      q[0] += v[0] * dt;
      q[1] += v[1] * dt;
      break;
    case JointType::kSpherical:
      put(integrate(unit_quaternion_at(q), vec3_at(v), dt), q);
      break;
    case JointType::kFloating: {
      const Eigen::Quaterniond q_JB = unit_quaternion_at(q + 3);
      const Vec3 w_B = vec3_at(v);
      // the origin runs along the screw while the body turns
      const Vec3 p = q_JB * (screw_factor(w_B * dt) * (vec3_at(v + 3) * dt));
      put(vec3_at(q) + p, q);
      put(integrate(q_JB, w_B, dt), q + 3);
      break;
    }
  }
}

void joint_difference(const Joint& joint, const double* q0, const double* q1, double* v) noexcept {
  const int at = quaternion_index(joint.type);
  if (at < 0) {
    for (int k = 0; k < num_v(joint.type); ++k) v[k] = q1[k] - q0[k];
    return;
  }
  const Eigen::Quaterniond first = unit_quaternion_at(q0 + at);
  const Eigen::Quaterniond second = unit_quaternion_at(q1 + at);
  const Vec3 phi = logarithm(first.conjugate() * second);
  put(phi, v);
  if (joint.type == JointType::kFloating) {
    const Vec3 p_B = first.conjugate() * (vec3_at(q1) - vec3_at(q0));
    put(inverse_screw_factor(phi) * p_B, v + 3);
  }
}

void normalize_joint(const Joint& joint, double* q) noexcept {
  const int at = quaternion_index(joint.type);
  if (at >= 0) put(unit_quaternion_at(q + at), q + at);
}

void joint_q_rate(const Joint& joint, const double* q, const double* v, double* q_rate) noexcept {
  const int at = quaternion_index(joint.type);
  if (at < 0) {
    for (int k = 0; k < num_v(joint.type); ++k) q_rate[k] = v[k];
    return;
  }
  const Eigen::Quaterniond q_JB = quaternion_at(q + at);
  Eigen::Quaterniond rate = q_JB * Eigen::Quaterniond(0.0, v[0], v[1], v[2]);
  rate.coeffs() *= 0.5;
  put(rate, q_rate + at);
  if (joint.type == JointType::kFloating) put(unit_quaternion_at(q + at) * vec3_at(v + 3), q_rate);
}

void neutral_joint(const Joint& joint, double* q) noexcept {
  for (int k = 0; k < num_q(joint.type); ++k) q[k] = 0.0;
  const int at = quaternion_index(joint.type);
  if (at >= 0) q[at] = 1.0;
}

}  // namespace kagami::models
