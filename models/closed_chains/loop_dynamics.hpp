/// Forward dynamics of trees whose loops are closed, redundant equations by rank; projection.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <span>

#include "models/base/types.hpp"
#include "models/closed_chains/loop_kinematics.hpp"
#include "models/closed_chains/rank_revealing.hpp"
#include "models/dynamics/crba.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/dynamics/tree_pass.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// What came of one computation. Outputs are untouched unless kOk.
enum class LoopStatus : std::uint8_t {
  kOk,
  kNotFinite,        ///< a NaN, an infinity, another size than the model's in q, v, tau, forces
  kNoInertia,        ///< the tree's mass matrix is not positive definite
  kOpen,             ///< the loops do not close from this q
  kOverConstrained,  ///< the loops' equations contradict each other at this q and v
  kUnderActuated,    ///< inverse dynamics: no forces of the actuated coordinates give this motion
};

/// Name for logs and events.
const char* name(LoopStatus status) noexcept;

/// Singular values below this part of the largest count as zero in the accelerations: above the
/// rounding that redundant equations leave (1e-15), below what one step near a singular pose has.
inline constexpr double kRankTolerance = 1e-7;

/// A step that ends with a larger gap than this (m or rad) has lost its loops: kOpen.
inline constexpr double kOpenGap = 1e-3;

/// What counts next to a singular pose. The defaults are those of a simulation, which needs the
/// last digit; a controller would rather lose a direction early than divide by little.
struct LoopTolerances {
  double rank = kRankTolerance;
  /// Of the velocity terms: more than this part left in a direction that does not count is
  /// kOverConstrained; infinite: never, what is left there is dropped.
  double contradiction = 1e-4;
  /// Below this part of the largest a step's projections leave a direction out where the correction
  /// would be large: what passes a crossing of branches at speed keeps its branch. 0: never; for a
  /// robot that is near one, such as on two soles with its legs parallel, where nothing else
  /// would take away what moves across.
  double crossing = 3e-3;
};

/// Accelerations and loop forces by H vdot + b = tau + J' lambda, J vdot + k = 0, with the smallest
/// multipliers where they are not unique. The model must outlive it. No call allocates. Singular
/// values are those of L^-1 J', H = L L': square roots of the loops' inverse inertia (1/sqrt(kg)
/// for lengths, 1/(m sqrt(kg)) for angles).
class LoopDynamics {
 public:
  explicit LoopDynamics(const Model& model, const LoopTolerances& tolerances = {});

  /// H, J and the rank at q. Cycle code.
  [[nodiscard]] LoopStatus factor(const JointVector& q) noexcept;
  /// After factor at the same q: vdot. v must be along the loops, see project_velocity. Cycle code.
  [[nodiscard]] LoopStatus accelerate(const JointVector& q, const JointVector& v,
                                      const JointVector& tau, const ExternalLoads& extras,
                                      JointVector& vdot) noexcept;
  /// The same with multipliers that are known from elsewhere, one per equation. Cycle code.
  [[nodiscard]] LoopStatus accelerate_under(const Eigen::VectorXd& multipliers,
                                            const JointVector& q, const JointVector& v,
                                            const JointVector& tau, const ExternalLoads& extras,
                                            JointVector& vdot) noexcept;
  /// After factor at the same q: makes of vdot along the loops what a straight step of first order
  /// requires: v + dt vdot is then along the loops at the middle of the step. Cycle code.
  void straighten(const JointVector& q, const JointVector& v, JointVector& vdot) noexcept;
  /// factor and accelerate. ExternalLoads::added_inertia is taken in place of the rotors'. Cycle
  /// code.
  [[nodiscard]] LoopStatus run(const JointVector& q, const JointVector& v, const JointVector& tau,
                               const ExternalLoads& extras, JointVector& vdot) noexcept;

  /// After factor: takes from v what opens the loops, no other kinetic energy. `careful`: leaves a
  /// direction alone where the correction would be large against its singular value, as next to a
  /// crossing of branches; for steps. Cycle code.
  void project_velocity(JointVector& v, bool careful) noexcept;
  /// Closes what a step has opened: at most `rounds` Gauss-Newton rounds in the metric of H,
  /// careful as above, each with a factor at the q it started from. Cycle code.
  [[nodiscard]] LoopStatus project_position(int rounds, JointVector& q) noexcept;
  /// Closes the loops from a guess that may be far off, to 1e-12; kOpen when that cannot be done.
  /// Cycle code, but up to 200 rounds.
  [[nodiscard]] LoopStatus close(JointVector& q) noexcept;

