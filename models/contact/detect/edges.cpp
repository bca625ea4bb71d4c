// Arcs on the Gauss map: edge a's runs from n_left to n_right, b's likewise with the signs of its
// normals turned. They cross when the ends of each lie on different sides of the other's plane, on
// one hemisphere; then a x b is the normal of a face of the Minkowski difference.
#include "models/contact/detect/edges.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

constexpr double kParallel =
    0.05;  // sine of the angle between edges: below, a face gives a better normal

const MeshFace* face_with(const ConvexMesh& mesh, int from, int to) {
  for (const MeshFace& face : mesh.faces()) {
    const std::size_t count = face.corners.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (face.corners[i] == from && face.corners[(i + 1) % count] == to) return &face;
    }
  }
  return nullptr;  // never: the mesh is closed
}

bool arcs_cross(const MeshEdge& a, const MeshEdge& b) noexcept {
  const double right_a = a.d.dot(b.n_left);
  const double left_a = a.d.dot(b.n_right);
  const double right_b = b.d.dot(a.n_left);
  const double left_b = b.d.dot(a.n_right);
  return right_a * left_a < 0.0 && right_b * left_b < 0.0;
}

}  // namespace

std::vector<MeshEdge> mesh_edges(const ConvexMesh& mesh) {
  std::vector<MeshEdge> edges;
  for (const auto& [from, to] : mesh.edges()) {
    const MeshFace* left = face_with(mesh, from, to);
    const MeshFace* right = face_with(mesh, to, from);
    if (left == nullptr || right == nullptr) continue;
    const Vec3& p = mesh.vertices()[idx(from)];
    edges.push_back(
        {.p = p, .d = mesh.vertices()[idx(to)] - p, .n_left = left->n, .n_right = right->n});
  }
  return edges;
}

bool find_edges(std::span<const MeshEdge> A, std::span<const MeshEdge> B, const Pose& X_AB,
                EdgePair& out) noexcept {
  out.edge_a = -1;
  for (int j = 0; j < static_cast<int>(B.size()); ++j) {
    const MeshEdge b{.p = X_AB * B[idx(j)].p,
                     .d = X_AB.R * B[idx(j)].d,
                     .n_left = X_AB.R * B[idx(j)].n_left,
                     .n_right = X_AB.R * B[idx(j)].n_right};
    for (int i = 0; i < static_cast<int>(A.size()); ++i) {
      const MeshEdge& a = A[idx(i)];
      if (!arcs_cross(a, b)) continue;
      Vec3 n = a.d.cross(b.d);
      const double sine2 = n.squaredNorm();
      const double aa = a.d.squaredNorm();
      const double bb = b.d.squaredNorm();
      if (sine2 < kParallel * kParallel * aa * bb) continue;
      n /= std::sqrt(sine2);
      // out of A: between the normals of its two faces; against B's
      if (n.dot(a.n_left + a.n_right) < 0.0) n = -n;
      if (n.dot(b.n_left + b.n_right) >= 0.0) continue;
      const Vec3 r = b.p - a.p;
      const double gap = n.dot(r);
      if (out.edge_a >= 0 && gap <= out.gap) continue;
      // nearest points of the two lines: r + t d_b - s d_a along n
      const double ab = a.d.dot(b.d);
      const double ra = r.dot(a.d);
      const double rb = r.dot(b.d);
      const double s = (ra * bb - rb * ab) / sine2;
      const double t = (ra * ab - rb * aa) / sine2;
      if (!(s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0)) continue;
      out = {.edge_a = i, .edge_b = j, .gap = gap, .n = n, .p = b.p + t * b.d};
    }
  }
  return out.edge_a >= 0;
}

}  // namespace kagami::models
