/// Forward dynamics by name: every algorithm behind one signature.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "models/base/types.hpp"
#include "models/dynamics/forward_algorithm.hpp"
#include "models/dynamics/joint_assembly.hpp"
#include "models/dynamics/tree_pass.hpp"
#include "models/forward/dynamics_choice.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// One robot, one algorithm. The model must outlive it.
class ForwardDynamics {
 public:
  /// `order` for dca and ada, empty for their default. Throws ConfigError for an order that is
  /// impossible or means nothing to the algorithm, ModelError for a link whose inertia has no
  /// inverse and for a model with loops (loop_source.hpp has those).
  ForwardDynamics(const Model& model, Algorithm algorithm, const AssemblyOrder& order = {});
  /// For an algorithm made elsewhere, and what the user should know about it. Throws ConfigError
  /// when there is none, ModelError for a model with loops.
  ForwardDynamics(const Model& model, Algorithm algorithm, std::unique_ptr<ForwardAlgorithm> made,
                  std::string notice = "");

  /// vdot (one entry per degree of freedom, in the units of v per second) from q, v, tau; extras:
  /// forces of the surroundings, another diagonal than the rotor inertias. vdot is untouched unless
  /// kOk. Cycle code.
  [[nodiscard]] DynamicsStatus run(const JointVector& q, const JointVector& v,
                                   const JointVector& tau, const ExternalLoads& extras,
                                   JointVector& vdot) noexcept;
  [[nodiscard]] DynamicsStatus run(const JointVector& q, const JointVector& v,
                                   const JointVector& tau, JointVector& vdot) noexcept;
  /// As ForwardAlgorithm's.
  [[nodiscard]] Force joint_force(BodyIndex body) const noexcept {
    return made_->joint_force(body);
  }
  [[nodiscard]] bool has_joint_forces() const noexcept { return made_->has_joint_forces(); }
  [[nodiscard]] Algorithm algorithm() const noexcept { return algorithm_; }
  /// False where another runs in its place: hybrid without code for the model.
  [[nodiscard]] bool available() const noexcept { return made_->available(); }
  /// The algorithm that computed the last vdot: algorithm(), or the one that took its place (ada
  /// for hybrid without code, or with blocks and another diagonal, and for dca where its residual
  /// was too large).
  [[nodiscard]] Algorithm ran() const noexcept { return made_->substitute().value_or(algorithm_); }
  /// What the user should know, such as that hybrid has no code for this robot; empty: nothing.
  [[nodiscard]] const std::string& notice() const noexcept { return notice_; }
  [[nodiscard]] const Model& model() const noexcept { return model_; }

 private:
  const Model& model_;
  Algorithm algorithm_;
  std::string notice_;  // before made_, whose maker writes it
  std::unique_ptr<ForwardAlgorithm> made_;
};

/// Forward dynamics of a robot that was read from `folder` (empty: from no folder). For hybrid the
/// code in FOLDER/generated serves when load_owner_code accepts it, then the code we ship, then
/// ada; notice() reports what was refused and which of them is used. Set-up.
ForwardDynamics robot_forward_dynamics(const Model& model, Algorithm algorithm,
                                       const std::filesystem::path& folder);
ForwardDynamics robot_forward_dynamics(const Model& model, const DynamicsChoice& choice);

/// Throws ConfigError where ada would run in place of the choice: hybrid without generated code of
/// this model. `name`: the model's, for the message. Set-up.
void require_dynamics(const Model& model, const DynamicsChoice& choice, std::string_view name);

}  // namespace kagami::models
