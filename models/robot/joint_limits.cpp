#include "models/robot/joint_limits.hpp"

#include <cstdio>

namespace kagami::models {
namespace {

constexpr double kRounding = 1e-9;  // rad, m: a joint that starts at its limit is within it

const Body& body_of(const Model& model, int dof) noexcept {
  int i = 0;
  while (model.body(i).v_index + model.body(i).nv <= dof) ++i;
  return model.body(i);
}

}  // namespace

int limit_passed(const Model& model, const JointVector& q) noexcept {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    if (b.nv != 1) continue;
    const DofLimits& limits = model.limits(b.v_index);
    const double x = q[b.q_index];
    if (x < limits.q_min - kRounding || x > limits.q_max + kRounding) return b.v_index;
  }
  return -1;
}

std::string limit_text(const Model& model, int dof, const JointVector& q) {
  const Body& b = body_of(model, dof);
  char numbers[100];
  std::snprintf(numbers, sizeof numbers, " at %.9g is outside its limits [%.9g, %.9g]",
                q[b.q_index], model.limits(dof).q_min, model.limits(dof).q_max);
  return "joint '" + b.joint_name + "'" + numbers;
}

}  // namespace kagami::models
