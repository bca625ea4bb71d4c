// Articulated-body algorithm, as models/dynamics/aba.cpp, arranged for speed
// (docs/math/kernels.md). Body B, parent P, joint frame J (turned about its z to B), r = p_PoJo in
// J with r.z = 0. The linear acceleration is that of the origin's point, not the spatial one: then
// no linear velocity enters, and with w and I, h, m of the body
//   n  = w x I w,  f = w x (w x h)                  bias force            (k-1)
//   c  = [w x z qd;  in J: w_P x (w_P x r)]         velocity product      (k-2)
//   U  = IA z,  D = U.z + J,  u = tau - n.z                               (k-3)
//   Ia = IA - U U' / D,  pa = p + U u / D + Ia c                          (k-4)
//   IA_P += X Ia X',  p_P += X pa                                         (k-5)
//   a' = X' a_P + c,  qdd = (u - U' a') / D,  a = a' + z qdd              (k-6)
#include "models/dynamics/kernel/aba_kernel.hpp"

#include "models/dynamics/kernel/free_body.hpp"

namespace kagami::models::kernel {
namespace {

// the bias force and the inertia that a body starts with
template <class T>
KAGAMI_KERNEL_INLINE void start_body(T m, const Vec<T>& h, const SymMat3<T>& I, const Vec<T>& w,
                                     AbaBody<T>& b) noexcept {
  const T zero{};
  b.w = w;
  b.I = I;
  b.H = {zero, zero - h.z, h.y, h.z, zero, zero - h.x, zero - h.y, h.x, zero};
  b.M = {m, m, m, zero, zero, zero};
  b.n = cross(w, I * w);  // (k-1)
  b.f = twice_across(w, h);
}

template <class T, class P>
KAGAMI_KERNEL_INLINE void move(const KernelJoint<T>& k, const PlanarRotation<T>& R, T qd,
                               const AbaBody<P>& above, AbaBody<T>& b) noexcept {
  const Vec<T> w_J = into_joint(k, spread<T>(above.w));
  const T wr = w_J.x * k.rx + w_J.y * k.ry;
  const T ww = dot(w_J, w_J);
  b.cl = {w_J.x * wr - k.rx * ww, w_J.y * wr - k.ry * ww, w_J.z * wr};  // (k-2)
  Vec<T> w = turn_in(R, w_J);
  w.z += qd;
  b.cx = w.y * qd;
  b.cy = T{} - w.x * qd;
  start_body(k.own_m, k.h, k.I, w, b);
}

template <int n, class T, class P>
KAGAMI_KERNEL_INLINE void add_shuffled(const SymMat3<T>& I, const KernelMat3<T>& H,
                                       const SymMat3<T>& M, const Vec<T>& moment,
                                       const Vec<T>& force, AbaBody<P>& above) noexcept {
  add(above.I, shuffled<n>(I));
  add(above.H, shuffled<n>(H));
  add(above.M, shuffled<n>(M));
  add(above.n, shuffled<n>(moment));
  add(above.f, shuffled<n>(force));
}

// (k-5): moved by r in J's axes, then into P's
template <class T, class P>
KAGAMI_KERNEL_INLINE void hand_on(const KernelJoint<T>& k, const SymMat3<T>& I,
                                  const KernelMat3<T>& H, const SymMat3<T>& M, const Vec<T>& n,
                                  const Vec<T>& f, AbaBody<P>& above) noexcept {
  const T x = k.rx;
  const T y = k.ry;
  // H' = H + [r x] M
  const KernelMat3<T> G{H.xx + y * M.xz,
                        H.xy + y * M.yz,
                        H.xz + y * M.zz,
                        H.yx - x * M.xz,
                        H.yy - x * M.yz,
                        H.yz - x * M.zz,
                        H.zx + (x * M.xy - y * M.xx),
                        H.zy + (x * M.yy - y * M.xy),
                        H.zz + (x * M.yz - y * M.xz)};
  // I' = I + ([r x] H')' + [r x] H^T: rows of H and of H' across r
  const SymMat3<T> A{I.xx + y * (H.xz + G.xz),
                     I.yy - x * (H.yz + G.yz),
                     I.zz + ((x * H.zy - y * H.zx) + (x * G.zy - y * G.zx)),
                     I.xy + (y * G.yz - x * H.xz),
                     I.xz + ((x * H.xy - y * H.xx) + y * G.zz),
                     I.yz + ((x * H.yy - y * H.yx) - x * G.zz)};
  const Vec<T> moment{n.x + y * f.z, n.y - x * f.z, n.z + (x * f.y - y * f.x)};
  switch (k.axes) {
    case Axes::kTurned0:
      return add_shuffled<0>(A, G, M, moment, f, above);
    case Axes::kTurned1:
      return add_shuffled<1>(A, G, M, moment, f, above);
    case Axes::kTurned2:
      return add_shuffled<2>(A, G, M, moment, f, above);
    case Axes::kGeneral:
      break;
  }
  add_shuffled<0>(rotated(k.R_PJ, A), rotated(k.R_PJ, G), rotated(k.R_PJ, M), k.R_PJ * moment,
                  k.R_PJ * f, above);
}

template <class T, class P>
KAGAMI_KERNEL_INLINE void open(const KernelJoint<T>& k, const PlanarRotation<T>& R, T tau, T J,
                               bool parent_moves, AbaBody<P>& above, AbaBody<T>& b) noexcept {
  const Vec<T> Un{b.I.xz, b.I.yz, b.I.zz};  // (k-3)
  const Vec<T> Uf{b.H.zx, b.H.zy, b.H.zz};
  const T D_inverse = spread<T>(1.0) / (Un.z + J);
  const T u = tau - b.n.z;
  b.Un = Un;
  b.Uf = Uf;
  b.D_inverse = D_inverse;
  b.u = u;
  if (!parent_moves) return;

  // (k-4): J's share is rest = J / D of the row and column of z
  const Vec<T> g = Un * D_inverse;
  const Vec<T> h = Uf * D_inverse;
  const T rest = J * D_inverse;
  const SymMat3<T> I{b.I.xx - g.x * Un.x, b.I.yy - g.y * Un.y, Un.z * rest,
                     b.I.xy - g.x * Un.y, Un.x * rest,         Un.y * rest};
  const KernelMat3<T> H{b.H.xx - g.x * Uf.x, b.H.xy - g.x * Uf.y, b.H.xz - g.x * Uf.z,
                        b.H.yx - g.y * Uf.x, b.H.yy - g.y * Uf.y, b.H.yz - g.y * Uf.z,
                        Uf.x * rest,         Uf.y * rest,         Uf.z * rest};
  const SymMat3<T> M{b.M.xx - h.x * Uf.x, b.M.yy - h.y * Uf.y, b.M.zz - h.z * Uf.z,
                     b.M.xy - h.x * Uf.y, b.M.xz - h.x * Uf.z, b.M.yz - h.y * Uf.z};
  const Vec<T> n{(b.n.x + g.x * u) + (I.xx * b.cx + I.xy * b.cy),
                 (b.n.y + g.y * u) + (I.xy * b.cx + I.yy * b.cy),
                 (b.n.z + g.z * u) + (I.xz * b.cx + I.yz * b.cy)};
  const Vec<T> f{(b.f.x + h.x * u) + (H.xx * b.cx + H.yx * b.cy),
                 (b.f.y + h.y * u) + (H.xy * b.cx + H.yy * b.cy),
                 (b.f.z + h.z * u) + (H.xz * b.cx + H.yz * b.cy)};
  const KernelMat3<T> H_J = turn_out(R, H);
  const SymMat3<T> M_J = turn_out(R, M);
  const Vec<T> n_J = turn_out(R, n) + H_J * b.cl;
  const Vec<T> f_J = turn_out(R, f) + M_J * b.cl;
  hand_on(k, turn_out(R, I), H_J, M_J, n_J, f_J, above);
}

template <class T, class P>
KAGAMI_KERNEL_INLINE T accelerate(const KernelJoint<T>& k, const PlanarRotation<T>& R,
                                  const AbaBody<P>& above, AbaBody<T>& b) noexcept {
  const Vec<T> al_J = into_joint(k, spread<T>(above.alpha));
  const Vec<T> a_P = into_joint(k, spread<T>(above.a));
  const Vec<T> a_J{(a_P.x + b.cl.x) - al_J.z * k.ry, (a_P.y + b.cl.y) + al_J.z * k.rx,
                   (a_P.z + b.cl.z) + (al_J.x * k.ry - al_J.y * k.rx)};
  Vec<T> alpha = turn_in(R, al_J);
  alpha.x += b.cx;
  alpha.y += b.cy;
  b.a = turn_in(R, a_J);
  const T qdd = (b.u - (dot(b.Un, alpha) + dot(b.Uf, b.a))) * b.D_inverse;  // (k-6)
  alpha.z += qdd;
  b.alpha = alpha;
  return qdd;
}

void start_free(const FreeBody& k, const double* v, AbaBody<double>& b) noexcept {
  start_body(k.own_m, k.h, k.I, {v[k.v], v[k.v + 1], v[k.v + 2]}, b);
}

// all six at once: (IA + J) vdot = tau - p - IA a', a' = [0; w x v - R' g]
bool accelerate_free(const Tree& tree, const FreeBody& k, const double* q, const double* v,
                     const double* tau, const double* J, AbaBody<double>& b,
                     double* vdot) noexcept {
  const Vec<double> g = transpose_times(rotation_of(k, q), tree.gravity);
  const Vec<double> a0 = cross(b.w, {v[k.v + 3], v[k.v + 4], v[k.v + 5]}) - g;
  const Vec<double> n = b.n + b.H * a0;
  const Vec<double> f = b.f + b.M * a0;
  const double* t = tau + k.v;
  const double rest[6] = {t[0] - n.x, t[1] - n.y, t[2] - n.z, t[3] - f.x, t[4] - f.y, t[5] - f.z};
  const double* d = J + k.v;
  const SymMat3<double>& I = b.I;
  const KernelMat3<double>& H = b.H;
  const SymMat3<double>& M = b.M;
  double A[6][6] = {{I.xx + d[0]},
                    {I.xy, I.yy + d[1]},
                    {I.xz, I.yz, I.zz + d[2]},
                    {H.xx, H.yx, H.zx, M.xx + d[3]},
                    {H.xy, H.yy, H.zy, M.xy, M.yy + d[4]},
                    {H.xz, H.yz, H.zz, M.xz, M.yz, M.zz + d[5]}};
  double x[6];
  const bool positive = solve6(A, rest, x);
  for (int i = 0; i < 6; ++i) vdot[k.v + i] = x[i];
  b.alpha = {x[0], x[1], x[2]};
  b.a = Vec<double>{x[3], x[4], x[5]} + a0;
  return positive;
}

void start_world(const Tree& tree, AbaBody<double>& world) noexcept {
  world.w = {0.0, 0.0, 0.0};
  world.alpha = {0.0, 0.0, 0.0};
  world.a = Vec<double>{0.0, 0.0, 0.0} - tree.gravity;
}

}  // namespace

void aba(const Tree& tree, const double* q, const double* v, const double* tau, const double* added,
         bool with_forces, AbaKernel& w, double* vdot) noexcept {
  JointValues& j = w.values;
  gather(tree, v, j.rate);
  gather(tree, tau, j.effort);
  for (std::size_t k = 0; k < tree.dof.size(); ++k) {
    JointValues::of(j.added)[k] = added[tree.dof[k].v];
  }
  turn_joints(tree, q, j);
  start_world(tree, w.body.single[0]);
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    AbaBody<double>& b = w.body.single[i + 1];
    start_free(tree.free[i], v, b);
    if (with_forces) push(j.F_ext, tree.num_dofs() + static_cast<int>(i), b);
  }
  outward(tree, w.body, [&](const auto& step, const auto& above, auto& b) {
    move(step, turn_of(step, j), value_of(step, j.rate), above, b);
    if (with_forces) push(j.F_ext, step.at, b);
  });
  inward(tree, w.body, [&](const auto& step, auto& above, auto& b, bool parent_moves) {
    open(step, turn_of(step, j), value_of(step, j.effort), value_of(step, j.added), parent_moves,
         above, b);
  });
  w.free_is_positive = true;
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    w.free_is_positive &=
        accelerate_free(tree, tree.free[i], q, v, tau, added, w.body.single[i + 1], vdot);
  }
  outward(tree, w.body, [&](const auto& step, const auto& above, auto& b) {
    put(step, accelerate(step, turn_of(step, j), above, b), j.result);
  });
  scatter(tree, j.result, vdot);
}

}  // namespace kagami::models::kernel
