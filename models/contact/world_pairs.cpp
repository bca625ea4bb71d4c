// Moving shapes of a world against each other, for the methods of points.
#include <Eigen/Geometry>
#include <cmath>

#include "models/contact/world_impl.hpp"

namespace kagami::models {
namespace {

constexpr double kSlack = 0.5e-4;  // m, of each of the two: as the slack against static shapes

std::size_t at(int i) noexcept {
  return static_cast<std::size_t>(i);
}

// above all contacts with static shapes: 20 + 20 bits of shapes, one for the side, 14 of the point
std::uint64_t pair_id(int a, int b, bool face_of_a, int lines) noexcept {
  return std::uint64_t{1} << 63 | static_cast<std::uint64_t>(a) << 35 |
         static_cast<std::uint64_t>(b) << 15 | static_cast<std::uint64_t>(face_of_a ? 1 : 0) << 14 |
         static_cast<std::uint64_t>(lines);
}

}  // namespace

// what may meet, as the start poses have it
void World::Impl::make_pairs() {
  std::vector<PlacedShape> placed;
  for (int i = 0; i < static_cast<int>(systems.size()); ++i) {
    const System& s = systems[at(i)];
    for (int k = 0; k < static_cast<int>(s.shapes.size()); ++k) {
      const Shape& shape = s.shapes[at(k)];
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
    const System& s = systems[at(moving[i].system)];
    const Shape& shape = s.shapes[at(moving[i].shape)];
    if (s.status != SystemStatus::kOk) {
      bounds[i].low.x() = std::nan("");  // meets nobody
      continue;
    }
    const double margin = shape.way + kSlack + skin;
    bounds[i] = bounds_of(shape.box, pose_of(moving[i].system, shape.body), margin);
  }
  pairs_known = sweep->find(bounds);
}

void World::Impl::detect_pairs() noexcept {
  for (const BoundsPair& pair : sweep->pairs()) {
    if (neighbours->never_meet(pair.a, pair.b)) continue;
    if (systems[at(moving[at(pair.a)].system)].asleep) continue;  // then both are
    detect_pair(pair.a, pair.b);
  }
}

void World::Impl::detect_pair(int a, int b) noexcept {
  const auto shape_of = [this](int i) -> const Shape& {
    return systems[at(moving[at(i)].system)].shapes[at(moving[at(i)].shape)];
  };
  const Pose& X_WA = pose_of(moving[at(a)].system, shape_of(a).body);
  const Pose& X_WB = pose_of(moving[at(b)].system, shape_of(b).body);
  const double margin = shape_of(a).way + shape_of(b).way + 2.0 * kSlack;
  if (!find_manifold(shape_of(a).mesh, X_WA, shape_of(b).mesh, X_WB, margin, manifold)) return;
  const int face = manifold.face_of_a ? a : b;
  const int tip = manifold.face_of_a ? b : a;
  const FaceFrame& frame = shape_of(face).frames[at(manifold.face)];
  const Mat3& R = (manifold.face_of_a ? X_WA : X_WB).R;
  WorldContact contact;
  contact.system = moving[at(tip)].system;
  contact.shape = moving[at(tip)].shape;
  contact.body = shape_of(tip).body;
  contact.other_system = moving[at(face)].system;
  contact.other_shape = moving[at(face)].shape;
  contact.other_body = shape_of(face).body;
  contact.point.n = R * frame.n;
  contact.point.t1 = R * frame.t1;
  contact.point.t2 = R * frame.t2;
  contact.point.surface = pair_of(shape_of(tip).surface, shape_of(face).surface);
  contact.point.mass = std::min(systems[at(contact.system)].bodies->mass(),
                                systems[at(contact.other_system)].bodies->mass());
  for (int i = 0; i < manifold.count; ++i) {
    const ManifoldPoint& point = manifold.points[at(i)];
    contact.vertex = point.vertex;
    contact.point.id = pair_id(a, b, manifold.face_of_a, point.lines);
    contact.point.p = point.p;
    contact.point.gap = point.gap;
    keep(contact);
  }
}

}  // namespace kagami::models
