// Recursive Newton-Euler algorithm, as models/dynamics/rnea.cpp, arranged for speed
// (docs/math/kernels.md). Body B, parent P, joint frame J (turned about its z to B), r = p_PoJo in
// J with r.z = 0; a is the acceleration of the origin's point minus gravity.
//   w = R' w_P + z qd,  alpha = R' alpha_P + w x z qd + z qdd                       (k-1)
//   a = R' (a_P + alpha_P x r + w_P x (w_P x r))                                    (k-2)
//   n = I alpha + w x I w + h x a,  f = m a + alpha x h + w x (w x h)               (k-3)
//   tau = n.z + J qdd,  f_P += R f,  n_P += R n + r x R f                           (k-4)
#include "models/dynamics/kernel/rnea_kernel.hpp"

#include "models/dynamics/kernel/free_body.hpp"

namespace kagami::models::kernel {
namespace {

template <class T>
KAGAMI_KERNEL_INLINE void press(T m, const Vec<T>& h, const SymMat3<T>& I,
                                RneaBody<T>& b) noexcept {
  b.n = (I * b.alpha + cross(b.w, I * b.w)) + cross(h, b.a);  // (k-3)
  b.f = (b.a * m + cross(b.alpha, h)) + twice_across(b.w, h);
}

template <class T, class P>
KAGAMI_KERNEL_INLINE void move(const KernelJoint<T>& k, const PlanarRotation<T>& R, T qd, T qdd,
                               const RneaBody<P>& above, RneaBody<T>& b) noexcept {
  const Vec<T> w_J = into_joint(k, spread<T>(above.w));
  const Vec<T> al_J = into_joint(k, spread<T>(above.alpha));
  const Vec<T> a_P = into_joint(k, spread<T>(above.a));
  const T wr = w_J.x * k.rx + w_J.y * k.ry;
  const T ww = dot(w_J, w_J);
  const Vec<T> a_J{(a_P.x + (w_J.x * wr - k.rx * ww)) - al_J.z * k.ry,
                   (a_P.y + (w_J.y * wr - k.ry * ww)) + al_J.z * k.rx,
                   (a_P.z + w_J.z * wr) + (al_J.x * k.ry - al_J.y * k.rx)};
  b.w = turn_in(R, w_J);
  b.w.z += qd;
  b.alpha = turn_in(R, al_J);
  b.alpha.x += b.w.y * qd;  // (k-1)
  b.alpha.y -= b.w.x * qd;
  b.alpha.z += qdd;
  b.a = turn_in(R, a_J);  // (k-2)
  press(k.own_m, k.h, k.I, b);
}

template <class T, class P>
KAGAMI_KERNEL_INLINE void hand_on(const KernelJoint<T>& k, const PlanarRotation<T>& R,
                                  const RneaBody<T>& b, RneaBody<P>& above) noexcept {
  const Vec<T> n = turn_out(R, b.n);
  const Vec<T> f = turn_out(R, b.f);
  const Vec<T> moment{n.x + k.ry * f.z, n.y - k.rx * f.z, n.z + (k.rx * f.y - k.ry * f.x)};
  add(above.n, out_of_joint(k, moment));  // (k-4)
  add(above.f, out_of_joint(k, f));
}

void start_free(const Tree& tree, const FreeBody& k, const double* q, const double* v,
                const double* vdot, RneaBody<double>& b) noexcept {
  const double* V = v + k.v;
  const double* A = vdot + k.v;
  b.w = {V[0], V[1], V[2]};
  b.alpha = {A[0], A[1], A[2]};
  const Vec<double> g = transpose_times(rotation_of(k, q), tree.gravity);
  b.a = (cross(b.w, {V[3], V[4], V[5]}) - g) + Vec<double>{A[3], A[4], A[5]};
  press(k.own_m, k.h, k.I, b);
}

}  // namespace

void rnea(const Tree& tree, const double* q, const double* v, const double* vdot,
          const double* added, bool with_forces, RneaKernel& w, double* tau) noexcept {
  JointValues& j = w.values;
  gather(tree, v, j.rate);
  gather(tree, vdot, j.effort);
  turn_joints(tree, q, j);
  RneaBody<double>& world = w.body.single[0];
  world = {};
  world.a = world.a - tree.gravity;
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    RneaBody<double>& b = w.body.single[i + 1];
    start_free(tree, tree.free[i], q, v, vdot, b);
    if (with_forces) push(j.F_ext, tree.num_dofs() + static_cast<int>(i), b);
  }
  outward(tree, w.body, [&](const auto& step, const auto& above, auto& b) {
    move(step, turn_of(step, j), value_of(step, j.rate), value_of(step, j.effort), above, b);
    if (with_forces) push(j.F_ext, step.at, b);
  });
  inward(tree, w.body, [&](const auto& step, auto& above, auto& b, bool parent_moves) {
    put(step, b.n.z, j.result);
    if (parent_moves) hand_on(step, turn_of(step, j), b, above);
  });
  scatter(tree, j.result, tau);
  for (const Dof& d : tree.dof) tau[d.v] += added[d.v] * vdot[d.v];
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    const RneaBody<double>& b = w.body.single[i + 1];
    const double F[6] = {b.n.x, b.n.y, b.n.z, b.f.x, b.f.y, b.f.z};
    const int v0 = tree.free[i].v;
    for (int k = 0; k < 6; ++k) tau[v0 + k] = F[k] + added[v0 + k] * vdot[v0 + k];
  }
}

}  // namespace kagami::models::kernel
