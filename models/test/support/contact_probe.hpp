/// What contacts of any method do to a world, in one form; robots that stand in it.
#pragma once

#include <string>
#include <vector>

#include "models/contact/world/world.hpp"

namespace kagami::test {

/// One point or patch of the last step.
struct Push {
  int system = 0;
  int other = models::kStaticBody;                ///< system on the other side, or kStaticBody
  BodyIndex body = 0;                             ///< of the system's model
  BodyIndex other_body = 0;                       ///< of the other's
  Vec3 p = Vec3::Zero();                          ///< m, W
  Vec3 n = Vec3::UnitZ();                         ///< from the other to the system
  models::Force impulse = models::Force::zero();  ///< on `body` about p, axes of W
  double normal = 0.0;                            ///< N s
  double depth = 0.0;                             ///< m, of a patch its mean thickness
};

/// In the world's order; `scene` is what it was made of.
std::vector<Push> pushes(const models::World& world, const models::Scene& scene);
/// Sum of the normal forces of everything static (N).
double carried(const models::World& world, const models::Scene& scene, double h);
/// Deepest of `pushes` (m).
double deepest(const models::World& world, const models::Scene& scene);

/// Every method that a world supports.
inline constexpr models::MethodName kEveryMethod[] = {
    models::MethodName::kRelaxed, models::MethodName::kMultipoint, models::MethodName::kVolumetric};

/// Trunk and two legs of three pitch joints each, 1.2 kg; soles of 80 x 45 mm, `height` (m) above
/// z = 0.
models::SceneSystem biped(double height);
/// Servos of joints (5 N m/rad, 0.02 N m s/rad, implicit) that hold the biped's hips at -crouch,
/// knees at 2 crouch, ankles at -crouch (rad) in a step of h (s).
void hold_biped(models::World& world, int system, double h, double crouch = 0.0);

/// The shipped KHR-1 in the pose of its model's zero, its soles `height` (m) above z = 0; boxes of
/// the feet alone, or of all links.
models::SceneSystem khr1(double height, const models::Surface& surface, bool all_links = false);
/// Implicit servos of 20 N m/rad and 0.5 N m s/rad on every joint, to its zero.
void hold_khr1(models::World& world, int system, double h);

}  // namespace kagami::test
