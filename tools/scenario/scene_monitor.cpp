#include "tools/scenario/scene_monitor.hpp"

#include <algorithm>
#include <cmath>

#include "models/dynamics/energy.hpp"
#include "models/dynamics/kinematics.hpp"

namespace kagami::tools {
namespace {

using models::ContactMotion;
using models::World;
using models::WorldContact;

// J, kinetic and potential
double stored_energy(const World& world) {
  double sum = 0.0;
  for (int i = 0; i < world.num_systems(); ++i) {
    models::Kinematics k(world.model(i));
    models::forward_kinematics(world.model(i), world.state(i).q, world.state(i).v, k);
    sum += models::kinetic_energy(world.model(i), world.state(i).v, k) +
           models::potential_energy(world.model(i), k);
  }
  return sum;
}

}  // namespace

SceneMonitor::SceneMonitor(const World& world, long steps, double h)
    : world_(world), watch_(world), steps_(steps), h_(h) {
  measure_weight();
  s_.energy.start = s_.energy.end = lowest_ = stored_energy(world);
  const auto last_quarter = steps / 4;
  s_.rest.from = static_cast<double>(steps - last_quarter) * h;
}

void SceneMonitor::measure_weight() {
  weight_ = 0.0;
  for (int i = 0; i < world_.num_systems(); ++i)
    weight_ += world_.model(i).total_mass() * world_.model(i).gravity().norm();
}

void SceneMonitor::masses_changed() {
  watch_.masses_changed();
  measure_weight();
}

void SceneMonitor::after_step(models::WorldStatus status) {
  ++step_;
  s_.worst = std::max(s_.worst, status);
  iterations_ = world_.counters().iterations - iterations_before_;
  iterations_before_ = world_.counters().iterations;
  s_.most_iterations = std::max(s_.most_iterations, static_cast<int>(iterations_));
  measure_energy();
  measure_contacts();
  if (step_ > steps_ - steps_ / 4) measure_rest();
  hash();
}

void SceneMonitor::measure_energy() {
  const models::StepEnergy e = watch_.after_step(h_);
  s_.energy.end = e.stored;
  s_.energy.drive = watch_.drive();
  s_.energy.integrator = watch_.integrator();
  s_.energy.contact += e.added();
  s_.energy.contact_gain = watch_.contact_gain();
  s_.energy.unsupplied = watch_.unsupplied();
  const double own = e.stored - s_.energy.drive;
  lowest_ = std::min(lowest_, own);
  s_.energy.largest_rise = std::max(s_.energy.largest_rise, own - lowest_);
}

void SceneMonitor::measure_contacts() {
  s_.contacts.penetration_end = 0.0;
  for (const WorldContact& c : world_.contacts()) {
    s_.contacts.penetration_end = std::max(s_.contacts.penetration_end, -c.point.gap);
    s_.contacts.residual = std::max(s_.contacts.residual, c.force.residual);
    // between bodies that move, the way in the world is not the slip; nor is a crossing's
    if (c.force.motion != ContactMotion::kOpen && c.other != models::kNoStatic && c.vertex >= 0)
      follow(c);
  }
  measure_patches();
  s_.contacts.penetration = std::max(s_.contacts.penetration, s_.contacts.penetration_end);
  s_.contacts.most =
      std::max(s_.contacts.most, static_cast<int>(world_.contacts().size()) + world_.num_patches());
}

void SceneMonitor::measure_patches() {
  for (int i = 0; i < world_.num_patches(); ++i) {
    const models::WorldPatch c = world_.patch(i);
    s_.contacts.penetration_end = std::max(s_.contacts.penetration_end, patch_depth(c));
    s_.contacts.residual = std::max(s_.contacts.residual, c.force.residual);
    if (c.force.motion == ContactMotion::kOpen) continue;
    Slid& slid = patch_slid_[c.patch.id];
    if (slid.step == step_ - 1)
      slid.way += h_ * std::hypot(c.force.velocity[3], c.force.velocity[4]);
    slid.step = step_;
    s_.contacts.slip = std::max(s_.contacts.slip, slid.way);
  }
}

// the way of a vertex along its face while it touches in consecutive steps
void SceneMonitor::follow(const WorldContact& c) {
  Slid& slid = slid_[{c.system, c.shape, c.vertex, c.other}];
  if (slid.step == step_ - 1) {
    const Vec3 d = c.point.p - slid.p;
    slid.way += (d - d.dot(c.point.n) * c.point.n).norm();
    s_.contacts.slip = std::max(s_.contacts.slip, slid.way);
  }
  slid.p = c.point.p;
  slid.step = step_;
}

void SceneMonitor::measure_rest() {
  double normal = 0.0;
  int pressed = 0;
  for (const WorldContact& c : world_.contacts()) {
    if (c.force.local[0] <= 0.0 || c.other == models::kNoStatic) continue;
    normal += c.force.local[0] / h_;
    ++pressed;
  }
  for (int i = 0; i < world_.num_patches(); ++i) {
    const models::WorldPatch c = world_.patch(i);
    if (c.force.local[5] <= 0.0) continue;
    if (c.other == models::kStaticBody) normal += c.force.local[5] / h_;
    ++pressed;
  }
  s_.rest.fewest = counted_ == 0 ? pressed : std::min(s_.rest.fewest, pressed);
  s_.rest.most = std::max(s_.rest.most, pressed);
  ++counted_;
  if (weight_ <= 0.0) return;
  sum_ += normal / weight_;
  squares_ += normal / weight_ * (normal / weight_);
}

void SceneMonitor::hash() {
  for (int i = 0; i < world_.num_systems(); ++i) {
    const models::State& state = world_.state(i);
    for (Eigen::Index k = 0; k < state.q.size(); ++k) hash_.add(state.q[k]);
    for (Eigen::Index k = 0; k < state.v.size(); ++k) hash_.add(state.v[k]);
  }
}

SceneSummary SceneMonitor::summary() const {
  SceneSummary s = s_;
  s.duration = static_cast<double>(step_) * h_;
  s.step = h_;
  s.counters = world_.counters();
  s.state_hash = hash_.value();
  if (counted_ > 0 && weight_ > 0.0) {
    const double mean = sum_ / static_cast<double>(counted_);
    s.rest.load = mean;
    s.rest.chatter =
        std::sqrt(std::max(0.0, squares_ / static_cast<double>(counted_) - mean * mean));
  }
  for (int i = 0; i < world_.num_systems(); ++i) {
    SystemEnd& end = s.systems.emplace_back();
    const models::State& state = world_.state(i);
    end.name = world_.name(i);
    end.status = world_.status(i);
    end.asleep = world_.asleep(i);
    end.speed = state.v.size() > 0 ? state.v.cwiseAbs().maxCoeff() : 0.0;
    const models::Model& model = world_.model(i);
    models::Kinematics k(model);
    models::forward_kinematics(model, state.q, state.v, k);
    end.place = k.X_WB[0].p;
  }
  return s;
}

}  // namespace kagami::tools
