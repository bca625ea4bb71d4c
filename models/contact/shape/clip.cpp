// Sutherland-Hodgman, face by face against one plane at a time, on shared vertices. Ours:
// - A vertex is inside or outside once and for all (height <= slack); an edge that crosses gets one
//   vertex, whichever of its two faces comes first. The result is then closed by construction.
// - The new face follows from the old ones: where a face runs out at crossing x and in again at
//   crossing y, its own outline goes on from x to y, so the new face goes from y to x.
#include "models/contact/shape/clip.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

constexpr int kMaxFaces = 2 * kMaxMeshFaces;          // those of both
constexpr int kMaxVertices = 2 * kMaxFaces - 4;       // Euler, three faces or more at every vertex
constexpr int kMaxCorners = 2 * (3 * kMaxFaces - 6);  // twice the edges
constexpr std::uint16_t kGone = std::numeric_limits<std::uint16_t>::max();
constexpr double kRounding = 8.0 * std::numeric_limits<double>::epsilon();  // of the distances

std::uint16_t index(int i) noexcept {
  return static_cast<std::uint16_t>(i);
}

}  // namespace

const char* name(ClipStatus status) noexcept {
  constexpr const char* kNames[] = {"ok", "apart", "capacity"};
  return kNames[static_cast<int>(status)];
}

Clipper::Clipper()
    : now_(&buffer_[0]),
      next_(&buffer_[1]),
      height_(idx(kMaxVertices)),
      renamed_(idx(kMaxVertices)),
      crossings_(idx(kMaxVertices)) {
  for (Polyhedron& p : buffer_) {
    p.vertices.resize(idx(kMaxVertices));
    p.faces.resize(idx(kMaxFaces));
    p.corners.resize(idx(kMaxCorners));
  }
}

void Clipper::start(const ConvexMesh& A) noexcept {
  Polyhedron& p = *now_;
  p.num_vertices = static_cast<int>(A.vertices().size());
  p.num_faces = 0;
  p.num_corners = 0;
  std::copy(A.vertices().begin(), A.vertices().end(), p.vertices.begin());
  for (const MeshFace& face : A.faces()) {
    const int count = static_cast<int>(face.corners.size());
    p.faces[idx(p.num_faces++)] = {.first = p.num_corners, .count = count, .owner = FaceOwner::kA};
    for (const int corner : face.corners) p.corners[idx(p.num_corners++)] = index(corner);
  }
}

ClipStatus Clipper::cut(const HalfSpace& B, double slack) noexcept {
  bool any_above = false;
  bool any_below = false;
  for (int i = 0; i < now_->num_vertices; ++i) {
    const double height = B.n.dot(now_->vertices[idx(i)]) - B.offset;
    height_[idx(i)] = height;
    any_above |= height > slack;
    any_below |= height < -slack;
  }
  if (!any_below) {
    now_->num_vertices = now_->num_faces = now_->num_corners = 0;
    return ClipStatus::kApart;
  }
  if (!any_above) return ClipStatus::kOk;

  slack_ = slack;
  keep_vertices();
  bool fits = true;
  for (int f = 0; fits && f < now_->num_faces; ++f) fits = cut_face(now_->faces[idx(f)]);
  if (!fits || !close()) return ClipStatus::kCapacity;
  std::swap(now_, next_);
  return ClipStatus::kOk;
}

void Clipper::keep_vertices() noexcept {
  next_->num_vertices = next_->num_faces = next_->num_corners = 0;
  num_crossings_ = 0;
  for (int i = 0; i < now_->num_vertices; ++i) {
    if (height_[idx(i)] > slack_) {
      renamed_[idx(i)] = kGone;
      continue;
    }
    renamed_[idx(i)] = index(next_->num_vertices);
    next_->vertices[idx(next_->num_vertices++)] = now_->vertices[idx(i)];
  }
}

