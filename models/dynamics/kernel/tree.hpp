/// A Model made ready for the fast kernels: fixed joints merged, axes turned to z, limbs paired.
#pragma once

#include <cstdint>
#include <vector>

#include "models/dynamics/kernel/lanes.hpp"

namespace kagami::models {

class Model;

namespace kernel {

/// How the axes of J stand in those of P. kTurned0 to 2: v_P[(i + n) % 3] = v_J[i]; else by R_PJ.
enum class Axes : std::uint8_t { kTurned0, kTurned1, kTurned2, kGeneral };

/// A revolute body B, or two of them in lanes, with all that is fixed to it. Its frame is the
/// kernel's own: z along the joint, origin there where the joint's common normal with Po meets it.
template <class T>
struct KernelJoint {
  T rx, ry;            ///< p_PoJo in J (m); r.z = 0
  T m;                 ///< kg, composite mass: of B and of all that hangs on it
  T own_m;             ///< kg
  Vec<T> h;            ///< kg m, own_m * centre, in B
  SymMat3<T> I;        ///< kg m^2 about Bo, in B
  KernelMat3<T> R_PJ;  ///< for Axes::kGeneral
  Axes axes = Axes::kTurned0;
  int at = 0;  ///< place of its first lane in the arrays of joint values
};

/// A body that floats in the world, with all that is fixed to it; its frame is the model's.
struct FreeBody {
  double m = 0.0;      ///< kg, composite
  double own_m = 0.0;  ///< kg
  Vec<double> h{};
  SymMat3<double> I{};
  KernelMat3<double> R_WJ{};
  Vec<double> p_WJ{};
  int q = 0;  ///< its first coordinate
  int v = 0;  ///< its first degree of freedom
};

/// One revolute joint's place in the model's vectors.
struct Dof {
  int q = 0;
  int v = 0;
  double sign = 1.0;  ///< -1 where the model's axis is the kernel's -z
};

enum class Kind : std::uint8_t { kSingle, kPairOnSingle, kPairOnPair };

/// Order of computing: parents before children. Index and parent index count bodies of their own
/// width; singles begin with the world (0) and the free bodies.
struct Order {
  Kind kind = Kind::kSingle;
  int index = 0;
  int parent = 0;
};

/// Where a body of the model has gone: to its host H, a body of the kernels or the world.
struct Host {
  int slot = -1;  ///< place of the joint values; free body number k: num_dofs + k; world: -1
  KernelMat3<double> R_HB{};
  Vec<double> p_HB{};
};

enum class Pairing : std::uint8_t { kOn, kOff };

/// Made at set-up, then only read. Two limbs are paired when they have the same shape and axes.
struct Tree {
  /// kOff computes limb after limb in the order that gives the same bits: for tests.
  explicit Tree(const Model& model, Pairing pairing = Pairing::kOn);

  bool usable = false;  ///< fixed, revolute and floating joints only; else the reference serves
  std::vector<Order> order;
  std::vector<FreeBody> free;
  std::vector<KernelJoint<double>> single;  ///< [0 .. free.size()] unused: world and free bodies
  std::vector<KernelJoint<V2>> pair;
  std::vector<Order> pair_order;   ///< of the pairs, by their index
  std::vector<int> single_parent;  ///< of the singles, by their index
  std::vector<Dof> dof;            ///< by place: pairs first
  std::vector<V2> sign;            ///< Dof::sign again, by place
  std::vector<Host> host;          ///< by body of the model
  Vec<double> gravity{};           ///< m/s^2 in W
  Vec<double> world_h{};           ///< kg m, in W
  double mass = 0.0;               ///< kg, of all
  int num_v = 0;

  [[nodiscard]] int num_dofs() const noexcept { return static_cast<int>(dof.size()); }
  [[nodiscard]] int num_slots() const noexcept {
    return static_cast<int>(dof.size() + free.size());
  }
};

/// Values by place of the joints, aligned for the lanes; sized from the tree.
struct JointValues {
  explicit JointValues(const Tree& tree);

  std::vector<V2> angle, sine, cosine, rate, effort, added, result;
  std::vector<double> F_ext;  ///< six per slot: moment, force on the host about its origin

