#include "models/contact/shape/convex_mesh.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <utility>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

constexpr double kFlat = 1e-9;  // of the size: how far a vertex may stand above a face's plane

[[noreturn]] void refuse(const std::string& name, const std::string& problem) {
  throw ConfigError("convex mesh '" + name + "': " + problem);
}

std::string edge_text(int a, int b) {
  return "edge " + std::to_string(a) + "-" + std::to_string(b);
}

void check_vertices(const std::string& name, const std::vector<Vec3>& vertices) {
  if (vertices.size() < 4) {
    refuse(name, std::to_string(vertices.size()) + " vertices, expected at least 4");
  }
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (!vertices[i].allFinite()) refuse(name, "vertex " + std::to_string(i) + " is not finite");
  }
  if (vertices.size() > idx(kMaxMeshVertices)) {
    refuse(name, std::to_string(vertices.size()) + " vertices, expected at most " +
                     std::to_string(kMaxMeshVertices));
  }
}

void check_different(const std::string& name, const std::vector<Vec3>& vertices, double size) {
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if ((vertices[i] - vertices[j]).norm() > kFlat * size) continue;
      refuse(name, "vertex " + std::to_string(i) + " repeats vertex " + std::to_string(j));
    }
  }
}

void check_corners(const std::string& name, const std::vector<std::vector<int>>& faces, int count) {
  std::vector<bool> used(idx(count), false);
  for (std::size_t f = 0; f < faces.size(); ++f) {
    if (faces[f].size() < 3) {
      refuse(name, "face " + std::to_string(f) + " has fewer than 3 corners");
    }
    for (const int corner : faces[f]) {
      if (corner < 0 || corner >= count) {
        refuse(name, "face " + std::to_string(f) + " names vertex " + std::to_string(corner) +
                         ", expected 0.." + std::to_string(count - 1));
      }
      if (std::count(faces[f].begin(), faces[f].end(), corner) > 1) {
        refuse(name,
               "face " + std::to_string(f) + " names vertex " + std::to_string(corner) + " twice");
      }
      used[idx(corner)] = true;
    }
  }
  const auto idle = std::find(used.begin(), used.end(), false);
  if (idle == used.end()) return;
  refuse(name, "vertex " + std::to_string(idle - used.begin()) + " belongs to no face");
}

// every edge once in each direction
void check_closed(const std::string& name, const std::vector<std::vector<int>>& faces) {
  std::map<std::pair<int, int>, int> edges;
  for (const std::vector<int>& face : faces) {
    for (std::size_t k = 0; k < face.size(); ++k) {
      ++edges[{face[k], face[(k + 1) % face.size()]}];
    }
  }
  for (const auto& [edge, count] : edges) {
    if (count > 1) {
      refuse(name, edge_text(edge.first, edge.second) +
                       " appears twice in one direction: faces must be counter-clockwise");
    }
    if (edges.find({edge.second, edge.first}) == edges.end()) {
      refuse(name,
             edge_text(edge.first, edge.second) + " belongs to one face only: the mesh is open");
    }
  }
}

// Newell's sum: twice the area along the normal, for any flat polygon
Vec3 area_vector(const std::vector<Vec3>& vertices, const std::vector<int>& corners) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < corners.size(); ++k) {
    sum += vertices[idx(corners[k])].cross(vertices[idx(corners[(k + 1) % corners.size()])]);
  }
  return sum;
}

struct VolumeMoments {
  double volume = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();  // integral of x x'
};

// sum over the tetrahedra from `from` to each triangle; exact for a closed surface
VolumeMoments moments_of(const std::vector<Vec3>& vertices, const std::vector<MeshFace>& faces,
                         const Vec3& from) {
  VolumeMoments m;
  for (const MeshFace& face : faces) {
    const Vec3 a = vertices[idx(face.corners[0])] - from;
    for (std::size_t k = 1; k + 1 < face.corners.size(); ++k) {
      const Vec3 b = vertices[idx(face.corners[k])] - from;
      const Vec3 c = vertices[idx(face.corners[k + 1])] - from;
      const double volume = a.dot(b.cross(c)) / 6.0;
      const Vec3 sum = a + b + c;
      m.volume += volume;
      m.first += volume / 4.0 * sum;
      m.second +=
          volume / 20.0 *
          (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
    }
  }
  return m;
}

}  // namespace

