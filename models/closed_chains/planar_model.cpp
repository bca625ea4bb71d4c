// Reads the plane out of a model: everything at q = 0, seen along the first axis n.
#include <Eigen/Geometry>
#include <cmath>
#include <vector>

#include "models/base/idx.hpp"
#include "models/closed_chains/planar_chain.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/state.hpp"

namespace kagami::models {
namespace {

constexpr double kParallel = 1e-12;  // 1 - |cos|
constexpr double kInPlane = 1e-9;    // m

// axes of the plane in the world: x, y, normal
struct Plane {
  explicit Plane(const Vec3& n) : normal(n), x(n.unitOrthogonal()), y(n.cross(x)) {}
  [[nodiscard]] PlanarPoint operator()(const Vec3& p) const { return {x.dot(p), y.dot(p)}; }
  [[nodiscard]] bool has_axis(const Vec3& axis) const {
    return std::abs(std::abs(normal.dot(axis)) - 1.0) < kParallel;
  }

  Vec3 normal;
  Vec3 x;
  Vec3 y;
};

bool fits(const Model& model) {
  if (model.num_bodies() < 1 || model.num_bodies() > kMaxPlanarLinks) return false;
  const auto rows = 2 * static_cast<int>(model.loops().size());
  if (rows < 2 || rows > kMaxPlanarRows) return false;
  for (int i = 0; i < model.num_bodies(); ++i) {
    if (model.body(i).joint.type != JointType::kRevolute) return false;
  }
  return true;
}

PlanarModel::Link link_of(const Model& model, int i, const Kinematics& k, const Plane& plane) {
  const Body& b = model.body(i);
  const Mat3& R_WB = k.X_WB[idx(i)].R;
  const Mat3 R_WP = b.parent == kWorld ? Mat3(Mat3::Identity()) : k.X_WB[idx(b.parent)].R;
  const Vec3 n_B = R_WB.transpose() * plane.normal;
  PlanarModel::Link link;
  link.parent = b.parent;
  link.sign = plane.normal.dot(R_WB * b.joint.axis) > 0.0 ? 1.0 : -1.0;
  link.joint = plane(R_WP * b.X_PJ.p);
  link.com = plane(R_WB * b.inertia.com());
  link.mass = b.inertia.mass;
  link.inertia = n_B.dot(b.inertia.about_com() * n_B);
  link.rotor = model.rotor_inertia()[b.v_index];
  return link;
}

// false when the loop is not a hinge or ball of the plane
bool pin_of(const Loop& loop, const Kinematics& k, const Plane& plane, PlanarModel::Pin& pin) {
  const Pose X_WL = k.X_WB[idx(loop.body_a)] * loop.X_AL;
  const Pose X_WB = loop.body_b == kWorld ? Pose{} : k.X_WB[idx(loop.body_b)];
  const Pose X_WJ = X_WB * loop.X_BJ;
  if (std::abs(plane.normal.dot(X_WL.p - X_WJ.p)) > kInPlane) return false;
  if (loop.joint.type == JointType::kRevolute) {
    const Vec3 a = X_WL.R * loop.joint.axis;
    const Vec3 b = X_WJ.R * loop.joint.axis;
    if (!plane.has_axis(a) || !plane.has_axis(b) || a.dot(b) < 0.0) return false;
  } else if (loop.joint.type != JointType::kSpherical) {
    return false;
  }
  pin.a = loop.body_a;
  pin.b = loop.body_b;
  pin.on_a = plane(k.X_WB[idx(loop.body_a)].R * loop.X_AL.p);
  pin.on_b = plane(X_WB.R * loop.X_BJ.p);
  return true;
}

}  // namespace

std::optional<PlanarModel> planar_model(const Model& model) {
  if (!fits(model)) return std::nullopt;
  Kinematics k(model);
  const State zero = neutral_state(model);
  forward_kinematics(model, zero.q, zero.v, k);
  const Plane plane(k.X_WB[0].R * model.body(0).joint.axis);
  PlanarModel planar;
  planar.links = model.num_bodies();
  planar.gravity = plane(model.gravity());
  for (int i = 0; i < planar.links; ++i) {
    if (!plane.has_axis(k.X_WB[idx(i)].R * model.body(i).joint.axis)) return std::nullopt;
    planar.link[idx(i)] = link_of(model, i, k, plane);
  }
  for (const Loop& loop : model.loops()) {
    if (!pin_of(loop, k, plane, planar.pin[idx(planar.rows / 2)])) return std::nullopt;
    planar.rows += 2;
  }
  return planar;
}

}  // namespace kagami::models
