// Assembly of sub-chains from the tip to the root and back. [T] = Takahashi 2012, section 4.3; Z
// the sub-chain nearer the root, Y all beyond; both handles at the joint, in its frame J,
// acceleration minus gravity. e the joint's axis (T_a of [T]), n = tau; T the other five
// directions.
//   W      = T (T' (Phi_Z + Phi_Y) T)^-1 T'                               in (4.29)
//   F_Y    = e n + W (Sdot qd + B_Z - B_Y - (Phi_Z + Phi_Y) e n)          (4.29), (4.30)
//   qdd    = e' (a_Y - a_Z - Sdot qd)                                     (4.31)
//   Phi'_r = Phi_rr - Phi_rt W Phi_tr,  B'_r = B_r - Phi_rt F_Y           assembled, as in ADA
#include "models/hybrid/handle_chain.hpp"

#include <algorithm>

#include "models/hybrid/generated.hpp"
#include "models/hybrid/model_hash.hpp"
#include "models/hybrid/segment.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::models {
namespace {

using Layout = hybrid::SegmentLayout;
using RowMat6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;

Eigen::Map<const RowMat6> matrix_at(const std::vector<double>& h, int position) noexcept {
  return Eigen::Map<const RowMat6>(h.data() + position);
}
Eigen::Map<const Vec6> vector_at(const std::vector<double>& h, int position) noexcept {
  return Eigen::Map<const Vec6>(h.data() + position);
}

// Sdot qd: w_Z x e qd
Vec6 joint_bias_of(const double* w_Z, int axis, double rate) noexcept {
  Vec6 b = Vec6::Zero();
  b[(axis + 1) % 3] = w_Z[(axis + 2) % 3] * rate;
  b[(axis + 2) % 3] = -w_Z[(axis + 1) % 3] * rate;
  return b;
}

}  // namespace

HandleChain::HandleChain(const Model& model)
    : HandleChain(model, hybrid::find_generated_chain(hybrid::model_hash(model))) {}

HandleChain::HandleChain(const Model& model, const hybrid::GeneratedChain* chain)
    : num_v_(model.num_v()) {
  if (chain == nullptr || chain->version != hybrid::kGeneratorVersion ||
      chain->model_hash != hybrid::model_hash(model))
    return;
  chain_ = chain;
  form_ = hybrid::has_wide_units() ? &chain->wide : &chain->plain;
  base_v_ = chain->floating ? 6 : 0;
  gravity_J_ = model.body(0).X_PJ.R.transpose() * model.gravity();
  x_.assign(static_cast<std::size_t>(4 * chain->num_columns), 0.0);
  parts_.resize(static_cast<std::size_t>(chain->num_segments));
  for (std::size_t s = 0; s < parts_.size(); ++s) {
    parts_[s].h.assign(Layout::kSize, 0.0);
    parts_[s].m.assign(static_cast<std::size_t>(std::max(form_->segments[s].memory, 1)), 0.0);
  }
}

bool HandleChain::run(const JointVector& q, const JointVector& v, const JointVector& tau,
                      JointVector& vdot) noexcept {
  form_->gather(q.data(), v.data(), tau.data(), x_.data());
  const double* r = v.data();  // a floating base's angular velocity comes first
  for (std::size_t s = 0; s < parts_.size(); ++s) {
    const hybrid::GeneratedSegment& code = form_->segments[s];
    Part& part = parts_[s];
    code.terms(r, x_.data() + code.column, part.m.data(), nullptr, part.h.data());
    r = part.h.data() + Layout::kTipOmega;
  }
  Part& last = parts_.back();
  last.phi = matrix_at(last.h, Layout::kPhiRoot);
  last.B = vector_at(last.h, Layout::kBiasRoot);
  for (std::size_t s = parts_.size() - 1; s-- > 0;) {
    if (!join(s, v, tau)) return false;
  }
  spread(q, v, tau, vdot);
  return true;
}

