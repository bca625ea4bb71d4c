/// Vectors, turns and articulated inertias of expressions.
///
/// Accelerations here are ordinary ones of the body's origin, not spatial: the bias terms then need
/// the angular velocity alone, and no linear velocity is handed from body to body.
#pragma once

#include <array>

#include "models/hybrid/expression.hpp"
#include "models/hybrid/plan.hpp"

namespace kagami::models::hybrid {

using Vec3e = std::array<Expr, 3>;
using Mat3e = std::array<Vec3e, 3>;

/// Force (moment, force) or acceleration (angular, linear) of a frame, about its origin.
struct Wrench {
  Vec3e n;
  Vec3e f;
};
struct Accel {
  Vec3e ang;
  Vec3e lin;
};
/// [A H; H' M]: moment and force per angular and linear acceleration; A, M symmetric.
struct InertiaE {
  Mat3e A;
  Mat3e H;
  Mat3e M;
};

/// Constants of one unit's joint and body, both lanes together, and what replaces them
/// where a joint slides or has a quaternion.
struct UnitConstants {
  int axis = 2;
  bool slides = false;  ///< along the axis; else it turns about it
  Mat3e R_PJ;           ///< turned by a spherical joint's quaternion
  Vec3e p;              ///< p_PB (m), with the way that the joint has slid
  Expr mass;
  Vec3e h;     ///< kg m
  Mat3e I;     ///< kg m^2, about Bo
  Expr rotor;  ///< kg m^2
};
UnitConstants constants_of(Graph& g, const Plan& plan, const LimbUnit& unit);

/// Sine and cosine of a joint angle with the products that turning a matrix needs.
struct PlanarRotation {
  int axis = 2;
  Expr s, c, ss, sc;
};

Vec3e zero_vector(Graph& g);
Vec3e plus(const Vec3e& a, const Vec3e& b);
Vec3e cross(const Vec3e& a, const Vec3e& b);
Expr dot(const Vec3e& a, const Vec3e& b);
Vec3e times(const Mat3e& R, const Vec3e& v);               ///< R v
Vec3e transpose_times(const Mat3e& R, const Vec3e& v);     ///< R' v
Vec3e turn(const PlanarRotation& t, const Vec3e& v);       ///< from B to J
Vec3e turn_back(const PlanarRotation& t, const Vec3e& v);  ///< from J to B

/// Products w_i w_j.
Mat3e products(const Vec3e& w);
/// w x (w x r) from the products of w.
Vec3e centripetal(const Mat3e& ww, const Vec3e& r);
/// Moment and force that the body's own rotation requires: w x I w, w x (w x h).
Wrench gyroscopic(const Mat3e& ww, const UnitConstants& k);

InertiaE rigid(Graph& g, const UnitConstants& k);
InertiaE zero_inertia(Graph& g);
InertiaE plus(const InertiaE& a, const InertiaE& b);
/// The same inertia expressed in J instead of B, where row and column `axis` of A and row `axis` of
/// H may be zero.
InertiaE turn(const PlanarRotation& t, const InertiaE& I);
/// Expressed in P instead of J and about Po instead of Jo.
InertiaE to_parent(const UnitConstants& k, const InertiaE& I);
Wrench to_parent(const UnitConstants& k, const Wrench& F);
/// I a.
Wrench times(const InertiaE& I, const Accel& a);

}  // namespace kagami::models::hybrid