  /// After factor: the independent equations R v = 0, one per row, rank() rows, orthonormal in the
  /// metric of H^-1. R must have as many rows at least, and num_v columns. Cycle code.
  void equations(Eigen::MatrixXd& R) const noexcept;
  /// After factor at the same q: r of R vdot = r, rank() numbers. Cycle code.
  [[nodiscard]] LoopStatus right_sides(const JointVector& q, const JointVector& v,
                                       Eigen::VectorXd& r) noexcept;
  /// After factor: the smallest multipliers that carry a joint-space force, J' lambda = force;
  /// false where none do. wrench and add_forces then tell of them. Cycle code.
  bool carry(const JointVector& force) noexcept;

  /// Looks around a closed q for poses where more equations are independent, so that
  /// smallest_singular_value is 0 at a singular pose that is the first one seen; ends with a factor
  /// at q. Set-up: closes the loops once per degree of freedom.
  [[nodiscard]] LoopStatus look_around(const JointVector& q);

  /// Independent equations at the last q.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// The most that were independent at any q so far.
  [[nodiscard]] int most_independent() const noexcept { return independent_; }
  /// The smallest singular value that counts at the last q, as a part of the largest; 1: none.
  [[nodiscard]] double smallest_part() const noexcept {
    return rank_ == 0 ? 1.0 : svd_.sigma[rank_ - 1] / svd_.sigma[0];
  }
  /// Counts at most so many equations as independent from the next q on; kAnyRank: all that are.
  /// Cycle code.
  void limit_rank(int most) noexcept { most_ = most; }
  static constexpr int kAnyRank = std::numeric_limits<int>::max();
  /// Largest of all gaps at the last q (rad or m).
  [[nodiscard]] double gap() const noexcept;
  /// All singular values, falling.
  [[nodiscard]] std::span<const double> singular_values() const noexcept;
  /// The smallest of those that have been independent at some q: 0 at a singular pose.
  [[nodiscard]] double smallest_singular_value() const noexcept;
  /// smallest_singular_value as a part of its largest value so far, 0..1: how far the last q is
  /// from singular poses; 1 before any other q was seen. Cycle code.
  [[nodiscard]] double distance() const noexcept;
  /// After accelerate: force of a loop joint on body a, about Lo, axes of the world (N m, N).
  [[nodiscard]] Force wrench(int loop) const noexcept;
  /// After accelerate: what the wrenches are made of, one per equation.
  [[nodiscard]] const Eigen::VectorXd& multipliers() const noexcept { return lambda_; }
  /// Adds every loop's force to both its bodies, F_Bo_B as ExternalLoads::F_ext, one per body: with
  /// them rnea gives the forces of the tree's joints. Cycle code.
  void add_forces(std::span<Force> F_ext) const noexcept;
  [[nodiscard]] const LoopKinematics& kinematics() const noexcept { return loops_; }
  /// Mass matrix at the last q.
  [[nodiscard]] const JointMatrix& mass_matrix() const noexcept { return H_; }

 private:
  LoopStatus factor(const JointVector& q, const JointVector* added_inertia) noexcept;
  [[nodiscard]] Force force_in_L(int loop) const noexcept;
  bool split_rate(const JointVector& v) noexcept;
  bool factor_mass() noexcept;
  [[nodiscard]] double twice_energy(const JointVector& v) const noexcept;
  void to_metric(Eigen::VectorXd& z) const noexcept;    // L^-1 z
  void from_metric(Eigen::VectorXd& z) const noexcept;  // L^-T z
  LoopStatus correct(double damping, bool careful, JointVector& q) noexcept;

  const Model& model_;
  LoopTolerances tolerances_;
  LoopKinematics loops_;
  CrbaWorkspace crba_;
  RneaWorkspace rnea_;
  RankRevealing svd_;
  JointMatrix H_;
  JointMatrix L_;
  JointVector zero_;
  JointVector b_;
  JointVector step_;
  JointVector q_next_;
  JointVector q_before_;
  Eigen::VectorXd z_;
  Eigen::VectorXd y_;
  Eigen::VectorXd d_;
  Eigen::VectorXd lambda_;
  int rank_ = 0;
  int most_ = kAnyRank;
  int independent_ = 0;  // largest rank so far
  double best_ = 0.0;    // largest of smallest_singular_value at that rank
};

}  // namespace kagami::models
