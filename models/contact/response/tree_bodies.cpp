// Contact of an articulated model. The step is semi-implicit: v+ = v + h vdot + H^-1 J' P at the
// poses of the start, then the coordinates move by v+. H holds the implicit actuator terms, so the
// response does too. A floating root is carried over the step in W (its components turn with it),
// which keeps the momentum of a tumbling robot.
#include "models/contact/response/tree_bodies.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "models/contact/response/free_body.hpp"
#include "models/dynamics/kernel/free_body.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::models {
namespace {

using kernel::CompositeBody;
using kernel::Vec;

}  // namespace

TreeBodies::TreeBodies(const Model& model, const std::vector<BodyIndex>& touching,
                       const DynamicsChoice& dynamics)
    : ContactBodies(touching.size()),
      model_(model),
      touching_(touching),
      aba_(model),
      roots_(aba_.fast.free.size()),
      placed_(aba_.fast),
      X_WB_all_(idx(model.num_bodies())),
      vdot_(JointVector::Zero(model.num_v())),
      v_end_(JointVector::Zero(model.num_v())),
      F_ext_(idx(model.num_bodies()), Force::zero()) {
  mass_ = model.total_mass();
  if (dynamics.algorithm != Algorithm::kAba) {
    chosen_.emplace(robot_forward_dynamics(model, dynamics));
  }
  if (aba_.fast.usable) {
    make_kernel_nodes();
  } else {
    make_reference_nodes();
  }
  tree_.way.resize(tree_.node.size());
  V_.resize(tree_.node.size());
  for (const int n : node_) tree_.need(n);
}

// velocities of the touching bodies about O from v, floating roots' parts in B
void TreeBodies::move_bodies(const JointVector& v, std::vector<Motion>& V) noexcept {
  for (std::size_t n = 0; n < tree_.node.size(); ++n) {
    const ResponseNode& node = tree_.node[n];
    if (!node.needed) continue;
    Vec6& out = V_[n];
    if (node.parent < 0) {
      out.setZero();
    } else {
      out = V_[idx(node.parent)];
    }
    if (node.given) {
      const CompositeBody<double>& placed = placed_.single[n + 1];
      const double* x = v.data() + node.v_index;
      const Vec<double> w = placed.R_WB * Vec<double>{x[0], x[1], x[2]};
      const Vec<double> r = placed.p_WB - plain(origin_);
      const Vec<double> u = placed.R_WB * Vec<double>{x[3], x[4], x[5]} + kernel::cross(r, w);
      out << w.x, w.y, w.z, u.x, u.y, u.z;
    }
    for (int k = 0; k < node.nv; ++k) {
      const double rate = node.sign * v[node.v_index + k];
      for (int e = 0; e < 6; ++e) out[e] += node.S[k][e] * rate;
    }
  }
  for (std::size_t k = 0; k < node_.size(); ++k) {
    if (node_[k] >= 0) V[k].c = V_[idx(node_[k])];
  }
}

// v + h vdot, floating roots in the axes of the start
void TreeBodies::step_velocity(const State& state, const JointVector& vdot,
                               JointVector& v_end) noexcept {
  v_end = state.v + h_ * vdot;
  for (int i = 0; i < model_.num_bodies(); ++i) {
    const Body& b = model_.body(i);
    if (b.joint.type != JointType::kFloating) continue;
    const Vec3 w = state.v.segment<3>(b.v_index);
    v_end.segment<3>(b.v_index + 3) += h_ * w.cross(state.v.segment<3>(b.v_index + 3));
  }
}

// aba runs in any case: the response is made from its factors
void TreeBodies::accelerate(const State& state, const ExternalLoads& extras,
                            JointVector& vdot) noexcept {
  aba(model_, state.q, state.v, drive_->tau, extras, aba_, vdot);
  if (!chosen_) return;
  if (chosen_->run(state.q, state.v, drive_->tau, extras, vdot) != DynamicsStatus::kOk) {
    no_number(model_, vdot);
  }
}

bool TreeBodies::begin(const State& state, const Drive& drive, double h) noexcept {
  drive_ = &drive;
  h_ = h;
  const ExternalLoads extras{.F_ext = drive.F_ext, .added_inertia = &drive.added_inertia};
  accelerate(state, extras, vdot_);
  step_velocity(state, vdot_, v_end_);
  if (!v_end_.allFinite()) return false;
  if (aba_.fast.usable) {
    const Body& first = model_.body(0);
    origin_ = first.X_PJ.p;
    if (first.joint.type == JointType::kFloating) {
      origin_ += first.X_PJ.R * state.q.segment<3>(first.q_index);
    }
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      roots_[i] = kernel::free_response(aba_.fast, i, drive.added_inertia.data(), aba_.kernel);
    }
    load_kernel(state);
    for (std::size_t k = 0; k < touching_.size(); ++k) {
      X_WB[k] = pose_of(touching_[k]);
    }
  } else {
    load_reference();
    for (std::size_t k = 0; k < touching_.size(); ++k) X_WB[k] = X_WB_all_[idx(touching_[k])];
  }
  move_bodies(state.v, V_before);
  move_bodies(v_end_, V_free);
  responds_ = false;
  return true;
}

