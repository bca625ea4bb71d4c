#include "tools/commands/dynamics_results.hpp"

#include <Eigen/Geometry>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "models/dynamics/crba.hpp"
#include "models/dynamics/energy.hpp"
#include "models/dynamics/rnea.hpp"

namespace kagami::tools {

using models::ExternalLoads;
using models::Force;
using models::Model;

EntrySource::EntrySource(Chosen& chosen, const StateEntry& entry)
    : model_(chosen.model), entry_(entry), kinematics_(model_) {
  if (!entry.external.empty()) F_ext_.assign(idx(model_.num_bodies()), Force::zero());
  if (chosen.tree) {
    tree_ = &*chosen.tree;
    return;
  }
  loops_ = std::make_unique<models::ClosedChainDynamics>(model_, chosen.algorithm);
  loops_->set_tau(entry.tau);
  loops_->set_forces(F_ext_);
}

void EntrySource::place_external(const JointVector& q, const JointVector& v) noexcept {
  forward_kinematics(model_, q, v, kinematics_);
  for (Force& F : F_ext_) F = Force::zero();
  for (const ExternalForce& e : entry_.external) {
    const Mat3& R = kinematics_.X_WB[idx(e.body)].R;
    const Vec3 f = R.transpose() * e.force;
    const Vec3 n = R.transpose() * e.moment;
    F_ext_[idx(e.body)] += Force::from(n + e.point.cross(f), f);
  }
}

bool EntrySource::acceleration(double t, const JointVector& q, const JointVector& v,
                               JointVector& vdot) noexcept {
  if (!F_ext_.empty()) place_external(q, v);
  if (loops_) return loops_->acceleration(t, q, v, vdot);
  return tree_->run(q, v, entry_.tau, ExternalLoads{.F_ext = F_ext_}, vdot) ==
         models::DynamicsStatus::kOk;
}

bool EntrySource::rate(double t, const JointVector& q, JointVector& v, JointVector& vdot) noexcept {
  if (!loops_) return acceleration(t, q, v, vdot);
  if (!F_ext_.empty()) place_external(q, v);
  return loops_->rate(t, q, v, vdot);
}

bool EntrySource::settle(models::State& state) noexcept {
  return !loops_ || loops_->settle(state);
}

std::string EntrySource::problem() const {
  if (!loops_) return "an inertia without inverse, or numbers beyond the finite";
  switch (loops_->status()) {
    case models::LoopStatus::kOverConstrained:
      return "over-constrained: the loops' equations contradict each other at this q and v";
    case models::LoopStatus::kOpen:
      return "the step has opened the loops, or they cannot be closed there";
    default:
      return name(loops_->status());
  }
}

Balance balance_of(const Model& model, const models::State& state, models::Kinematics& k) {
  forward_kinematics(model, state.q, state.v, k);
  const Force P = momentum_about_com(model, k);
  return {kinetic_energy(model, state.v, k), potential_energy(model, k), center_of_mass(model, k),
          P.force(), P.moment()};
}

namespace {

// b, Q_external and the forces of inverse dynamics
void invert(const Model& model, const StateEntry& entry, const ExternalLoads& extras,
            DynamicsResults& f) {
  const JointVector& q = entry.state.q;
  const JointVector& v = entry.state.v;
  models::RneaWorkspace w(model);
  const JointVector zero = JointVector::Zero(model.num_v());
  JointVector tau;
  rnea(model, q, v, zero, w, f.b);
  rnea(model, q, v, zero, extras, w, tau);
  f.Q_external = f.b - tau;
  f.inverse_vdot = entry.inverse_vdot.value_or(f.vdot);
  if (f.loops)
    return inverse_with_loops(model, entry, extras, *f.loops, f.inverse_vdot, f.inverse_tau);
  rnea(model, q, v, f.inverse_vdot, extras, w, f.inverse_tau);
}

// joint wrenches, power and the zero-moment point: of the forward case
void follow(const Model& model, const StateEntry& entry, EntrySource& source, DynamicsResults& f) {
  const JointVector& q = entry.state.q;
  const JointVector& v = entry.state.v;
  models::Kinematics k(model);
  f.balance = balance_of(model, entry.state, k);
  f.X_WB = k.X_WB;
  std::vector<Force> forces = source.external();
  if (forces.empty()) forces.assign(idx(model.num_bodies()), Force::zero());
  models::RneaWorkspace w(model);
  f.power = power_balance(model, q, v, f.vdot, entry.tau, forces, k, w);
  models::CentroidalWorkspace c(model);
  centroidal_matrix(model, q, c, f.A);
  const Vec3& g = model.gravity();
  const models::GroundPlane ground{Vec3::Zero(),
                                   g.norm() > 0.0 ? Vec3(-g.normalized()) : Vec3(Vec3::UnitZ())};
  f.zmp_status = zero_moment_point(model, q, v, f.vdot, forces, ground, c, f.zmp);
  if (source.loops() != nullptr) source.loops()->add_forces(forces);
  JointVector tau;
  rnea_reference(model, q, v, f.vdot, ExternalLoads{forces, nullptr}, w,
                 tau);  // keeps every joint force
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Mat3& R = k.X_WB[idx(i)].R;
    Vec6 wrench;
    wrench << R * w.F[idx(i)].moment(), R * w.F[idx(i)].force();
    f.joint_wrench.push_back(wrench);
  }
}

}  // namespace

DynamicsResults results_of(Chosen& chosen, const StateEntry& entry) {
  const Model& model = chosen.model;
  DynamicsResults f;
  EntrySource source(chosen, entry);
  f.vdot = JointVector::Zero(model.num_v());
  if (!source.acceleration(0.0, entry.state.q, entry.state.v, f.vdot))
    throw Error(entry.where + ": no acceleration: " + source.problem());
  f.ran = source.ran();
  if (source.loops() != nullptr) f.loops = loop_closure(model, entry, *source.loops());
  models::CrbaWorkspace crba_workspace(model);
  crba(model, entry.state.q, crba_workspace, f.H);
  invert(model, entry, ExternalLoads{.F_ext = source.external()}, f);
  follow(model, entry, source, f);
  return f;
}

}  // namespace kagami::tools
