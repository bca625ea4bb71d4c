/// Random robots and states for property tests, the same from the same seed on every machine.
#pragma once

#include <cstdint>

#include "models/base/types.hpp"
#include "models/robot/model.hpp"
#include "models/robot/state.hpp"

namespace kagami::test {

/// Numbers from a seed, without the library's distributions (whose results differ by vendor).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2654435769u + 1u) {}
  /// In [-1, 1).
  double signed_unit();
  /// In [low, high).
  double between(double low, double high);
  /// In [0, count).
  int index(int count);
  Vec3 vec3();
  JointVector vector(int size);

 private:
  std::uint64_t next();
  std::uint64_t state_;
};

/// A tree of `bodies` bodies on random parents and axes; every fifth joint fixed; with a floating
/// root when requested; small rotor inertias on some joints.
models::Model random_tree(Random& random, int bodies, models::BaseKind base);
/// The same with every type of joint: fixed, revolute, prismatic, universal and spherical ones in
/// turn by chance, without rotor inertias.
models::Model random_mixed_tree(Random& random, int bodies, models::BaseKind base);
/// A joint of that type on random axes.
models::Joint random_joint_of(Random& random, models::JointType type);
models::State random_state(Random& random, const models::Model& model);

/// One classical Runge-Kutta step of q' = f(q, v), v' = vdot(q, v), without joint forces.
void rk4_step(const models::Model& model, double dt, models::State& state);
/// Kinetic and potential energy (J).
double energy(const models::Model& model, const models::State& state);

}  // namespace kagami::test
