// The step in its order: v+ from forces at the start's pose q, then q+ by v+. With H of q, bias b
// (gravity and velocity-dependent forces, from inverse dynamics at q, v), mean velocity u = (v +
// v+)/2:
//   H (v+ - v) = h (tau - b) + J' P
//   K(q, v+) - K(q, v) = h tau' u - h b' u + P' J u                             (e-1)
//   change = (e-1) + K(q+, v+) - K(q, v+) + U(q+) - U(q)                        (e-2)
//   integrator = -h b' u + K(q+, v+) - K(q, v+) + U(q+) - U(q)                  (e-3)
//   added = change - drive - integrator = P' J u                                (e-4)
// A floating root's v+ stands in the axes of the start in (e-1), and b is that of a root whose
// velocity does not change in W. A single free body keeps its angular momentum instead of its rate:
// there v+ of (e-1) is that of L+ in the pose of the start, and b has gravity alone.
#include "models/contact/world/world_energy.hpp"

#include <Eigen/Geometry>
#include <utility>

#include "models/contact/response/free_body.hpp"
#include "models/dynamics/energy.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::models {
namespace {

// the single free body's v+ at the pose of the start
void flatten_free(const Model& model, const Kinematics& before, const Kinematics& now,
                  const JointVector& v, JointVector& flat) noexcept {
  const SpatialInertia& I = model.body(0).inertia;
  const Mat3 turn = before.X_WB[0].R.transpose() * now.X_WB[0].R;
  const Vec3 w_end = v.head<3>();
  const Vec3 com_end = v.segment<3>(3) + w_end.cross(I.com());
  const Vec3 w = I.about_com().inverse() * (turn * (I.about_com() * w_end));
  flat.head<3>() = w;
  flat.segment<3>(3) = turn * com_end - w.cross(I.com());
}

// floating roots of a tree: the same velocity in the axes of the start
void flatten_tree(const Model& model, const JointVector& v, double h, JointVector& flat) noexcept {
  flat = v;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    if (b.joint.type != JointType::kFloating) continue;
    const Vec3 w = v.segment<3>(b.v_index);
    const Vec3 u = v.segment<3>(b.v_index + 3);
    flat.segment<3>(b.v_index + 3) = exponential(h * w) * u;
  }
}

}  // namespace

WorldEnergy::Watched::Watched(const Model& model, const State& state)
    : now(model), before(model), flat(model), rnea(model), q(state.q), v(state.v) {
  forward_kinematics(model, q, v, now);
  potential = potential_energy(model, now);
  stored = kinetic_energy(model, v, now) + potential;
}

WorldEnergy::WorldEnergy(const World& world) : world_(world) {
  watch();
}

void WorldEnergy::watch() {
  watched_.clear();
  watched_.reserve(static_cast<std::size_t>(world_.num_systems()));
  for (int s = 0; s < world_.num_systems(); ++s) {
    watched_.emplace_back(world_.model(s), world_.state(s));
  }
}

void WorldEnergy::masses_changed() {
  const auto stored = [this] {
    double sum = 0.0;
    for (const Watched& w : watched_) sum += w.stored;
    return sum;
  };
  const double before = stored();
  watch();
  drive_ += stored() - before;
}

// the forces that acted, at the mean velocity: implicit terms are forces, rotors are stored
double WorldEnergy::drive_work(int s, const Watched& w, double h) const noexcept {
  const Model& model = world_.model(s);
  const Drive& drive = world_.drive(s);
  double work = 0.0;
  for (int k = 0; k < model.num_v(); ++k) {
    const double implicit = (drive.added_inertia[k] - model.rotor_inertia()[k]) * world_.vdot(s)[k];
    work += 0.5 * h * (drive.tau[k] - implicit) * (w.v[k] + w.v_flat[k]);
  }
  for (std::size_t i = 0; i < drive.F_ext.size(); ++i) {
    work += 0.5 * h *
            (power(w.before.tree.V[i], drive.F_ext[i]) + power(w.flat.tree.V[i], drive.F_ext[i]));
  }
  return work;
}

// b' (v + v_flat) / 2 of (e-3)
double WorldEnergy::bias_power(const Model& model, Watched& w) const noexcept {
  if (is_free_body(model)) {
    const SpatialInertia& I = model.body(0).inertia;
    const JointVector& v = w.v;
    const JointVector& f = w.v_flat;
    const Vec3 turn = 0.5 * (v.head<3>() + f.head<3>());
    const Vec3 u = 0.5 * (v.segment<3>(3) + f.segment<3>(3)) + turn.cross(I.com());
    return -I.mass * model.gravity().dot(w.before.X_WB[0].R * u);
  }
  w.vdot.setZero();
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    if (b.joint.type != JointType::kFloating) continue;
    const Vec3 turn = w.v.segment<3>(b.v_index);
    const Vec3 u = w.v.segment<3>(b.v_index + 3);
    w.vdot.segment<3>(b.v_index + 3) = -turn.cross(u);
  }
  rnea(model, w.q, w.v, w.vdot, w.rnea, w.bias);
  return 0.5 * w.bias.dot(w.v + w.v_flat);
}

StepEnergy WorldEnergy::after_step(double h) noexcept {
  StepEnergy energy;
  energy.contact = world_.contact_work();
  for (int s = 0; s < world_.num_systems(); ++s) {
    Watched& w = watched_[static_cast<std::size_t>(s)];
    if (world_.status(s) == SystemStatus::kNotFinite) continue;
    const Model& model = world_.model(s);
    const State& state = world_.state(s);
    std::swap(w.now, w.before);
    forward_kinematics(model, state.q, state.v, w.now);
    const double kinetic = kinetic_energy(model, state.v, w.now);
    const double potential = potential_energy(model, w.now);
    if (is_free_body(model)) {
      flatten_free(model, w.before, w.now, state.v, w.v_flat);
    } else {
      flatten_tree(model, state.v, h, w.v_flat);
    }
    forward_kinematics(model, w.q, w.v_flat, w.flat);
    energy.stored += kinetic + potential;
    energy.change += kinetic + potential - w.stored;
    energy.drive += drive_work(s, w, h);
    energy.integrator += kinetic - kinetic_energy(model, w.v_flat, w.flat) + potential -
                         w.potential - h * bias_power(model, w);
    w.stored = kinetic + potential;
    w.potential = potential;
    w.q = state.q;
    w.v = state.v;
  }
  contact_gain_ += energy.gain();
  drive_ += energy.drive;
  integrator_ += energy.integrator;
  added_ += energy.added();
  added_lowest_ = std::min(added_lowest_, added_);
  unsupplied_ = std::max(unsupplied_, added_ - added_lowest_);
  return energy;
}

}  // namespace kagami::models