void TreeBodies::response(std::span<const int> bodies, double* Phi, int stride) noexcept {
  if (!responds_) {
    if (aba_.fast.usable) {
      for (std::size_t i = 0; i < aba_.fast.free.size(); ++i) {
        if (tree_.node[i].needed) respond_free(i);
      }
    }
    tree_.respond();
    responds_ = true;
  }
  for (std::size_t j = 0; j < bodies.size(); ++j) {
    for (std::size_t k = 0; k <= j; ++k) {
      double* block = Phi + 6 * static_cast<int>(j) * stride + 6 * static_cast<int>(k);
      const int nj = node_[idx(bodies[j])];
      const int nk = node_[idx(bodies[k])];
      if (nj < 0 || nk < 0) {
        for (int r = 0; r < 6; ++r) std::fill_n(block + r * stride, 6, 0.0);
      } else {
        tree_.block(nj, nk, block, stride);
      }
      double* mirror = Phi + 6 * static_cast<int>(k) * stride + 6 * static_cast<int>(j);
      for (int r = 0; r < 6 && k < j; ++r) {
        for (int c = 0; c < 6; ++c) mirror[c * stride + r] = block[r * stride + c];
      }
    }
  }
}

// vdot += dv / h by the factors of the free motion
void TreeBodies::respond_kernel(std::span<const Force> impulses, JointVector& vdot) noexcept {
  kernel::JointValues& values = aba_.kernel.values;
  kernel::clear_forces(values);
  for (std::size_t k = 0; k < impulses.size(); ++k) {
    if (impulses[k].c.isZero(0.0)) continue;
    const Pose X_OB{X_WB[k].R, X_WB[k].p - origin_};
    const Force P_B = inverse_times(X_OB, impulses[k]);
    kernel::add_force(aba_.fast, touching_[k], P_B.c.data(), values);
  }
  kernel::aba_response(aba_.fast, roots_.data(), aba_.kernel, v_end_.data());
  vdot += v_end_ * (1.0 / h_);
}

// the whole algorithm once more with the mean forces
void TreeBodies::respond_reference(std::span<const Force> impulses, const State& state,
                                   JointVector& vdot) noexcept {
  for (std::size_t i = 0; i < F_ext_.size(); ++i) {
    F_ext_[i] = drive_->F_ext.empty() ? Force::zero() : drive_->F_ext[i];
  }
  for (std::size_t k = 0; k < impulses.size(); ++k) {
    const Pose X_OB{X_WB[k].R, X_WB[k].p - origin_};
    F_ext_[idx(touching_[k])] += inverse_times(X_OB, impulses[k]) * (1.0 / h_);
  }
  const ExternalLoads extras{.F_ext = F_ext_, .added_inertia = &drive_->added_inertia};
  accelerate(state, extras, vdot);
}

bool TreeBodies::finish(std::span<const Force> impulses, State& state, JointVector& vdot) noexcept {
  bool touched = false;
  for (const Force& P : impulses) touched = touched || !P.c.isZero(0.0);
  vdot = vdot_;
  if (touched && aba_.fast.usable) {
    respond_kernel(impulses, vdot);
  } else if (touched) {
    respond_reference(impulses, state, vdot);
  }
  step_velocity(state, vdot, v_end_);
  if (!v_end_.allFinite()) return false;

  for (int i = 0; i < model_.num_bodies(); ++i) {
    const Body& b = model_.body(i);
    double* q = state.q.data() + b.q_index;
    double* v = v_end_.data() + b.v_index;
    if (b.joint.type != JointType::kFloating) {
      integrate_joint(b.joint, v, h_, q);
      continue;
    }
    const Eigen::Quaterniond q_JB(q[3], q[4], q[5], q[6]);
    const Vec3 w = Eigen::Map<const Vec3>(v);
    Eigen::Map<Vec3> v_o(v + 3);
    Eigen::Map<Vec3>(q) += h_ * (q_JB * Vec3(v_o));
    const Eigen::Quaterniond q_end = integrate(q_JB, w, h_);
    q[3] = q_end.w();
    q[4] = q_end.x();
    q[5] = q_end.y();
    q[6] = q_end.z();
    v_o = exponential(-h_ * w) * Vec3(v_o);  // the same velocity in the turned axes
  }
  state.v = v_end_;
  return state.q.allFinite();
}

std::unique_ptr<ContactBodies> make_contact_bodies(const Model& model,
                                                   const std::vector<BodyIndex>& touching,
                                                   const DynamicsChoice& dynamics) {
  for (const BodyIndex body : touching) {
    if (body < 0 || body >= model.num_bodies()) {
      throw ModelError("contact: no body " + std::to_string(body) + ", expected 0.." +
                       std::to_string(model.num_bodies() - 1));
    }
  }
  if (!model.loops().empty()) {
    throw ModelError("contact: loop '" + model.loops().front().name +
                     "': contact does not support models with loops");
  }
  if (is_free_body(model)) return std::make_unique<FreeBody>(model, touching.size());
  return std::make_unique<TreeBodies>(model, touching, dynamics);
}

}  // namespace kagami::models
