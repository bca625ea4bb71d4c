// Separating axes over faces, then the incident face cut by the sides of the reference face
// (Sutherland and Hodgman's clipping, one side after the other). R: mesh of the reference face, I:
// the other. A point of the cut polygon is known by the two lines that meet in it.
#include "models/contact/detect/manifold.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

constexpr double kPrefer = 1e-4;  // of the smaller mesh's reach: B's face must be ahead by more
constexpr double kFlat = 0.985;   // cosine of 10 deg
constexpr double kOnSide = 1e-6;  // m: this far beyond a side a point is still over the face

struct Deepest {
  int face = 0;
  int vertex = 0;
  double gap = -std::numeric_limits<double>::infinity();
};

// face of R that is farthest from the deepest vertex of I
Deepest most_separating(const ConvexMesh& R, const ConvexMesh& I, const Pose& X_RI) noexcept {
  std::array<Vec3, kMaxMeshVertices> p;
  const int count = static_cast<int>(I.vertices().size());
  for (int i = 0; i < count; ++i) p[idx(i)] = X_RI * I.vertices()[idx(i)];
  Deepest best;
  for (int f = 0; f < static_cast<int>(R.faces().size()); ++f) {
    const MeshFace& face = R.faces()[idx(f)];
    Deepest here{.face = f, .vertex = 0, .gap = std::numeric_limits<double>::infinity()};
    for (int i = 0; i < count; ++i) {
      const double gap = face.n.dot(p[idx(i)]) - face.offset;
      if (gap < here.gap) {
        here.gap = gap;
        here.vertex = i;
      }
    }
    if (here.gap > best.gap) best = here;
  }
  return best;
}

// face at the vertex that looks most against n (in I)
const MeshFace& incident_face(const ConvexMesh& I, int vertex, const Vec3& n) noexcept {
  const MeshFace* best = nullptr;
  for (const MeshFace& face : I.faces()) {
    if (std::find(face.corners.begin(), face.corners.end(), vertex) == face.corners.end()) continue;
    if (best == nullptr || face.n.dot(n) < best->n.dot(n)) best = &face;
  }
  return *best;
}

struct Corner {
  Vec3 p = Vec3::Zero();  // in R
  int vertex = -1;
  int line_in = 0;
  int line_out = 0;
};

struct Polygon {
  std::array<Corner, 2 * kMaxMeshVertices> corner;
  int count = 0;

  void add(const Corner& c) noexcept {
    if (idx(count) < corner.size()) corner[idx(count++)] = c;
  }
};

// keeps what lies on the positive side of the line through c along d, number `line`
void cut(const Polygon& in, const Vec3& c, const Vec3& inward, int line, Polygon& out) noexcept {
  out.count = 0;
  for (int i = 0; i < in.count; ++i) {
    const Corner& p = in.corner[idx(i)];
    const Corner& q = in.corner[idx((i + 1) % in.count)];
    const double dp = inward.dot(p.p - c);
    const double dq = inward.dot(q.p - c);
    const bool p_stays = dp >= -kOnSide;
    const bool q_stays = dq >= -kOnSide;
    if (p_stays) out.add(p);
    if (p_stays == q_stays) continue;
    const double t = std::clamp(dp / (dp - dq), 0.0, 1.0);
    Corner crossing{.p = p.p + t * (q.p - p.p), .vertex = -1, .line_in = 0, .line_out = 0};
    crossing.line_in = p_stays ? p.line_out : line;
    crossing.line_out = p_stays ? line : p.line_out;
    out.add(crossing);
  }
}

bool is_over(const ConvexMesh& R, const Vec3& p, double gap) noexcept {
  if (gap >= 0.0) return true;
  for (const MeshFace& face : R.faces()) {
    if (face.n.dot(p) - face.offset > 2.0 * kOnSide) return false;
  }
  return true;
}

