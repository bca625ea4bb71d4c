#include "models/robot/state.hpp"

#include <cmath>

#include "models/base/number_text.hpp"

namespace kagami::models {
namespace {

constexpr double kUnitQuaternion = 1e-3;  // how far from 1 a file's quaternion may be
constexpr double kNoOrientation = 1e-6;   // shorter quaternions are no rounding error

}  // namespace

State neutral_state(const Model& model) {
  State state{JointVector::Zero(model.num_q()), JointVector::Zero(model.num_v())};
  for (int i = 0; i < model.num_bodies(); ++i) {
    neutral_joint(model.body(i).joint, state.q.data() + model.body(i).q_index);
  }
  return state;
}

void integrate(const Model& model, const JointVector& v, double dt, JointVector& q) noexcept {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    integrate_joint(b.joint, v.data() + b.v_index, dt, q.data() + b.q_index);
  }
}

void difference(const Model& model, const JointVector& q0, const JointVector& q1,
                JointVector& v) noexcept {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    joint_difference(b.joint, q0.data() + b.q_index, q1.data() + b.q_index, v.data() + b.v_index);
  }
}

void q_rate(const Model& model, const JointVector& q, const JointVector& v,
            JointVector& rate) noexcept {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    joint_q_rate(b.joint, q.data() + b.q_index, v.data() + b.v_index, rate.data() + b.q_index);
  }
}

bool has_orientations(const Model& model, const JointVector& q) noexcept {
  for (const int at : model.quaternions()) {
    if (!(q.segment<4>(at).squaredNorm() > kNoOrientation * kNoOrientation)) return false;
  }
  return true;
}

std::string state_problem(const Model& model, const JointVector& q, const JointVector& v) {
  if (q.size() != model.num_q() || v.size() != model.num_v()) {
    return "q has " + std::to_string(q.size()) + " and v " + std::to_string(v.size()) +
           " numbers, expected " + std::to_string(model.num_q()) + " and " +
           std::to_string(model.num_v());
  }
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    if (!q.segment(b.q_index, b.nq).allFinite() || !v.segment(b.v_index, b.nv).allFinite()) {
      return "joint '" + b.joint_name + "': a value is not finite";
    }
    const int at = quaternion_index(b.joint.type);
    if (at < 0) continue;
    const double length = q.segment<4>(b.q_index + at).norm();
    if (std::abs(length - 1.0) > kUnitQuaternion) {
      return "joint '" + b.joint_name + "': quaternion of length " + number_text(length) +
             ", expected 1";
    }
  }
  return "";
}

}  // namespace kagami::models
