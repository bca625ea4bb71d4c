/// One patch where two bodies overlap, what the volumetric method makes of it, what is remembered.
#pragma once

#include <array>
#include <cstdint>

#include "models/contact/method/contact_point.hpp"
#include "models/contact/shape/patch.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::models {

/// Generators of the friction cones that carry an impulse at one time; six suffice, more share.
inline constexpr int kMaxLoads = 12;

/// Share of an impulse along one generator of the friction cone at one corner, in W.
struct ConeLoad {
  Vec3 r = Vec3::Zero();        ///< m, the corner from the patch's centroid
  Vec3 tangent = Vec3::Zero();  ///< unit, the generator is n + mu tangent
  double size = 0.0;            ///< N s along n, > 0
  int corner = 0;               ///< of the outline
  int edge = 0;                 ///< of the pyramid
};

/// The loads of one patch, kept from step to step as a first guess.
struct PatchLoads {
  std::array<ConeLoad, kMaxLoads> load = {};
  int count = 0;
};

/// Body a overlaps body b (or something static). All vectors in W; patch.n pushes a out of b.
struct ContactPatch {
  std::uint64_t id = 0;  ///< the same as long as the same two shapes meet; 0: none
  int a = 0;             ///< index into PatchProblem::bodies
  int b = kStaticBody;   ///< the same, or kStaticBody
  Patch patch;
  Vec6 drive = Vec6::Zero();                   ///< patch_velocity of it
  Surface surface;                             ///< of the pair
  ContactMotion before = ContactMotion::kNew;  ///< what it did in the step before
  PatchLoads loads_before;                     ///< of the step before
  /// The last `ahead` corners of the outline are vertices of a that do not touch the half-space b
  /// yet but may within the step: `gap` (m, by corner; 0 for the others) is their way to it.
  int ahead = 0;
  std::array<double, kMaxOutline> gap = {};
  /// The patch is that of an earlier step, from which a and b have hardly moved.
  bool kept = false;
  /// How far a has moved against b since then, axes of W: turn, shift at the centroid (rad, m).
  Vec6 moved = Vec6::Zero();
  /// How far a has crept over the static b since it began to stick, axes of W: turn, shift at the
  /// centroid (rad, m); zero for a patch that does not stick, or of two bodies.
  Vec6 crept = Vec6::Zero();
};

/// What the method answers for one patch.
struct PatchForce {
  Force impulse = Force::zero();      ///< on a about the patch's centroid, axes of W (N m s; N s)
  Vec6 local = Vec6::Zero();          ///< the same along t1, t2, n: moment, then force
  Vec6 velocity = Vec6::Zero();       ///< of a against b after it, along t1, t2, n (rad/s; m/s)
  Vec6 velocity_free = Vec6::Zero();  ///< the same if nothing touched
  PatchLoads loads;
  ContactMotion motion = ContactMotion::kOpen;
  double residual = 0.0;  ///< m/s, last change at the patch's corners
};

}  // namespace kagami::models
