#include "models/contact/world_energy.hpp"

#include <algorithm>
#include <utility>

#include "models/dynamics/energy.hpp"

namespace kagami::models {
namespace {

double stored_energy(const Model& model, const State& state, Kinematics& k) noexcept {
  forward_kinematics(model, state.q, state.v, k);
  return kinetic_energy(model, state.v, k) + potential_energy(model, k);
}

}  // namespace

WorldEnergy::WorldEnergy(const World& world) : world_(world) {
  for (int s = 0; s < world.num_systems(); ++s) {
    Watched& w = watched_.emplace_back(world.model(s));
    w.v = world.state(s).v;
    w.stored = stored_energy(world.model(s), world.state(s), w.now);
  }
}

StepEnergy WorldEnergy::after_step(double h) noexcept {
  StepEnergy energy;
  energy.contact = world_.contact_work();
  contact_gain_ += std::max(0.0, energy.contact);
  for (int s = 0; s < world_.num_systems(); ++s) {
    Watched& w = watched_[static_cast<std::size_t>(s)];
    if (world_.status(s) == SystemStatus::kNotFinite) continue;
    const Model& model = world_.model(s);
    const State& state = world_.state(s);
    const Drive& drive = world_.drive(s);
    std::swap(w.now, w.before);
    const double before = w.stored;
    w.stored = stored_energy(model, state, w.now);
    energy.stored += w.stored;
    energy.change += w.stored - before;

    // the joint forces that acted, at the mean rate: implicit terms are forces, rotors are stored
    for (int k = 0; k < model.num_v(); ++k) {
      const double implicit =
          (drive.added_inertia[k] - model.rotor_inertia()[k]) * world_.vdot(s)[k];
      energy.drive += h * (drive.tau[k] - implicit) * 0.5 * (w.v[k] + state.v[k]);
    }
    for (std::size_t i = 0; i < drive.F_ext.size(); ++i) {
      energy.drive +=
          0.5 * h *
          (power(w.before.tree.V[i], drive.F_ext[i]) + power(w.now.tree.V[i], drive.F_ext[i]));
    }
    w.v = state.v;
  }
  return energy;
}

}  // namespace kagami::models
