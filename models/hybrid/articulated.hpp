/// Articulated bodies over expressions: what each derivation does with one body and its joint.
#pragma once

#include "models/hybrid/algebra.hpp"
#include "models/hybrid/program.hpp"

namespace kagami::models::hybrid {

/// What one body's passes leave behind; letters and equations in articulated.cpp.
struct BodyTerms {
  Vec3e w;      ///< angular velocity in B (rad/s)
  Vec3e c;      ///< angular part of the joint's bias acceleration, in B (rad/s^2)
  Vec3e gamma;  ///< centripetal acceleration of Jo, in P (m/s^2)
  Wrench pA;    ///< the body's own bias force, in B
  Wrench U;
  Wrench G;  ///< kShortPath: in P
  Expr D_inverse;
  Expr u;
  Expr ud;                 ///< u / D
  bool free_axis = false;  ///< no rotor inertia: G along the axis is 1
};

/// (hyb-1) and (hyb-2): w, c and gamma from the parent's angular velocity.
void move_joint(const UnitConstants& k, const PlanarRotation& t, Expr qd, const Vec3e& w_P,
                BodyTerms& m);
/// One body and its joint seen from the parent: IA_P and pA_P about Po. Needs c and gamma; leaves
/// what accelerate_joint takes.
void join_parent(EliminationOrder way, const UnitConstants& k, const PlanarRotation& t, Expr tau,
                 const InertiaE& IA, const Wrench& pA, BodyTerms& m, InertiaE& IA_P, Wrench& pA_P);
/// (hyb-8) or (hyb-10): qdd, and a from the parent's acceleration. Needs c, gamma, G, ud.
Expr accelerate_joint(EliminationOrder way, const UnitConstants& k, const PlanarRotation& t,
                      const Accel& a_P, const BodyTerms& m, Accel& a);

}  // namespace kagami::models::hybrid
