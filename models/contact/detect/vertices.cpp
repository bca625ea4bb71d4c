#include "models/contact/detect/vertices.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

namespace kagami::models {
namespace {

constexpr double kOnFace = 1e-9;  // m, a foot this far off the face still counts

bool near_mesh(const ConvexMesh& mesh, const Vec3& p_W, double margin, Nearness& out) noexcept {
  const MeshFace* nearest = nullptr;
  double gap = -std::numeric_limits<double>::infinity();
  for (const MeshFace& face : mesh.faces()) {
    const double above = face.n.dot(p_W) - face.offset;
    if (above > margin) return false;
    if (above > gap) {
      gap = above;
      nearest = &face;
    }
  }
  if (gap > 0.0) {
    // outside: the foot of the perpendicular must lie on the mesh
    const Vec3 foot = p_W - gap * nearest->n;
    for (const MeshFace& face : mesh.faces()) {
      if (face.n.dot(foot) - face.offset > kOnFace) return false;
    }
  }
  out = {gap, static_cast<int>(nearest - mesh.faces().data())};
  return true;
}

}  // namespace

bool near_shape(const StaticShape& shape, const Vec3& p_W, double margin, Nearness& out) noexcept {
  if (shape.mesh) return near_mesh(*shape.mesh, p_W, margin, out);
  const double gap = shape.n.dot(p_W) - shape.offset;
  if (!(gap <= margin)) return false;
  out = {gap, 0};
  return true;
}

bool may_touch(const StaticShape& shape, const Vec3& p_W, double reach, double margin) noexcept {
  const double far = reach + margin;
  if (!shape.mesh) return shape.n.dot(p_W) - shape.offset <= far;
  for (const MeshFace& face : shape.mesh->faces()) {
    if (face.n.dot(p_W) - face.offset > far) return false;
  }
  return true;
}

void tangents_of(const Vec3& n, Vec3& t1, Vec3& t2) noexcept {
  // the part of x (or y, where n is along x) that is perpendicular to n
  const Vec3 e = std::abs(n.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
  t1 = (e - n * n.dot(e)).normalized();
  t2 = n.cross(t1);
}

std::vector<FaceFrame> face_frames(const StaticShape& shape) {
  std::vector<FaceFrame> frames;
  const auto frame_along = [](const Vec3& n) {
    FaceFrame frame{.n = n};
    tangents_of(n, frame.t1, frame.t2);
    return frame;
  };
  if (!shape.mesh) {
    frames.push_back(frame_along(shape.n));
  } else {
    for (const MeshFace& face : shape.mesh->faces()) frames.push_back(frame_along(face.n));
  }
  return frames;
}

}  // namespace kagami::models
