/// One place where two bodies touch, what a method makes of it, and what is remembered of it.
#pragma once

#include <cstdint>

#include "models/base/types.hpp"
#include "models/contact/scene/surface.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::models {

/// Second body of a contact with something that never moves.
inline constexpr int kStaticBody = -1;

/// What a contact does in a step.
enum class ContactMotion : std::uint8_t {
  kNew,       ///< did not touch in the step before
  kOpen,      ///< near, but nothing is exchanged
  kStick,     ///< holds its place; Coulomb's static limit
  kSettling,  ///< has just stopped: holds its place, still with the kinetic limit
  kSlide,     ///< slips; friction at its kinetic value
};

/// "new", "open", "stick", "settling", "slide".
const char* name(ContactMotion motion) noexcept;

/// A vertex of body a at a face of body b (or of something static). All vectors in W; n points from
/// b to a; n, t1, t2 are orthonormal and right-handed.
struct ContactPoint {
  std::uint64_t id = 0;     ///< the same as long as the same vertex meets the same shape; 0: none
  int a = 0;                ///< index into ContactProblem::bodies
  int b = kStaticBody;      ///< the same, or kStaticBody
  Vec3 p = Vec3::Zero();    ///< m, the vertex
  Vec3 n = Vec3::UnitZ();   ///< no unit
  Vec3 t1 = Vec3::UnitX();  ///< no unit
  Vec3 t2 = Vec3::UnitY();  ///< no unit
  double gap = 0.0;         ///< m along n; negative: penetration
  Vec3 offset = Vec3::Zero();  ///< m, d of [Wakisaka 2013]: from the reference point to p
  Surface surface;             ///< of the pair
  double mass = 1.0;           ///< kg, of the lighter of the two systems: scale of the relaxation
  ContactMotion before = ContactMotion::kNew;  ///< what it did in the step before
  Vec3 impulse_before = Vec3::Zero();  ///< N s along n, t1, t2 in the step before: a first guess
};

/// What a method answers for one contact.
struct ContactForce {
  Force impulse = Force::zero();  ///< on a about the contact's p, axes of W (N m s; N s)
  Vec3 local = Vec3::Zero();      ///< N s along n, t1, t2
  ContactMotion motion = ContactMotion::kOpen;
  double residual = 0.0;  ///< m/s: how far the velocity after is from the method's target
};

}  // namespace kagami::models
