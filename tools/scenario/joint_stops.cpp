#include "tools/scenario/joint_stops.hpp"

#include <algorithm>
#include <cmath>

#include "models/dynamics/crba.hpp"

namespace kagami::tools {
namespace {

// the spring's share of a step, h^2 k, over the joint's inertia with all other joints locked
constexpr double kStiff = 1e4;

}  // namespace

JointStops::JointStops(const models::World& world, int system, double h) : system_(system), h_(h) {
  const models::Model& model = world.model(system);
  models::CrbaWorkspace crba(model);
  JointMatrix H = JointMatrix::Zero(model.num_v(), model.num_v());
  models::crba(model, world.state(system).q, crba, H);
  for (int i = 0; i < model.num_bodies(); ++i) {
    const models::Body& b = model.body(i);
    if (b.nv != 1) continue;
    const models::DofLimits& limits = model.limits(b.v_index);
    if (!std::isfinite(limits.q_min) && !std::isfinite(limits.q_max)) continue;
    joints_.push_back(
        {b.joint_name, b.q_index, b.v_index, limits, kStiff * H(b.v_index, b.v_index), 0});
  }
}

// tau = -k (q + h v+ - limit), v+ = v + h vdot: the part with vdot is added inertia, h^2 k
void JointStops::act(models::World& world) {
  const models::State& s = world.state(system_);
  models::Drive& drive = world.drive(system_);
  for (Stop& stop : joints_) {
    const double q = s.q[stop.q];
    const double next = q + h_ * s.v[stop.v];
    // also where it is only now beyond: otherwise it would be released and fall back alternately
    const bool low = std::min(q, next) < stop.limits.q_min;
    if (!low && !(std::max(q, next) > stop.limits.q_max)) continue;
    const double limit = low ? stop.limits.q_min : stop.limits.q_max;
    drive.tau[stop.v] -= stop.inertia / (h_ * h_) * (next - limit);
    drive.added_inertia[stop.v] += stop.inertia;
    ++stop.steps;
  }
}

void JointStops::report(const models::World& world, std::vector<StopReport>& reports) const {
  for (const Stop& stop : joints_)
    if (stop.steps > 0) reports.push_back({world.name(system_), stop.joint, stop.steps});
}

}  // namespace kagami::tools
