#include "tools/commands/dynamics_figures.hpp"

#include <Eigen/Geometry>

#include "models/base/errors.hpp"
#include "models/dynamics/crba.hpp"
#include "models/dynamics/energy.hpp"
#include "models/dynamics/rnea.hpp"

namespace kagami::tools {

using models::Extras;
using models::Force;
using models::Model;

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

EntrySource::EntrySource(models::ForwardDynamics& dynamics, const StateEntry& entry)
    : model_(dynamics.model()), entry_(entry), kinematics_(model_), dynamics_(dynamics) {
  if (!model_.loops().empty())
    throw ConfigError("the model has " + std::to_string(model_.loops().size()) +
                      " loop joints; this command computes trees alone");
  if (!entry.external.empty()) F_ext_.assign(at(model_.num_bodies()), Force::zero());
}

void EntrySource::place_external(const JointVector& q, const JointVector& v) noexcept {
  forward_kinematics(model_, q, v, kinematics_);
  for (Force& F : F_ext_) F = Force::zero();
  for (const ExternalForce& e : entry_.external) {
    const Mat3& R = kinematics_.X_WB[at(e.body)].R;
    const Vec3 f = R.transpose() * e.force;
    const Vec3 n = R.transpose() * e.moment;
    F_ext_[at(e.body)] += Force::from(n + e.point.cross(f), f);
  }
}

bool EntrySource::acceleration(double /*t*/, const JointVector& q, const JointVector& v,
                               JointVector& vdot) noexcept {
  if (!F_ext_.empty()) place_external(q, v);
  return dynamics_.run(q, v, entry_.tau, Extras{.F_ext = F_ext_}, vdot) ==
         models::DynamicsStatus::kOk;
}

Balance balance_of(const Model& model, const models::State& state, models::Kinematics& k) {
  forward_kinematics(model, state.q, state.v, k);
  const Force P = momentum_about_com(model, k);
  return {kinetic_energy(model, state.v, k), potential_energy(model, k), center_of_mass(model, k),
          P.force(), P.moment()};
}

Figures figures_of(models::ForwardDynamics& dynamics, const StateEntry& entry) {
  const Model& model = dynamics.model();
  const JointVector& q = entry.state.q;
  const JointVector& v = entry.state.v;
  Figures f;
  EntrySource source(dynamics, entry);
  f.vdot = JointVector::Zero(model.num_v());
  if (!source.acceleration(0.0, q, v, f.vdot))
    throw Error("no acceleration: an inertia without inverse, or numbers beyond the finite");
  const Extras extras{.F_ext = source.external()};

  models::CrbaWorkspace crba_workspace(model);
  crba(model, q, crba_workspace, f.H);
  models::RneaWorkspace w(model);
  const JointVector zero = JointVector::Zero(model.num_v());
  JointVector tau;
  rnea(model, q, v, zero, w, f.b);
  rnea(model, q, v, zero, extras, w, tau);
  f.Q_external = f.b - tau;
  f.inverse_vdot = entry.inverse_vdot.value_or(f.vdot);
  rnea(model, q, v, f.inverse_vdot, extras, w, f.inverse_tau);

  // joint wrenches belong to the forward case
  models::Kinematics k(model);
  f.balance = balance_of(model, entry.state, k);
  f.X_WB = k.X_WB;
  rnea_reference(model, q, v, f.vdot, extras, w, tau);  // keeps every joint force
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Mat3& R = k.X_WB[at(i)].R;
    Vec6 wrench;
    wrench << R * w.F[at(i)].moment(), R * w.F[at(i)].force();
    f.joint_wrench.push_back(wrench);
  }
  return f;
}

}  // namespace kagami::tools
