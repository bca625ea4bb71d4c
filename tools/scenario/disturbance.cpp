#include "tools/scenario/disturbance.hpp"

#include <string>

#include "models/base/idx.hpp"

namespace kagami::tools {
namespace {

int find_system(const std::string& name, const models::Scene& scene) {
  for (std::size_t i = 0; i < scene.systems.size(); ++i)
    if (scene.systems[i].name == name) return static_cast<int>(i);
  return -1;
}

int find_static(const std::string& name, const models::Scene& scene) {
  for (std::size_t i = 0; i < scene.statics.size(); ++i)
    if (scene.statics[i].name == name) return static_cast<int>(i);
  return -1;
}

bool is_on(const Disturbance& d, const models::Scene& scene, std::size_t system) {
  if (d.kind == DisturbanceKind::kFriction) return false;
  return d.kind == DisturbanceKind::kGround || d.target == scene.systems[system].name;
}

void check_target(const Disturbance& d, const models::Scene& scene) {
  if (d.kind == DisturbanceKind::kGround) {
    if (scene.statics.empty()) fail(d, "kind", "the scene has no ground and no obstacle");
    return;
  }
  if (find_system(d.target, scene) >= 0) return;
  if (d.kind != DisturbanceKind::kFriction)
    fail(d, "on", "'" + d.target + "' is neither a body nor a robot of this scenario");
  if (find_static(d.target, scene) < 0)
    fail(d, "on", "'" + d.target + "' is not a body, robot, ground or obstacle of this scenario");
}

}  // namespace

SceneDisturbances::SceneDisturbances(const std::vector<Disturbance>& all,
                                     const models::Scene& scene)
    : any_(!all.empty()) {
  for (const Disturbance& d : all) {
    check_target(d, scene);
    if (d.kind == DisturbanceKind::kFriction) slippery(d, scene).changes.push_back(d);
  }
  if (!any_) return;
  for (std::size_t i = 0; i < scene.systems.size(); ++i) {
    std::vector<Disturbance> own;
    for (const Disturbance& d : all)
      if (is_on(d, scene, i)) own.push_back(d);
    systems_.emplace_back(scene.systems[i].model, own);
  }
}

SceneDisturbances::Slippery& SceneDisturbances::slippery(const Disturbance& d,
                                                         const models::Scene& scene) {
  const int system = find_system(d.target, scene);
  const int shape = system < 0 ? find_static(d.target, scene) : -1;
  for (Slippery& s : slippery_)
    if (s.system == system && s.static_shape == shape) return s;
  Slippery& added = slippery_.emplace_back();
  added.system = system;
  added.static_shape = shape;
  return added;
}

void SceneDisturbances::prepare(models::World& world) const {
  for (std::size_t i = 0; i < systems_.size(); ++i) {
    const int system = static_cast<int>(i);
    world.drive(system).F_ext.reserve(idx(world.model(system).num_bodies()));
    for (const models::Model& loaded : systems_[i].loaded()) world.add_variant(system, loaded);
  }
}

bool SceneDisturbances::change(double t, models::World& world) {
  bool changed = false;
  for (std::size_t i = 0; i < systems_.size(); ++i) {
    const int system = static_cast<int>(i);
    const int load = systems_[i].load_at(t);
    changed = changed || load != world.variant(system);
    world.use_variant(system, load);
  }
  for (Slippery& s : slippery_) {
    int now = -1;
    for (std::size_t k = 0; k < s.changes.size(); ++k)
      if (s.changes[k].when.acts(t)) now = static_cast<int>(k);
    if (now == s.holds) continue;
    s.holds = now;
    const FrictionChange change = now < 0 ? FrictionChange{} : s.changes[idx(now)].friction;
    if (s.system >= 0) {
      world.change_friction(s.system, change);
    } else {
      world.change_static_friction(s.static_shape, change);
    }
  }
  return changed;
}

void SceneDisturbances::act(double t, const std::vector<bool>& keeps_tau, models::World& world) {
  for (std::size_t i = 0; i < systems_.size(); ++i) {
    if (systems_[i].empty()) continue;
    const int system = static_cast<int>(i);
    models::Drive& drive = world.drive(system);
    drive.F_ext.clear();
    if (keeps_tau[i] && systems_[i].has_torques()) drive.tau.setZero();
    systems_[i].add(t, world.model(system), world.state(system).q, drive.tau, drive.F_ext);
  }
}

void check_disturbances(const std::vector<Disturbance>& all, const models::Scene& scene,
                        double duration) {
  check_disturbance_times(all, duration);
  static_cast<void>(SceneDisturbances(all, scene));
}

}  // namespace kagami::tools
