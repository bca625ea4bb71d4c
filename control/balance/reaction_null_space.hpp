/// Reaction null space of a support foot: joint motions that leave the foot's load as it is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/base/types.hpp"
#include "models/closed_chains/rank_revealing.hpp"
#include "models/dynamics/centroidal.hpp"
#include "models/dynamics/jacobians.hpp"
#include "models/robot/model.hpp"

namespace kagami::control {

/// Of the foot's six reactions, which count, and what happens where they depend on each other.
struct ReactionSettings {
  /// Moment about the foot frame's origin (x, y, z), force (x, y, z), axes of the foot: weights of
  /// the equations, 0 drops one. Moments and forces differ by a length: weights of moments in 1/m
  /// make them alike. With full rank and no damping weights above 0 change nothing.
  Vec6 weights = Vec6::Ones();
  /// Below this part of the largest singular value the smallest counts as nearly lost, 0..1.
  double near_singular = 1e-3;
  /// Largest damping, a part of the largest singular value, 0..1; 0: none.
  double max_damping = 1e-3;
};

enum class ReactionStatus : std::uint8_t {
  kOk,
  kNotFinite,  ///< a NaN, an infinity, another size than the model's
};

/// How well the chosen reactions can be distinguished at the last pose.
struct ReactionReport {
  int rank = 0;            ///< equations that count, at most the number of weights above 0
  int free = 0;            ///< joint motions without reaction: joints - rank
  double largest = 0.0;    ///< singular values of the weighted coupling inertia (kg m^2, kg m)
  double smallest = 0.0;   ///< of those that count
  double condition = 0.0;  ///< largest / smallest; infinite without any
  double damping = 0.0;    ///< in use, same unit
};

/// Coupling inertia M_fl of the foot and the other links [Takahashi 2012] Eqs. (6.1) to (6.9), for
/// any model that floats or whose foot is held. theta: all degrees of freedom but the floating
/// base's, model order. The foot is taken to stand still. The model must outlive it. No call
/// allocates; all but construction is cycle code.
class ReactionNullSpace {
 public:
  /// Throws ConfigError for a foot that moves against a base that does not float, no joints, no
  /// weight above 0, weights or settings outside their ranges.
  ReactionNullSpace(const models::Model& model, const models::Frame& foot,
                    const ReactionSettings& settings = {});

  /// M_fl, Mdot_fl theta' and the null space at q (the model's coordinates, a floating base's own
  /// do not matter) and theta'.
  [[nodiscard]] ReactionStatus evaluate(const JointVector& q, const JointVector& rate) noexcept;

  /// Eq. (6.4): theta'' = -M_fl^# Mdot_fl theta' + N zeta, after evaluate. Sizes num_joints.
  void acceleration(const JointVector& zeta, JointVector& theta_dd) const noexcept;
  /// Eqs. (6.8), (6.9), its integral: theta' = M_fl^# L + N b, with the coupling momentum L [N m s;
  /// N s] held; zero: no reaction ever. After evaluate.
  void velocity(const models::Force& L, const JointVector& b, JointVector& theta_d) const noexcept;
  /// x := N x, after evaluate.
  void project(JointVector& x) const noexcept;

  /// 6 x num_joints: M_fl theta' is the momentum [about the foot frame's origin; linear], axes of
  /// the foot, of the robot with its foot at rest.
  [[nodiscard]] const models::Jacobian& coupling_inertia() const noexcept { return M_; }
  /// M_fl theta' of the last evaluate.
  [[nodiscard]] const models::Force& momentum() const noexcept { return momentum_; }
  /// Mdot_fl theta': what the foot must give at theta'' = 0, gravity apart.
  [[nodiscard]] const models::Force& bias() const noexcept { return bias_; }
  [[nodiscard]] const ReactionReport& report() const noexcept { return report_; }
  /// Falling; as many as weights above 0.
  [[nodiscard]] std::span<const double> singular_values() const noexcept;
  [[nodiscard]] int num_joints() const noexcept { return num_joints_; }

 private:
  void place_foot(const JointVector& q, const JointVector& rate) noexcept;
  void couple() noexcept;
  void factor() noexcept;
  [[nodiscard]] models::Force to_foot(const Vec6& F_Wo) const noexcept;

  const models::Model& model_;
  models::Frame foot_;
  ReactionSettings settings_;
  int base_nv_ = 0;
  int num_joints_ = 0;
  std::vector<int> rows_;      // reactions that count
  std::vector<bool> on_path_;  // per degree of freedom: moves the foot
  models::JacobianWorkspace jacobian_;
  models::CentroidalWorkspace centroidal_;
  models::Jacobian J_;   // all joints, about Wo
  models::Jacobian dJ_;  // its rate
  models::Jacobian A_;   // momentum about Wo
  models::Jacobian M_;
  models::RankRevealing svd_;
  models::Pose X_W0_;  // of the floating base
  models::Pose X_WF_;
  JointVector v_;     // of the whole model, foot at rest
  JointVector vdot_;  // likewise at theta'' = 0
  models::Force momentum_ = models::Force::zero();
  models::Force bias_ = models::Force::zero();
  ReactionReport report_;
  Vec6 inverse_ = Vec6::Zero();  // per singular value: of the generalised inverse
  Vec6 passes_ = Vec6::Zero();   // 1: its direction is taken out of the null space
};

}  // namespace kagami::control
