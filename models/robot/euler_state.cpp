// A floating base's velocity is in its own frame: p_rate = R_JB v (joint.hpp).
#include "models/robot/euler_state.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "models/spatial/rotation.hpp"

namespace kagami::models {
namespace {

// where a joint's numbers stand in q_zyz: one earlier for each quaternion before
struct Place {
  int at = 0;
  int count = 0;
};

// visit(body, place) for every joint, in model order
template <class Visit>
void each_joint(const Model& model, Visit visit) {
  int at = 0;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    const int count = quaternion_index(b.joint.type) < 0 ? b.nq : b.nq - 1;
    visit(b, Place{at, count});
    at += count;
  }
}

Eigen::Quaterniond quaternion_at(const JointVector& q, int at) noexcept {
  return Eigen::Quaterniond(q[at], q[at + 1], q[at + 2], q[at + 3]).normalized();
}

}  // namespace

int num_q_zyz(const Model& model) noexcept {
  return model.num_q() - static_cast<int>(model.quaternions().size());
}

double q_to_zyz(const Model& model, const JointVector& q, JointVector& q_zyz) noexcept {
  q_zyz.resize(num_q_zyz(model));
  double sigma = 1.0;
  each_joint(model, [&](const Body& b, Place place) {
    const int first = quaternion_index(b.joint.type);
    const int plain = first < 0 ? place.count : first;
    q_zyz.segment(place.at, plain) = q.segment(b.q_index, plain);
    if (first < 0) return;
    const EulerZyz found = euler_zyz_of(quaternion_at(q, b.q_index + first));
    q_zyz.segment<3>(place.at + first) = found.angles;
    sigma = std::min(sigma, found.sigma);
  });
  return sigma;
}

void zyz_to_q(const Model& model, const JointVector& q_zyz, JointVector& q) noexcept {
  q.resize(model.num_q());
  each_joint(model, [&](const Body& b, Place place) {
    const int first = quaternion_index(b.joint.type);
    const int plain = first < 0 ? place.count : first;
    q.segment(b.q_index, plain) = q_zyz.segment(place.at, plain);
    if (first < 0) return;
    const Eigen::Quaterniond found =
        euler_zyz_quaternion(Vec3(q_zyz.segment<3>(place.at + first))).normalized();
    q.segment<4>(b.q_index + first) << found.w(), found.x(), found.y(), found.z();
  });
}

bool zyz_rates(const Model& model, const JointVector& q_zyz, const JointVector& v,
               JointVector& rates) noexcept {
  JointVector result(num_q_zyz(model));
  bool regular = true;
  each_joint(model, [&](const Body& b, Place place) {
    const int first = quaternion_index(b.joint.type);
    if (first < 0) {
      result.segment(place.at, place.count) = v.segment(b.v_index, b.nv);
      return;
    }
    const Vec3 angles = q_zyz.segment<3>(place.at + first);
    Vec3 angle_rates = Vec3::Zero();
    regular = euler_zyz_rates(angles, Vec3(v.segment<3>(b.v_index)), angle_rates) && regular;
    result.segment<3>(place.at + first) = angle_rates;
    if (first == 0) return;
    const Mat3 R = rotation_of(euler_zyz_quaternion(angles));
    result.segment<3>(place.at) = R * v.segment<3>(b.v_index + 3);
  });
  if (regular) rates = result;
  return regular;
}

}  // namespace kagami::models
