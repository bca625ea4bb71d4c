/// What every algorithm of forward dynamics does, and their names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "models/base/types.hpp"
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
                                           const JointVector& tau, const ExternalLoads& extras,
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

}  // namespace kagami::models
