#include "tools/experiments/box_stack.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "models/base/errors.hpp"
#include "models/contact/world/world.hpp"
#include "models/contact/world/world_energy.hpp"
#include "models/spatial/pose.hpp"
#include "tools/scenario/scene_run.hpp"

namespace kagami::tools {
namespace {

constexpr models::Surface kSurface{0.5, 0.45, 0.0};
constexpr double kRestSeconds = 0.5;
constexpr double kRestShare = 1.0 / 6.0;  // of a run, at most
constexpr double kLowest = -1.0;          // m
constexpr double kFarthest = 10.0;        // m

models::World make_world(const Scenario& s, const StackStepping& stepping) {
  models::ContactSettings contact = s.contact;
  contact.method = stepping.method;
  contact.volumetric.max_sweeps = stepping.max_sweeps;
  contact.volumetric.accuracy = stepping.accuracy;
  return {s.scene, contact, s.capacity};
}

models::Pose pose_of(const models::State& s) {
  return {Eigen::Quaterniond(s.q[3], s.q[4], s.q[5], s.q[6]).toRotationMatrix(), s.q.head<3>()};
}

class StackRunner {
 public:
  StackRunner(const Scenario& s, const StackStepping& stepping)
      : s_(s), dt_(stepping.dt), world_(make_world(s, stepping)), watch_(world_) {}

  // false when it is not stable
  bool step(StackRun& run) {
    const double before = thread_seconds();
    const models::WorldStatus status = world_.step(dt_);
    run.cpu += thread_seconds() - before;
    const models::StepEnergy e = watch_.after_step(dt_);
    if (run.E.empty()) run.E_start = lowest_ = e.stored - e.change;
    lowest_ = std::min(lowest_, e.stored);
    run.largest_rise = std::max(run.largest_rise, e.stored - lowest_);
    run.gain = watch_.contact_gain();
    run.E.push_back(e.stored);
    read_forces(run);
    return status <= models::WorldStatus::kNotConverged && std::isfinite(e.stored) && are_near();
  }

  // m, deepest corner below the ground at z = 0
  [[nodiscard]] double depth() const {
    double lowest = 0.0;
    for (int i = 0; i < world_.num_systems(); ++i) {
      const models::Pose X_WB = pose_of(world_.state(i));
      for (const Vec3& v :
           s_.scene.systems[static_cast<std::size_t>(i)].shapes.front().mesh.vertices())
        lowest = std::min(lowest, (X_WB * v).z());
    }
    return -lowest;
  }
  [[nodiscard]] double height(int box) const { return world_.state(box).q[2]; }
  [[nodiscard]] double sweeps() const {
    const models::WorldCounters& c = world_.counters();
    return static_cast<double>(c.iterations) / static_cast<double>(std::max(1L, c.steps));
  }

 private:
  void read_forces(StackRun& run) {
    std::vector<double>& force =
        run.force.emplace_back(static_cast<std::size_t>(world_.num_systems()), 0.0);
    double squares = 0.0;
    for (const models::WorldContact& c : world_.contacts()) {
      force[static_cast<std::size_t>(c.system)] += c.force.local[0] / dt_;
      squares += c.force.impulse.force().squaredNorm();
      run.deepest = std::max(run.deepest, -c.point.gap);
    }
    for (int i = 0; i < world_.num_patches(); ++i) {
      const models::WorldPatch patch = world_.patch(i);
      squares += patch.force.impulse.force().squaredNorm();
      run.deepest = std::max(run.deepest, patch_depth(patch));
      if (patch.other == models::kStaticBody)
        force[static_cast<std::size_t>(patch.system)] += patch.force.local[5] / dt_;
    }
    run.impulse.push_back(std::sqrt(squares));
    if (run.first_touch == 0.0 && squares > 0.0)
      run.first_touch = dt_ * static_cast<double>(run.E.size());
  }

  [[nodiscard]] bool are_near() const {
    for (int i = 0; i < world_.num_systems(); ++i) {
      const Vec3 p = world_.state(i).q.head<3>();
      if (!(p.z() > kLowest && p.head<2>().norm() < kFarthest)) return false;
    }
    return true;
  }

  const Scenario& s_;
  double dt_;
  models::World world_;
  models::WorldEnergy watch_;
  double lowest_ = 0.0;
};

double weight_of(const Scenario& s) {
  double weight = 0.0;
  for (const models::SceneSystem& box : s.scene.systems)
    weight += box.model.total_mass() * box.model.gravity().norm();
  return weight;
}

// of the steps from `first` on
void measure_forces(const Scenario& s, std::size_t first, StackRun& run) {
  const auto count = static_cast<double>(run.force.size() - first);
  std::vector<double> sums(s.scene.systems.size(), 0.0);
  double total = 0.0;
  for (std::size_t k = first; k < run.force.size(); ++k)
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += run.force[k][i];
      total += run.force[k][i];
    }
  const auto lowest = std::max_element(sums.begin(), sums.end());
  const auto box = static_cast<std::size_t>(lowest - sums.begin());
  StackRest& rest = run.rest;
  rest.lowest = static_cast<int>(box);
  rest.force = *lowest / count;
  rest.load = total / count / weight_of(s);
  double squares = 0.0;
  for (std::size_t k = first; k < run.force.size(); ++k) {
    const double f = run.force[k][box];
    squares += (f - rest.force) * (f - rest.force);
    rest.zeros += f <= 0.0 ? 1 : 0;
  }
  rest.spread = rest.force > 0.0 ? std::sqrt(squares / count) / rest.force : 0.0;
}

}  // namespace

Scenario stack_of(const DataFolders& data, const std::string& scene, int count) {
  Scenario s = read_scenario(find_scenario(data, scene), data);
  if (static_cast<int>(s.scene.systems.size()) < count || s.scene.statics.empty())
    throw ConfigError(s.file + ": expected " + std::to_string(count) + " bodies above a ground");
  const auto kept = static_cast<std::size_t>(count);
  s.scene.systems.resize(kept);
  s.holds.resize(kept);
  for (models::SceneSystem& box : s.scene.systems)
    for (models::BodyShape& shape : box.shapes) shape.surface = kSurface;
  for (models::StaticShape& shape : s.scene.statics) shape.surface = kSurface;
  return s;
}

StackRun run_stack(const Scenario& stack, const StackStepping& stepping) {
  const auto steps = static_cast<std::size_t>(std::lround(stepping.duration / stepping.dt));
  const double watched = std::min(kRestSeconds, kRestShare * stepping.duration);
  const auto at_rest =
      steps - std::min(steps, static_cast<std::size_t>(std::lround(watched / stepping.dt)));
  StackRunner runner(stack, stepping);
  StackRun run;
  run.weight = weight_of(stack);
  for (std::size_t k = 0; k < steps && run.stable; ++k) {
    run.stable = runner.step(run);
    if (k >= at_rest) run.rest.depth = std::max(run.rest.depth, runner.depth());
  }
  run.sweeps = runner.sweeps();
  if (!run.stable || at_rest >= run.force.size()) return run;
  measure_forces(stack, at_rest, run);
  run.rest.height = runner.height(run.rest.lowest);
  return run;
}

}  // namespace kagami::tools