bool HandleChain::join(std::size_t s, const JointVector& v, const JointVector& tau) noexcept {
  Part& Z = parts_[s];
  const Part& Y = parts_[s + 1];
  const hybrid::GeneratedSegment& code = form_->segments[s + 1];
  const int k = code.root_axis;
  const int dof = base_v_ + code.column;
  const Mat6 sum = matrix_at(Z.h, Layout::kPhiTip) + Y.phi;
  const Vec6 rhs = joint_bias_of(Z.h.data() + Layout::kTipOmega, k, v[dof]) +
                   vector_at(Z.h, Layout::kBiasTip) - Y.B - sum.col(k) * tau[dof];

  // directions other than k, in order
  Mat5 P;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) P(i, j) = sum(i + (i >= k ? 1 : 0), j + (j >= k ? 1 : 0));
  }
  const Eigen::LLT<Mat5> solver(P);
  if (solver.info() != Eigen::Success) return false;
  const Mat5 inverse = solver.solve(Mat5::Identity());
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) Z.W(i + (i >= k ? 1 : 0), j + (j >= k ? 1 : 0)) = inverse(i, j);
  }
  Z.F_free = Z.W * rhs;
  Z.F_free[k] = tau[dof];
  if (!Z.F_free.allFinite()) return false;

  if (s == 0 && !chain_->floating) return true;  // no root handle
  const Mat6 phi_tr = matrix_at(Z.h, Layout::kPhiTipRoot);
  const Mat6 W_phi = Z.W * phi_tr;
  Z.phi = matrix_at(Z.h, Layout::kPhiRoot);
  Z.phi.noalias() -= phi_tr.transpose() * W_phi;
  Z.B = vector_at(Z.h, Layout::kBiasRoot) - phi_tr.transpose() * Z.F_free;
  return true;
}

void HandleChain::spread(const JointVector& q, const JointVector& v, const JointVector& tau,
                         JointVector& vdot) noexcept {
  vdot.resize(num_v_);
  Vec6 a_root = Vec6::Zero();
  if (chain_->floating) {
    Part& base = parts_.front();
    base.F = tau.head<6>();
    a_root = base.phi * base.F + base.B;
    // back to the derivative of the velocity's components: + R' g - w x v
    const Mat3 R = rotation_of(Eigen::Quaterniond(q[3], q[4], q[5], q[6]).normalized());
    vdot.head<3>() = a_root.head<3>();
    const Vec3 w = v.head<3>();
    const Vec3 v_B = v.segment<3>(3);
    vdot.segment<3>(3) = a_root.tail<3>() + R.transpose() * gravity_J_ - w.cross(v_B);
  }
  for (std::size_t s = 0; s < parts_.size(); ++s) {
    Part& part = parts_[s];
    const hybrid::GeneratedSegment& code = form_->segments[s];
    const bool is_last = s + 1 == parts_.size();
    double r[12] = {};
    Eigen::Map<Vec6>(r + Layout::kRootAcceleration) = a_root;
    if (!is_last) {
      Part& Y = parts_[s + 1];
      const bool root = s > 0 || chain_->floating;
      Vec6 a_tip = vector_at(part.h, Layout::kBiasTip);
      Y.F = part.F_free;
      if (root) {
        const Vec6 by_root = matrix_at(part.h, Layout::kPhiTipRoot) * part.F;
        Y.F += part.W * by_root;
        a_tip += by_root;
      }
      Eigen::Map<Vec6>(r + Layout::kTipForce) = -Y.F;
      a_tip -= matrix_at(part.h, Layout::kPhiTip) * Y.F;
      const Vec6 a_Y = Y.phi * Y.F + Y.B;
      const hybrid::GeneratedSegment& next = form_->segments[s + 1];
      // the motion below may not overwrite it: a segment's own columns start behind its root joint
      vdot[base_v_ + next.column] = a_Y[next.root_axis] - a_tip[next.root_axis];
      a_root = a_Y;
    }
    code.motion(r, x_.data() + code.column, part.m.data(), vdot.data() + base_v_ + code.column,
                nullptr);
  }
}

}  // namespace kagami::models
