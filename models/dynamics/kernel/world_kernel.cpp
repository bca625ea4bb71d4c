// Poses, Jacobians and the centroidal momentum matrix in W. Columns of a revolute body B, z its
// axis and p its origin in W, m and h mass and first moment of B with all that hangs on it, M of
// all:
//   Jacobian about Wo           [z; p x z]                                    (k-3)
//   of the mass centre c        z x (h - m p) / M                             (k-4)
//   centroidal momentum         [n + (p - c) x f; f] of F from (k-2)          (k-5)
#include <type_traits>

#include "models/dynamics/kernel/composite_kernel.hpp"
#include "models/dynamics/kernel/free_body.hpp"

namespace kagami::models::kernel {

void place_bodies(const Tree& tree, const double* q, const JointValues& values,
                  Bodies<CompositeBody>& body) noexcept {
  CompositeBody<double>& world = body.single[0];
  world.R_WB = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  world.p_WB = {0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    const FreeBody& k = tree.free[i];
    CompositeBody<double>& b = body.single[i + 1];
    b.R_WB = rotation_of(k, q);
    b.p_WB = k.p_WJ + k.R_WJ * Vec<double>{q[k.q], q[k.q + 1], q[k.q + 2]};
  }
  outward(tree, body, [&](const auto& step, const auto& above, auto& b) {
    using T = std::remove_cvref_t<decltype(step.rx)>;
    // columns of R_WJ
    const Vec<T> x =
        spread<T>(Vec<decltype(above.p_WB.x)>{above.R_WB.xx, above.R_WB.yx, above.R_WB.zx});
    const Vec<T> y =
        spread<T>(Vec<decltype(above.p_WB.x)>{above.R_WB.xy, above.R_WB.yy, above.R_WB.zy});
    const Vec<T> z =
        spread<T>(Vec<decltype(above.p_WB.x)>{above.R_WB.xz, above.R_WB.yz, above.R_WB.zz});
    const Vec<T> p = spread<T>(above.p_WB);
    const PlanarRotation<T> R = turn_of(step, values);
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
    const KernelMat3<T>& C = step.R_PJ;
    place((x * C.xx + y * C.yx) + z * C.zx, (x * C.xy + y * C.yy) + z * C.zy,
          (x * C.xz + y * C.yz) + z * C.zz);
  });
}

namespace {

template <class T>
KAGAMI_KERNEL_INLINE Vec<T> axis_of(const CompositeBody<T>& b) noexcept {
  return {b.R_WB.xz, b.R_WB.yz, b.R_WB.zz};
}

// one column of six (or three) for each lane
template <class T>
KAGAMI_KERNEL_INLINE void set_columns(const Tree& tree, const KernelJoint<T>& step,
                                      const Vec<T>& upper, const Vec<T>& lower,
                                      double* J) noexcept {
  for_lanes<T>([&](int l) __attribute__((always_inline)) {
    const Dof& d = tree.dof[static_cast<std::size_t>(step.at + l)];
    set6(J + 6 * d.v, lane(upper, l) * d.sign, lane(lower, l) * d.sign);
  });
}
template <class T>
KAGAMI_KERNEL_INLINE void set_columns(const Tree& tree, const KernelJoint<T>& step, const Vec<T>& x,
                                      double* J) noexcept {
  for_lanes<T>([&](int l) __attribute__((always_inline)) {
    const Dof& d = tree.dof[static_cast<std::size_t>(step.at + l)];
    double* column = J + 3 * d.v;
    column[0] = d.sign * lane(x.x, l);
    column[1] = d.sign * lane(x.y, l);
    column[2] = d.sign * lane(x.z, l);
  });
}

Vec<double> column_of(const KernelMat3<double>& R, int c) noexcept {
  if (c == 0) return {R.xx, R.yx, R.zx};
  if (c == 1) return {R.xy, R.yy, R.zy};
  return {R.xz, R.yz, R.zz};
}

}  // namespace

void joint_jacobians(const Tree& tree, const double* q, CompositeKernel& w, double* J) noexcept {
  turn_joints(tree, q, w.values);
  place_bodies(tree, q, w.values, w.body);
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
  place_bodies(tree, q, w.values, w.body);
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
  place_bodies(tree, q, w.values, w.body);
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
    const KernelMat3<double> RI = times(
        b.R_WB,
        KernelMat3<double>{b.I.xx, b.I.xy, b.I.xz, b.I.xy, b.I.yy, b.I.yz, b.I.xz, b.I.yz, b.I.zz});
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
