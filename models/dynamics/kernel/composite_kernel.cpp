// Composite inertias, as models/dynamics/crba.cpp, arranged for speed (docs/math/kernels.md). Body
// B, parent P, joint frame J (turned about its z to B), r = p_PoJo in J with r.z = 0. The composite
// mass never changes; with h and I turned to J, and g = h + r m / 2,
//   h' = h + m r,  I' = I - g r' - r g' + 2 (g r) 1             moved by r              (k-1)
//   F = I z about Bo: n = third column of I, f = z x h          momentum of unit rate   (k-2)
#include "models/dynamics/kernel/composite_kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "models/dynamics/kernel/free_body.hpp"

namespace kagami::models::kernel {
namespace {

template <int n, class T, class P>
KAGAMI_KERNEL_INLINE void add_shuffled(const Vec<T>& h, const Sym<T>& I,
                                       CompositeBody<P>& above) noexcept {
  add(above.h, shuffled<n>(h));
  add(above.I, shuffled<n>(I));
}

template <class T, class P>
KAGAMI_KERNEL_INLINE void hand_on(const Step<T>& k, const Turn<T>& R, const CompositeBody<T>& b,
                                  CompositeBody<P>& above) noexcept {
  const Vec<T> h = turn_out(R, b.h);
  const Sym<T> I = turn_out(R, b.I);
  const T x = k.rx;
  const T y = k.ry;
  const T half_m = spread<T>(0.5) * k.m;
  const Vec<T> g{h.x + half_m * x, h.y + half_m * y, h.z};
  const T gx = g.x * x;
  const T gy = g.y * y;
  const Sym<T> moved{I.xx + (gy + gy),           I.yy + (gx + gx), I.zz + ((gx + gy) + (gx + gy)),
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

// a force on the body, in its frame, becomes one on its parent
template <class T>
struct Wrench {
  Vec<T> n, f;
};
template <class T, class S>
KAGAMI_KERNEL_INLINE Wrench<T> raised(const Step<S>& k, const JointValues& j,
                                      const Wrench<T>& F) noexcept {
  const Turn<T> R{spread<T>(at(k, j.cosine)), spread<T>(at(k, j.sine))};
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
  const Gen<S>& R_S = k.R_PJ;
  const Gen<T> R_PJ{spread<T>(R_S.xx), spread<T>(R_S.xy), spread<T>(R_S.xz),
                    spread<T>(R_S.yx), spread<T>(R_S.yy), spread<T>(R_S.yz),
                    spread<T>(R_S.zx), spread<T>(R_S.zy), spread<T>(R_S.zz)};
  return {R_PJ * moment, R_PJ * f};
}

// writes H(row, column) and its mirror image
void set_entry(double* H, int n, int row, int column, double x) noexcept {
  H[row + n * column] = x;
  H[column + n * row] = x;
}

// what the columns of a step's lanes have in rows above: climbs from single body to single body
template <class T>
KAGAMI_KERNEL_INLINE void climb_singles(const Tree& tree, const CompositeKernel& w, int from,
                                        const int* place, Wrench<T> F, double* H) noexcept {
  const int n = tree.num_v;
  const int last_free = static_cast<int>(tree.free.size());
  int i = from;
  while (i > last_free) {
    const Step<double>& step = tree.single[static_cast<std::size_t>(i)];
    const Dof& row = tree.dof[static_cast<std::size_t>(step.at)];
    for (int l = 0; l < num_lanes<T>(); ++l) {
      const Dof& column = tree.dof[static_cast<std::size_t>(place[l])];
      set_entry(H, n, row.v, column.v, row.sign * column.sign * lane(F.n.z, l));
    }
    const int up = tree.single_parent[static_cast<std::size_t>(i)];
    if (up == 0) return;
    F = raised(step, w.values, F);
    i = up;
  }
  if (i == 0) return;
  const int v0 = tree.free[static_cast<std::size_t>(i - 1)].v;
  for (int l = 0; l < num_lanes<T>(); ++l) {
    const Dof& c = tree.dof[static_cast<std::size_t>(place[l])];
    set_entry(H, n, v0, c.v, c.sign * lane(F.n.x, l));
    set_entry(H, n, v0 + 1, c.v, c.sign * lane(F.n.y, l));
    set_entry(H, n, v0 + 2, c.v, c.sign * lane(F.n.z, l));
    set_entry(H, n, v0 + 3, c.v, c.sign * lane(F.f.x, l));
    set_entry(H, n, v0 + 4, c.v, c.sign * lane(F.f.y, l));
    set_entry(H, n, v0 + 5, c.v, c.sign * lane(F.f.z, l));
  }
}

template <class T>
KAGAMI_KERNEL_INLINE Wrench<T> unit_momentum(const CompositeBody<T>& b) noexcept {
  return {{b.I.xz, b.I.yz, b.I.zz}, {T{} - b.h.y, b.h.x, T{}}};  // (k-2)
}

void fill_pair(const Tree& tree, const CompositeKernel& w, const Order& own, double* H) noexcept {
  const auto first = static_cast<std::size_t>(own.index);
  const int place[2] = {tree.pair[first].at, tree.pair[first].at + 1};
  Wrench<V2> F = unit_momentum(w.body.pair[first]);
  Order o = own;
  while (true) {
    const Step<V2>& step = tree.pair[static_cast<std::size_t>(o.index)];
    for (int l = 0; l < 2; ++l) {
      const Dof& row = tree.dof[static_cast<std::size_t>(step.at + l)];
      const Dof& column = tree.dof[static_cast<std::size_t>(place[l])];
      set_entry(H, tree.num_v, row.v, column.v, row.sign * column.sign * F.n.z[l]);
    }
    if (o.kind == Kind::kPairOnSingle && o.parent == 0) return;
    F = raised(step, w.values, F);
    if (o.kind == Kind::kPairOnSingle) break;
    o = tree.pair_order[static_cast<std::size_t>(o.parent)];
  }
  climb_singles(tree, w, o.parent, place, F, H);
}

void fill_free(const FreeBody& k, const CompositeBody<double>& b, int n, double* H) noexcept {
  const Sym<double>& I = b.I;
  const Vec<double>& h = b.h;
  const double block[6][6] = {
      {I.xx, I.xy, I.xz, 0.0, -h.z, h.y}, {I.xy, I.yy, I.yz, h.z, 0.0, -h.x},
      {I.xz, I.yz, I.zz, -h.y, h.x, 0.0}, {0.0, h.z, -h.y, k.m, 0.0, 0.0},
      {-h.z, 0.0, h.x, 0.0, k.m, 0.0},    {h.y, -h.x, 0.0, 0.0, 0.0, k.m}};
  for (int c = 0; c < 6; ++c) {
    for (int r = 0; r < 6; ++r) H[(k.v + r) + n * (k.v + c)] = block[r][c];
  }
}

// poses of all bodies in W
void place_bodies(const Tree& tree, const double* q, CompositeKernel& w) noexcept {
  CompositeBody<double>& world = w.body.single[0];
  world.R_WB = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  world.p_WB = {0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    const FreeBody& k = tree.free[i];
    CompositeBody<double>& b = w.body.single[i + 1];
    b.R_WB = rotation_of(k, q);
    b.p_WB = k.p_WJ + k.R_WJ * Vec<double>{q[k.q], q[k.q + 1], q[k.q + 2]};
  }
  outward(tree, w.body, [&](const auto& step, const auto& above, auto& b) {
    using T = std::remove_cvref_t<decltype(step.rx)>;
    // columns of R_WJ
    const Vec<T> x =
        spread<T>(Vec<decltype(above.p_WB.x)>{above.R_WB.xx, above.R_WB.yx, above.R_WB.zx});
    const Vec<T> y =
        spread<T>(Vec<decltype(above.p_WB.x)>{above.R_WB.xy, above.R_WB.yy, above.R_WB.zy});
    const Vec<T> z =
        spread<T>(Vec<decltype(above.p_WB.x)>{above.R_WB.xz, above.R_WB.yz, above.R_WB.zz});
    const Vec<T> p = spread<T>(above.p_WB);
    const Turn<T> R = turn_of(step, w.values);
    const auto place = [&](const Vec<T>& X, const Vec<T>& Y, const Vec<T>& Z) {
      b.p_WB = p + (X * step.rx + Y * step.ry);
      const Vec<T> X_B = X * R.c + Y * R.s;
      const Vec<T> Y_B = Y * R.c - X * R.s;
      b.R_WB = {X_B.x, Y_B.x, Z.x, X_B.y, Y_B.y, Z.y, X_B.z, Y_B.z, Z.z};
    };
    switch (step.axes) {
      case Axes::kTurned0:
        return place(x, y, z);
      case Axes::kTurned1:
        return place(y, z, x);
      case Axes::kTurned2:
        return place(z, x, y);
      case Axes::kGeneral:
        break;
    }
    const Gen<T>& C = step.R_PJ;
    place((x * C.xx + y * C.yx) + z * C.zx, (x * C.xy + y * C.yy) + z * C.zy,
          (x * C.xz + y * C.yz) + z * C.zz);
  });
}

template <class T>
KAGAMI_KERNEL_INLINE Vec<T> axis_of(const CompositeBody<T>& b) noexcept {
  return {b.R_WB.xz, b.R_WB.yz, b.R_WB.zz};
}

// one column of six (or three) for each lane
template <class T>
KAGAMI_KERNEL_INLINE void set_columns(const Tree& tree, const Step<T>& step, const Vec<T>& upper,
                                      const Vec<T>& lower, double* J) noexcept {
  for (int l = 0; l < num_lanes<T>(); ++l) {
    const Dof& d = tree.dof[static_cast<std::size_t>(step.at + l)];
    double* column = J + 6 * d.v;
    column[0] = d.sign * lane(upper.x, l);
    column[1] = d.sign * lane(upper.y, l);
    column[2] = d.sign * lane(upper.z, l);
    column[3] = d.sign * lane(lower.x, l);
    column[4] = d.sign * lane(lower.y, l);
    column[5] = d.sign * lane(lower.z, l);
  }
}
template <class T>
KAGAMI_KERNEL_INLINE void set_columns(const Tree& tree, const Step<T>& step, const Vec<T>& x,
                                      double* J) noexcept {
  for (int l = 0; l < num_lanes<T>(); ++l) {
    const Dof& d = tree.dof[static_cast<std::size_t>(step.at + l)];
    double* column = J + 3 * d.v;
    column[0] = d.sign * lane(x.x, l);
    column[1] = d.sign * lane(x.y, l);
    column[2] = d.sign * lane(x.z, l);
  }
}

void set6(double* column, const Vec<double>& a, const Vec<double>& b) noexcept {
  column[0] = a.x;
  column[1] = a.y;
  column[2] = a.z;
  column[3] = b.x;
  column[4] = b.y;
  column[5] = b.z;
}

Vec<double> column_of(const Gen<double>& R, int c) noexcept {
  if (c == 0) return {R.xx, R.yx, R.zx};
  if (c == 1) return {R.xy, R.yy, R.zy};
  return {R.xz, R.yz, R.zz};
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
    if (o.kind != Kind::kSingle) {
      fill_pair(tree, w, o, H);
      continue;
    }
    const auto i = static_cast<std::size_t>(o.index);
    climb_singles(tree, w, o.index, &tree.single[i].at, unit_momentum(w.body.single[i]), H);
  }
  for (int k = 0; k < n; ++k) H[k + n * k] += added[k];
}

void joint_jacobians(const Tree& tree, const double* q, CompositeKernel& w, double* J) noexcept {
  turn_joints(tree, q, w.values);
  place_bodies(tree, q, w);
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    const CompositeBody<double>& b = w.body.single[i + 1];
    for (int c = 0; c < 3; ++c) {
      const Vec<double> e = column_of(b.R_WB, c);
      set6(J + 6 * (tree.free[i].v + c), e, cross(b.p_WB, e));
      set6(J + 6 * (tree.free[i].v + 3 + c), {0.0, 0.0, 0.0}, e);
    }
  }
  outward(tree, w.body, [&](const auto& step, const auto&, auto& b) {
    set_columns(tree, step, axis_of(b), cross(b.p_WB, axis_of(b)), J);
  });
}

// body.h holds the first moment about Wo in W here
void com_jacobian(const Tree& tree, const double* q, CompositeKernel& w, double* com,
                  double* J) noexcept {
  turn_joints(tree, q, w.values);
  place_bodies(tree, q, w);
  CompositeBody<double>& world = w.body.single[0];
  world.h = tree.world_h;
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    CompositeBody<double>& b = w.body.single[i + 1];
    b.h = b.R_WB * tree.free[i].h + b.p_WB * tree.free[i].own_m;
  }
  outward(tree, w.body, [](const auto& step, const auto&, auto& b) {
    b.h = b.R_WB * step.h + b.p_WB * step.own_m;
  });
  const double scale = 1.0 / tree.mass;
  inward(tree, w.body, [&](const auto& step, auto& above, auto& b, bool) {
    using T = std::remove_cvref_t<decltype(step.rx)>;
    add(above.h, b.h);
    const Vec<T> arm = b.h - b.p_WB * step.m;
    set_columns(tree, step, cross(axis_of(b), arm) * spread<T>(scale), J);
  });
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    const CompositeBody<double>& b = w.body.single[i + 1];
    const FreeBody& k = tree.free[i];
    add(world.h, b.h);
    const Vec<double> arm = b.h - b.p_WB * k.m;
    for (int c = 0; c < 3; ++c) {
      const Vec<double> e = column_of(b.R_WB, c);
      const Vec<double> turn = cross(e, arm) * scale;
      const Vec<double> push = e * (k.m * scale);
      double* column = J + 3 * (k.v + c);
      column[0] = turn.x;
      column[1] = turn.y;
      column[2] = turn.z;
      column[9] = push.x;
      column[10] = push.y;
      column[11] = push.z;
    }
  }
  com[0] = world.h.x * scale;
  com[1] = world.h.y * scale;
  com[2] = world.h.z * scale;
}

