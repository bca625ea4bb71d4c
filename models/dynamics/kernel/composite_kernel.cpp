// Composite inertias, as models/dynamics/crba.cpp, arranged for speed (docs/math/kernels.md). Body
// B, parent P, joint frame J (turned about its z to B), r = p_PoJo in J with r.z = 0. The composite
// mass never changes; with h and I turned to J, and g = h + r m / 2,
//   h' = h + m r,  I' = I - g r' - r g' + 2 (g r) 1             moved by r              (k-1)
//   F = I z about Bo: n = third column of I, f = z x h          momentum of unit rate   (k-2)
#include "models/dynamics/kernel/composite_kernel.hpp"

namespace kagami::models::kernel {
namespace {

template <int n, class T, class P>
KAGAMI_KERNEL_INLINE void add_shuffled(const Vec<T>& h, const SymMat3<T>& I,
                                       CompositeBody<P>& above) noexcept {
  add(above.h, shuffled<n>(h));
  add(above.I, shuffled<n>(I));
}

template <class T, class P>
KAGAMI_KERNEL_INLINE void hand_on(const KernelJoint<T>& k, const PlanarRotation<T>& R,
                                  const CompositeBody<T>& b, CompositeBody<P>& above) noexcept {
  const Vec<T> h = turn_out(R, b.h);
  const SymMat3<T> I = turn_out(R, b.I);
  const T x = k.rx;
  const T y = k.ry;
  const T half_m = spread<T>(0.5) * k.m;
  const Vec<T> g{h.x + half_m * x, h.y + half_m * y, h.z};
  const T gx = g.x * x;
  const T gy = g.y * y;
  const SymMat3<T> moved{
      I.xx + (gy + gy),           I.yy + (gx + gx), I.zz + ((gx + gy) + (gx + gy)),
      I.xy - (g.x * y + g.y * x), I.xz - g.z * x,   I.yz - g.z * y};  // (k-1)
  const Vec<T> h_moved{h.x + k.m * x, h.y + k.m * y, h.z};
  switch (k.axes) {
    case Axes::kTurned0:
      return add_shuffled<0>(h_moved, moved, above);
    case Axes::kTurned1:
      return add_shuffled<1>(h_moved, moved, above);
    case Axes::kTurned2:
      return add_shuffled<2>(h_moved, moved, above);
    case Axes::kGeneral:
      break;
  }
  add_shuffled<0>(k.R_PJ * h_moved, rotated(k.R_PJ, moved), above);
}

}  // namespace

void add_composites(const Tree& tree, CompositeKernel& w) noexcept {
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    w.body.single[i + 1].h = tree.free[i].h;
    w.body.single[i + 1].I = tree.free[i].I;
  }
  outward(tree, w.body, [](const auto& step, const auto&, auto& b) {
    b.h = step.h;
    b.I = step.I;
  });
  inward(tree, w.body, [&](const auto& step, auto& above, auto& b, bool parent_moves) {
    if (parent_moves) hand_on(step, turn_of(step, w.values), b, above);
  });
}

}  // namespace kagami::models::kernel
