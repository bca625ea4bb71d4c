/// What the assembly algorithms share: links in one common frame, handles, joining two articulated
/// bodies.
///
/// Common frame: axes of the world, reference point O at the origin of body 0, at rest while one
/// state is computed. A rigid body then has one spatial acceleration, however many joints it has,
/// so a handle is a link and a join contains no transform.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/joint_assembly_plan.hpp"
#include "models/dynamics/tree_pass.hpp"
#include "models/robot/model.hpp"
#include "models/spatial/inertia.hpp"
#include "models/spatial/pose.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::models {

/// What came of one computation. Outputs are untouched unless kOk.
enum class DynamicsStatus : std::uint8_t {
  kOk,
  kBadInput,   ///< a size that is not the model's, a quaternion of no length, a diagonal below 0
  kNotFinite,  ///< a NaN or an infinity in q, v, tau, forces or diagonal, or a sum that overflowed
  kSingular,   ///< an inertia without inverse: what moves has no inertia at this state
};

/// Name for logs and events.
const char* name(DynamicsStatus status) noexcept;

/// kOk when the algorithms can use q, v, tau and the extras, else what is wrong with them. Cycle
/// code.
[[nodiscard]] DynamicsStatus check_inputs(const Model& model, const JointVector& q,
                                          const JointVector& v, const JointVector& tau,
                                          const ExternalLoads& extras) noexcept;

/// Every body in the common frame; filled by place_bodies, sized once.
struct CommonFrame {
  explicit CommonFrame(const Model& model);

  Vec3 p_WO = Vec3::Zero();             ///< O in the world (m)
  std::vector<Pose> X_OB;               ///< per body: axes of the world, from O
  std::vector<Vec6> S;                  ///< per degree of freedom
  std::vector<Vec6> V;                  ///< per body (rad/s, m/s)
  std::vector<Vec6> c;                  ///< per body: Sdot qdot of its joint, Eq. (2.6)
  std::vector<SpatialInertia> inertia;  ///< per body
  std::vector<Vec6> P;           ///< per body: bias force of Eq. (2.1), external forces within
  std::vector<int> n;            ///< per body: degrees of freedom of its joint
  Vec6 a_ground = Vec6::Zero();  ///< the ground moves against gravity

 private:
  friend void place_bodies(const Model&, const JointVector&, const JointVector&,
                           const ExternalLoads&, CommonFrame&) noexcept;
  struct Constants {
    Vec3 com = Vec3::Zero();  // in B
    Mat3 I_com = Mat3::Zero();
  };
  std::vector<Constants> constants_;
};

/// Cycle code.
void place_bodies(const Model& model, const JointVector& q, const JointVector& v,
                  const ExternalLoads& extras, CommonFrame& w) noexcept;

/// [I hx; -hx m]. Cycle code.
Mat6 inertia_matrix(const SpatialInertia& M) noexcept;

/// A = L L'; L in the lower triangle, above it whatever was there. False when A is not positive
/// definite (or not finite). Cycle code.
bool cholesky(const Mat6& A, Mat6& L) noexcept;
/// M L^-T. Cycle code.
Mat6 right_solve(const Mat6& L, const Mat6& M) noexcept;
/// L^-1 b and L^-T b. Cycle code.
Vec6 forward_solve(const Mat6& L, const Vec6& b) noexcept;
Vec6 backward_solve(const Mat6& L, const Vec6& b) noexcept;
/// A^-1 of a symmetric positive definite A, false as cholesky. Cycle code.
bool invert(const Mat6& A, Mat6& inverse) noexcept;
/// The upper left n x n block of D is replaced by its inverse; false as cholesky. Cycle code.
bool invert_block(int n, Mat6& D) noexcept;

/// Handle inertias Phi_ij, bias accelerations B_i and handle forces F_i of every articulated body
/// of a plan, all at O in world axes.
struct HandleStore {
  explicit HandleStore(const AssemblyPlan& plan);

  /// Phi_ij of a body, i <= j. Phi_ji is its transpose.
  Mat6& upper(const PlannedBody& body, int i, int j) noexcept {
    return phi[static_cast<std::size_t>(body.first_block + j * (j + 1) / 2 + i)];
  }
  /// Phi_ij for any i, j.
  [[nodiscard]] Mat6 block(const PlannedBody& body, int i, int j) const noexcept;
  Vec6& bias(const PlannedBody& body, int i) noexcept {
    return B[static_cast<std::size_t>(body.first_slot + i)];
  }
  Vec6& force(const PlannedBody& body, int i) noexcept {
    return F[static_cast<std::size_t>(body.first_slot + i)];
  }

  std::vector<Mat6> phi;
  std::vector<Vec6> B;
  std::vector<Vec6> F;
};

/// Gives Phi form to a body kept as F = IA a + pA, Eq. (2.3). False when IA has no inverse.
bool to_phi_form(const Mat6& IA, const Vec6& pA, const PlannedBody& body,
                 HandleStore& store) noexcept;

/// Force on every joint with no degree of freedom and on every held body's joint, from the body's
/// acceleration and the forces of the joints beyond; `a` per link, `F` per body (on the child, at
/// O).
void add_fixed_joint_forces(const Model& model, const AssemblyPlan& plan, const CommonFrame& w,
                            const std::vector<Vec6>& a, std::vector<Vec6>& F) noexcept;

}  // namespace kagami::models
