// Rigid bodies in the common frame. Symbols of [T] = Takahashi 2012, chapter 2; every quantity at O
// in world axes.
//   X_OB = X_OP X_PJ X_JB(q)                 (frame-1)
//   V    = V_P + S qdot                      [T] (2.5)
//   c    = Sdot qdot = V x S qdot + X_OB cJ  [T] (2.6); the local part cJ is missing there
//   P    = V x* I V - F_ext                  [T] (2.1)
#include "models/dynamics/joint_assembly.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>

#include "models/base/idx.hpp"
#include "models/robot/state.hpp"

namespace kagami::models {
namespace {

// f<k>() for k from first to last - 1: loops of six run straight only when their bounds are
// constants
template <int first, int last, class F>
void each(F f) noexcept {
  if constexpr (first < last) {
    f.template operator()<first>();
    each<first + 1, last>(f);
  }
}

// faster than a comma initializer, whose blocks have run-time sizes
Vec6 stacked(const Vec3& angular, const Vec3& linear) noexcept {
  Vec6 both;
  both.head<3>() = angular;
  both.tail<3>() = linear;
  return both;
}

// I V crossed with V, from the rotational inertia Ic about the mass centre c
Vec6 momentum_rate(double mass, const Vec3& c, const Mat3& Ic, const Vec6& V) noexcept {
  const Vec3 w = V.head<3>();
  const Vec3 v = V.tail<3>();
  const Vec3 l = mass * (v + w.cross(c));
  const Vec3 k = Ic * w + c.cross(l);
  return stacked(w.cross(k) + v.cross(l), w.cross(l));
}

// R A R' of a symmetric A
Mat3 turned_symmetric(const Mat3& R, const Mat3& A) noexcept {
  const Mat3 RA = R * A;
  Mat3 result;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i <= j; ++i) {
      result(i, j) = RA(i, 0) * R(j, 0) + RA(i, 1) * R(j, 1) + RA(i, 2) * R(j, 2);
      result(j, i) = result(i, j);
    }
  }
  return result;
}

void place_inertia(int i, const Vec3& com, const Mat3& I_com, CommonFrame& w) noexcept {
  const Pose& X = w.X_OB[idx(i)];
  SpatialInertia& M = w.inertia[idx(i)];
  const Vec3 c = X.p + X.R * com;
  const Mat3 Ic = turned_symmetric(X.R, I_com);
  M.h = M.mass * c;
  M.I = Ic - M.h * c.transpose();  // parallel axes
  M.I.diagonal().array() += M.h.dot(c);
  w.P[idx(i)] = momentum_rate(M.mass, c, Ic, w.V[idx(i)]);
}

// the velocity product of a joint, V x VJ
Vec6 cross_motion(const Vec6& V, const Vec6& VJ) noexcept {
  const Vec3 w = V.head<3>();
  const Vec3 wJ = VJ.head<3>();
  return stacked(w.cross(wJ), w.cross(VJ.tail<3>()) - wJ.cross(V.tail<3>()));
}

Vec6 at_O(const Pose& X, const Motion& m) noexcept {
  return (X * m).c;
}

void move_joint(const Model& model, int i, const JointVector& q, const JointVector& v,
                CommonFrame& w) noexcept {
  const Body& b = model.body(i);
  const Pose& X = w.X_OB[idx(i)];
  Vec6& V = w.V[idx(i)];
  if (b.parent == kWorld) {
    V.setZero();
  } else {
    V = w.V[idx(b.parent)];
  }
  if (w.n[idx(i)] == 0) {
    w.c[idx(i)].setZero();
    return;
  }
  Vec6 VJ = Vec6::Zero();
  if (b.joint.type == JointType::kRevolute) {
    const Vec3 axis = X.R * b.joint.axis;
    w.S[idx(b.v_index)] = stacked(axis, X.p.cross(axis));
    VJ = w.S[idx(b.v_index)] * v[b.v_index];
    V += VJ;  // (2.5)
    w.c[idx(i)] = cross_motion(V, VJ);
    return;
  }
  Motion S[kMaxJointDofs];
  joint_subspace(b.joint, q.data() + b.q_index, S);
  for (int k = 0; k < w.n[idx(i)]; ++k) {
    w.S[idx(b.v_index + k)] = at_O(X, S[k]);
    VJ += w.S[idx(b.v_index + k)] * v[b.v_index + k];
  }
  V += VJ;  // (2.5)
  const Motion cJ = joint_bias(b.joint, q.data() + b.q_index, v.data() + b.v_index);
  w.c[idx(i)] = cross_motion(V, VJ) + at_O(X, cJ);  // (2.6)
}

}  // namespace

