// Articulated-body algorithm. [RBDA] = Featherstone, Rigid Body Dynamics Algorithms, 2008,
// Table 7.1. Body i is B, its parent lambda(i) is P; every quantity is about Bo, expressed in B.
//   pA = V x* I V - F_ext        (aba-1)      U  = IA S                     (aba-4)
//   a0 = -g                      (aba-2)      D  = S' U + J                 (aba-5)
//   a' = X^-1 a_P + c            (aba-3)      u  = tau - S' pA              (aba-6)
//   Ia = IA - U D^-1 U'          (aba-7)      pa = pA + Ia c + U D^-1 u     (aba-8)
//   IA_P += X* Ia X^-1,  pA_P += X* pa        (aba-9)
//   vdot = D^-1 (u - U' a')     (aba-10)      a  = a' + S vdot             (aba-11)
// J, what is added to the diagonal (rotor inertia seen through the gears, implicit actuator terms,
// kg m^2), is ours; RBDA has J = 0. The joints of one degree of freedom have scalar D and u.
#include "models/dynamics/aba.hpp"

#include <Eigen/Cholesky>

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

// at most six by six, on the stack
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1>;
using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

ArticulatedInertia from_matrix(const Mat6& m) noexcept {
  return {m.topLeftCorner<3, 3>(), m.topRightCorner<3, 3>(), m.bottomRightCorner<3, 3>()};
}

void start_bodies(const Model& model, const ExternalLoads& extras, AbaWorkspace& w) noexcept {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const SpatialInertia& I = model.body(i).inertia;
    w.IA[idx(i)] = ArticulatedInertia::from(I);
    w.pA[idx(i)] = cross(w.tree.V[idx(i)], I * w.tree.V[idx(i)]);  // (aba-1)
    if (!extras.F_ext.empty()) w.pA[idx(i)] += -extras.F_ext[idx(i)];
  }
}

// what body i hands on to its parent
struct Reduced {
  ArticulatedInertia Ia;
  Force pa;
};

void open_one(int k, double tau, double J, AbaWorkspace& w, int i) noexcept {
  const Motion& S = w.tree.S[idx(k)];
  w.U[idx(k)] = w.IA[idx(i)] * S;         // (aba-4)
  w.D[k] = power(S, w.U[idx(k)]) + J;     // (aba-5)
  w.u[k] = tau - power(S, w.pA[idx(i)]);  // (aba-6)
}

Reduced reduce_one(int k, const AbaWorkspace& w, int i) noexcept {
  Reduced r{minus_outer(w.IA[idx(i)], w.U[idx(k)], w.D[k]), w.pA[idx(i)]};    // (aba-7)
  r.pa.c += (r.Ia * w.tree.c[idx(i)]).c + w.U[idx(k)].c * (w.u[k] / w.D[k]);  // (aba-8)
  return r;
}

// several degrees of freedom: the same with a small matrix D
void open_many(int first, int n, const JointVector& tau, const JointVector& J, AbaWorkspace& w,
               int i) noexcept {
  for (int k = first; k < first + n; ++k) {
    w.U[idx(k)] = w.IA[idx(i)] * w.tree.S[idx(k)];            // (aba-4)
    w.u[k] = tau[k] - power(w.tree.S[idx(k)], w.pA[idx(i)]);  // (aba-6)
  }
  SmallMatrix D(n, n);
  for (int k = 0; k < n; ++k) {
    for (int l = 0; l < n; ++l) D(k, l) = power(w.tree.S[idx(first + k)], w.U[idx(first + l)]);
    D(k, k) += J[first + k];  // (aba-5)
  }
  w.D_inverse[idx(i)].topLeftCorner(n, n) = D.llt().solve(SmallMatrix::Identity(n, n));
}

Reduced reduce_many(int first, int n, const AbaWorkspace& w, int i) noexcept {
  Columns U(6, n);
  for (int k = 0; k < n; ++k) U.col(k) = w.U[idx(first + k)].c;
  const SmallMatrix D_inverse = w.D_inverse[idx(i)].topLeftCorner(n, n);
  const Mat6 Ia = w.IA[idx(i)].matrix() - U * D_inverse * U.transpose();  // (aba-7)
  Reduced r{from_matrix(Ia), w.pA[idx(i)]};
  const SmallVector u = w.u.segment(first, n);
  r.pa.c += (r.Ia * w.tree.c[idx(i)]).c + U * (D_inverse * u);  // (aba-8)
  return r;
}

