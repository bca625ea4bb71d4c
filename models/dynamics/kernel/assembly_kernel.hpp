/// The assembly-disassembly algorithm from the tips to the base on plain numbers, limbs in pairs.
#pragma once

#include <vector>

#include "models/dynamics/kernel/aba_kernel.hpp"
#include "models/dynamics/kernel/tree.hpp"

namespace kagami::models::kernel {

/// Where every joint is joined after all joints beyond it, each articulated body shows one handle
/// and is kept as F = IA a + pA: assembly is the articulated-body algorithm's inward pass,
/// disassembly its outward pass, and every joint's force remains.
struct AssemblyKernel {
  explicit AssemblyKernel(const Tree& tree);
  AbaKernel aba;
  /// Six per slot of the tree: moment and force (N m, N) that the joint exerts on its body, in the
  /// kernel's frame of the body, about its origin.
  std::vector<double> F;
};

/// As aba, and the joint forces. False when an inertia seen through a joint is not positive; vdot
/// and the forces then mean nothing. Cycle code.
[[nodiscard]] bool ada(const Tree& tree, const double* q, const double* v, const double* tau,
                       const double* added, bool with_forces, AssemblyKernel& w,
                       double* vdot) noexcept;

/// How a body of the kernels moves, in its frame.
struct HostMotion {
  Vec<double> w;      ///< rad/s
  Vec<double> alpha;  ///< rad/s^2
  Vec<double> a;      ///< of the origin, minus gravity, m/s^2
};

/// A body of the kernels: its width, its number among those of its width, its lane. Default: the
/// world.
struct SlotPlace {
  bool paired = false;
  int index = 0;
  int lane = 0;
};
/// Where the slots' bodies are, by slot. Set-up.
std::vector<SlotPlace> slot_places(const Tree& tree);
/// After ada. Cycle code.
HostMotion motion_at(const SlotPlace& place, const AssemblyKernel& w) noexcept;

}  // namespace kagami::models::kernel
