#include "models/robot/builder.hpp"

#include <Eigen/LU>
#include <cmath>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"

namespace kagami::models {
namespace {

constexpr double kUnitSlack = 1e-6;  // an axis printed with seven digits still counts as unit

void check_axis(const std::string& name, const char* key, const Vec3& axis) {
  const double length = axis.norm();
  if (std::abs(length - 1.0) <= kUnitSlack) return;  // false for NaN
  throw ModelError("joint '" + name + "': " + key + " of length " + number_text(length) +
                   ", expected a unit vector");
}

// the joint with axes of exactly unit length
Joint checked_joint(const std::string& name, Joint joint) {
  const JointType type = joint.type;
  if (type == JointType::kRevolute || type == JointType::kPrismatic ||
      type == JointType::kUniversal) {
    check_axis(name, "axis", joint.axis);
    joint.axis.normalize();
  }
  if (type == JointType::kUniversal) {
    check_axis(name, "axis2", joint.axis2);
    const double cosine = joint.axis.dot(joint.axis2);
    if (std::abs(cosine) > kUnitSlack) {
      throw ModelError("joint '" + name + "': axis and axis2 make an angle of cosine " +
                       number_text(cosine) + ", expected perpendicular axes");
    }
    joint.axis2 = (joint.axis2 - cosine * joint.axis).normalized();
  }
  return joint;
}

void check_pose(const std::string& name, const Pose& X) {
  if (!X.p.allFinite() || !X.R.allFinite()) {
    throw ModelError("joint or frame '" + name + "': its origin is not finite");
  }
  if ((X.R.transpose() * X.R - Mat3::Identity()).cwiseAbs().maxCoeff() > kUnitSlack ||
      X.R.determinant() < 0.0) {
    throw ModelError("joint or frame '" + name + "': its orientation is not a rotation");
  }
}

// the inertia about the body's origin
SpatialInertia checked_inertia(const std::string& name, const MassProperties& mass, bool moves) {
  const std::string place = "link '" + name + "': ";
  if (!mass.com.allFinite()) {
    throw ModelError(place + "its mass centre is not finite");
  }
  const SpatialInertia M = SpatialInertia::from_com(mass.mass, mass.com, mass.I_com);
  if (!moves && mass.mass == 0.0 && mass.I_com.isZero(0.0)) return M;
  const std::string problem = inertia_problem(mass.mass, mass.I_com);
  if (!problem.empty()) throw ModelError(place + problem);
  if (!M.h.allFinite() || !M.I.allFinite()) {
    throw ModelError(place + "mass " + number_text(mass.mass) + " kg at " +
                     number_text(mass.com.cwiseAbs().maxCoeff()) +
                     " m has an inertia about the joint that is not finite");
  }
  return M;
}

}  // namespace

ModelBuilder::ModelBuilder(const Model& model) : model_(model) {
  rotor_.head(model.num_v()) = model.rotor_inertia();
}

void ModelBuilder::check_name(const std::string& name) const {
  if (name.empty()) throw ModelError("a link or frame without a name");
  if (model_.find_body(name) >= 0)
    throw ModelError("duplicate link '" + name + "': rename one of them");
  for (const Frame& frame : model_.frames_) {
    if (frame.name == name) throw ModelError("duplicate link '" + name + "': rename one of them");
  }
}

Body& ModelBuilder::body_at(BodyIndex index) {
  if (index < 0 || index >= model_.num_bodies()) {
    throw ModelError("body index " + std::to_string(index) + " is outside [0, " +
                     std::to_string(model_.num_bodies()) + ")");
  }
  return model_.bodies_[static_cast<std::size_t>(index)];
}

BodyIndex ModelBuilder::add_body(const std::string& name, BodyIndex parent,
                                 const std::string& joint_name, const Joint& joint,
                                 const Pose& X_PJ, const MassProperties& mass) {
  check_name(name);
  if (parent != kWorld) body_at(parent);
  if (joint_name.empty()) throw ModelError("link '" + name + "': its joint has no name");
  if (model_.find_joint(joint_name) >= 0) {
    throw ModelError("duplicate joint '" + joint_name + "': rename one of them");
  }
  if (joint.type == JointType::kFloating && parent != kWorld) {
    throw ModelError("joint '" + joint_name + "': a floating joint must hang from the world");
  }
  check_pose(joint_name, X_PJ);

  Body body;
  body.name = name;
  body.joint_name = joint_name;
  body.parent = parent;
  body.joint = checked_joint(joint_name, joint);
  body.X_PJ = X_PJ;
  body.inertia = checked_inertia(name, mass, num_v(joint.type) > 0);
  body.q_index = model_.num_q_;
  body.v_index = model_.num_v_;
  body.nq = num_q(joint.type);
  body.nv = num_v(joint.type);
  body.held = body.nv == 0 && (parent == kWorld || model_.body(parent).held);
  const int quaternion = quaternion_index(joint.type);
  if (quaternion >= 0) model_.quaternions_.push_back(body.q_index + quaternion);
  model_.num_q_ += body.nq;
  model_.num_v_ += body.nv;
  if (model_.num_q_ > kMaxDofs || model_.num_bodies() >= kMaxBodies) {
    throw ModelError("link '" + name + "': more than " + std::to_string(kMaxDofs) +
                     " coordinates or " + std::to_string(kMaxBodies) + " bodies");
  }
  model_.limits_.resize(static_cast<std::size_t>(model_.num_v_));
  model_.bodies_.push_back(std::move(body));
  return model_.num_bodies() - 1;
}

void ModelBuilder::weld_mass(BodyIndex body, const MassProperties& mass) {
  Body& b = body_at(body);
  b.inertia = b.inertia + checked_inertia(b.name, mass, true);
}

void ModelBuilder::scale_mass(BodyIndex body, double factor) {
  Body& b = body_at(body);
  if (!std::isfinite(factor) || factor <= 0.0) {
    throw ModelError("link '" + b.name + "': mass times " + number_text(factor) +
                     ", expected a factor > 0");
  }
  b.inertia.mass *= factor;
  b.inertia.h *= factor;
  b.inertia.I *= factor;
}

void ModelBuilder::set_limits(BodyIndex body, const DofLimits& limits) {
  const Body& b = body_at(body);
  if (num_v(b.joint.type) != 1) {
    throw ModelError("joint '" + b.joint_name + "': limits require one degree of freedom");
  }
  if (!(limits.q_min <= limits.q_max) || !(limits.speed >= 0.0) || !(limits.effort >= 0.0)) {
    throw ModelError("joint '" + b.joint_name + "': limits lower " + number_text(limits.q_min) +
                     ", upper " + number_text(limits.q_max) + ", velocity " +
                     number_text(limits.speed) + ", effort " + number_text(limits.effort) +
                     ", expected lower <= upper and the others >= 0");
  }
  model_.limits_[static_cast<std::size_t>(b.v_index)] = limits;
}

void ModelBuilder::set_rotor_inertia(BodyIndex body, double inertia) {
  const Body& b = body_at(body);
  if (num_v(b.joint.type) != 1 || !std::isfinite(inertia) || inertia < 0.0) {
    throw ModelError("joint '" + b.joint_name + "': rotor inertia " + number_text(inertia) +
                     " kg m^2, expected >= 0 on one degree of freedom");
  }
  rotor_[b.v_index] = inertia;
}

bool ModelBuilder::move_against_each_other(BodyIndex a, BodyIndex b) const noexcept {
  // the later one walks up until both meet; every joint on the way counts
  while (a != b) {
    BodyIndex& later = a > b ? a : b;
    if (model_.body(later).nv > 0) return true;
    later = model_.body(later).parent;
  }
  return false;
}

void ModelBuilder::add_loop(const std::string& name, BodyIndex body_a, const Pose& X_AL,
                            BodyIndex body_b, const Pose& X_BJ, const Joint& joint) {
  const std::string place = "loop '" + name + "': ";
  if (name.empty()) throw ModelError("a loop without a name");
  for (const Loop& loop : model_.loops_) {
    if (loop.name == name) throw ModelError(place + "duplicate name: rename one of the two loops");
  }
  if (body_a == kWorld) throw ModelError(place + "body_a is the world, expected a body");
  for (const BodyIndex body : {body_a, body_b}) {
    if (body < kWorld || body >= model_.num_bodies()) {
      throw ModelError(place + "body index " + std::to_string(body) + " is outside [-1, " +
                       std::to_string(model_.num_bodies()) + ")");
    }
  }
  if (joint.type == JointType::kFloating) {
    throw ModelError(place + "a floating joint cannot close a loop");
  }
  if (!move_against_each_other(body_a, body_b)) {
    throw ModelError(place + "its bodies cannot move against each other");
  }
  check_pose(name, X_AL);
  check_pose(name, X_BJ);
  const int constraints = 6 - num_v(joint.type);
  model_.num_loop_constraints_ += constraints;
  model_.loops_.push_back(
      {name, body_a, body_b, checked_joint(name, joint), X_AL, X_BJ, constraints});
}

void ModelBuilder::add_frame(const std::string& name, BodyIndex body, const Pose& X_BF) {
  check_name(name);
  body_at(body);
  check_pose(name, X_BF);
  model_.frames_.push_back({name, body, X_BF});
}

void ModelBuilder::set_gravity(const Vec3& gravity) {
  if (!gravity.allFinite()) throw ModelError("gravity is not finite");
  model_.gravity_ = gravity;
}

Model ModelBuilder::build() {
  if (model_.num_bodies() == 0) throw ModelError("a model without bodies");
  model_.rotor_inertia_ = rotor_.head(model_.num_v_);
  Model result = std::move(model_);
  *this = ModelBuilder();
  return result;
}

}  // namespace kagami::models
