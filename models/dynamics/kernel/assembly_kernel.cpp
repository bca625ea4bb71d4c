// Assembly-disassembly algorithm with one handle a body, as ada_bodies.cpp has it: its joins
// (2.33), (2.34) and accelerations (2.30) are (k-3) to (k-6) of aba_kernel.cpp, which runs first
// and leaves IA, pA and a of every body. What is added here:
//   n = pA.n + I alpha + H a,  f = pA.f + H' alpha + M a     joint force, (2.24)   (k-7)
//   1 / D > 0 for every joint, or the inertia seen through it is not positive
#include "models/dynamics/kernel/assembly_kernel.hpp"

#include <limits>

namespace kagami::models::kernel {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

// (k-7)
template <class T>
KAGAMI_KERNEL_INLINE void put_force(const AbaBody<T>& b, double* F) noexcept {
  const Vec<T> n = (b.n + b.I * b.alpha) + b.H * b.a;
  const Vec<T> f = (b.f + transpose_times(b.H, b.alpha)) + b.M * b.a;
  for_lanes<T>([&](int k) {
    double* F_k = F + 6 * k;
    F_k[0] = lane(n.x, k);
    F_k[1] = lane(n.y, k);
    F_k[2] = lane(n.z, k);
    F_k[3] = lane(f.x, k);
    F_k[4] = lane(f.y, k);
    F_k[5] = lane(f.z, k);
  });
}

// a not-a-number fails too
template <class T>
KAGAMI_KERNEL_INLINE bool is_positive(T D_inverse) noexcept {
  bool good = true;
  for_lanes<T>([&](int k) {
    good &= lane(D_inverse, k) > 0.0;
    good &= lane(D_inverse, k) <= kLargest;
  });
  return good;
}

}  // namespace

AssemblyKernel::AssemblyKernel(const Tree& tree)
    : aba(tree), F(6 * static_cast<std::size_t>(tree.num_slots()), 0.0) {}

bool ada(const Tree& tree, const double* q, const double* v, const double* tau, const double* added,
         bool with_forces, AssemblyKernel& w, double* vdot) noexcept {
  aba(tree, q, v, tau, added, with_forces, w.aba, vdot);
  bool good = w.aba.free_is_positive;
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    put_force(w.aba.body.single[i + 1], w.F.data() + 6 * (tree.dof.size() + i));
  }
  for (std::size_t i = tree.free.size() + 1; i < tree.single.size(); ++i) {
    const AbaBody<double>& b = w.aba.body.single[i];
    good &= is_positive(b.D_inverse);
    put_force(b, w.F.data() + 6 * tree.single[i].at);
  }
  for (std::size_t i = 0; i < tree.pair.size(); ++i) {
    const AbaBody<V2>& b = w.aba.body.pair[i];
    good &= is_positive(b.D_inverse);
    put_force(b, w.F.data() + 6 * tree.pair[i].at);
  }
  return good;
}

std::vector<SlotPlace> slot_places(const Tree& tree) {
  std::vector<SlotPlace> places(static_cast<std::size_t>(tree.num_slots()));
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    places[tree.dof.size() + i] = {false, static_cast<int>(i) + 1, 0};
  }
  for (std::size_t i = tree.free.size() + 1; i < tree.single.size(); ++i) {
    places[static_cast<std::size_t>(tree.single[i].at)] = {false, static_cast<int>(i), 0};
  }
  for (std::size_t i = 0; i < tree.pair.size(); ++i) {
    const auto at = static_cast<std::size_t>(tree.pair[i].at);
    places[at] = {true, static_cast<int>(i), 0};
    places[at + 1] = {true, static_cast<int>(i), 1};
  }
  return places;
}

HostMotion motion_at(const SlotPlace& place, const AssemblyKernel& w) noexcept {
  const auto motion = [](const auto& b, int k) -> HostMotion {
    return {{lane(b.w.x, k), lane(b.w.y, k), lane(b.w.z, k)},
            {lane(b.alpha.x, k), lane(b.alpha.y, k), lane(b.alpha.z, k)},
            {lane(b.a.x, k), lane(b.a.y, k), lane(b.a.z, k)}};
  };
  const auto i = static_cast<std::size_t>(place.index);
  return place.paired ? motion(w.aba.body.pair[i], place.lane)
                      : motion(w.aba.body.single[i], place.lane);
}

}  // namespace kagami::models::kernel
