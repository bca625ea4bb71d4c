// What impulses do to the velocities, with the factors that aba left: the force and acceleration
// sweeps of aba_kernel.cpp without inertia, velocity or gravity terms.
//   u = -p.z,  p_P += X (p + U u / D)                                     (k-3), (k-4), (k-5)
//   dv' = X' dv_P,  dqd = (u - U' dv') / D,  dv = dv' + z dqd             (k-6)
#include "models/dynamics/kernel/aba_kernel.hpp"
#include "models/dynamics/kernel/free_body.hpp"

namespace kagami::models::kernel {
namespace {

// minus the impulse on a body
template <class T>
KAGAMI_KERNEL_INLINE void start(const std::vector<double>& F, int slot, AbaBody<T>& b) noexcept {
  const double* at_slot = F.data() + 6 * slot;
  const auto entry = [&](int i) {
    if constexpr (num_lanes<T>() == 1) {
      return -at_slot[i];
    } else {
      return T{-at_slot[i], -at_slot[6 + i]};
    }
  };
  b.n = {entry(0), entry(1), entry(2)};
  b.f = {entry(3), entry(4), entry(5)};
}

template <class T, class P>
KAGAMI_KERNEL_INLINE void hand_on(const Step<T>& k, const Turn<T>& R, bool parent_moves,
                                  AbaBody<P>& above, AbaBody<T>& b) noexcept {
  const T u = T{} - b.n.z;
  b.u = u;
  if (!parent_moves) return;
  const T share = u * b.D_inverse;
  const Vec<T> n = turn_out(R, b.n + b.Un * share);
  const Vec<T> f = turn_out(R, b.f + b.Uf * share);
  const Vec<T> moment{n.x + k.ry * f.z, n.y - k.rx * f.z, n.z + (k.rx * f.y - k.ry * f.x)};
  add(above.n, out_of_joint(k, moment));
  add(above.f, out_of_joint(k, f));
}

template <class T, class P>
KAGAMI_KERNEL_INLINE T jump(const Step<T>& k, const Turn<T>& R, const AbaBody<P>& above,
                            AbaBody<T>& b) noexcept {
  const Vec<T> al_J = into_joint(k, spread<T>(above.alpha));
  const Vec<T> a_P = into_joint(k, spread<T>(above.a));
  const Vec<T> a_J{a_P.x - al_J.z * k.ry, a_P.y + al_J.z * k.rx,
                   a_P.z + (al_J.x * k.ry - al_J.y * k.rx)};
  Vec<T> alpha = turn_in(R, al_J);
  b.a = turn_in(R, a_J);
  const T dqd = (b.u - (dot(b.Un, alpha) + dot(b.Uf, b.a))) * b.D_inverse;
  alpha.z += dqd;
  b.alpha = alpha;
  return dqd;
}

void jump_free(const FreeBody& k, const double* J, AbaBody<double>& b, double* dv) noexcept {
  const double* d = J + k.v;
  const Sym<double>& I = b.I;
  const Gen<double>& H = b.H;
  const Sym<double>& M = b.M;
  double A[6][6] = {{I.xx + d[0]},
                    {I.xy, I.yy + d[1]},
                    {I.xz, I.yz, I.zz + d[2]},
                    {H.xx, H.yx, H.zx, M.xx + d[3]},
                    {H.xy, H.yy, H.zy, M.xy, M.yy + d[4]},
                    {H.xz, H.yz, H.zz, M.xz, M.yz, M.zz + d[5]}};
  const double rest[6] = {-b.n.x, -b.n.y, -b.n.z, -b.f.x, -b.f.y, -b.f.z};
  double x[6];
  solve6(A, rest, x);
  for (int i = 0; i < 6; ++i) dv[k.v + i] = x[i];
  b.alpha = {x[0], x[1], x[2]};
  b.a = {x[3], x[4], x[5]};
}

}  // namespace

void aba_response(const Tree& tree, const double* added, AbaKernel& w, double* dv) noexcept {
  const JointValues& j = w.values;
  AbaBody<double>& world = w.body.single[0];
  world.alpha = {0.0, 0.0, 0.0};
  world.a = {0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    start(j.F_ext, tree.num_dofs() + static_cast<int>(i), w.body.single[i + 1]);
  }
  outward(tree, w.body,
          [&](const auto& step, const auto&, auto& b) { start(j.F_ext, step.at, b); });
  inward(tree, w.body, [&](const auto& step, auto& above, auto& b, bool parent_moves) {
    hand_on(step, turn_of(step, j), parent_moves, above, b);
  });
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    jump_free(tree.free[i], added, w.body.single[i + 1], dv);
  }
  outward(tree, w.body, [&](const auto& step, const auto& above, auto& b) {
    put(step, jump(step, turn_of(step, j), above, b), w.values.result);
  });
  scatter(tree, w.values.result, dv);
}

}  // namespace kagami::models::kernel