const char* name(DynamicsStatus status) noexcept {
  switch (status) {
    case DynamicsStatus::kOk:
      return "ok";
    case DynamicsStatus::kBadInput:
      return "bad input";
    case DynamicsStatus::kNotFinite:
      return "not finite";
    case DynamicsStatus::kSingular:
      return "singular";
  }
  return "unknown";
}

DynamicsStatus check_inputs(const Model& model, const JointVector& q, const JointVector& v,
                            const JointVector& tau, const ExternalLoads& extras) noexcept {
  if (!sizes_fit(model, q, v, tau, extras)) return DynamicsStatus::kBadInput;
  // a sum is finite only if every term is; squares keep opposite infinities from hiding
  double sum = q.squaredNorm() + v.squaredNorm() + tau.squaredNorm();
  if (extras.added_inertia != nullptr) sum += extras.added_inertia->squaredNorm();
  for (const Force& F : extras.F_ext) sum += F.c.squaredNorm();
  if (!std::isfinite(sum)) return DynamicsStatus::kNotFinite;
  // less than no inertia: the mass matrix may have an inverse and yet mean nothing
  const bool less = extras.added_inertia != nullptr && (extras.added_inertia->array() < 0.0).any();
  return less || !has_orientations(model, q) ? DynamicsStatus::kBadInput : DynamicsStatus::kOk;
}

CommonFrame::CommonFrame(const Model& model)
    : X_OB(idx(model.num_bodies())),
      S(idx(model.num_v()), Vec6::Zero()),
      V(idx(model.num_bodies()), Vec6::Zero()),
      c(idx(model.num_bodies()), Vec6::Zero()),
      inertia(idx(model.num_bodies())),
      P(idx(model.num_bodies()), Vec6::Zero()),
      n(idx(model.num_bodies()), 0),
      constants_(idx(model.num_bodies())) {
  a_ground << Vec3::Zero(), -model.gravity();
  for (int i = 0; i < model.num_bodies(); ++i) {
    const SpatialInertia& M = model.body(i).inertia;
    n[idx(i)] = num_v(model.body(i).joint.type);
    inertia[idx(i)].mass = M.mass;
    if (M.mass > 0.0) constants_[idx(i)] = {M.com(), M.about_com()};
  }
}

void place_bodies(const Model& model, const JointVector& q, const JointVector& v,
                  const ExternalLoads& extras, CommonFrame& w) noexcept {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    Pose& X = w.X_OB[idx(i)];
    X = b.X_PJ * joint_pose(b.joint, q.data() + b.q_index);
    if (b.parent != kWorld) {
      X = w.X_OB[idx(b.parent)] * X;  // (frame-1)
    } else {
      if (i == 0) w.p_WO = X.p;
      X.p -= w.p_WO;
    }
    move_joint(model, i, q, v, w);
    place_inertia(i, w.constants_[idx(i)].com, w.constants_[idx(i)].I_com, w);  // (2.1)
    if (!extras.F_ext.empty()) w.P[idx(i)] -= (X * extras.F_ext[idx(i)]).c;
  }
}

Mat6 inertia_matrix(const SpatialInertia& M) noexcept {
  const Vec3& h = M.h;
  Mat6 A;
  A.topLeftCorner<3, 3>() = M.I;
  A.topRightCorner<3, 3>() << 0.0, -h[2], h[1], h[2], 0.0, -h[0], -h[1], h[0], 0.0;
  A.bottomLeftCorner<3, 3>() << 0.0, h[2], -h[1], -h[2], 0.0, h[0], h[1], -h[0], 0.0;
  A.bottomRightCorner<3, 3>() << M.mass, 0.0, 0.0, 0.0, M.mass, 0.0, 0.0, 0.0, M.mass;
  return A;
}

