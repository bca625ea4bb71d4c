/// Forward dynamics by name: every algorithm behind one signature.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "models/base/types.hpp"
#include "models/dynamics/ada.hpp"
#include "models/dynamics/joint_assembly.hpp"
#include "models/dynamics/tree_pass.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

enum class Algorithm : std::uint8_t {
  kCrba,    ///< mass matrix and sparse Cholesky, O(n^3): the reference
  kAba,     ///< articulated bodies, O(n)
  kDca,     ///< divide and conquer, O(n)
  kAda,     ///< assembly and disassembly, O(n), all joint forces
  kHybrid,  ///< code generated ahead of time; ada serves where there is none
};

/// "crba", "aba", "dca", "ada", "hybrid"; ConfigError that lists them for anything else.
Algorithm algorithm(std::string_view name);
const char* name(Algorithm algorithm) noexcept;
/// All of them.
inline constexpr std::array<Algorithm, 5> kAlgorithms = {
    Algorithm::kCrba, Algorithm::kAba, Algorithm::kDca, Algorithm::kAda, Algorithm::kHybrid};

/// What an algorithm does; sized for one model, no call allocates.
class ForwardAlgorithm {
 public:
  virtual ~ForwardAlgorithm() = default;
  /// vdot from q, v, tau (units in aba.hpp). vdot is untouched unless kOk. Inputs are checked by
  /// the caller: finite and of the model's sizes. Cycle code.
  [[nodiscard]] virtual DynamicsStatus run(const JointVector& q, const JointVector& v,
                                           const JointVector& tau, const Extras& extras,
                                           JointVector& vdot) noexcept = 0;
  /// F_Bo_B that the joint of a body exerts on it, after run; NaN where the algorithm has none.
  [[nodiscard]] virtual Force joint_force(BodyIndex body) const noexcept;
  /// Whether joint_force gives numbers.
  [[nodiscard]] virtual bool has_joint_forces() const noexcept { return false; }
  /// The algorithm that computed the last vdot, where it was not the one that was asked for.
  [[nodiscard]] virtual std::optional<Algorithm> substitute() const noexcept {
    return std::nullopt;
  }
};

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
                                   const JointVector& tau, const Extras& extras,
                                   JointVector& vdot) noexcept;
  [[nodiscard]] DynamicsStatus run(const JointVector& q, const JointVector& v,
                                   const JointVector& tau, JointVector& vdot) noexcept;
  /// As ForwardAlgorithm's.
  [[nodiscard]] Force joint_force(BodyIndex body) const noexcept {
    return made_->joint_force(body);
  }
  [[nodiscard]] bool has_joint_forces() const noexcept { return made_->has_joint_forces(); }
  [[nodiscard]] Algorithm algorithm() const noexcept { return algorithm_; }
  /// The algorithm that computed the last vdot: algorithm(), or the one that took its place (ada
  /// for hybrid without code or with extras, and for dca where its residual was too large).
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

}  // namespace kagami::models