Reduced reduce(const Body& b, const AbaWorkspace& w, int i) noexcept {
  const int n = num_v(b.joint.type);
  if (n == 1) return reduce_one(b.v_index, w, i);
  if (n > 1) return reduce_many(b.v_index, n, w, i);
  return {w.IA[idx(i)], w.pA[idx(i)] + w.IA[idx(i)] * w.tree.c[idx(i)]};
}

void backward_pass(const Model& model, const JointVector& tau, const JointVector& J,
                   AbaWorkspace& w) noexcept {
  for (int i = model.num_bodies() - 1; i >= 0; --i) {
    const Body& b = model.body(i);
    const int n = num_v(b.joint.type);
    if (n == 1) open_one(b.v_index, tau[b.v_index], J[b.v_index], w, i);
    if (n > 1) open_many(b.v_index, n, tau, J, w, i);

    // what the world holds does not care for what hangs on it
    if (b.parent == kWorld || model.body(b.parent).held) continue;
    const Reduced r = reduce(b, w, i);
    w.IA[idx(b.parent)] += w.tree.X_PB[idx(i)] * r.Ia;  // (aba-9)
    w.pA[idx(b.parent)] += w.tree.X_PB[idx(i)] * r.pa;
  }
}

void forward_pass(const Model& model, AbaWorkspace& w, JointVector& vdot) noexcept {
  const Motion a0 = Motion::from(Vec3::Zero(), -model.gravity());  // (aba-2)
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    const Motion& a_P = b.parent == kWorld ? a0 : w.a[idx(b.parent)];
    Motion& a = w.a[idx(i)];
    a = inverse_times(w.tree.X_PB[idx(i)], a_P) + w.tree.c[idx(i)];  // (aba-3)
    const int n = num_v(b.joint.type);
    if (n == 1) {
      const int k = b.v_index;
      vdot[k] = (w.u[k] - power(a, w.U[idx(k)])) / w.D[k];  // (aba-10)
      a.c += w.tree.S[idx(k)].c * vdot[k];                  // (aba-11)
    } else if (n > 1) {
      SmallVector r(n);
      for (int k = 0; k < n; ++k) r[k] = w.u[b.v_index + k] - power(a, w.U[idx(b.v_index + k)]);
      const SmallVector x = w.D_inverse[idx(i)].topLeftCorner(n, n) * r;  // (aba-10)
      for (int k = 0; k < n; ++k) {
        vdot[b.v_index + k] = x[k];
        a.c += w.tree.S[idx(b.v_index + k)].c * x[k];  // (aba-11)
      }
    }
  }
}

}  // namespace

AbaWorkspace::AbaWorkspace(const Model& model)
    : fast(model),
      kernel(fast),
      tree(model),
      IA(idx(model.num_bodies())),
      pA(idx(model.num_bodies())),
      a(idx(model.num_bodies())),
      U(idx(model.num_v())),
      u(JointVector::Zero(model.num_v())),
      D(JointVector::Zero(model.num_v())),
      D_inverse(idx(model.num_bodies()), Mat6::Zero()) {}

void aba_reference(const Model& model, const JointVector& q, const JointVector& v,
                   const JointVector& tau, const ExternalLoads& extras, AbaWorkspace& w,
                   JointVector& vdot) noexcept {
  if (!sizes_fit(model, q, v, tau, extras)) return no_number(model, vdot);
  place_joints(model, q, w.tree);
  move_joints(model, q, v, w.tree);
  start_bodies(model, extras, w);
  const JointVector& J =
      extras.added_inertia != nullptr ? *extras.added_inertia : model.rotor_inertia();
  backward_pass(model, tau, J, w);
  vdot.resize(model.num_v());
  forward_pass(model, w, vdot);
}

void aba(const Model& model, const JointVector& q, const JointVector& v, const JointVector& tau,
         const ExternalLoads& extras, AbaWorkspace& w, JointVector& vdot) noexcept {
  if (!sizes_fit(model, q, v, tau, extras)) return no_number(model, vdot);
  if (!w.fast.usable) return aba_reference(model, q, v, tau, extras, w, vdot);
  load_forces(w.fast, extras, w.kernel.values);
  const JointVector& J =
      extras.added_inertia != nullptr ? *extras.added_inertia : model.rotor_inertia();
  vdot.resize(model.num_v());
  kernel::aba(w.fast, q.data(), v.data(), tau.data(), J.data(), !extras.F_ext.empty(), w.kernel,
              vdot.data());
}

void aba(const Model& model, const JointVector& q, const JointVector& v, const JointVector& tau,
         AbaWorkspace& w, JointVector& vdot) noexcept {
  aba(model, q, v, tau, ExternalLoads{}, w, vdot);
}

}  // namespace kagami::models
