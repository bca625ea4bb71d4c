// Moving shapes of a world against each other, for the methods of points.
#include <Eigen/Geometry>
#include <cmath>

#include "models/base/idx.hpp"
#include "models/contact/world/world_impl.hpp"

namespace kagami::models {
namespace {

constexpr double kSlackOfOne = 0.5e-4;  // m, of each of the two: as the slack against static shapes

// above all contacts with static shapes: 20 + 20 bits of shapes, one for the side, 14 of the point
std::uint64_t pair_id(int a, int b, bool face_of_a, int lines) noexcept {
  return std::uint64_t{1} << 63 | static_cast<std::uint64_t>(a) << 35 |
         static_cast<std::uint64_t>(b) << 15 | static_cast<std::uint64_t>(face_of_a ? 1 : 0) << 14 |
         static_cast<std::uint64_t>(lines);
}

// of what carries the manifold, in W
FaceFrame frame_of(const Manifold& manifold, const std::vector<FaceFrame>& frames,
                   const Mat3& R) noexcept {
  if (manifold.face != kTwoEdges) {
    const FaceFrame& frame = frames[idx(manifold.face)];
    return {.n = R * frame.n, .t1 = R * frame.t1, .t2 = R * frame.t2};
  }
  FaceFrame frame{.n = manifold.n};
  tangents_of(frame.n, frame.t1, frame.t2);
  return frame;
}

// of a contact with a static mesh: a vertex of the shape at a face of it, or else 14 bits of the
// point and whose face it is
std::uint64_t mesh_id(int system, int shape, const ManifoldPoint& point, bool face_of_static,
                      int other) noexcept {
  const int feature = face_of_static && point.vertex >= 0
                          ? point.vertex
                          : 1 << 17 | (face_of_static ? 0 : 1) << 14 | point.lines;
  return (static_cast<std::uint64_t>(system) + 1) << 48 | static_cast<std::uint64_t>(shape) << 36 |
         static_cast<std::uint64_t>(feature) << 18 | static_cast<std::uint64_t>(other);
}

}  // namespace

// a shape at a static mesh, whose faces go before the shape's
void World::Impl::detect_mesh(int system, int k, int other) noexcept {
  const System& s = systems[idx(system)];
  const Shape& shape = s.shapes[idx(k)];
  const Pose& X_WB = pose_of(system, shape.body);
  const double margin = shape.way + 2.0 * kSlackOfOne;
  if (!find_manifold(*statics[idx(other)].mesh, still, shape.mesh, X_WB, margin, manifold,
                     edges[idx(other)], shape.edges)) {
    return;
  }
  const bool of_static = manifold.face_of_a;
  FaceFrame frame = of_static ? frame_of(manifold, frames[idx(other)], still.R)
                              : frame_of(manifold, shape.frames, X_WB.R);
  if (!of_static) {  // n from the static shape to the body
    frame.n = -frame.n;
    frame.t2 = -frame.t2;
  }
  WorldContact contact;
  contact.system = system;
  contact.shape = k;
  contact.body = shape.body;
  contact.other = other;
  contact.point.n = frame.n;
  contact.point.t1 = frame.t1;
  contact.point.t2 = frame.t2;
  contact.point.surface = pair_of(shape.surface, statics[idx(other)].surface);
  contact.point.mass = s.bodies->mass();
  for (int i = 0; i < manifold.count; ++i) {
    const ManifoldPoint& point = manifold.points[idx(i)];
    contact.vertex = of_static ? point.vertex : -1;
    contact.point.id = mesh_id(system, k, point, of_static, other);
    contact.point.p = point.p;
    contact.point.gap = point.gap;
    keep(contact);
  }
}

// what may meet, as the start poses have it
void World::Impl::make_pairs() {
  std::vector<PlacedShape> placed;
  for (int i = 0; i < static_cast<int>(systems.size()); ++i) {
    const System& s = systems[idx(i)];
    for (int k = 0; k < static_cast<int>(s.shapes.size()); ++k) {
      const Shape& shape = s.shapes[idx(k)];
      moving.push_back({i, k});
      placed.push_back({.system = i,
                        .body = shape.body,
                        .parent = shape.parent,
                        .mesh = &shape.mesh,
                        .X_WB = pose_of(i, shape.body),
                        .self_collision = s.self_collision});
    }
  }
  neighbours = std::make_unique<Neighbours>(placed);
  if (!neighbours->any_pair()) return;
  bounds.resize(moving.size());
  sweep = std::make_unique<SweepAndPrune>(static_cast<int>(moving.size()), 4 * capacity.points);
}

void World::Impl::find_pairs() noexcept {
  for (std::size_t i = 0; i < moving.size(); ++i) {
    const System& s = systems[idx(moving[i].system)];
    const Shape& shape = s.shapes[idx(moving[i].shape)];
    if (s.status != SystemStatus::kOk) {
      bounds[i].low.x() = std::nan("");  // not finite: no pair
      continue;
    }
    const double margin = shape.way + kSlackOfOne + skin;
    bounds[i] = bounds_of(shape.box, pose_of(moving[i].system, shape.body), margin);
  }
  pairs_known = sweep->find(bounds);
}

void World::Impl::detect_pairs() noexcept {
  for (const BoundsPair& pair : sweep->pairs()) {
    if (neighbours->never_meet(pair.a, pair.b)) continue;
    if (systems[idx(moving[idx(pair.a)].system)].asleep) continue;  // then both are
    detect_pair(pair.a, pair.b);
  }
}

void World::Impl::detect_pair(int a, int b) noexcept {
  const auto shape_of = [this](int i) -> const Shape& {
    return systems[idx(moving[idx(i)].system)].shapes[idx(moving[idx(i)].shape)];
  };
  const Pose& X_WA = pose_of(moving[idx(a)].system, shape_of(a).body);
  const Pose& X_WB = pose_of(moving[idx(b)].system, shape_of(b).body);
  const double margin = shape_of(a).way + shape_of(b).way + 2.0 * kSlackOfOne;
  if (!find_manifold(shape_of(a).mesh, X_WA, shape_of(b).mesh, X_WB, margin, manifold,
                     shape_of(a).edges, shape_of(b).edges)) {
    return;
  }
  const int face = manifold.face_of_a ? a : b;
  const int tip = manifold.face_of_a ? b : a;
  const FaceFrame frame =
      frame_of(manifold, shape_of(face).frames, (manifold.face_of_a ? X_WA : X_WB).R);
  WorldContact contact;
  contact.system = moving[idx(tip)].system;
  contact.shape = moving[idx(tip)].shape;
  contact.body = shape_of(tip).body;
  contact.other_system = moving[idx(face)].system;
  contact.other_shape = moving[idx(face)].shape;
  contact.other_body = shape_of(face).body;
  contact.point.n = frame.n;
  contact.point.t1 = frame.t1;
  contact.point.t2 = frame.t2;
  contact.point.surface = pair_of(shape_of(tip).surface, shape_of(face).surface);
  contact.point.mass = std::min(systems[idx(contact.system)].bodies->mass(),
                                systems[idx(contact.other_system)].bodies->mass());
  for (int i = 0; i < manifold.count; ++i) {
    const ManifoldPoint& point = manifold.points[idx(i)];
    contact.vertex = point.vertex;
    contact.point.id = pair_id(a, b, manifold.face_of_a, point.lines);
    contact.point.p = point.p;
    contact.point.gap = point.gap;
    keep(contact);
  }
}

}  // namespace kagami::models
