#include "models/contact/world/world.hpp"

#include <algorithm>
#include <cmath>

#include "models/contact/point/make_contact_method.hpp"
#include "models/contact/world/scene_checks.hpp"

namespace kagami::models {
namespace {

// the systems, each begun (begin_step)
std::vector<WorldSystem> make_systems(const Scene& scene, const ContactSettings& settings,
                                      const ContactCapacity& capacity) {
  check_scene(scene);
  check_settings(settings);
  check_capacity(capacity);
  std::vector<WorldSystem> systems;
  for (const SceneSystem& s : scene.systems) systems.push_back(make_system(s));
  check_start(systems, scene.statics);
  return systems;
}

}  // namespace

World::World(const Scene& scene, const ContactSettings& settings, const ContactCapacity& capacity)
    : systems_(make_systems(scene, settings, capacity)),
      obstacles_(scene.statics.begin(), scene.statics.end()),
      sleepers_(systems_, settings.sleep),
      contacts_(capacity.points),
      memory_(capacity.points),
      islands_(systems_.size(), capacity.points) {
  const bool by_volume = settings.method == MethodName::kVolumetric;
  if (by_volume) {
    volume_.emplace(systems_, scene.statics, settings.volumetric, capacity);
  } else {
    solver_.emplace(make_contact_method(settings, capacity), settings, systems_, capacity);
  }
  if (by_volume && settings.sleep.time <= 0.0) return;  // the pairs are its own
  pairs_ = NearPairs(systems_, by_volume ? settings.volumetric.skin : 0.0, 4 * capacity.points);
}

WorldStatus World::step(double h) noexcept {
  if (!std::isfinite(h) || h <= 0.0) return WorldStatus::kNotFinite;
  status_ = WorldStatus::kOk;
  ++counters_.steps;
  sleepers_.wake_disturbed(systems_);
  begin(h);
  if (volume_) {
    solve_volumes(h);
    finish();
  } else {
    solve_points(h);
    finish();
    memory_.remember(systems_, contacts_.all());
  }
  for (const WorldSystem& s : systems_) counters_.asleep += s.asleep ? 1 : 0;
  sleepers_.settle(systems_, pairs_, !overflowed_ && pairs_.complete(), h);
  if (volume_) volume_->keep_patches(systems_);
  return status_;
}

// begins the systems that are awake and finds the pairs, until no sleeper is woken by a system near
// it
void World::begin(double h) noexcept {
  for (WorldSystem& s : systems_) s.begun = false;
  do {
    for (WorldSystem& s : systems_) {
      if (s.asleep || s.begun || begin_step(s, h)) continue;
      count(counters_.failed, WorldStatus::kNotFinite);
    }
    pairs_.find(systems_);
  } while (sleepers_.wake_touched(systems_, pairs_));
}

void World::solve_points(double h) noexcept {
  contacts_.detect(systems_, obstacles_, pairs_);
  overflowed_ = contacts_.overflowed();
  count(ContactStatus::kOk, overflowed_, 0);
  memory_.recall(systems_, contacts_.all());
  contact_work_ = 0.0;
  for (const Island& island : islands_.find(systems_, contacts_.all())) {
    const IslandReport report = solver_->solve(island, h);
    contact_work_ += report.work;
    count(report.status, report.split, report.iterations);
  }
}

void World::solve_volumes(double h) noexcept {
  volume_->step(systems_, h);
  const VolumetricReport& report = volume_->contacts().report();
  contact_work_ = report.work;
  overflowed_ = report.overflowed;
  count(report.status, overflowed_, report.solve.iterations);
}

void World::finish() noexcept {
  for (WorldSystem& s : systems_) {
    if (s.status == SystemStatus::kNotFinite || s.asleep) continue;
    if (s.bodies->finish(s.impulse, s.state, s.vdot)) continue;
    s.status = SystemStatus::kNotFinite;
    count(counters_.failed, WorldStatus::kNotFinite);
  }
}

void World::count(long& counter, WorldStatus to) noexcept {
  ++counter;
  status_ = std::max(status_, to);
}

void World::count(ContactStatus answer, bool overflowed, int iterations) noexcept {
  counters_.iterations += iterations;
  if (overflowed) count(counters_.overflowed, WorldStatus::kCapacity);
  if (answer == ContactStatus::kNotConverged) {
    count(counters_.not_converged, WorldStatus::kNotConverged);
  }
  if (!answered(answer)) count(counters_.failed, WorldStatus::kSolver);
}

void World::use_variant(int system, int variant) noexcept {
  WorldSystem& s = systems_[idx(system)];
  if (variant < 0 || variant >= static_cast<int>(s.variants.size()) || variant == s.variant) return;
  models::use_variant(s, variant);
  if (volume_) volume_->contacts().replace(system, *s.bodies);
  sleepers_.wake(systems_);
}

// number among the shapes of all systems
int World::first_shape(int system) const noexcept {
  int first = 0;
  for (int i = 0; i < system; ++i) first += static_cast<int>(at(i).shapes.size());
  return first;
}

void World::change_static_friction(int static_shape, const FrictionChange& change) noexcept {
  WorldObstacle& obstacle = obstacles_[idx(static_shape)];
  obstacle.shape.surface = changed(obstacle.bare, change);
  sleepers_.wake(systems_);
  if (!volume_) return;
  const int number = first_shape(num_systems()) + static_shape;
  volume_->contacts().change_surface(number, obstacle.shape.surface);
}

void World::change_friction(int system, const FrictionChange& change) noexcept {
  sleepers_.wake(systems_);
  int number = first_shape(system);
  for (SystemShape& shape : systems_[idx(system)].shapes) {
    shape.surface = changed(shape.bare, change);
    if (volume_) volume_->contacts().change_surface(number, shape.surface);
    ++number;
  }
}

void World::forget() noexcept {
  sleepers_.wake(systems_);
  memory_.clear();
  if (volume_) volume_->contacts().forget();
}

}  // namespace kagami::models
