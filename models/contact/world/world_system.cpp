#include "models/contact/world/world_system.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "models/contact/response/free_body.hpp"
#include "models/forward/forward_dynamics.hpp"

namespace kagami::models {
namespace {

void add_shapes(const SceneSystem& from, WorldSystem& s) {
  // place of a body among the touching ones; the count of them for any other
  const auto place_of = [&](BodyIndex body) {
    return static_cast<int>(std::find(s.touching.begin(), s.touching.end(), body) -
                            s.touching.begin());
  };
  for (const BodyShape& shape : from.shapes) {
    if (shape.body < 0 || shape.body >= from.model.num_bodies()) {
      throw ModelError("scene: " + from.name + ": a shape sits on body " +
                       std::to_string(shape.body) + ", expected 0 to " +
                       std::to_string(from.model.num_bodies() - 1));
    }
    const int body = place_of(shape.body);
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
    const int parent = place_of(from.model.body(s.touching[idx(shape.body)]).parent);
    if (idx(parent) < s.touching.size()) shape.parent = parent;
  }
}

bool same_joints(const Model& a, const Model& b) {
  bool same = a.num_bodies() == b.num_bodies() && a.num_q() == b.num_q() && a.num_v() == b.num_v();
  for (int i = 0; same && i < a.num_bodies(); ++i) {
    same = a.body(i).parent == b.body(i).parent && a.body(i).joint.type == b.body(i).joint.type;
  }
  return same;
}

// the farthest that a point of the shape may move in two steps (m)
double way_of(const ContactBodies& bodies, const SystemShape& shape, double h) noexcept {
  const Motion& V = bodies.V_free[idx(shape.body)];
  const Vec3 arm = bodies.X_WB[idx(shape.body)].p - bodies.origin();
  const Vec3 v = V.linear() + V.angular().cross(arm);
  return 2.0 * h * (v.norm() + V.angular().norm() * shape.mesh.reach());
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
  // not of later variants: with a payload, ada computes for a robot whose code is without it
  if (!is_free_body(from.model)) require_dynamics(s.model(), s.dynamics, s.name);
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
  s.variants.push_back(std::move(variant));
  return static_cast<int>(s.variants.size()) - 1;
}

void use_variant(WorldSystem& s, int variant) noexcept {
  s.variant = variant;
  s.bodies = s.variants[idx(variant)]->bodies.get();
}

bool begin_step(WorldSystem& s, double h) noexcept {
  s.begun = true;
  for (Force& P : s.impulse) P = Force::zero();
  const bool finite = s.state.q.allFinite() && s.state.v.allFinite() && s.drive.tau.allFinite() &&
                      s.bodies->begin(s.state, s.drive, h);
  s.status = finite ? SystemStatus::kOk : SystemStatus::kNotFinite;
  if (!finite) return false;
  for (SystemShape& shape : s.shapes) shape.way = way_of(*s.bodies, shape, h);
  return true;
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
  const auto add = [&](int system, int body, double side) {
    WorldSystem& s = systems[idx(system)];
    const Vec3 P = side * c.force.impulse.force();
    const Vec3 M = side * c.force.impulse.moment();
    s.impulse[idx(body)] += Force::from(M + (c.point.p - s.bodies->origin()).cross(P), P);
  };
  add(c.system, c.body, sign);
  if (c.other == kNoStatic) add(c.other_system, c.other_body, -sign);
}

}  // namespace kagami::models
