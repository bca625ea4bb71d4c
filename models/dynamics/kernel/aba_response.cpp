// What impulses do to the velocities, with the factors that aba left: the force and acceleration
// sweeps of aba_kernel.cpp without inertia, velocity or gravity terms.
//   u = -p.z,  p_P += X (p + U u / D)                                     (k-3), (k-4), (k-5)
//   dv' = X' dv_P,  dqd = (u - U' dv') / D,  dv = dv' + z dqd             (k-6)
#include "models/dynamics/kernel/aba_kernel.hpp"

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
KAGAMI_KERNEL_INLINE void hand_on(const KernelJoint<T>& k, const PlanarRotation<T>& R,
                                  bool parent_moves, AbaBody<P>& above, AbaBody<T>& b) noexcept {
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
KAGAMI_KERNEL_INLINE T jump(const KernelJoint<T>& k, const PlanarRotation<T>& R,
                            const AbaBody<P>& above, AbaBody<T>& b) noexcept {
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

SymMat3<double> inverse(const SymMat3<double>& A) noexcept {
  const SymMat3<double> C{A.yy * A.zz - A.yz * A.yz, A.xx * A.zz - A.xz * A.xz,
                          A.xx * A.yy - A.xy * A.xy, A.xz * A.yz - A.xy * A.zz,
                          A.xy * A.yz - A.xz * A.yy, A.xy * A.xz - A.xx * A.yz};
  const double scale = 1.0 / ((A.xx * C.xx + A.xy * C.xy) + A.xz * C.xz);
  return {C.xx * scale, C.yy * scale, C.zz * scale, C.xy * scale, C.xz * scale, C.yz * scale};
}

// rows of A times the symmetric B
KernelMat3<double> times(const KernelMat3<double>& A, const SymMat3<double>& B) noexcept {
  const Vec<double> x = B * Vec<double>{A.xx, A.xy, A.xz};
  const Vec<double> y = B * Vec<double>{A.yx, A.yy, A.yz};
  const Vec<double> z = B * Vec<double>{A.zx, A.zy, A.zz};
  return {x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z};
}

void jump_free(const FreeBody& k, const FreeResponse& r, AbaBody<double>& b, double* dv) noexcept {
  const Vec<double> n = b.n * -1.0;
  const Vec<double> f = b.f * -1.0;
  b.alpha = r.ww * n + r.wv * f;
  b.a = transpose_times(r.wv, n) + r.vv * f;
  const double x[6] = {b.alpha.x, b.alpha.y, b.alpha.z, b.a.x, b.a.y, b.a.z};
  for (int i = 0; i < 6; ++i) dv[k.v + i] = x[i];
}

}  // namespace

// by blocks of [I H; H' M]: ww = (I - H M^-1 H')^-1, wv = -ww H M^-1, vv = M^-1 - (H M^-1)' wv
FreeResponse free_response(const Tree& tree, std::size_t i, const double* added,
                           const AbaKernel& w) noexcept {
  const AbaBody<double>& b = w.body.single[i + 1];
  const double* d = added + tree.free[i].v;
  SymMat3<double> I = b.I;
  I.xx += d[0];
  I.yy += d[1];
  I.zz += d[2];
  SymMat3<double> M = b.M;
  M.xx += d[3];
  M.yy += d[4];
  M.zz += d[5];
  const KernelMat3<double>& H = b.H;
  const SymMat3<double> M_inverse = inverse(M);
  const KernelMat3<double> K = times(H, M_inverse);
  const Vec<double> K_x{K.xx, K.xy, K.xz};
  const Vec<double> K_y{K.yx, K.yy, K.yz};
  const Vec<double> K_z{K.zx, K.zy, K.zz};
  const Vec<double> H_x{H.xx, H.xy, H.xz};
  const Vec<double> H_y{H.yx, H.yy, H.yz};
  const Vec<double> H_z{H.zx, H.zy, H.zz};
  const SymMat3<double> ww =
      inverse(SymMat3<double>{I.xx - dot(K_x, H_x), I.yy - dot(K_y, H_y), I.zz - dot(K_z, H_z),
                              I.xy - dot(K_x, H_y), I.xz - dot(K_x, H_z), I.yz - dot(K_y, H_z)});
  const Vec<double> c_x = ww * Vec<double>{K.xx, K.yx, K.zx};  // columns of -wv
  const Vec<double> c_y = ww * Vec<double>{K.xy, K.yy, K.zy};
  const Vec<double> c_z = ww * Vec<double>{K.xz, K.yz, K.zz};
  const Vec<double> k_x{K.xx, K.yx, K.zx};
  const Vec<double> k_y{K.xy, K.yy, K.zy};
  const Vec<double> k_z{K.xz, K.yz, K.zz};
  return {
      ww,
      {-c_x.x, -c_y.x, -c_z.x, -c_x.y, -c_y.y, -c_z.y, -c_x.z, -c_y.z, -c_z.z},
      {M_inverse.xx + dot(k_x, c_x), M_inverse.yy + dot(k_y, c_y), M_inverse.zz + dot(k_z, c_z),
       M_inverse.xy + dot(k_x, c_y), M_inverse.xz + dot(k_x, c_z), M_inverse.yz + dot(k_y, c_z)}};
}

void aba_response(const Tree& tree, const FreeResponse* roots, AbaKernel& w, double* dv) noexcept {
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
    jump_free(tree.free[i], roots[i], w.body.single[i + 1], dv);
  }
  outward(tree, w.body, [&](const auto& step, const auto& above, auto& b) {
    put(step, jump(step, turn_of(step, j), above, b), w.values.result);
  });
  scatter(tree, w.values.result, dv);
}

}  // namespace kagami::models::kernel
