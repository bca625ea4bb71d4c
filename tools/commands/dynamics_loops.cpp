#include "tools/commands/dynamics_loops.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "models/base/number_text.hpp"
#include "models/closed_chains/loop_inverse.hpp"

namespace kagami::tools {

using models::LoopStatus;
using models::Model;

namespace {

constexpr double kClosedEnough = 1e-6;  // rad or m: files carry some digits

// the loop whose rows of `values` are largest, and how large
struct Widest {
  std::string name;
  double value = 0.0;
};

Widest widest(const Model& model, const models::LoopKinematics& k, const Eigen::VectorXd& values) {
  Widest found;
  for (std::size_t l = 0; l < model.loops().size(); ++l) {
    const models::Loop& loop = model.loops()[l];
    const Eigen::VectorXd rows = values.segment(k.first_row[l], loop.num_constraints);
    const double value = rows.cwiseAbs().maxCoeff();
    if (value > found.value || l == 0) found = {loop.name, value};
  }
  return found;
}

[[noreturn]] void refuse(const ConfigNode* node, const std::string& where, const char* key,
                         const std::string& problem) {
  if (node != nullptr) node->fail(key, problem);
  throw ConfigError(where + ": " + key + ": " + problem);
}

std::vector<bool> actuated_joints(const Model& model, bool base_too) {
  std::vector<bool> actuated(idx(model.num_v()), true);
  for (int i = 0; i < model.num_bodies() && !base_too; ++i) {
    const models::Body& b = model.body(i);
    if (b.joint.type == models::JointType::kFloating)
      std::fill_n(actuated.begin() + b.v_index, b.nv, false);
  }
  return actuated;
}

JointVector part_of(const JointVector& x, std::span<const int> indices) {
  JointVector part(static_cast<int>(indices.size()));
  for (int j = 0; j < part.size(); ++j) part[j] = x[indices[idx(j)]];
  return part;
}

std::string joint_of(const Model& model, int dof) {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const models::Body& b = model.body(i);
    if (dof >= b.v_index && dof < b.v_index + b.nv) return b.joint_name;
  }
  return {};
}

}  // namespace

void check_loops(const Model& model, const ConfigNode* node, const std::string& where, bool close,
                 StateEntry& entry) {
  models::LoopDynamics loops(model);
  const std::string hint = "; --close brings a state to its loops";
  if (close && loops.close(entry.state.q) != LoopStatus::kOk) {
    static_cast<void>(loops.factor(entry.state.q));
    const Widest gap = widest(model, loops.kinematics(), loops.kinematics().e);
    refuse(node, where, "q",
           "the loops cannot be closed from this state: loop '" + gap.name + "' is open by " +
               number_text(gap.value) + " (rad or m) at the start");
  }
  if (loops.factor(entry.state.q) != LoopStatus::kOk)
    refuse(node, where, "q", "the mass matrix is not positive definite here");
  const Widest gap = widest(model, loops.kinematics(), loops.kinematics().e);
  if (!(gap.value <= kClosedEnough))
    refuse(node, where, "q",
           "loop '" + gap.name + "' is open by " + number_text(gap.value) +
               " (rad or m), expected at most " + number_text(kClosedEnough) + hint);
  if (close) loops.project_velocity(entry.state.v, false);
  const Eigen::VectorXd rate = loops.kinematics().J * entry.state.v;
  const Widest opens = widest(model, loops.kinematics(), rate);
  if (!(opens.value <= kClosedEnough * (1.0 + entry.state.v.norm())))
    refuse(node, where, "v",
           "loop '" + opens.name + "' opens at " + number_text(opens.value) +
               " (rad/s or m/s), expected at most " + number_text(kClosedEnough) +
               " of the velocities" + hint);
}

LoopClosure loop_closure(const Model& model, const StateEntry& entry,
                         models::ClosedChainDynamics& source) {
  LoopClosure f;
  f.rank = source.rank();
  // by the reference, whatever gave the accelerations
  models::LoopDynamics loops(model);
  if (loops.look_around(entry.state.q) != LoopStatus::kOk)
    throw Error(entry.where + ": the loops have no singular values");
  const models::LoopKinematics& k = loops.kinematics();
  for (int l = 0; l < static_cast<int>(model.loops().size()); ++l) {
    f.wrench_on_a.push_back(source.wrench(l).c);
    f.X_WL.push_back(loop_pose(model, k, l));
  }
  f.gap = loops.gap();
  f.J = k.J;
  const Eigen::VectorXd rate = k.J * entry.state.v;
  f.gap_rate = rate.cwiseAbs().maxCoeff();
  f.singular_values.assign(loops.singular_values().begin(), loops.singular_values().end());
  f.smallest_singular_value = loops.smallest_singular_value();
  models::LoopInverse inverse(model);
  if (inverse.factor(entry.state.q) != LoopStatus::kOk)
    throw Error(entry.where + ": the loops have no independent coordinates");
  f.independent.assign(inverse.independent().begin(), inverse.independent().end());
  for (int i = 0; i < model.num_v(); ++i)
    if (inverse.is_held(i)) f.held.push_back(i);
  return f;
}

void inverse_with_loops(const Model& model, const StateEntry& entry,
                        const models::ExternalLoads& extras, LoopClosure& loops, JointVector& vdot,
                        JointVector& tau) {
  const JointVector& q = entry.state.q;
  LoopStatus status = LoopStatus::kUnderActuated;
  for (const bool base : {false, true}) {
    models::LoopInverse inverse(model, actuated_joints(model, base));
    status = inverse.factor(q);
    if (status != LoopStatus::kOk) break;
    const JointVector wanted = part_of(vdot, inverse.independent());
    JointVector full;
    status = inverse.run(q, entry.state.v, wanted, extras, full, tau);
    if (status == LoopStatus::kUnderActuated) continue;
    if (status != LoopStatus::kOk) break;
    vdot = full;
    loops.base_helps = base;
    for (int l = 0; l < static_cast<int>(model.loops().size()); ++l)
      loops.inverse_wrench_on_a.push_back(inverse.dynamics().wrench(l).c);
    return;
  }
  throw Error(entry.where + ": no inverse dynamics: " + name(status));
}

std::vector<std::string> loop_notices(const Model& model, const LoopClosure& loops) {
  std::vector<std::string> notices;
  const int equations = model.num_loop_constraints();
  if (loops.rank < equations)
    notices.push_back(std::to_string(equations - loops.rank) + " of the " +
                      std::to_string(equations) +
                      " loop equations are redundant here: the smallest loop forces are given");
  for (const int dof : loops.held)
    notices.push_back("joint " + joint_of(model, dof) + " cannot move here: the loops hold it");
  return notices;
}

}  // namespace kagami::tools