void centroidal_matrix(const Tree& tree, const double* q, CompositeKernel& w, double* com,
                       double* A) noexcept {
  turn_joints(tree, q, w.values);
  place_bodies(tree, q, w);
  add_composites(tree, w);

  // mass centre: from the bodies that hang from the world
  Vec<double> sum = tree.world_h;
  const auto add_root = [&](const auto& b, const auto& m) { add(sum, b.R_WB * b.h + b.p_WB * m); };
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    add_root(w.body.single[i + 1], tree.free[i].m);
  }
  for (std::size_t k = tree.order.size(); k-- > 0;) {  // as in every inward pass
    const Order& o = tree.order[k];
    const auto i = static_cast<std::size_t>(o.index);
    if (o.kind == Kind::kPairOnPair || o.parent != 0) continue;
    if (o.kind == Kind::kSingle) {
      add_root(w.body.single[i], tree.single[i].m);
    } else {
      add_root(w.body.pair[i], tree.pair[i].m);
    }
  }
  const Vec<double> c = sum * (1.0 / tree.mass);

  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    const CompositeBody<double>& b = w.body.single[i + 1];
    const FreeBody& k = tree.free[i];
    const Vec<double> arm = b.p_WB - c;
    const Gen<double> RI = times(b.R_WB, Gen<double>{b.I.xx, b.I.xy, b.I.xz, b.I.xy, b.I.yy, b.I.yz,
                                                     b.I.xz, b.I.yz, b.I.zz});
    const Vec<double> h = b.R_WB * b.h;
    for (int axis = 0; axis < 3; ++axis) {
      const Vec<double> e = column_of(b.R_WB, axis);
      const Vec<double> f = cross(e, h);
      set6(A + 6 * (k.v + axis), column_of(RI, axis) + cross(arm, f), f);
      set6(A + 6 * (k.v + 3 + axis), cross(h, e) + cross(arm, e * k.m), e * k.m);
    }
  }
  outward(tree, w.body, [&](const auto& step, const auto&, auto& b) {
    using T = std::remove_cvref_t<decltype(step.rx)>;
    const Wrench<T> F = unit_momentum(b);
    const Vec<T> f = b.R_WB * F.f;
    const Vec<T> arm = b.p_WB - spread<T>(c);
    set_columns(tree, step, b.R_WB * F.n + cross(arm, f), f, A);
  });
  com[0] = c.x;
  com[1] = c.y;
  com[2] = c.z;
}

}  // namespace kagami::models::kernel
