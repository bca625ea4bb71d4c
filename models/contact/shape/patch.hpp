/// The contact patch of an overlap: plane, normal, the surface integrals of [Zhang 2018] and the
/// outline that carries the load.
#pragma once

#include <array>

#include "models/base/types.hpp"
#include "models/contact/shape/clip.hpp"

namespace kagami::models {

/// How the depth h of a surface point below the contact plane is read in Eq. (9).
enum class DepthReading : std::uint8_t {
  kAbsolute,  ///< |nu . r|
  kByOwner,   ///< -nu . r on faces of A, nu . r on those of B
};

/// Corners of an outline that are kept at most; beyond, those that add least area go.
inline constexpr int kMaxOutline = 16;

/// All vectors in the frame in which the overlap was given (W in a world); r is measured from the
/// centroid of the overlap.
struct Patch {
  Vec3 centroid = Vec3::Zero();     ///< p_j (m)
  double volume = 0.0;              ///< m^3
  Vec3 n = Vec3::UnitZ();           ///< nu_j, unit: pushes A out of B
  Vec3 t1 = Vec3::UnitX();          ///< e_j1; t1, t2, n right-handed
  Vec3 t2 = Vec3::UnitY();          ///< e_j2
  Vec3 sum_A = Vec3::Zero();        ///< m^2, sum of S n over A's faces
  Vec3 sum_B = Vec3::Zero();        ///< m^2, the same of B; together zero to rounding
  double area = 0.0;                ///< m^2, S of the whole surface
  Vec3 first = Vec3::Zero();        ///< m^3, integral of r dS
  Mat3 second = Mat3::Zero();       ///< m^4, integral of r r' dS
  double depth = 0.0;               ///< m^3, integral of h dS
  Vec3 depth_first = Vec3::Zero();  ///< m^4, integral of h r dS
  /// Outline: convex hull of the overlap seen along n, counter-clockwise about n, from r with n . r
  /// taken out (m).
  std::array<Vec3, kMaxOutline> outline = {};
  int outline_count = 0;
};

/// Two unit vectors that complete n (unit) to a right-handed frame t1, t2, n; the same for the same
/// n.
void complete_frame(const Vec3& n, Vec3& t1, Vec3& t2) noexcept;
/// Q of Eq. (8), angular first: E = 1/2 V' Q V - k nu' C V for a velocity V = (omega; v of the
/// centroid).
Mat6 patch_metric(const Patch& patch) noexcept;
/// Eq. (27) for k = 1: Q^-1 C' nu, target from the depth alone (rad/s, m/s per 1/s).
Vec6 patch_velocity(const Patch& patch) noexcept;

/// False, and `out` untouched, for an overlap too thin to have a volume or a normal. Outline
/// corners nearer than `merge` times its diameter are one. Cycle code.
[[nodiscard]] bool make_patch(const Clipper& overlap, DepthReading reading, double merge,
                              Patch& out) noexcept;

}  // namespace kagami::models
