// What a world refuses to start with: bodies inside each other.
#include "models/base/errors.hpp"
#include "models/contact/world_impl.hpp"

namespace kagami::models {
namespace {

struct Placed {
  const std::string* system = nullptr;
  const ConvexMesh* mesh = nullptr;
  Pose X_WB;
  Vec3 middle = Vec3::Zero();  // mean of the vertices, W
  double reach = 0.0;          // m, farthest vertex from there
};

Placed placed(const std::string& system, const ConvexMesh& mesh, const Pose& X_WB) {
  Placed s{&system, &mesh, X_WB, Vec3::Zero(), 0.0};
  for (const Vec3& v : mesh.vertices()) s.middle += X_WB * v;
  s.middle /= static_cast<double>(mesh.vertices().size());
  for (const Vec3& v : mesh.vertices()) s.reach = std::max(s.reach, (X_WB * v - s.middle).norm());
  return s;
}

bool inside(const Vec3& p_W, const Placed& s) {
  const Vec3 p = s.X_WB.R.transpose() * (p_W - s.X_WB.p);
  return std::all_of(s.mesh->faces().begin(), s.mesh->faces().end(),
                     [&](const MeshFace& face) { return face.n.dot(p) < face.offset; });
}

bool swallows(const Placed& outer, const Placed& s) {
  return std::all_of(s.mesh->vertices().begin(), s.mesh->vertices().end(),
                     [&](const Vec3& v) { return inside(s.X_WB * v, outer); });
}

}  // namespace

// no shape starts wholly inside one of another system, no two with their middles in each other
void World::Impl::check_apart() const {
  std::vector<Placed> all;
  for (const System& s : systems) {
    for (const Shape& shape : s.shapes) {
      all.push_back(
          placed(s.name, shape.mesh, s.bodies->X_WB[static_cast<std::size_t>(shape.body)]));
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Placed& a = all[i];
    for (std::size_t j = 0; j < i; ++j) {
      const Placed& b = all[j];
      if (a.system == b.system || (a.middle - b.middle).norm() >= a.reach + b.reach) continue;
      const bool crossed = inside(a.middle, b) && inside(b.middle, a);
      if (!crossed && !swallows(b, a) && !swallows(a, b)) continue;
      throw ConfigError("scene: " + *a.system + ": " + a.mesh->name() + " starts inside " +
                        b.mesh->name() + " of " + *b.system +
                        ", expected an overlap of less than half of either");
    }
  }
}

}  // namespace kagami::models
