/// What `kagami dynamics` reports about a model's loops: whether a state closes them, what they
/// carry.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/base/config_fwd.hpp"
#include "models/base/types.hpp"
#include "models/closed_chains/closed_chain_dynamics.hpp"
#include "models/robot/model.hpp"
#include "tools/commands/dynamics_input.hpp"

namespace kagami::tools {

/// The loops at one state; names and frames as in the oracles' files.
struct LoopClosure {
  std::vector<Vec6> wrench_on_a;         ///< per loop: moment about Lo and force, axes of W
  std::vector<models::Pose> X_WL;        ///< per loop
  double gap = 0.0;                      ///< largest, rad or m
  double gap_rate = 0.0;                 ///< largest, rad/s or m/s
  int rank = 0;                          ///< independent equations
  std::vector<double> singular_values;   ///< of the loops in the metric of H, falling
  double smallest_singular_value = 0.0;  ///< 0 at a singular pose
  JointMatrix J;
  std::vector<int> independent;  ///< degrees of freedom
  std::vector<int> held;         ///< degrees of freedom that the loops keep still here
  std::vector<Vec6> inverse_wrench_on_a;
  bool base_helps = false;  ///< inverse dynamics needs forces on the floating base too
};

/// Throws ConfigError, through `fail(key, problem)`, for a state whose loops gape or open; with
/// `close` it is brought to one that fits, or refused where there is none.
void check_loops(const models::Model& model, const ConfigNode* node, const std::string& where,
                 bool close, StateEntry& entry);

/// After source.acceleration at the entry's state: the loops' results without the inverse ones.
LoopClosure loop_closure(const models::Model& model, const StateEntry& entry,
                         models::ClosedChainDynamics& source);

/// Fills vdot from its independent coordinates, tau and the inverse wrenches. Throws Error where
/// there is no answer.
void inverse_with_loops(const models::Model& model, const StateEntry& entry,
                        const models::ExternalLoads& extras, LoopClosure& loops, JointVector& vdot,
                        JointVector& tau);

/// Remarks for the user: redundant equations, joints that cannot move; empty: nothing.
std::vector<std::string> loop_notices(const models::Model& model, const LoopClosure& loops);

}  // namespace kagami::tools
