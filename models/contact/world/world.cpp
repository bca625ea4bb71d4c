#include "models/contact/world/world.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "models/base/idx.hpp"
#include "models/contact/point/make_contact_method.hpp"
#include "models/contact/world/contact_memory.hpp"
#include "models/contact/world/island_solver.hpp"
#include "models/contact/world/point_contacts.hpp"
#include "models/contact/world/scene_checks.hpp"
#include "models/contact/world/sleepers.hpp"
#include "models/contact/world/volume_step.hpp"

namespace kagami::models {
namespace {

// begun
std::vector<WorldSystem> make_systems(const Scene& scene, const ContactSettings& settings,
                                      const ContactCapacity& capacity) {
  check_scene(scene);
  check_settings(settings);
  check_capacity(capacity);
  std::vector<WorldSystem> systems;
  for (const SceneSystem& s : scene.systems) systems.push_back(make_system(s));
  check_start(systems, scene.statics);
  check_apart(systems);
  return systems;
}

}  // namespace

struct World::Impl {
  Impl(const Scene& scene, const ContactSettings& settings, const ContactCapacity& capacity);

  void begin(double h) noexcept;
  void detect() noexcept;
  void solve(double h) noexcept;
  void solve_volume(double h) noexcept;
  void finish() noexcept;
  void settle(double h) noexcept;
  void wake_all() noexcept { sleepers.wake_all(systems); }
  [[nodiscard]] int first_shape(int system) const noexcept;
  void count(ContactStatus answer, bool capacity_exceeded, int iterations) noexcept;
  void count_lost() noexcept;
  void worsen(WorldStatus to) noexcept { status = std::max(status, to); }

  std::vector<WorldSystem> systems;
  std::vector<WorldObstacle> obstacles;
  NearPairs pairs;
  Sleepers sleepers;

  // of a method of points
  PointContacts contacts;
  ContactMemory memory;
  Islands islands;
  std::optional<IslandSolver> solver;
  // or of volumes
  std::optional<VolumeStep> volume;

