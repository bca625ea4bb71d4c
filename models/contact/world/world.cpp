#include "models/contact/world/world.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <set>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "models/contact/detect/vertices.hpp"
#include "models/contact/point/make_contact_method.hpp"
#include "models/contact/response/free_body.hpp"
#include "models/contact/world/world_impl.hpp"
#include "models/forward/forward_dynamics.hpp"

namespace kagami::models {
namespace {

constexpr double kSlack = 1e-4;  // m: what contacts may change of a step's way beyond its double

std::uint64_t id_of(int system, int shape, int vertex, int other) noexcept {
  return (static_cast<std::uint64_t>(system) + 1) << 48 | static_cast<std::uint64_t>(shape) << 36 |
         static_cast<std::uint64_t>(vertex) << 18 | static_cast<std::uint64_t>(other);
}

}  // namespace

const char* name(SystemStatus status) noexcept {
  constexpr const char* kNames[] = {"ok", "not finite", "solver"};
  return kNames[static_cast<int>(status)];
}

const char* name(WorldStatus status) noexcept {
  constexpr const char* kNames[] = {"ok", "not converged", "capacity", "solver", "not finite"};
  return kNames[static_cast<int>(status)];
}

World::Impl::Impl(const Scene& scene, const ContactSettings& settings,
                  const ContactCapacity& limits)
    : statics(scene.statics),
      capacity(limits),
      sleep(settings.sleep),
      compensation(settings.compensation),
      compensation_speed(settings.compensation_speed) {
  check_scene(scene);
  if (settings.method != MethodName::kVolumetric) method = make_contact_method(settings, limits);
  for (const StaticShape& s : statics) {
    bare_statics.push_back(s.surface);
    frames.push_back(face_frames(s));
    edges.push_back(s.mesh.has_value() ? mesh_edges(*s.mesh) : std::vector<MeshEdge>{});
  }
  systems.reserve(scene.systems.size());
  for (const SceneSystem& s : scene.systems) add_system(s);
  contacts.reserve(idx(limits.points));
  memory.reserve(idx(limits.points));
  memory_next.reserve(idx(limits.points));
  touching.reserve(idx(limits.bodies));
  touching_of_system.reserve(idx(limits.bodies));
  Phi.resize(36 * idx(limits.bodies) * idx(limits.bodies));
  places.reserve(idx(limits.bodies));
  order.reserve(idx(limits.points));
  joined.resize(systems.size());
  points.reserve(idx(limits.points));
  forces.resize(idx(limits.points));
  sums.resize(idx(limits.bodies));
  reserve_split();
  check_start();
  check_apart();
  if (settings.method == MethodName::kVolumetric) {
    make_volume(settings);
  }
  if (volume == nullptr || sleep.time > 0.0) make_pairs();
}

void World::Impl::add_system(const SceneSystem& from) {
  System& s = systems.emplace_back();
  s.name = from.name;
  s.model = from.model;
  s.state = from.start;
  s.self_collision = from.self_collision;
  s.dynamics = from.dynamics;
  s.drive.tau = JointVector::Zero(s.model.num_v());
  s.drive.added_inertia = s.model.rotor_inertia();
  s.vdot = JointVector::Zero(s.model.num_v());
  s.kept_drive = s.drive;
  s.kept_drive.F_ext.reserve(idx(s.model.num_bodies()));
  std::vector<BodyIndex> bodies;
  for (const BodyShape& shape : from.shapes) {
    if (shape.body < 0 || shape.body >= s.model.num_bodies()) {
      throw ModelError("scene: " + from.name + ": a shape sits on body " +
                       std::to_string(shape.body) + ", expected 0 to " +
                       std::to_string(s.model.num_bodies() - 1));
    }
    const auto known = std::find(bodies.begin(), bodies.end(), shape.body);
    const int body = static_cast<int>(known - bodies.begin());
    if (known == bodies.end()) bodies.push_back(shape.body);
    s.shapes.push_back({.body = body,
                        .parent = -1,
                        .mesh = shape.mesh,
                        .surface = shape.surface,
                        .bare = shape.surface,
                        .frames = face_frames(obstacle(shape.mesh, shape.surface)),
                        .edges = mesh_edges(shape.mesh),
                        .box = box_of(shape.mesh)});
  }
  for (std::size_t k = 0; k < s.shapes.size(); ++k) {
    const BodyIndex parent = s.model.body(from.shapes[k].body).parent;
    const auto known = std::find(bodies.begin(), bodies.end(), parent);
    if (known != bodies.end()) s.shapes[k].parent = static_cast<int>(known - bodies.begin());
  }
  // the system has its final place: models are borrowed
  s.own_bodies = make_contact_bodies(s.model, bodies, s.dynamics);
  if (!is_free_body(s.model)) require_dynamics(s.model, s.dynamics, s.name);
  s.bodies = s.own_bodies.get();
  s.touching = bodies;
  s.impulse.resize(bodies.size(), Force::zero());
  s.place.resize(bodies.size(), -1);
}

void World::Impl::begin(double h) noexcept {
  for (System& s : systems) {
    s.begun = false;
    if (!s.asleep) begin_system(s, h);
  }
}

void World::Impl::begin_system(System& s, double h) noexcept {
  s.begun = true;
  s.status = SystemStatus::kOk;
  for (Force& P : s.impulse) P = Force::zero();
  if (s.state.q.allFinite() && s.state.v.allFinite() && s.drive.tau.allFinite() &&
      s.bodies->begin(s.state, s.drive, h)) {
    if (volume != nullptr && sweep == nullptr) return;
    for (Shape& shape : s.shapes) shape.way = way_of(s, shape, h);
    return;
  }
  s.status = SystemStatus::kNotFinite;
  ++counters.failed;
  worsen(WorldStatus::kNotFinite);
}

void World::Impl::detect() noexcept {
  std::erase_if(contacts, [this](const WorldContact& c) { return !systems[idx(c.system)].asleep; });
  overflowed = sweep != nullptr && !pairs_known;
  for (int s = 0; s < static_cast<int>(systems.size()); ++s) {
    System& system = systems[idx(s)];
    if (system.status != SystemStatus::kOk || system.asleep) continue;
    for (int k = 0; k < static_cast<int>(system.shapes.size()); ++k) detect_shape(s, k);
  }
  if (sweep != nullptr) detect_pairs();
  // several static shapes, pairs, replacements: found in another order than their ids have
  const auto by_id = [](const auto& a, const auto& b) { return a.point.id < b.point.id; };
  if (!std::is_sorted(contacts.begin(), contacts.end(), by_id)) {
    std::sort(contacts.begin(), contacts.end(), by_id);
  }
  if (!overflowed) return;
  ++counters.overflowed;
  worsen(WorldStatus::kCapacity);
}

// the farthest that a point of the shape may move in two steps (m)
double World::Impl::way_of(const System& s, const Shape& shape, double h) const noexcept {
  const Motion& V = s.bodies->V_free[idx(shape.body)];
  const Vec3 arm = s.bodies->X_WB[idx(shape.body)].p - s.bodies->origin();
  const Vec3 v = V.linear() + V.angular().cross(arm);
  return 2.0 * h * (v.norm() + V.angular().norm() * shape.mesh.reach());
}

void World::Impl::detect_shape(int system, int k) noexcept {
  const System& s = systems[idx(system)];
  const Shape& shape = s.shapes[idx(k)];
  const ContactBodies& bodies = *s.bodies;
  const Pose& X_WB = bodies.X_WB[idx(shape.body)];
  const double reach = shape.mesh.reach();
  const double margin = shape.way + kSlack;
  for (int other = 0; other < static_cast<int>(statics.size()); ++other) {
    const StaticShape& obstacle = statics[idx(other)];
    if (!may_touch(obstacle, X_WB.p, reach, margin)) continue;
    if (obstacle.mesh.has_value()) {
      detect_mesh(system, k, other);
      continue;
    }
    const std::vector<Vec3>& vertices = shape.mesh.vertices();
    for (int i = 0; i < static_cast<int>(vertices.size()); ++i) {
      const Vec3 p = X_WB * vertices[idx(i)];
      Nearness near;
      if (!near_shape(obstacle, p, margin, near)) continue;
      WorldContact contact;
      contact.system = system;
      contact.shape = k;
      contact.vertex = i;
      contact.body = shape.body;
      contact.other = other;
      contact.point.id = id_of(system, k, i, other);
      contact.point.p = p;
      const FaceFrame& frame = frames[idx(other)][idx(near.face)];
      contact.point.n = frame.n;
      contact.point.t1 = frame.t1;
      contact.point.t2 = frame.t2;
      contact.point.gap = near.gap;
      contact.point.surface = pair_of(shape.surface, obstacle.surface);
      contact.point.mass = bodies.mass();
      keep(contact);
    }
  }
}

// in order while there is room; then in place of the farthest
void World::Impl::keep(const WorldContact& contact) noexcept {
  if (contacts.size() < idx(capacity.points)) {
    contacts.push_back(contact);
    return;
  }
  overflowed = true;
  const auto farthest =
      std::max_element(contacts.begin(), contacts.end(),
                       [](const auto& a, const auto& b) { return a.point.gap < b.point.gap; });
  if (contact.point.gap < farthest->point.gap) *farthest = contact;
}

// both lists are in the order of the ids
void World::Impl::recall() noexcept {
  std::size_t m = 0;
  for (WorldContact& contact : contacts) {
    while (m < memory.size() && memory[m].id < contact.point.id) ++m;
    if (m == memory.size() || memory[m].id != contact.point.id) continue;
    if (systems[idx(contact.system)].asleep) continue;
    ContactPoint& p = contact.point;
    p.before = memory[m].motion;
    p.impulse_before = memory[m].local;
    if (p.before != ContactMotion::kStick && p.before != ContactMotion::kSettling) continue;
    if (is_vertex_at_static(contact)) {
      p.offset = p.p - memory[m].reference;  // (15)
    } else {
      p.offset = pose_of(contact.system, contact.body) * memory[m].own -
                 pose_of_other(contact) * memory[m].reference;
    }
  }
}

void World::Impl::finish() noexcept {
  for (System& s : systems) {
    if (s.status == SystemStatus::kNotFinite || s.asleep) continue;
    if (s.bodies->finish(s.impulse, s.state, s.vdot)) continue;
    s.status = SystemStatus::kNotFinite;
    ++counters.failed;
    worsen(WorldStatus::kNotFinite);
  }
}

void World::Impl::remember() noexcept {
  memory_next.clear();
  std::size_t old = 0;
  for (const WorldContact& contact : contacts) {
    const ContactPoint& p = contact.point;
    if (systems[idx(contact.system)].asleep) {  // as it was
      while (old < memory.size() && memory[old].id < p.id) ++old;
      if (old < memory.size() && memory[old].id == p.id) memory_next.push_back(memory[old]);
      continue;
    }
    Memory m{.id = p.id,
             .motion = contact.force.motion,
             .reference = p.p,
             .own = Vec3::Zero(),
             .local = contact.force.local};
    const bool holds = m.motion == ContactMotion::kStick || m.motion == ContactMotion::kSettling;
    // a point that held before keeps its reference; one that starts to hold does so from here
    if (holds) m.reference = p.p - p.offset;
    if (!is_vertex_at_static(contact)) {
      m.own = inverse(pose_of(contact.system, contact.body)) * p.p;
      m.reference = inverse(pose_of_other(contact)) * m.reference;
    }
    memory_next.push_back(m);
  }
  std::swap(memory, memory_next);
}

World::World(const Scene& scene, const ContactSettings& settings, const ContactCapacity& capacity)
    : impl_(std::make_unique<Impl>(scene, settings, capacity)) {}
World::~World() = default;
World::World(World&&) noexcept = default;

int World::num_systems() const noexcept {
  return static_cast<int>(impl_->systems.size());
}
const Model& World::model(int system) const noexcept {
  const Impl::System& s = impl_->systems[idx(system)];
  return s.variant == 0 ? s.model : s.variants[idx(s.variant - 1)]->model;
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

WorldStatus World::step(double h) noexcept {
  if (!std::isfinite(h) || h <= 0.0) return WorldStatus::kNotFinite;
  Impl& w = *impl_;
  w.status = WorldStatus::kOk;
  ++w.counters.steps;
  const bool may_sleep = w.sleep.time > 0.0;
  if (may_sleep) w.wake_disturbed();
  w.begin(h);
  if (w.sweep != nullptr) w.find_pairs();
  if (may_sleep) w.wake_touched(h);
  if (w.volume != nullptr) {
    w.solve_volume(h);
    w.finish();
  } else {
    w.detect();
    w.recall();
    w.solve(h);
    w.finish();
    w.remember();
  }
  if (may_sleep) w.settle(h);
  return w.status;
}

void World::forget() noexcept {
  impl_->wake(Impl::kEverybody);
  impl_->memory.clear();
  if (impl_->volume != nullptr) impl_->volume->forget();
}
std::span<const WorldContact> World::contacts() const noexcept {
  return impl_->contacts;
}
double World::contact_work() const noexcept {
  return impl_->contact_work;
}
const WorldCounters& World::counters() const noexcept {
  return impl_->counters;
}
const char* World::method() const noexcept {
  return impl_->volume != nullptr ? models::name(MethodName::kVolumetric) : impl_->method->name();
}

}  // namespace kagami::models