void list_points(const ConvexMesh& R, const Pose& X_WR, const ConvexMesh& I, const Pose& X_RI,
                 const Deepest& best, double margin, Manifold& out) noexcept {
  const MeshFace& face = R.faces()[idx(best.face)];
  const MeshFace& incident = incident_face(I, best.vertex, X_RI.R.transpose() * face.n);
  Polygon polygon;
  Polygon next;
  const std::size_t corners = incident.corners.size();
  for (std::size_t i = 0; i < corners; ++i) {
    const int v = incident.corners[i];
    polygon.add({.p = X_RI * I.vertices()[idx(v)],
                 .vertex = v,
                 .line_in = incident.corners[(i + corners - 1) % corners],
                 .line_out = v});
  }
  const std::size_t sides = face.corners.size();
  for (std::size_t k = 0; k < sides && polygon.count > 0; ++k) {
    const Vec3& c = R.vertices()[idx(face.corners[k])];
    const Vec3& d = R.vertices()[idx(face.corners[(k + 1) % sides])];
    const Vec3 inward = face.n.cross(d - c).normalized();
    cut(polygon, c, inward, kMaxMeshVertices + face.corners[k], next);
    std::swap(polygon, next);
  }
  for (int i = 0; i < polygon.count; ++i) {
    const Corner& c = polygon.corner[idx(i)];
    const double gap = face.n.dot(c.p) - face.offset;
    if (gap > margin || !is_over(R, c.p, gap)) continue;
    ManifoldPoint& point = out.points[idx(out.count++)];
    // a vertex keeps its number whichever of its faces lies against R
    point = {.p = X_WR * c.p,
             .gap = gap,
             .vertex = c.vertex,
             .lines = c.vertex >= 0 ? c.vertex * 129 : c.line_in * 128 + c.line_out};
  }
}

// the face of I that lies against R's is nearly parallel to it
bool lies_flat(const ConvexMesh& R, const ConvexMesh& I, const Pose& X_RI,
               const Deepest& best) noexcept {
  const Vec3 n = X_RI.R.transpose() * R.faces()[idx(best.face)].n;
  return incident_face(I, best.vertex, n).n.dot(n) < -kFlat;
}

void take_edges(const Pose& X_WA, const EdgePair& edges, Manifold& out) noexcept {
  out.face_of_a = true;
  out.face = kTwoEdges;
  out.n = X_WA.R * edges.n;
  // no crossing has the same line twice, and no vertex a line of these
  const int line = kMaxMeshVertices + (31 * edges.edge_a + edges.edge_b) % kMaxMeshVertices;
  out.points[0] = {.p = X_WA * edges.p, .gap = edges.gap, .vertex = -1, .lines = 129 * line};
  out.count = 1;
}

}  // namespace

bool find_manifold(const ConvexMesh& A, const Pose& X_WA, const ConvexMesh& B, const Pose& X_WB,
                   double margin, Manifold& out, std::span<const MeshEdge> edges_A,
                   std::span<const MeshEdge> edges_B) noexcept {
  out.count = 0;
  const Pose X_AB = inverse(X_WA) * X_WB;
  const Deepest on_a = most_separating(A, B, X_AB);
  if (!(on_a.gap <= margin)) return false;
  const Pose X_BA = inverse(X_AB);
  const Deepest on_b = most_separating(B, A, X_BA);
  if (!(on_b.gap <= margin)) return false;
  const double ahead = kPrefer * std::min(A.reach(), B.reach());
  out.face_of_a = on_b.gap <= on_a.gap + ahead;
  const bool flat = out.face_of_a ? lies_flat(A, B, X_AB, on_a) : lies_flat(B, A, X_BA, on_b);
  EdgePair edges;
  if (!flat && find_edges(edges_A, edges_B, X_AB, edges) &&
      edges.gap > std::max(on_a.gap, on_b.gap) + ahead) {
    if (edges.gap > margin) return false;
    take_edges(X_WA, edges, out);
    return true;
  }
  if (out.face_of_a) {
    out.face = on_a.face;
    list_points(A, X_WA, B, X_AB, on_a, margin, out);
  } else {
    out.face = on_b.face;
    list_points(B, X_WB, A, X_BA, on_b, margin, out);
  }
  return true;
}

}  // namespace kagami::models
