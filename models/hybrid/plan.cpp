#include "models/hybrid/plan.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::models::hybrid {
namespace {

// R_BC, C the chosen frame: the joint's axis becomes coordinate axis `axis` of C
Mat3 chosen_axes(const Vec3& joint_axis, int& axis) {
  for (int k = 0; k < 3; ++k) {
    if (joint_axis == Vec3::Unit(k)) {
      axis = k;
      return Mat3::Identity();
    }
    if (joint_axis == -Vec3::Unit(k)) {
      axis = k;  // half a turn about the next axis
      Mat3 R = -Mat3::Identity();
      R((k + 1) % 3, (k + 1) % 3) = 1.0;
      return R;
    }
  }
  axis = 2;
  Mat3 R;
  const Vec3 z = joint_axis.normalized();
  int least = 0;
  z.cwiseAbs().minCoeff(&least);
  const Vec3 x = z.cross(Vec3::Unit(least)).normalized();
  R.col(0) = x;
  R.col(1) = z.cross(x);
  R.col(2) = z;
  return R;
}

// a rotation matrix of a quarter turn comes with entries like 6e-17
Mat3 cleaned(Mat3 R) {
  for (double& x : R.reshaped()) {
    if (std::abs(x) < 1e-15) x = 0.0;
    if (std::abs(x - 1.0) < 1e-15) x = 1.0;
    if (std::abs(x + 1.0) < 1e-15) x = -1.0;
  }
  return R;
}

bool same_pattern(const double* a, const double* b, int n) {
  for (int i = 0; i < n; ++i) {
    if ((a[i] == 0.0) != (b[i] == 0.0)) return false;
  }
  return true;
}

// may the two bodies, and all that hangs on them, be computed side by side?
bool same_structure(const Plan& plan, int i, int j) {
  const PlanBody& a = plan.bodies[idx(i)];
  const PlanBody& b = plan.bodies[idx(j)];
  if (a.axis != b.axis || a.move != b.move || a.children.size() != b.children.size()) return false;
  if ((a.rotor == 0.0) != (b.rotor == 0.0)) return false;
  if (a.X_PJ.R != b.X_PJ.R || !same_pattern(a.X_PJ.p.data(), b.X_PJ.p.data(), 3)) return false;
  if (!same_pattern(a.inertia.h.data(), b.inertia.h.data(), 3)) return false;
  if (!same_pattern(a.inertia.I.data(), b.inertia.I.data(), 9)) return false;
  for (std::size_t k = 0; k < a.children.size(); ++k) {
    if (!same_structure(plan, a.children[k], b.children[k])) return false;
  }
  return true;
}

int add_unit(Plan& plan, int i, int j, int parent) {
  const int unit = static_cast<int>(plan.units.size());
  LimbUnit u;
  u.lanes = i == j ? 1 : 2;
  u.body = {i, j};
  u.parent = parent;
  if (parent >= 0) plan.units[idx(parent)].children.push_back(unit);
  plan.units.push_back(u);
  return unit;
}

void add_units(Plan& plan, int i, int j, int parent, bool pair_limbs) {
  const int unit = add_unit(plan, i, j, parent);
  const std::vector<int> left = plan.bodies[idx(i)].children;
  if (i != j) {
    const std::vector<int> right = plan.bodies[idx(j)].children;
    for (std::size_t k = 0; k < left.size(); ++k)
      add_units(plan, left[k], right[k], unit, pair_limbs);
    return;
  }
  std::vector<bool> taken(left.size(), false);
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (taken[k]) continue;
    std::size_t partner = k;
    for (std::size_t l = k + 1; pair_limbs && l < left.size() && partner == k; ++l) {
      if (!taken[l] && same_structure(plan, left[k], left[l])) partner = l;
    }
    taken[partner] = true;
    add_units(plan, left[k], left[partner], unit, pair_limbs);
  }
}

// pairs take even columns, single joints fill up behind them
void give_columns(Plan& plan) {
  for (const int lanes : {2, 1}) {
    for (LimbUnit& u : plan.units) {
      if (u.lanes != lanes || (plan.floating && u.body[0] == 0)) continue;
      u.column = plan.columns;
      plan.columns += lanes;
    }
  }
}

