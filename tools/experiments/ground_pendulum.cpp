#include "tools/experiments/ground_pendulum.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "models/contact/world.hpp"
#include "models/contact/world_energy.hpp"
#include "tools/experiments/spring_damper.hpp"
#include "tools/scenario/scene_run.hpp"

namespace kagami::tools {
namespace {

constexpr double kMostGain = 0.125;  // J; the bounds that the benchmarks' peers are held to
constexpr double kMostDepth = 10e-3;
constexpr double kMostSpeed = 60.0;
constexpr double kSteps[] = {10e-3,  5e-3,   2e-3,    1e-3,    0.5e-3,
                             0.2e-3, 0.1e-3, 0.05e-3, 0.02e-3, 0.01e-3};

models::World make_world(const Scenario& s, GroundMethod method) {
  models::ContactSettings contact = s.contact;
  contact.method = method == GroundMethod::kMultipoint ? models::MethodName::kMultipoint
                                                       : models::MethodName::kRelaxed;
  models::Scene scene = s.scene;
  if (method == GroundMethod::kSpringDamper) scene.statics.clear();
  return {scene, contact, s.capacity};
}

class Runner {
 public:
  Runner(const Scenario& s, GroundMethod method, double h)
      : s_(s),
        h_(h),
        world_(make_world(s, method)),
        watch_(world_),
        last_shape_(static_cast<int>(s.scene.systems.front().shapes.size()) - 1),
        forces_(s.scene.systems.front().shapes.back().mesh.vertices().size()) {
    const models::SceneSystem& robot = s.scene.systems.front();
    if (method == GroundMethod::kSpringDamper)
      springs_ = std::make_unique<SpringDamper>(
          robot, models::pair_of(robot.shapes.front().surface, s.scene.statics.front().surface),
          SpringDamperSettings{});
  }

  // one step; false when it is not stable
  bool step(GroundRun& run) {
    const double before = thread_seconds();
    hold_posture(s_.holds.front(), s_.scene.systems.front().start.q, 0, h_, world_);
    if (springs_) springs_->drive(world_);
    const models::WorldStatus status = world_.step(h_);
    run.cpu += thread_seconds() - before;
    const models::StepEnergy e = watch_.after_step(h_);
    if (first_) run.E_start = lowest_ = e.stored - e.change;
    first_ = false;
    E_ = e.stored;
    drive_ += e.drive;
    lowest_ = std::min(lowest_, E_ - drive_);
    run.largest_rise = std::max(run.largest_rise, E_ - drive_ - lowest_);
    read_contacts();
    run.deepest = std::max(run.deepest, depth_);
    speed_ = world_.state(0).v.cwiseAbs().maxCoeff();
    return status != models::WorldStatus::kNotFinite && std::isfinite(E_) &&
           E_ - run.E_start < kMostGain && depth_ < kMostDepth && speed_ < kMostSpeed;
  }

  [[nodiscard]] const std::vector<double>& forces() const { return forces_; }
  [[nodiscard]] double E() const { return E_; }
  [[nodiscard]] double depth() const { return depth_; }
  [[nodiscard]] double speed() const { return speed_; }

 private:
  void read_contacts() {
    depth_ = 0.0;
    std::fill(forces_.begin(), forces_.end(), 0.0);
    for (const models::WorldContact& c : world_.contacts()) {
      depth_ = std::max(depth_, -c.point.gap);
      if (c.shape == last_shape_)
        forces_[static_cast<std::size_t>(c.vertex)] += c.force.local[0] / h_;
    }
    if (!springs_) return;
    const std::vector<SpringCorner>& corners = springs_->corners();
    for (const SpringCorner& c : corners) depth_ = std::max(depth_, c.depth);
    for (std::size_t i = 0; i < forces_.size(); ++i)
      forces_[i] = corners[corners.size() - forces_.size() + i].normal;
  }

  const Scenario& s_;
  double h_;
  models::World world_;
  models::WorldEnergy watch_;
  std::unique_ptr<SpringDamper> springs_;
  int last_shape_;
  std::vector<double> forces_;
  double E_ = 0.0, drive_ = 0.0, lowest_ = 0.0, depth_ = 0.0, speed_ = 0.0;
  bool first_ = true;
};

}  // namespace

const char* name(GroundMethod method) {
  constexpr const char* kNames[] = {"relaxed", "multipoint", "spring-damper"};
  return kNames[static_cast<int>(method)];
}

GroundRun run_on_ground(const Scenario& scenario, GroundMethod method, double row, int substeps) {
  const long rows = std::lround(scenario.duration / row);
  Runner runner(scenario, method, row / substeps);
  GroundRun run;
  for (long r = 0; r < rows; ++r) {
    std::vector<double> mean(runner.forces().size(), 0.0);
    for (int k = 0; k < substeps; ++k) {
      run.stable = runner.step(run);
      if (!run.stable) return run;
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += runner.forces()[i] / substeps;
      if (r < rows - rows / 5) continue;
      run.deepest_late = std::max(run.deepest_late, runner.depth());
      run.fastest_late = std::max(run.fastest_late, runner.speed());
    }
    run.forces.push_back(mean);
    run.E.push_back(runner.E());
  }
  return run;
}

std::optional<LargestStep> largest_stable_step(const Scenario& scenario, GroundMethod method) {
  for (const double h : kSteps) {
    LargestStep found{h, run_on_ground(scenario, method, h, 1)};
    if (found.run.stable) return found;
  }
  return std::nullopt;
}

}  // namespace kagami::tools
