#include "tools/experiments/mechanics.hpp"

#include <Eigen/Geometry>

#include "models/dynamics/energy.hpp"

namespace kagami::tools {

using models::Force;
using models::Model;

MechanicsProbe::MechanicsProbe(const Model& model)
    : model_(model), kinematics_(model), rnea_(model), centroidal_(model) {}

const Mechanics& MechanicsProbe::measure(const models::State& state, const JointVector& vdot,
                                         std::span<const Force> loops, const Force& ground) {
  forward_kinematics(model_, state.q, state.v, kinematics_);
  const Force momentum = momentum_about_com(model_, kinematics_);
  mechanics_.potential_energy = potential_energy(model_, kinematics_);
  mechanics_.kinetic_energy = kinetic_energy(model_, state.v, kinematics_);
  mechanics_.com = center_of_mass(model_, kinematics_);
  mechanics_.linear_momentum = momentum.force();
  mechanics_.angular_momentum = momentum.moment();

  rnea_reference(model_, state.q, state.v, vdot, models::ExternalLoads{.F_ext = loops}, rnea_,
                 tau_);
  mechanics_.joint_force = tau_.cwiseAbs().maxCoeff();
  measure_balance(state, vdot, ground);
  return mechanics_;
}

// Newton and Euler for the whole: d/dt (A v) = A vdot + A' v against gravity and the ground
void MechanicsProbe::measure_balance(const models::State& state, const JointVector& vdot,
                                     const Force& ground) {
  centroidal_matrix(model_, state.q, centroidal_, A_);
  const Vec6 rate = A_ * vdot + centroidal_bias(model_, state.q, state.v, centroidal_).c;
  Vec3 force = ground.force() + model_.total_mass() * model_.gravity();
  Vec3 moment = ground.moment() - mechanics_.com.cross(ground.force());
  for (int i = 0; i < model_.num_bodies(); ++i) {
    if (model_.body(i).parent != kWorld) continue;
    const Force F = joint_force(i);
    const Vec3 arm = kinematics_.X_WB[static_cast<std::size_t>(i)].p - mechanics_.com;
    force += F.force();
    moment += F.moment() + arm.cross(F.force());
  }
  mechanics_.force_gap = (rate.tail<3>() - force).norm();
  mechanics_.moment_gap = (rate.head<3>() - moment).norm();
}

Force MechanicsProbe::joint_force(BodyIndex body) const {
  const auto i = static_cast<std::size_t>(body);
  const Mat3& R = kinematics_.X_WB[i].R;
  return Force::from(R * rnea_.F[i].moment(), R * rnea_.F[i].force());
}

std::vector<std::string> mechanics_columns() {
  return {"PE", "KE", "E",  "comx", "comy", "comz",      "Px",        "Py",
          "Pz", "Lx", "Ly", "Lz",   "tau",  "force_gap", "moment_gap"};
}

void append(std::vector<double>& row, const Mechanics& m) {
  row.insert(row.end(),
             {m.potential_energy, m.kinetic_energy, m.potential_energy + m.kinetic_energy});
  for (const Vec3* v : {&m.com, &m.linear_momentum, &m.angular_momentum})
    row.insert(row.end(), v->data(), v->data() + 3);
  row.insert(row.end(), {m.joint_force, m.force_gap, m.moment_gap});
}

}  // namespace kagami::tools
