/// The models and states that our program and every peer's program compute, as plain lists.
///
/// At zero configuration all body frames of the models of the comparison are parallel to the
/// world's, so that no engine gets an extra rotation or is spared one. Shipped robots: shipped.hpp.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace kagami::bench {

using Triple = std::array<double, 3>;

/// A body and the joint that carries it.
struct BodyDef {
  std::string name;
  int parent = -1;      ///< index of an earlier body, -1 = world
  char joint = 'f';     ///< 'f' free, 'x', 'y', 'z' revolute about that axis, 'a' about `axis`
  Triple origin = {};   ///< the joint in the parent's frame, m
  double mass = 0.0;    ///< kg
  Triple com = {};      ///< mass centre in the body's frame, m
  Triple inertia = {};  ///< xx, yy, zz about the mass centre, kg m^2
  // the rest only shipped robots have
  Triple products = {};                       ///< xy, xz, yz of the same tensor
  Triple axis = {};                           ///< unit vector in the joint's frame
  std::array<double, 4> turn = {1, 0, 0, 0};  ///< joint's frame in the parent's: w, x, y, z
  double rotor = 0.0;                         ///< rotor inertia seen at the joint, kg m^2
};

struct ModelDef {
  std::string name;
  std::vector<BodyDef> bodies;  ///< parents before children
  std::string robot = {};       ///< folder of models/data with this robot; empty: none

  [[nodiscard]] bool floating() const { return !bodies.empty() && bodies[0].joint == 'f'; }
  [[nodiscard]] bool has_rotors() const;  ///< some engines have no place for them
  [[nodiscard]] int num_joints() const;   ///< revolute ones
  [[nodiscard]] int num_dofs() const { return num_joints() + (floating() ? 6 : 0); }
};

/// "planar7R": n links of 1 m and 1 kg on a fixed base, joints about y.
ModelDef planar(int links);
/// "chain3d_12": free first link, then revolute joints about y, x, z in turn; 1 m and 1 kg each.
ModelDef chain3d(int links);
/// Free trunk, head, 2 x 3 arm and 2 x 5 leg joints; 1.2 kg.
ModelDef khr1_like();
/// Free pelvis and 25 joints; 7 kg.
ModelDef hoap2_like();
/// The models of the comparison: planar7R, chain3d_12, khr1, hoap2.
std::vector<ModelDef> compared_models();

/// The base, if any, is at the identity pose and moves; joint angles, speeds and torques.
struct StateDef {
  std::array<double, 6> twist = {};  ///< of the base in the world: linear m/s, angular rad/s
  std::vector<double> q, v, tau;     ///< rad, rad/s, N m; revolute joints in body order
};

inline constexpr int kStates = 64;  ///< visited in turn, so that nothing stays cached

/// The same kStates states on every call, uniform in [-1, 1], torques in [-0.1, 0.1].
std::vector<StateDef> bench_states(const ModelDef& model);

/// Proves that two programs computed the same thing: sum over states of |sum_j (j + 1) a_j| over
/// the revolute joints' accelerations, torques, or entries of each row of a matrix.
class Checksum {
 public:
  template <class Accelerations>  // anything with [int]
  void add(const Accelerations& a, int count) {
    double sum = 0.0;
    for (int j = 0; j < count; ++j) sum += (j + 1) * a[j];
    value_ += sum < 0.0 ? -sum : sum;
  }
  [[nodiscard]] double value() const { return value_; }

 private:
  double value_ = 0.0;
};

/// The general four-bar: links of 0.80, 1.08 and 0.96 m, 1 kg each, hanging between pivots 1.3 m
/// apart, at rest at the start. Joints about y; every link is a thin rod whose three principal
/// inertias are equal.
struct FourBar {
  /// Pivots in the x-z plane (m): ground, two moving, ground.
  std::array<std::array<double, 2>, 4> pivots = {{{0, 0}, {0.4, -0.693}, {1.45, -0.95}, {1.3, 0}}};

  [[nodiscard]] double dx(int link) const { return along(link, 0); }
  [[nodiscard]] double dz(int link) const { return along(link, 1); }
  /// The three links as an open chain; the tip of the last belongs on pivots[3].
  [[nodiscard]] ModelDef tree() const;

 private:
  [[nodiscard]] double along(int link, std::size_t axis) const;
};

/// J, energy of the thesis's parallelogram swinging down from 45 degrees: what energy errors of the
/// four-bar rows are divided by, as in the published comparison.
double four_bar_swing_energy();

}  // namespace kagami::bench