  static double* of(std::vector<V2>& v) noexcept { return reinterpret_cast<double*>(v.data()); }
  static const double* of(const std::vector<V2>& v) noexcept {
    return reinterpret_cast<const double*>(v.data());
  }
};

/// Clears the outer forces, and adds one: [moment; force] on a body about its origin, in its frame
/// of the model. Cycle code.
void clear_forces(JointValues& j) noexcept;
void add_force(const Tree& tree, int body, const double* F, JointValues& j) noexcept;

/// Sines and cosines of all joints from q. Cycle code.
void turn_joints(const Tree& tree, const double* q, JointValues& j) noexcept;
/// values[place] = sign * v[dof]. Cycle code.
void gather(const Tree& tree, const double* v, std::vector<V2>& values) noexcept;
/// v[dof] = sign * values[place]. Cycle code.
void scatter(const Tree& tree, const std::vector<V2>& values, double* v) noexcept;

/// Bodies of both widths, one per step, with what an algorithm keeps of each.
template <template <class> class Body>
struct Bodies {
  explicit Bodies(const Tree& tree) : single(tree.single.size()), pair(tree.pair.size()) {}
  std::vector<Body<double>> single;
  std::vector<Body<V2>> pair;
};

/// Takes the outer force at a place of F_ext (with lanes: two places) from a body's n and f.
template <template <class> class Body, class T>
KAGAMI_KERNEL_INLINE void push(const std::vector<double>& F_ext, int slot, Body<T>& b) noexcept {
  const double* F = F_ext.data() + 6 * slot;
  const auto entry = [&](int i) {
    if constexpr (num_lanes<T>() == 1) {
      return F[i];
    } else {
      return T{F[i], F[6 + i]};
    }
  };
  b.n = b.n - Vec<T>{entry(0), entry(1), entry(2)};
  b.f = b.f - Vec<T>{entry(3), entry(4), entry(5)};
}

/// visit(step, parent, own) for every step, parents first.
template <class B, class F>
KAGAMI_KERNEL_INLINE void outward(const Tree& tree, B& bodies, F visit) noexcept {
  for (const Order& o : tree.order) {
    const auto i = static_cast<std::size_t>(o.index);
    const auto p = static_cast<std::size_t>(o.parent);
    if (o.kind == Kind::kSingle) {
      visit(tree.single[i], bodies.single[p], bodies.single[i]);
    } else if (o.kind == Kind::kPairOnSingle) {
      visit(tree.pair[i], bodies.single[p], bodies.pair[i]);
    } else {
      visit(tree.pair[i], bodies.pair[p], bodies.pair[i]);
    }
  }
}
/// visit(step, parent, own, parent_moves) for every step, children first.
template <class B, class F>
KAGAMI_KERNEL_INLINE void inward(const Tree& tree, B& bodies, F visit) noexcept {
  for (std::size_t k = tree.order.size(); k-- > 0;) {
    const Order& o = tree.order[k];
    const auto i = static_cast<std::size_t>(o.index);
    const auto p = static_cast<std::size_t>(o.parent);
    if (o.kind == Kind::kSingle) {
      visit(tree.single[i], bodies.single[p], bodies.single[i], o.parent != 0);
    } else if (o.kind == Kind::kPairOnSingle) {
      visit(tree.pair[i], bodies.single[p], bodies.pair[i], o.parent != 0);
    } else {
      visit(tree.pair[i], bodies.pair[p], bodies.pair[i], true);
    }
  }
}

/// The joint values of a step's lanes.
template <class T>
KAGAMI_KERNEL_INLINE T value_of(const KernelJoint<T>& step,
                                const std::vector<V2>& values) noexcept {
  return *reinterpret_cast<const T*>(JointValues::of(values) + step.at);
}
template <class T>
KAGAMI_KERNEL_INLINE void put(const KernelJoint<T>& step, T x, std::vector<V2>& values) noexcept {
  *reinterpret_cast<T*>(JointValues::of(values) + step.at) = x;
}
template <class T>
KAGAMI_KERNEL_INLINE PlanarRotation<T> turn_of(const KernelJoint<T>& step,
                                               const JointValues& j) noexcept {
  return {value_of(step, j.cosine), value_of(step, j.sine)};
}

/// A vector from P's axes to J's.
template <class T>
KAGAMI_KERNEL_INLINE Vec<T> into_joint(const KernelJoint<T>& k, const Vec<T>& v) noexcept {
  switch (k.axes) {
    case Axes::kTurned0:
      return v;
    case Axes::kTurned1:
      return {v.y, v.z, v.x};
    case Axes::kTurned2:
      return {v.z, v.x, v.y};
    case Axes::kGeneral:
      break;
  }
  return transpose_times(k.R_PJ, v);
}

/// By `n` cyclic steps of the axes, from J's to P's.
template <int n, class T>
KAGAMI_KERNEL_INLINE Vec<T> shuffled(const Vec<T>& v) noexcept {
  if constexpr (n == 0) return v;
  if constexpr (n == 1) return {v.z, v.x, v.y};
  if constexpr (n == 2) return {v.y, v.z, v.x};
}
template <int n, class T>
KAGAMI_KERNEL_INLINE SymMat3<T> shuffled(const SymMat3<T>& A) noexcept {
  if constexpr (n == 0) return A;
  if constexpr (n == 1) return {A.zz, A.xx, A.yy, A.xz, A.yz, A.xy};
  if constexpr (n == 2) return {A.yy, A.zz, A.xx, A.yz, A.xy, A.xz};
}
template <int n, class T>
KAGAMI_KERNEL_INLINE KernelMat3<T> shuffled(const KernelMat3<T>& A) noexcept {
  if constexpr (n == 0) return A;
  if constexpr (n == 1) return {A.zz, A.zx, A.zy, A.xz, A.xx, A.xy, A.yz, A.yx, A.yy};
  if constexpr (n == 2) return {A.yy, A.yz, A.yx, A.zy, A.zz, A.zx, A.xy, A.xz, A.xx};
}

/// A vector from J's axes to P's.
template <class T>
KAGAMI_KERNEL_INLINE Vec<T> out_of_joint(const KernelJoint<T>& k, const Vec<T>& v) noexcept {
  switch (k.axes) {
    case Axes::kTurned0:
      return v;
    case Axes::kTurned1:
      return shuffled<1>(v);
    case Axes::kTurned2:
      return shuffled<2>(v);
    case Axes::kGeneral:
      break;
  }
  return k.R_PJ * v;
}

}  // namespace kernel
}  // namespace kagami::models
