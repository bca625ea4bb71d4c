/// Jacobians of all joints, of bodies and of the mass centre, and their rates.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/kernel/composite_kernel.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// One column [angular; linear] per degree of freedom. On the heap: made at set-up.
using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;
/// One column of three per degree of freedom. On the heap: made at set-up.
using PointJacobian = Eigen::Matrix<double, 3, Eigen::Dynamic>;

/// The answer of all below to a q or v of another size than the model's: NaN. Cycle code.
template <int rows>
void no_number(Eigen::Matrix<double, rows, Eigen::Dynamic>& J) noexcept {
  J.setConstant(kNaN);
}

/// Sized from the model; no call allocates afterwards. It belongs to that model.
struct JacobianWorkspace {
  explicit JacobianWorkspace(const Model& model);

  kernel::Tree fast;
  kernel::CompositeKernel kernel;
  Kinematics kinematics;          ///< of the rates, and of joints the kernels do not know
  JointVector zero;               ///< num_v zeros
  std::vector<SpatialInertia> I;  ///< per body and all that hangs on it, about Wo, in W
  std::vector<Force> h;           ///< its momentum about Wo, in W
};

/// Where the columns of a body's Jacobian are measured. kWorld: about Wo, in W (a spatial
/// velocity); kBody: about Bo, in B (V_WB_B).
enum class ExpressedIn : std::uint8_t { kWorld, kBody };

/// J_W: column k is the spatial velocity about Wo, in W, of the body behind degree of freedom k at
/// unit rate. All of them are the Jacobians of all bodies: body_jacobian picks. Allocates only
/// where J_W has not yet num_v columns; so do all below. Cycle code.
void joint_jacobians(const Model& model, const JointVector& q, JacobianWorkspace& w, Jacobian& J_W);
/// dJ_W/dt at velocity v; leaves poses and velocities in w.kinematics. Cycle code.
void joint_jacobian_rates(const Model& model, const JointVector& q, const JointVector& v,
                          JacobianWorkspace& w, Jacobian& dJ_W);

/// Jacobian of one body from J_W: columns of its own joint and of those on the way to the world,
/// zero elsewhere. X_WB is the body's pose (used for kBody). Cycle code.
void body_jacobian(const Model& model, const Jacobian& J_W, BodyIndex body, const Pose& X_WB,
                   ExpressedIn in, Jacobian& J);
/// Its rate, from J_W, dJ_W and the body's velocity V_WB_B. Cycle code.
void body_jacobian_rate(const Model& model, const Jacobian& J_W, const Jacobian& dJ_W,
                        BodyIndex body, const Pose& X_WB, const Motion& V_WB_B, ExpressedIn in,
                        Jacobian& dJ);

/// p_WCm (m) and its Jacobian: velocity of the mass centre = J v, in W. Cycle code.
Vec3 com_jacobian(const Model& model, const JointVector& q, JacobianWorkspace& w, PointJacobian& J);
/// dJ/dt of it. Cycle code.
void com_jacobian_rate(const Model& model, const JointVector& q, const JointVector& v,
                       JacobianWorkspace& w, PointJacobian& dJ);

}  // namespace kagami::models
