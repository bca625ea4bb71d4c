#include "tools/scenario/scene_run.hpp"

#include <time.h>

#include <cmath>
#include <utility>

#include "models/base/errors.hpp"
#include "models/robot/state.hpp"
#include "tools/scenario/disturbance.hpp"
#include "tools/scenario/scene_monitor.hpp"

namespace kagami::tools {
namespace {

models::World make_world(const Scenario& s) {
  try {
    return {s.scene, s.contact, s.capacity};
  } catch (const ConfigError& error) {
    throw ConfigError(s.file + ": " + error.what());
  } catch (const ModelError& error) {
    throw ModelError(s.file + ": " + error.what());
  }
}

// one for all systems
std::string dynamics_name(const Scenario& s) {
  const bool none = s.scene.systems.empty();
  return name(none ? models::Algorithm::kAba : s.scene.systems.front().dynamics.algorithm);
}

}  // namespace

double SceneSummary::mean_iterations() const {
  return counters.steps > 0
             ? static_cast<double>(counters.iterations) / static_cast<double>(counters.steps)
             : 0.0;
}

double patch_depth(const models::WorldPatch& c) noexcept {
  const double area = c.patch.patch.sum_A.norm();
  return area > 0.0 ? c.patch.patch.volume / area : 0.0;
}

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// tau = -kp (q + h v+ - q_start) - kd v+, v+ = v + h vdot: the part with vdot is added inertia
void hold_posture(const PostureHold& hold, const JointVector& q_start, int system, double h,
                  models::World& world) {
  models::Drive& drive = world.drive(system);
  const models::State& s = world.state(system);
  const models::Model& model = world.model(system);
  JointVector off = JointVector::Zero(model.num_v());
  models::difference(model, q_start, s.q, off);
  for (int k = 0; k < model.num_v(); ++k) {
    drive.tau[k] = -hold.kp[k] * (off[k] + h * s.v[k]) - hold.kd[k] * s.v[k];
    drive.added_inertia[k] = model.rotor_inertia()[k] + h * hold.kd[k] + h * h * hold.kp[k];
  }
}

SceneSummary run_scene(const Scenario& scenario, const std::function<double()>& cpu_clock,
                       const AfterStep& after_step) {
  models::World world = make_world(scenario);
  const double h = scenario.step;
  const long steps = std::lround(scenario.duration / h);
  std::vector<int> held;
  std::vector<JointStops> stops;
  for (int i = 0; i < world.num_systems(); ++i) {
    const PostureHold& hold = scenario.holds[static_cast<std::size_t>(i)];
    JointStops own(world, i, h);
    if ((hold.kp.array() > 0.0).any() || (hold.kd.array() > 0.0).any() || own.any())
      held.push_back(i);
    if (own.any()) stops.push_back(std::move(own));
  }
  SceneDisturbances disturbances(scenario.disturbances, scenario.scene);
  disturbances.prepare(world);
  std::vector<bool> free(static_cast<std::size_t>(world.num_systems()), true);
  for (const int i : held) free[static_cast<std::size_t>(i)] = false;
  SceneMonitor monitor(world, steps, h);
  double cpu = 0.0;
  for (long k = 0; k < steps; ++k) {
    const double before = cpu_clock ? cpu_clock() : 0.0;
    for (const int i : held)
      hold_posture(scenario.holds[static_cast<std::size_t>(i)],
                   scenario.scene.systems[static_cast<std::size_t>(i)].start.q, i, h, world);
    for (JointStops& s : stops) s.act(world);
    if (!disturbances.empty()) {
      const double t = (static_cast<double>(k) + 0.5) * h;
      if (disturbances.change(t, world)) monitor.masses_changed();
      disturbances.act(t, free, world);
    }
    const models::WorldStatus status = world.step(h);
    if (cpu_clock) cpu += cpu_clock() - before;
    monitor.after_step(status);
    if (!after_step) continue;
    after_step(world, {.step = k + 1,
                       .t = static_cast<double>(k + 1) * h,
                       .iterations = monitor.iterations(),
                       .energy = monitor.energy()});
  }
  SceneSummary summary = monitor.summary();
  for (const JointStops& s : stops) s.report(world, summary.stops);
  summary.name = scenario.name;
  summary.disturbances = scenario.disturbances;
  summary.method = world.method();
  summary.dynamics = dynamics_name(scenario);
  summary.sleeps = scenario.contact.sleep.time > 0.0;
  if (cpu_clock && steps > 0) summary.cpu_seconds = cpu;
  return summary;
}

}  // namespace kagami::tools
