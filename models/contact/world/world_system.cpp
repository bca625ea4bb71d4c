#include "models/contact/world/world_system.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "models/contact/response/free_body.hpp"
#include "models/forward/forward_dynamics.hpp"

namespace kagami::models {
namespace {

// place of a body among the touching ones; the count of them for any other
int place_of(const std::vector<BodyIndex>& touching, BodyIndex body) {
  return static_cast<int>(std::find(touching.begin(), touching.end(), body) - touching.begin());
}

void add_shapes(const SceneSystem& from, WorldSystem& s) {
  for (const BodyShape& shape : from.shapes) {
    if (shape.body < 0 || shape.body >= from.model.num_bodies()) {
      throw ModelError("scene: " + from.name + ": a shape sits on body " +
                       std::to_string(shape.body) + ", expected 0 to " +
                       std::to_string(from.model.num_bodies() - 1));
    }
    const int body = place_of(s.touching, shape.body);
    if (idx(body) == s.touching.size()) s.touching.push_back(shape.body);
    s.shapes.push_back({.body = body,
                        .parent = -1,
                        .mesh = shape.mesh,
                        .surface = shape.surface,
                        .bare = shape.surface,
                        .frames = face_frames(obstacle(shape.mesh, shape.surface)),
                        .edges = mesh_edges(shape.mesh),
                        .box = box_of(shape.mesh)});
  }
  for (SystemShape& shape : s.shapes) {
    const BodyIndex parent = from.model.body(s.touching[idx(shape.body)]).parent;
    const int place = place_of(s.touching, parent);
    if (idx(place) < s.touching.size()) shape.parent = place;
  }
}

bool same_joints(const Model& a, const Model& b) {
  if (a.num_bodies() != b.num_bodies() || a.num_q() != b.num_q() || a.num_v() != b.num_v())
    return false;
  for (int i = 0; i < a.num_bodies(); ++i) {
    if (a.body(i).parent != b.body(i).parent || a.body(i).joint.type != b.body(i).joint.type)
      return false;
  }
  return true;
}

// the farthest that a point of the shape may move in two steps (m)
double way_of(const ContactBodies& bodies, const SystemShape& shape, double h) noexcept {
  const Motion& V = bodies.V_free[idx(shape.body)];
  const Vec3 arm = bodies.X_WB[idx(shape.body)].p - bodies.origin();
  const Vec3 v = V.linear() + V.angular().cross(arm);
  return 2.0 * h * (v.norm() + V.angular().norm() * shape.mesh.reach());
}

void add_impulse(WorldSystem& s, int body, const WorldContact& c, double sign) noexcept {
  const Vec3 P = sign * c.force.impulse.force();
  const Vec3 M = sign * c.force.impulse.moment();
  s.impulse[idx(body)] += Force::from(M + (c.point.p - s.bodies->origin()).cross(P), P);
}

}  // namespace

WorldSystem make_system(const SceneSystem& from) {
  WorldSystem s;
  s.name = from.name;
  s.state = from.start;
  s.self_collision = from.self_collision;
  s.dynamics = from.dynamics;
  s.drive.tau = JointVector::Zero(from.model.num_v());
  s.drive.added_inertia = from.model.rotor_inertia();
  s.vdot = JointVector::Zero(from.model.num_v());
  add_shapes(from, s);
  s.impulse.resize(s.touching.size(), Force::zero());
  add_variant(s, from.model);
  use_variant(s, 0);
  return s;
}

int add_variant(WorldSystem& s, const Model& model) {
  if (!s.variants.empty() && !same_joints(s.variants.front()->model, model)) {
    throw ModelError("scene: " + s.name + ": a variant has other joints, expected the same");
  }
  auto variant = std::make_unique<SystemVariant>();
  variant->model = model;
  variant->bodies = make_contact_bodies(variant->model, s.touching, s.dynamics);
  if (!is_free_body(model)) require_dynamics(variant->model, s.dynamics, s.name);
  s.variants.push_back(std::move(variant));
  return static_cast<int>(s.variants.size()) - 1;
}

void use_variant(WorldSystem& s, int variant) noexcept {
  s.variant = variant;
  s.bodies = s.variants[idx(variant)]->bodies.get();
}

bool begin_step(WorldSystem& s, double h) noexcept {
  s.begun = true;
  s.status = SystemStatus::kOk;
  for (Force& P : s.impulse) P = Force::zero();
  if (s.state.q.allFinite() && s.state.v.allFinite() && s.drive.tau.allFinite() &&
      s.bodies->begin(s.state, s.drive, h)) {
    for (SystemShape& shape : s.shapes) shape.way = way_of(*s.bodies, shape, h);
    return true;
  }
  s.status = SystemStatus::kNotFinite;
  return false;
}

Surface changed(const Surface& bare, const FrictionChange& change) noexcept {
  Surface s = bare;
  if (change.mu_static) {
    s.mu_static = *change.mu_static;
    s.mu_kinetic = change.mu_kinetic.value_or(*change.mu_static);
  }
  s.mu_static *= change.scale * change.scale;
  s.mu_kinetic *= change.scale * change.scale;
  return s;
}

void add_impulse(std::span<WorldSystem> systems, const WorldContact& c, double sign) noexcept {
  add_impulse(systems[idx(c.system)], c.body, c, sign);
  if (c.other == kNoStatic) add_impulse(systems[idx(c.other_system)], c.other_body, c, -sign);
}

}  // namespace kagami::models