bool cholesky(const Mat6& A, Mat6& L) noexcept {
  L = A;
  bool positive = true;
  each<0, 6>([&]<int j>() {
    positive &= L(j, j) > 0.0;
    const double d = std::sqrt(L(j, j));
    const double inverse = 1.0 / d;
    L(j, j) = d;
    each<j + 1, 6>([&]<int i>() { L(i, j) *= inverse; });
    each<j + 1, 6>([&]<int k>() { each<k, 6>([&]<int i>() { L(i, k) -= L(i, j) * L(k, j); }); });
  });
  return positive && std::isfinite(L(5, 5));
}

Mat6 right_solve(const Mat6& L, const Mat6& M) noexcept {
  Mat6 X = M;
  each<0, 6>([&]<int j>() {
    each<0, j>([&]<int k>() { X.col(j) -= X.col(k) * L(j, k); });
    X.col(j) *= 1.0 / L(j, j);
  });
  return X;
}

Vec6 forward_solve(const Mat6& L, const Vec6& b) noexcept {
  Vec6 x = b;
  each<0, 6>([&]<int i>() {
    x[i] /= L(i, i);
    each<i + 1, 6>([&]<int k>() { x[k] -= L(k, i) * x[i]; });
  });
  return x;
}

Vec6 backward_solve(const Mat6& L, const Vec6& b) noexcept {
  Vec6 x = b;
  each<0, 6>([&]<int n>() {
    constexpr int i = 5 - n;
    each<i + 1, 6>([&]<int k>() { x[i] -= L(k, i) * x[k]; });
    x[i] /= L(i, i);
  });
  return x;
}

bool invert(const Mat6& A, Mat6& inverse) noexcept {
  Mat6 L;
  if (!cholesky(A, L)) return false;
  const Mat6 X = right_solve(L, Mat6::Identity());  // L^-T
  inverse = X.lazyProduct(X.transpose());
  return true;
}

bool invert_block(int n, Mat6& D) noexcept {
  if (n == 1) {
    const bool good = D(0, 0) > 0.0 && std::isfinite(D(0, 0));
    D(0, 0) = 1.0 / D(0, 0);
    return good;
  }
  // at most six by six, on the stack
  using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
  const Eigen::LLT<Block> llt(Block(D.topLeftCorner(n, n)));
  if (llt.info() != Eigen::Success) return false;
  D.topLeftCorner(n, n) = llt.solve(Block(Block::Identity(n, n)));
  return true;
}

HandleStore::HandleStore(const AssemblyPlan& plan)
    : phi(idx(plan.num_blocks()), Mat6::Zero()),
      B(idx(plan.num_slots()), Vec6::Zero()),
      F(idx(plan.num_slots()), Vec6::Zero()) {}

Mat6 HandleStore::block(const PlannedBody& body, int i, int j) const noexcept {
  const int low = i < j ? i : j;
  const int high = i < j ? j : i;
  const Mat6& m = phi[idx(body.first_block + high * (high + 1) / 2 + low)];
  if (i <= j) return m;
  return m.transpose();
}

bool to_phi_form(const Mat6& IA, const Vec6& pA, const PlannedBody& body,
                 HandleStore& store) noexcept {
  if (!invert(IA, store.upper(body, 0, 0))) return false;
  store.bias(body, 0) = -(store.upper(body, 0, 0) * pA);  // (2.3)
  return true;
}

void add_fixed_joint_forces(const Model& model, const AssemblyPlan& plan, const CommonFrame& w,
                            const std::vector<Vec6>& a, std::vector<Vec6>& F) noexcept {
  for (int i = 0; i < model.num_bodies(); ++i) {
    if (w.n[idx(i)] > 0) continue;
    const BodyIndex link = plan.link(i);
    const Motion a_B{link == kWorld ? w.a_ground : a[idx(link)]};
    F[idx(i)] = (w.inertia[idx(i)] * a_B).c + w.P[idx(i)];
  }
  // children come later in the model than their parents
  for (int i = model.num_bodies() - 1; i >= 0; --i) {
    const BodyIndex parent = model.body(i).parent;
    if (parent != kWorld && w.n[idx(parent)] == 0) F[idx(parent)] += F[idx(i)];
  }
}

}  // namespace kagami::models