  WorldCounters counters;
  WorldStatus status = WorldStatus::kOk;
  double contact_work = 0.0;
  bool overflowed = false;  // contacts or patches were left out
};

World::Impl::Impl(const Scene& scene, const ContactSettings& settings,
                  const ContactCapacity& capacity)
    : systems(make_systems(scene, settings, capacity)),
      obstacles(make_obstacles(scene.statics)),
      sleepers(systems, settings.sleep),
      contacts(capacity.points),
      memory(capacity.points),
      islands(systems.size(), capacity.points) {
  const bool by_volume = settings.method == MethodName::kVolumetric;
  if (by_volume) {
    volume.emplace(systems, scene.statics, settings.volumetric, capacity);
  } else {
    solver.emplace(make_contact_method(settings, capacity), settings, systems, capacity);
  }
  if (by_volume && settings.sleep.time <= 0.0) return;  // the pairs are its own
  pairs = NearPairs(systems, by_volume ? settings.volumetric.skin : 0.0, 4 * capacity.points);
}

void World::Impl::count_lost() noexcept {
  ++counters.failed;
  worsen(WorldStatus::kNotFinite);
}

void World::Impl::count(ContactStatus answer, bool capacity_exceeded, int iterations) noexcept {
  counters.iterations += iterations;
  if (capacity_exceeded) {
    ++counters.overflowed;
    worsen(WorldStatus::kCapacity);
  }
  if (answer == ContactStatus::kNotConverged) {
    ++counters.not_converged;
    worsen(WorldStatus::kNotConverged);
  }
  if (!answered(answer)) {
    ++counters.failed;
    worsen(WorldStatus::kSolver);
  }
}

// everybody who is awake, and the pairs; who comes near a sleeper wakes it
void World::Impl::begin(double h) noexcept {
  for (WorldSystem& s : systems) s.begun = false;
  do {
    for (WorldSystem& s : systems) {
      if (!s.asleep && !s.begun && !begin_step(s, h)) count_lost();
    }
    pairs.find(systems);
  } while (sleepers.wake_touched(systems, pairs));
}

void World::Impl::detect() noexcept {
  contacts.detect(systems, obstacles, pairs);
  overflowed = contacts.overflowed();
  count(ContactStatus::kOk, overflowed, 0);
}

void World::Impl::solve(double h) noexcept {
  contact_work = 0.0;
  for (const Island& island : islands.find(systems, contacts.all())) {
    const IslandReport report = solver->solve(island, h);
    contact_work += report.work;
    count(report.status, report.split, report.iterations);
  }
}

void World::Impl::solve_volume(double h) noexcept {
  volume->step(systems, h);
  const VolumetricReport& report = volume->report();
  contact_work = report.work;
  overflowed = report.overflowed;
  count(report.status, report.overflowed, report.solve.iterations);
}

void World::Impl::finish() noexcept {
  for (WorldSystem& s : systems) {
    if (s.status == SystemStatus::kNotFinite || s.asleep) continue;
    if (s.bodies->finish(s.impulse, s.state, s.vdot)) continue;
    s.status = SystemStatus::kNotFinite;
    count_lost();
  }
}

void World::Impl::settle(double h) noexcept {
  for (const WorldSystem& s : systems) counters.asleep += s.asleep ? 1 : 0;
  sleepers.settle(systems, pairs, !overflowed && pairs.complete(), h);
  if (volume) volume->keep_patches(systems);
}

// number among the shapes of all systems
int World::Impl::first_shape(int system) const noexcept {
  int first = 0;
  for (int i = 0; i < system; ++i) first += static_cast<int>(systems[idx(i)].shapes.size());
  return first;
}

WorldStatus World::step(double h) noexcept {
  if (!std::isfinite(h) || h <= 0.0) return WorldStatus::kNotFinite;
  Impl& w = *impl_;
  w.status = WorldStatus::kOk;
  ++w.counters.steps;
  w.sleepers.wake_disturbed(w.systems);
  w.begin(h);
  if (w.volume) {
    w.solve_volume(h);
    w.finish();
  } else {
    w.detect();
    w.memory.recall(w.systems, w.contacts.all());
    w.solve(h);
    w.finish();
    w.memory.remember(w.systems, w.contacts.all());
  }
  w.settle(h);
  return w.status;
}

World::World(const Scene& scene, const ContactSettings& settings, const ContactCapacity& capacity)
    : impl_(std::make_unique<Impl>(scene, settings, capacity)) {}
World::~World() = default;
World::World(World&&) noexcept = default;

int World::num_systems() const noexcept {
  return static_cast<int>(impl_->systems.size());
}
const Model& World::model(int system) const noexcept {
  const WorldSystem& s = impl_->systems[idx(system)];
  return s.variants[idx(s.variant)]->model;
}
const std::string& World::name(int system) const noexcept {
  return impl_->systems[idx(system)].name;
}
State& World::state(int system) noexcept {
  return impl_->systems[idx(system)].state;
}
const State& World::state(int system) const noexcept {
  return impl_->systems[idx(system)].state;
}
int World::add_variant(int system, const Model& model) {
  return models::add_variant(impl_->systems[idx(system)], model);
}
void World::use_variant(int system, int variant) noexcept {
  WorldSystem& s = impl_->systems[idx(system)];
  if (variant < 0 || variant >= static_cast<int>(s.variants.size()) || variant == s.variant) return;
  models::use_variant(s, variant);
  if (impl_->volume) impl_->volume->contacts().replace(system, *s.bodies);
  impl_->wake_all();
}
int World::variant(int system) const noexcept {
  return impl_->systems[idx(system)].variant;
}
void World::change_static_friction(int static_shape, const FrictionChange& change) noexcept {
  WorldObstacle& obstacle = impl_->obstacles[idx(static_shape)];
  obstacle.shape.surface = changed(obstacle.bare, change);
  impl_->wake_all();
  if (!impl_->volume) return;
  const int number = impl_->first_shape(num_systems()) + static_shape;
  impl_->volume->contacts().change_surface(number, obstacle.shape.surface);
}
void World::change_friction(int system, const FrictionChange& change) noexcept {
  impl_->wake_all();
  int number = impl_->first_shape(system);
  for (SystemShape& shape : impl_->systems[idx(system)].shapes) {
    shape.surface = changed(shape.bare, change);
    if (impl_->volume) impl_->volume->contacts().change_surface(number, shape.surface);
    ++number;
  }
}
Drive& World::drive(int system) noexcept {
  return impl_->systems[idx(system)].drive;
}
const Drive& World::drive(int system) const noexcept {
  return impl_->systems[idx(system)].drive;
}
const JointVector& World::vdot(int system) const noexcept {
  return impl_->systems[idx(system)].vdot;
}
SystemStatus World::status(int system) const noexcept {
  return impl_->systems[idx(system)].status;
}
bool World::asleep(int system) const noexcept {
  return impl_->systems[idx(system)].asleep;
}

void World::forget() noexcept {
  impl_->wake_all();
  impl_->memory.clear();
  if (impl_->volume) impl_->volume->contacts().forget();
}
std::span<const WorldContact> World::contacts() const noexcept {
  return impl_->contacts.all();
}
int World::num_patches() const noexcept {
  return impl_->volume ? impl_->volume->num_patches() : 0;
}
WorldPatch World::patch(int i) const noexcept {
  return impl_->volume->patch(i);
}
double World::contact_work() const noexcept {
  return impl_->contact_work;
}
const WorldCounters& World::counters() const noexcept {
  return impl_->counters;
}
const char* World::method() const noexcept {
  return impl_->volume ? models::name(MethodName::kVolumetric) : impl_->solver->method();
}

}  // namespace kagami::models
