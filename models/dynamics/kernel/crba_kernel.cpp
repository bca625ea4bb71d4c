// The mass matrix from composite inertias (models/dynamics/crba.cpp): the momentum of a joint's
// unit rate climbs to the world; at each joint on the way its moment about that axis is an entry.
#include <algorithm>
#include <cstddef>

#include "models/dynamics/kernel/composite_kernel.hpp"

namespace kagami::models::kernel {
namespace {

// a force on the body, in its frame, becomes one on its parent
template <class T, class S>
KAGAMI_KERNEL_INLINE Wrench<T> raised(const KernelJoint<S>& k, const JointValues& j,
                                      const Wrench<T>& F) noexcept {
  const PlanarRotation<T> R{spread<T>(value_of(k, j.cosine)), spread<T>(value_of(k, j.sine))};
  const T x = spread<T>(k.rx);
  const T y = spread<T>(k.ry);
  const Vec<T> n = turn_out(R, F.n);
  const Vec<T> f = turn_out(R, F.f);
  const Vec<T> moment{n.x + y * f.z, n.y - x * f.z, n.z + (x * f.y - y * f.x)};
  switch (k.axes) {
    case Axes::kTurned0:
      return {moment, f};
    case Axes::kTurned1:
      return {shuffled<1>(moment), shuffled<1>(f)};
    case Axes::kTurned2:
      return {shuffled<2>(moment), shuffled<2>(f)};
    case Axes::kGeneral:
      break;
  }
  const KernelMat3<S>& R_S = k.R_PJ;
  const KernelMat3<T> R_PJ{spread<T>(R_S.xx), spread<T>(R_S.xy), spread<T>(R_S.xz),
                           spread<T>(R_S.yx), spread<T>(R_S.yy), spread<T>(R_S.yz),
                           spread<T>(R_S.zx), spread<T>(R_S.zy), spread<T>(R_S.zz)};
  return {R_PJ * moment, R_PJ * f};
}

// the columns of a step's lanes, and the rows that mirror them
template <class T>
struct Columns {
  double* column[num_lanes<T>()];
  double* mirror[num_lanes<T>()];
  std::ptrdiff_t n;
};
template <class T>
KAGAMI_KERNEL_INLINE Columns<T> columns_of(const Tree& tree, int place, double* H) noexcept {
  Columns<T> c;
  c.n = tree.num_v;
  for_lanes<T>([&](int l) __attribute__((always_inline)) {
    const int v = tree.dof[static_cast<std::size_t>(place + l)].v;
    c.column[l] = H + c.n * v;
    c.mirror[l] = H + v;
  });
  return c;
}
template <class T>
KAGAMI_KERNEL_INLINE void set_entry(const Columns<T>& c, int l, int row, double x) noexcept {
  c.column[l][row] = x;
  c.mirror[l][c.n * row] = x;
}

// what the columns have in rows above: climbs from single body to single body
template <class T>
KAGAMI_KERNEL_INLINE void climb_singles(const Tree& tree, const CompositeKernel& w, int from,
                                        const Columns<T>& c, Wrench<T> F) noexcept {
  const int last_free = static_cast<int>(tree.free.size());
  int i = from;
  while (i > last_free) {
    const KernelJoint<double>& step = tree.single[static_cast<std::size_t>(i)];
    const Dof& row = tree.dof[static_cast<std::size_t>(step.at)];
    const T x = F.n.z * spread<T>(row.sign);
    for_lanes<T>([&](int l) __attribute__((always_inline)) { set_entry(c, l, row.v, lane(x, l)); });
    const int up = tree.single_parent[static_cast<std::size_t>(i)];
    if (up == 0) return;
    F = raised(step, w.values, F);
    i = up;
  }
  if (i == 0) return;
  const int v0 = tree.free[static_cast<std::size_t>(i - 1)].v;
  for_lanes<T>([&](int l) __attribute__((always_inline)) {
    set_entry(c, l, v0, lane(F.n.x, l));
    set_entry(c, l, v0 + 1, lane(F.n.y, l));
    set_entry(c, l, v0 + 2, lane(F.n.z, l));
    set_entry(c, l, v0 + 3, lane(F.f.x, l));
    set_entry(c, l, v0 + 4, lane(F.f.y, l));
    set_entry(c, l, v0 + 5, lane(F.f.z, l));
  });
}

template <class T>
KAGAMI_KERNEL_INLINE Wrench<T> times(const Wrench<T>& F, T sign) noexcept {
  return {F.n * sign, F.f * sign};
}

void fill_pair(const Tree& tree, const CompositeKernel& w, const Order& own, double* H) noexcept {
  const auto first = static_cast<std::size_t>(own.index);
  const Columns<V2> c = columns_of<V2>(tree, tree.pair[first].at, H);
  Wrench<V2> F = times(unit_momentum(w.body.pair[first]), value_of(tree.pair[first], tree.sign));
  const Order* o = &own;
  while (true) {
    const KernelJoint<V2>& step = tree.pair[static_cast<std::size_t>(o->index)];
    const V2 x = F.n.z * value_of(step, tree.sign);
    set_entry(c, 0, tree.dof[static_cast<std::size_t>(step.at)].v, x[0]);
    set_entry(c, 1, tree.dof[static_cast<std::size_t>(step.at + 1)].v, x[1]);
    if (o->kind == Kind::kPairOnSingle && o->parent == 0) return;
    F = raised(step, w.values, F);
    if (o->kind == Kind::kPairOnSingle) break;
    o = &tree.pair_order[static_cast<std::size_t>(o->parent)];
  }
  climb_singles(tree, w, o->parent, c, F);
}

void fill_single(const Tree& tree, const CompositeKernel& w, const Order& own, double* H) noexcept {
  const auto i = static_cast<std::size_t>(own.index);
  const double sign = value_of(tree.single[i], tree.sign);
  climb_singles(tree, w, own.index, columns_of<double>(tree, tree.single[i].at, H),
                times(unit_momentum(w.body.single[i]), sign));
}

void fill_free(const FreeBody& k, const CompositeBody<double>& b, int n, double* H) noexcept {
  const SymMat3<double>& I = b.I;
  const Vec<double>& h = b.h;
  const double block[6][6] = {
      {I.xx, I.xy, I.xz, 0.0, -h.z, h.y}, {I.xy, I.yy, I.yz, h.z, 0.0, -h.x},
      {I.xz, I.yz, I.zz, -h.y, h.x, 0.0}, {0.0, h.z, -h.y, k.m, 0.0, 0.0},
      {-h.z, 0.0, h.x, 0.0, k.m, 0.0},    {h.y, -h.x, 0.0, 0.0, 0.0, k.m}};
  for (int c = 0; c < 6; ++c) {
    for (int r = 0; r < 6; ++r) H[(k.v + r) + n * (k.v + c)] = block[r][c];
  }
}

}  // namespace

void crba(const Tree& tree, const double* q, const double* added, CompositeKernel& w,
          double* H) noexcept {
  const int n = tree.num_v;
  turn_joints(tree, q, w.values);
  add_composites(tree, w);
  std::fill(H, H + static_cast<std::ptrdiff_t>(n) * n, 0.0);
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    fill_free(tree.free[i], w.body.single[i + 1], n, H);
  }
  for (const Order& o : tree.order) {
    if (o.kind == Kind::kSingle) {
      fill_single(tree, w, o, H);
    } else {
      fill_pair(tree, w, o, H);
    }
  }
  for (int k = 0; k < n; ++k) H[k + n * k] += added[k];
}

}  // namespace kagami::models::kernel