void add_body(Plan& plan, const PlanBody& body) {
  if (body.parent >= 0)
    plan.bodies[idx(body.parent)].children.push_back(static_cast<int>(plan.bodies.size()));
  plan.bodies.push_back(body);
}

// Body i of the model on its joint, X_PJ in the parent's chosen axes, without inertia yet; gives
// its chosen axes R_BC. A universal joint is two turns, a spherical one three spins about B's axes
// in a row; the bodies between have no inertia.
Mat3 add_joint(Plan& plan, const Model& model, int i, int parent, const Pose& X_PJ) {
  const Body& b = model.body(i);
  PlanBody body;
  body.body = i;
  body.parent = parent;
  body.q = b.q_index;
  body.v = b.v_index;
  body.X_PJ = X_PJ;
  const auto add = [&](const Vec3& axis) {
    const Mat3 R_BC = chosen_axes(axis, body.axis);
    body.X_PJ.R = cleaned(body.X_PJ.R * R_BC);
    body.rotor = model.rotor_inertia()[body.v];
    add_body(plan, body);
    // ready for the next one
    body.parent = static_cast<int>(plan.bodies.size()) - 1;
    ++body.v;
    body.X_PJ = {R_BC.transpose(), Vec3::Zero()};
    return R_BC;
  };
  switch (b.joint.type) {
    case JointType::kPrismatic:
      body.move = Move::kSlide;
      return add(b.joint.axis);
    case JointType::kUniversal:
      add(b.joint.axis);
      ++body.q;
      return add(b.joint.axis2);
    case JointType::kSpherical:
      body.move = Move::kSpin;
      for (int k = 0; k < 3; ++k) {
        body.third = k;
        add(Vec3::Unit(k));
      }
      return Mat3::Identity();
    default:
      return add(b.joint.axis);
  }
}

}  // namespace

std::string plan_problem(const Model& model) {
  if (!model.loops().empty()) return "the model has loops";
  int moving = 0;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    switch (b.joint.type) {
      case JointType::kFixed:
        break;
      case JointType::kFloating:
        if (i != 0)
          return "joint '" + b.joint_name + "' is a floating one but not the first of the tree";
        ++moving;
        break;
      default:
        ++moving;
    }
  }
  return moving == 0 ? "no joint moves" : "";
}

Plan make_plan(const Model& model, bool pair_limbs) {
  if (const std::string problem = plan_problem(model); !problem.empty())
    throw ModelError("generated dynamics: " + problem);
  Plan plan;
  plan.gravity = model.gravity();
  plan.num_q = model.num_q();
  plan.num_v = model.num_v();

  // where each body of the model went: plan body and X_CB, C the plan body's chosen frame
  std::vector<int> carrier(idx(model.num_bodies()), -1);
  std::vector<Pose> X_CB(idx(model.num_bodies()));
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    const int parent = b.parent == kWorld ? -1 : carrier[idx(b.parent)];
    const Pose X_PJ = b.parent == kWorld ? b.X_PJ : X_CB[idx(b.parent)] * b.X_PJ;
    if (b.joint.type == JointType::kFixed) {
      carrier[idx(i)] = parent;
      X_CB[idx(i)] = X_PJ;
      if (parent >= 0)
        plan.bodies[idx(parent)].inertia = plan.bodies[idx(parent)].inertia + X_PJ * b.inertia;
      continue;
    }
    Pose X_BC;
    if (b.joint.type == JointType::kFloating) {
      plan.floating = true;
      plan.R_base = cleaned(X_PJ.R);
      PlanBody base;
      base.body = i;
      base.axis = -1;
      base.q = b.q_index;
      base.v = b.v_index;
      base.X_PJ = {plan.R_base, X_PJ.p};
      add_body(plan, base);
    } else {
      X_BC.R = add_joint(plan, model, i, parent, X_PJ);
    }
    plan.bodies.back().inertia = inverse(X_BC) * b.inertia;
    carrier[idx(i)] = static_cast<int>(plan.bodies.size()) - 1;
    X_CB[idx(i)] = inverse(X_BC);
  }
  for (int i = 0; i < static_cast<int>(plan.bodies.size()); ++i) {
    if (plan.bodies[idx(i)].parent < 0) add_units(plan, i, i, -1, pair_limbs);
  }
  give_columns(plan);
  return plan;
}

}  // namespace kagami::models::hybrid
