// With T = v' H v / 2 and the gravity forces g_q = dU/dq, d(T + U)/dt = v' (H vdot + C v + g_q),
// since v' (Hdot - 2 C) v = 0: the power of the joint forces that inverse dynamics names for vdot
// without any other force. (energy-1) Supplied: v' tau + sum of V_B . F_B. (energy-2)
#include "models/dynamics/energy.hpp"

#include "models/base/idx.hpp"

namespace kagami::models {
double kinetic_energy(const Model& model, const JointVector& v, const Kinematics& k) noexcept {
  double twice = 0.0;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Motion& V = k.tree.V[idx(i)];
    twice += power(V, model.body(i).inertia * V);
  }
  for (int j = 0; j < model.num_v(); ++j) twice += model.rotor_inertia()[j] * v[j] * v[j];
  return 0.5 * twice;
}

double potential_energy(const Model& model, const Kinematics& k) noexcept {
  return -model.total_mass() * model.gravity().dot(center_of_mass(model, k));
}

PowerBalance power_balance(const Model& model, const JointVector& q, const JointVector& v,
                           const JointVector& vdot, const JointVector& tau,
                           std::span<const Force> F_ext, const Kinematics& k,
                           RneaWorkspace& w) noexcept {
  JointVector needed = JointVector::Zero(model.num_v());
  rnea(model, q, v, vdot, w, needed);
  PowerBalance balance{v.dot(needed), v.dot(tau)};  // (energy-1)
  for (std::size_t i = 0; i < F_ext.size(); ++i) {
    balance.supplied += power(k.tree.V[i], F_ext[i]);  // (energy-2)
  }
  return balance;
}

}  // namespace kagami::models
