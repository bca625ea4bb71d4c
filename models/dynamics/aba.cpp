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

namespace kagami::models {
namespace {

// at most six by six, on the stack
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1>;
using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

std::size_t at(int i) noexcept {
  return static_cast<std::size_t>(i);
}

ArticulatedInertia from_matrix(const Mat6& m) noexcept {
  return {m.topLeftCorner<3, 3>(), m.topRightCorner<3, 3>(), m.bottomRightCorner<3, 3>()};
}

// U of a body's n degrees of freedom side by side
Columns columns_of(const std::vector<Force>& U, int first, int n) noexcept {
  Columns m(6, n);
  for (int k = 0; k < n; ++k) m.col(k) = U[at(first + k)].c;
  return m;
}

void start_bodies(const Model& model, const Extras& extras, AbaWorkspace& w) noexcept {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const SpatialInertia& I = model.body(i).inertia;
    w.IA[at(i)] = ArticulatedInertia::from(I);
    w.pA[at(i)] = cross(w.tree.V[at(i)], I * w.tree.V[at(i)]);  // (aba-1)
    if (!extras.F_ext.empty()) w.pA[at(i)] += -extras.F_ext[at(i)];
  }
}

// one degree of freedom: returns Ia and pa
void reduce_one(int dof, double tau, double J, AbaWorkspace& w, int i, ArticulatedInertia& Ia,
                Force& pa) noexcept {
  const Motion& S = w.tree.S[at(dof)];
  w.U[at(dof)] = w.IA[at(i)] * S;                                                  // (aba-4)
  w.D[dof] = power(S, w.U[at(dof)]) + J;                                           // (aba-5)
  w.u[dof] = tau - power(S, w.pA[at(i)]);                                          // (aba-6)
  Ia = minus_outer(w.IA[at(i)], w.U[at(dof)], w.D[dof]);                           // (aba-7)
  pa = w.pA[at(i)] + Ia * w.tree.c[at(i)] + w.U[at(dof)] * (w.u[dof] / w.D[dof]);  // (aba-8)
}

// several degrees of freedom: the same with a small matrix D
void reduce_many(int first, int n, const JointVector& tau, const JointVector& J, AbaWorkspace& w,
                 int i, ArticulatedInertia& Ia, Force& pa) noexcept {
  SmallMatrix D(n, n);
  SmallVector u(n);
  for (int k = 0; k < n; ++k) {
    w.U[at(first + k)] = w.IA[at(i)] * w.tree.S[at(first + k)];  // (aba-4)
  }
  for (int k = 0; k < n; ++k) {
    for (int l = 0; l < n; ++l) D(k, l) = power(w.tree.S[at(first + k)], w.U[at(first + l)]);
    D(k, k) += J[first + k];                                              // (aba-5)
    u[k] = tau[first + k] - power(w.tree.S[at(first + k)], w.pA[at(i)]);  // (aba-6)
    w.u[first + k] = u[k];
  }
  const SmallMatrix D_inverse = D.llt().solve(SmallMatrix::Identity(n, n));
  w.D_inverse[at(i)].topLeftCorner(n, n) = D_inverse;
  const Columns U = columns_of(w.U, first, n);
  const Mat6 reduced = w.IA[at(i)].matrix() - U * D_inverse * U.transpose();  // (aba-7)
  Ia = from_matrix(reduced);
  pa = w.pA[at(i)] + Ia * w.tree.c[at(i)];
  pa.c += U * (D_inverse * u);  // (aba-8)
}

void backward_pass(const Model& model, const JointVector& tau, const JointVector& J,
                   AbaWorkspace& w) noexcept {
  for (int i = model.num_bodies() - 1; i >= 0; --i) {
    const Body& b = model.body(i);
    const int n = num_v(b.joint.type);
    ArticulatedInertia Ia;
    Force pa;
    if (n == 0) {
      Ia = w.IA[at(i)];
      pa = w.pA[at(i)] + Ia * w.tree.c[at(i)];
    } else if (n == 1) {
      reduce_one(b.v_index, tau[b.v_index], J[b.v_index], w, i, Ia, pa);
    } else {
      reduce_many(b.v_index, n, tau, J, w, i, Ia, pa);
    }
    if (b.parent == kWorld) continue;
    w.IA[at(b.parent)] += w.tree.X_PB[at(i)] * Ia;  // (aba-9)
    w.pA[at(b.parent)] += w.tree.X_PB[at(i)] * pa;
  }
}

void forward_pass(const Model& model, AbaWorkspace& w, JointVector& vdot) noexcept {
  const Motion a0 = Motion::from(Vec3::Zero(), -model.gravity());  // (aba-2)
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    const Motion& a_P = b.parent == kWorld ? a0 : w.a[at(b.parent)];
    Motion& a = w.a[at(i)];
    a = inverse_times(w.tree.X_PB[at(i)], a_P) + w.tree.c[at(i)];  // (aba-3)
    const int n = num_v(b.joint.type);
    if (n == 1) {
      const int k = b.v_index;
      vdot[k] = (w.u[k] - power(a, w.U[at(k)])) / w.D[k];  // (aba-10)
      a.c += w.tree.S[at(k)].c * vdot[k];                  // (aba-11)
    } else if (n > 1) {
      SmallVector r(n);
      for (int k = 0; k < n; ++k) r[k] = w.u[b.v_index + k] - power(a, w.U[at(b.v_index + k)]);
      const SmallVector x = w.D_inverse[at(i)].topLeftCorner(n, n) * r;  // (aba-10)
      for (int k = 0; k < n; ++k) {
        vdot[b.v_index + k] = x[k];
        a.c += w.tree.S[at(b.v_index + k)].c * x[k];  // (aba-11)
      }
    }
  }
}

}  // namespace

AbaWorkspace::AbaWorkspace(const Model& model)
    : tree(model),
      IA(at(model.num_bodies())),
      pA(at(model.num_bodies())),
      a(at(model.num_bodies())),
      U(at(model.num_v())),
      u(JointVector::Zero(model.num_v())),
      D(JointVector::Zero(model.num_v())),
      D_inverse(at(model.num_bodies()), Mat6::Zero()) {}

void aba(const Model& model, const JointVector& q, const JointVector& v, const JointVector& tau,
         const Extras& extras, AbaWorkspace& w, JointVector& vdot) noexcept {
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
         AbaWorkspace& w, JointVector& vdot) noexcept {
  aba(model, q, v, tau, Extras{}, w, vdot);
}

}  // namespace kagami::models
