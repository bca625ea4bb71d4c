#include "models/contact/world/point_contacts.hpp"

#include <algorithm>

namespace kagami::models {
namespace {

// of a contact with a static shape
std::uint64_t static_id(const WorldContact& c, int feature) noexcept {
  return (static_cast<std::uint64_t>(c.system) + 1) << 48 |
         static_cast<std::uint64_t>(c.shape) << 36 | static_cast<std::uint64_t>(feature) << 18 |
         static_cast<std::uint64_t>(c.other);
}

// of a point with a static mesh: a vertex of the shape at a face of it, or else 14 bits of the
// point and whose face it is
int feature_of(const ManifoldPoint& point, bool face_of_static) noexcept {
  if (face_of_static && point.vertex >= 0) return point.vertex;
  return 1 << 17 | (face_of_static ? 0 : 1) << 14 | point.lines;
}

// above all contacts with static shapes: 20 + 20 bits of shapes, one for the side, 14 of the point
std::uint64_t pair_id(const BoundsPair& pair, bool face_of_a, int lines) noexcept {
  return std::uint64_t{1} << 63 | static_cast<std::uint64_t>(pair.a) << 35 |
         static_cast<std::uint64_t>(pair.b) << 15 |
         static_cast<std::uint64_t>(face_of_a ? 1 : 0) << 14 | static_cast<std::uint64_t>(lines);
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

void set_frame(const FaceFrame& frame, ContactPoint& point) noexcept {
  point.n = frame.n;
  point.t1 = frame.t1;
  point.t2 = frame.t2;
}

}  // namespace

WorldObstacle::WorldObstacle(const StaticShape& of)
    : shape(of), bare(of.surface), frames(face_frames(of)) {
  if (of.mesh) edges = mesh_edges(*of.mesh);
}

PointContacts::PointContacts(int capacity) : capacity_(idx(capacity)) {
  contacts_.reserve(capacity_);
}

void PointContacts::detect(std::span<const WorldSystem> systems,
                           std::span<const WorldObstacle> obstacles,
                           const NearPairs& pairs) noexcept {
  std::erase_if(contacts_, [&](const WorldContact& c) { return !systems[idx(c.system)].asleep; });
  overflowed_ = !pairs.complete();
  for (const ShapePlace& place : pairs.places()) {
    const WorldSystem& s = systems[idx(place.system)];
    if (s.moves()) detect_shape(s, place, obstacles);
  }
  for (const BoundsPair& pair : pairs.pairs()) {
    if (pairs.never_meet(pair)) continue;
    if (systems[idx(pairs.place(pair.a).system)].asleep) continue;  // then both are
    detect_pair(systems, pair, pairs);
  }
  // several static shapes, pairs, replacements: found in another order than their ids have
  const auto by_id = [](const auto& a, const auto& b) { return a.point.id < b.point.id; };
  if (!std::is_sorted(contacts_.begin(), contacts_.end(), by_id)) {
    std::sort(contacts_.begin(), contacts_.end(), by_id);
  }
}

void PointContacts::detect_shape(const WorldSystem& s, const ShapePlace& place,
                                 std::span<const WorldObstacle> obstacles) noexcept {
  const SystemShape& shape = s.shapes[idx(place.shape)];
  const Pose& X_WB = s.pose(shape.body);
  const double margin = shape.way + 2.0 * kSlackOfOne;
  for (int other = 0; other < static_cast<int>(obstacles.size()); ++other) {
    const WorldObstacle& obstacle = obstacles[idx(other)];
    if (!may_touch(obstacle.shape, X_WB.p, shape.mesh.reach(), margin)) continue;
    WorldContact contact;
    contact.system = place.system;
    contact.shape = place.shape;
    contact.body = shape.body;
    contact.other = other;
    contact.point.surface = pair_of(shape.surface, obstacle.shape.surface);
    contact.point.mass = s.bodies->mass();
    if (obstacle.shape.mesh) {
      detect_mesh(shape, X_WB, obstacle, contact);
      continue;
    }
    set_frame(obstacle.frames.front(), contact.point);
    contact.vertex = 0;
    for (const Vec3& vertex : shape.mesh.vertices()) {
      const Vec3 p = X_WB * vertex;
      Nearness near;
      const bool found = near_shape(obstacle.shape, p, margin, near);
      if (found) add(contact, static_id(contact, contact.vertex), p, near.gap);
      ++contact.vertex;
    }
  }
}

// a shape at a static mesh, whose faces go before the shape's
void PointContacts::detect_mesh(const SystemShape& shape, const Pose& X_WB,
                                const WorldObstacle& obstacle, WorldContact& contact) noexcept {
  const Pose still;
  if (!find_manifold(*obstacle.shape.mesh, still, shape.mesh, X_WB, shape.way + 2.0 * kSlackOfOne,
                     manifold_, obstacle.edges, shape.edges)) {
    return;
  }
  const bool of_static = manifold_.face_of_a;
  FaceFrame frame = of_static ? frame_of(manifold_, obstacle.frames, still.R)
                              : frame_of(manifold_, shape.frames, X_WB.R);
  if (!of_static) {  // n from the static shape to the body
    frame.n = -frame.n;
    frame.t2 = -frame.t2;
  }
  set_frame(frame, contact.point);
  for (const ManifoldPoint& point : std::span(manifold_.points).first(idx(manifold_.count))) {
    contact.vertex = of_static ? point.vertex : -1;
    add(contact, static_id(contact, feature_of(point, of_static)), point.p, point.gap);
  }
}

void PointContacts::detect_pair(std::span<const WorldSystem> systems, const BoundsPair& pair,
                                const NearPairs& pairs) noexcept {
  const auto shape_at = [&](const ShapePlace& place) -> const SystemShape& {
    return systems[idx(place.system)].shapes[idx(place.shape)];
  };
  const SystemShape& A = shape_at(pairs.place(pair.a));
  const SystemShape& B = shape_at(pairs.place(pair.b));
  const Pose& X_WA = systems[idx(pairs.place(pair.a).system)].pose(A.body);
  const Pose& X_WB = systems[idx(pairs.place(pair.b).system)].pose(B.body);
  const double margin = A.way + B.way + 2.0 * kSlackOfOne;
  if (!find_manifold(A.mesh, X_WA, B.mesh, X_WB, margin, manifold_, A.edges, B.edges)) return;
  const bool of_a = manifold_.face_of_a;
  const ShapePlace& face = pairs.place(of_a ? pair.a : pair.b);
  const ShapePlace& tip = pairs.place(of_a ? pair.b : pair.a);
  WorldContact contact;
  contact.system = tip.system;
  contact.shape = tip.shape;
  contact.body = shape_at(tip).body;
  contact.other_system = face.system;
  contact.other_shape = face.shape;
  contact.other_body = shape_at(face).body;
  set_frame(frame_of(manifold_, shape_at(face).frames, (of_a ? X_WA : X_WB).R), contact.point);
  contact.point.surface = pair_of(shape_at(tip).surface, shape_at(face).surface);
  contact.point.mass =
      std::min(systems[idx(tip.system)].bodies->mass(), systems[idx(face.system)].bodies->mass());
  for (const ManifoldPoint& point : std::span(manifold_.points).first(idx(manifold_.count))) {
    contact.vertex = point.vertex;
    add(contact, pair_id(pair, of_a, point.lines), point.p, point.gap);
  }
}

// in order while there is room; then in place of the farthest
void PointContacts::add(WorldContact& contact, std::uint64_t id, const Vec3& p,
                        double gap) noexcept {
  contact.point.id = id;
  contact.point.p = p;
  contact.point.gap = gap;
  if (contacts_.size() < capacity_) {
    contacts_.push_back(contact);
    return;
  }
  overflowed_ = true;
  const auto farthest =
      std::max_element(contacts_.begin(), contacts_.end(),
                       [](const auto& a, const auto& b) { return a.point.gap < b.point.gap; });
  if (gap < farthest->point.gap) *farthest = contact;
}

}  // namespace kagami::models