// number of the crossing on that edge; -1 without room
int Clipper::crossing(std::uint16_t inside, std::uint16_t outside) noexcept {
  for (int i = 0; i < num_crossings_; ++i) {
    const Crossing& c = crossings_[idx(i)];
    if (c.inside == inside && c.outside == outside) return i;
  }
  if (num_crossings_ == kMaxVertices || next_->num_vertices == kMaxVertices) return -1;
  const double in = std::min(height_[inside], 0.0);
  const double out = std::max(height_[outside], 0.0);
  const Vec3& a = now_->vertices[inside];
  next_->vertices[idx(next_->num_vertices)] = a + in / (in - out) * (now_->vertices[outside] - a);
  crossings_[idx(num_crossings_)] = {.inside = inside,
                                     .outside = outside,
                                     .vertex = index(next_->num_vertices++),
                                     .next = 0,
                                     .done = false};
  return num_crossings_++;
}

bool Clipper::cut_face(const OverlapFace& face) noexcept {
  const std::uint16_t* corners = now_->corners.data() + face.first;
  int start = 0;
  while (start < face.count && renamed_[corners[start]] == kGone) ++start;
  if (start == face.count) return true;  // all gone
  if (next_->num_faces == kMaxFaces) return false;

  OverlapFace& kept = next_->faces[idx(next_->num_faces++)];
  kept = {.first = next_->num_corners, .count = 0, .owner = face.owner};
  int exit = -1;
  std::uint16_t from = corners[start];
  for (int k = 1; k <= face.count; ++k) {
    const int place = start + k < face.count ? start + k : start + k - face.count;
    const std::uint16_t to = corners[place];
    const bool from_in = renamed_[from] != kGone;
    const bool to_in = renamed_[to] != kGone;
    if (next_->num_corners + 2 > kMaxCorners) return false;
    if (from_in) next_->corners[idx(next_->num_corners++)] = renamed_[from];
    if (from_in != to_in) {
      const int x = from_in ? crossing(from, to) : crossing(to, from);
      if (x < 0) return false;
      next_->corners[idx(next_->num_corners++)] = crossings_[idx(x)].vertex;
      if (!from_in) crossings_[idx(x)].next = index(exit);
      exit = x;
    }
    from = to;
  }
  kept.count = next_->num_corners - kept.first;
  return true;
}

// the outline along the plane; more than one only where rounding decides
bool Clipper::close() noexcept {
  for (int first = 0; first < num_crossings_; ++first) {
    if (crossings_[idx(first)].done) continue;
    if (next_->num_faces == kMaxFaces) return false;
    OverlapFace& face = next_->faces[idx(next_->num_faces++)];
    face = {.first = next_->num_corners, .count = 0, .owner = FaceOwner::kB};
    for (int x = first; !crossings_[idx(x)].done; x = crossings_[idx(x)].next) {
      if (next_->num_corners == kMaxCorners) return false;
      crossings_[idx(x)].done = true;
      next_->corners[idx(next_->num_corners++)] = crossings_[idx(x)].vertex;
    }
    face.count = next_->num_corners - face.first;
  }
  return true;
}

void Clipper::move(const Pose& X_WA) noexcept {
  for (int i = 0; i < now_->num_vertices; ++i) {
    Vec3& p = now_->vertices[idx(i)];
    p = X_WA * p;
  }
}

ClipStatus intersect(const ConvexMesh& A, const ConvexMesh& B, const Pose& X_AB, Clipper& clipper,
                     double skin) noexcept {
  const double slack = kRounding * (A.reach() + B.reach() + X_AB.p.norm());
  clipper.start(A);
  for (const MeshFace& face : B.faces()) {
    HalfSpace plane{.n = X_AB.R * face.n};
    plane.offset = face.offset + plane.n.dot(X_AB.p) + skin;
    const ClipStatus status = clipper.cut(plane, slack);
    if (status != ClipStatus::kOk) return status;
  }
  return ClipStatus::kOk;
}

ClipStatus intersect(const ConvexMesh& A, const HalfSpace& B, Clipper& clipper) noexcept {
  clipper.start(A);
  return clipper.cut(B, kRounding * (A.reach() + std::abs(B.offset)));
}

}  // namespace kagami::models
