#include "models/robot/builder.hpp"

#include <Eigen/LU>
#include <cmath>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"

namespace kagami::models {
namespace {

constexpr double kUnitSlack = 1e-6;  // an axis printed with seven digits still counts as unit

void check_joint(const std::string& name, const Joint& joint, BodyIndex parent) {
  if (joint.type == JointType::kRevolute) {
    const double length = joint.axis.norm();
    if (!(std::abs(length - 1.0) <= kUnitSlack)) {
      throw ModelError("joint '" + name + "': axis of length " + number_text(length) +
                       ", expected a unit vector");
    }
  }
  if (joint.type == JointType::kFloating && parent != kWorld) {
    throw ModelError("joint '" + name + "': a floating joint must hang from the world");
  }
}

void check_pose(const std::string& name, const Pose& X) {
  if (!X.p.allFinite() || !X.R.allFinite()) {
    throw ModelError("joint or frame '" + name + "': its origin has a value that is not finite");
  }
  if ((X.R.transpose() * X.R - Mat3::Identity()).cwiseAbs().maxCoeff() > kUnitSlack ||
      X.R.determinant() < 0.0) {
    throw ModelError("joint or frame '" + name + "': its orientation is not a rotation");
  }
}

void check_mass(const std::string& name, const MassProperties& mass, bool moves) {
  if (!moves && mass.mass == 0.0 && mass.I_com.isZero(0.0)) return;
  if (!mass.com.allFinite()) {
    throw ModelError("link '" + name + "': its mass centre has a value that is not finite");
  }
  const std::string problem = inertia_problem(mass.mass, mass.I_com);
  if (!problem.empty()) throw ModelError("link '" + name + "': " + problem);
}

}  // namespace

void ModelBuilder::check_name(const std::string& name) const {
  if (name.empty()) throw ModelError("a link or frame without a name");
  if (model_.find_body(name) >= 0) throw ModelError("link '" + name + "' stands twice");
  for (const Frame& frame : model_.frames_) {
    if (frame.name == name) throw ModelError("link '" + name + "' stands twice");
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
    throw ModelError("joint '" + joint_name + "' stands twice");
  }
  check_joint(joint_name, joint, parent);
  check_pose(joint_name, X_PJ);
  check_mass(name, mass, num_v(joint.type) > 0);

  Body body;
  body.name = name;
  body.joint_name = joint_name;
  body.parent = parent;
  body.joint = joint;
  if (joint.type == JointType::kRevolute) body.joint.axis.normalize();
  body.X_PJ = X_PJ;
  body.inertia = SpatialInertia::from_com(mass.mass, mass.com, mass.I_com);
  body.q_index = model_.num_q_;
  body.v_index = model_.num_v_;
  body.held = num_v(joint.type) == 0 && (parent == kWorld || model_.body(parent).held);
  model_.num_q_ += num_q(joint.type);
  model_.num_v_ += num_v(joint.type);
  if (model_.num_q_ > kMaxDofs || model_.num_bodies() >= kMaxBodies) {
    throw ModelError("link '" + name + "': more than " + std::to_string(kMaxDofs) +
                     " coordinates or " + std::to_string(kMaxBodies) + " bodies");
  }
  model_.limits_.resize(static_cast<std::size_t>(model_.num_v_));
  model_.bodies_.push_back(std::move(body));
  return model_.num_bodies() - 1;
}

void ModelBuilder::set_limits(BodyIndex body, const DofLimits& limits) {
  const Body& b = body_at(body);
  if (num_v(b.joint.type) != 1) {
    throw ModelError("joint '" + b.joint_name + "': limits need one degree of freedom");
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

void ModelBuilder::add_frame(const std::string& name, BodyIndex body, const Pose& X_BF) {
  check_name(name);
  body_at(body);
  check_pose(name, X_BF);
  model_.frames_.push_back({name, body, X_BF});
}

void ModelBuilder::set_gravity(const Vec3& gravity) {
  if (!gravity.allFinite()) throw ModelError("gravity has a value that is not finite");
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