ConvexMesh::ConvexMesh(std::string name, std::vector<Vec3> vertices,
                       std::vector<std::vector<int>> faces)
    : name_(std::move(name)), vertices_(std::move(vertices)) {
  check_vertices(name_, vertices_);
  check_corners(name_, faces, static_cast<int>(vertices_.size()));
  check_closed(name_, faces);
  Vec3 low = vertices_[0];
  Vec3 high = vertices_[0];
  for (const Vec3& v : vertices_) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
    reach_ = std::max(reach_, v.norm());
  }
  const double size = (high - low).norm();
  check_different(name_, vertices_, size);
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const Vec3 area = area_vector(vertices_, faces[f]);
    if (area.norm() <= kFlat * size * size) {
      refuse(name_, "face " + std::to_string(f) + " has no area");
    }
    MeshFace face{.corners = std::move(faces[f]), .n = area.normalized()};
    face.offset = face.n.dot(vertices_[idx(face.corners[0])]);
    for (const int corner : face.corners) {
      if (std::abs(face.n.dot(vertices_[idx(corner)]) - face.offset) > kFlat * size) {
        refuse(name_, "face " + std::to_string(f) + " is not flat");
      }
    }
    faces_.push_back(std::move(face));
  }
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
      const double above = faces_[f].n.dot(vertices_[v]) - faces_[f].offset;
      if (above > kFlat * size) {
        std::ostringstream text;
        text << "vertex " << v << " lies " << above << " m above face " << f
             << ": not convex, or the face is not counter-clockwise from outside";
        refuse(name_, text.str());
      }
    }
  }
  volume_ = moments_of(vertices_, faces_, 0.5 * (low + high)).volume;
  if (!(volume_ > kFlat * size * size * size)) refuse(name_, "the volume is zero");
}

ConvexMesh ConvexMesh::box(const std::string& name, const Vec3& size, const Pose& X_BS) {
  std::vector<Vec3> vertices;
  for (int i = 0; i < 8; ++i) {
    const Vec3 sign((i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5,
                    (i & 4) != 0 ? 0.5 : -0.5);
    vertices.push_back(X_BS * Vec3(sign.cwiseProduct(size)));
  }
  return {name,
          vertices,
          {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
}

ConvexMesh ConvexMesh::wedge(const std::string& name, const Vec3& size, const Pose& X_BS) {
  std::vector<Vec3> vertices;
  for (const double y : {-0.5 * size.y(), 0.5 * size.y()}) {
    vertices.push_back(X_BS * Vec3(0.0, y, 0.0));
    vertices.push_back(X_BS * Vec3(size.x(), y, 0.0));
    vertices.push_back(X_BS * Vec3(0.0, y, size.z()));
  }
  return {name, vertices, {{0, 1, 2}, {3, 5, 4}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}}};
}

std::vector<std::pair<int, int>> ConvexMesh::edges() const {
  std::vector<std::pair<int, int>> result;
  for (const MeshFace& face : faces_) {
    for (std::size_t k = 0; k < face.corners.size(); ++k) {
      const int a = face.corners[k];
      const int b = face.corners[(k + 1) % face.corners.size()];
      if (a < b) result.emplace_back(a, b);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

MassProperties ConvexMesh::mass_properties(double mass) const {
  const Vec3 from = vertices_[0];
  const VolumeMoments m = moments_of(vertices_, faces_, from);
  const Vec3 centre = m.first / m.volume;
  const Mat3 second = mass * (m.second / m.volume - centre * centre.transpose());
  return {.mass = mass, .com = from + centre, .I_com = second.trace() * Mat3::Identity() - second};
}

ConvexMesh ConvexMesh::moved(const Pose& X_AB) const {
  ConvexMesh result = *this;
  result.reach_ = 0.0;
  for (Vec3& v : result.vertices_) {
    v = X_AB * v;
    result.reach_ = std::max(result.reach_, v.norm());
  }
  for (MeshFace& face : result.faces_) {
    face.n = X_AB.R * face.n;
    face.offset += face.n.dot(X_AB.p);
  }
  return result;
}

}  // namespace kagami::models
