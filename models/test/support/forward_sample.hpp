/// What the tests of forward dynamics share: random trees with all that acts on them, the cases of
/// O10, orders of assembly.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/joint_assembly_plan.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/tree_pass.hpp"
#include "models/robot/model.hpp"
#include "models/robot/state.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::test {

/// Largest entry.
double max_abs(const JointVector& v);

/// Every joint that moves, parents first: the order from the base to the tips.
models::AssemblyOrder moving_joints(const models::Model& model);
models::AssemblyOrder shuffled(Random& random, models::AssemblyOrder order);

/// n links of 1 m along z that turn about y.
models::Model upright_chain(int links);
/// n links of 1 m, 1 kg along x, the first one free, the others about y, x, z by turns: the chain
/// that kagami-bench-dynamics times.
models::Model floating_chain(int links);

/// Ratio of the mass matrix's largest and smallest eigenvalue; 1 where nothing moves.
double condition(const models::Model& model, const JointVector& q);

/// A model in a random state, random joint forces, outer forces and diagonal.
struct ForwardSample {
  ForwardSample(Random& random, const models::Model& of);
  /// Of every type of joint.
  ForwardSample(Random& random, int bodies, models::BaseKind base);
  [[nodiscard]] models::ExternalLoads extras() const {
    return {.F_ext = F_ext, .added_inertia = &diagonal};
  }

  models::Model model;
  models::State state;
  JointVector tau;
  JointVector diagonal;
  std::vector<models::Force> F_ext;
};

/// One case of O10.
struct ForwardCase {
  explicit ForwardCase(const nlohmann::json& c);

  /// Largest difference of a joint's force joint_force(body) from the oracle's, in world axes, as a
  /// share of its size (above 1 N m, N).
  template <class F>
  [[nodiscard]] double wrench_error(F joint_force) const {
    double worst = 0.0;
    for (int i = 0; i < model.num_bodies(); ++i) {
      worst = std::max(worst, wrench_error_of(i, joint_force(i)));
    }
    return worst;
  }

  models::Model model;
  JointVector q, v, tau, vdot;
  models::Kinematics k;
  std::vector<models::Force> F_ext;
  std::vector<Vec6> wrenches;  ///< per body: its joint's, in world axes about Bo

 private:
  [[nodiscard]] double wrench_error_of(int body, const models::Force& got) const;
};

}  // namespace kagami::test
