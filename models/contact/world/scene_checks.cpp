#include "models/contact/world/scene_checks.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "models/base/errors.hpp"

namespace kagami::models {
namespace {

// contacts are numbered by system, shape, vertex and static shape
void check_counts(const Scene& scene) {
  const auto check = [](std::size_t count, std::size_t limit, const std::string& what) {
    if (count <= limit) return;
    throw ConfigError("scene: " + std::to_string(count) + " " + what + ", expected at most " +
                      std::to_string(limit));
  };
  check(scene.systems.size(), 32766, "systems");
  check(scene.statics.size(), 262143, "static shapes");
  std::size_t shapes = 0;
  for (const SceneSystem& s : scene.systems) {
    shapes += s.shapes.size();
    check(s.shapes.size(), 4095, "shapes of " + s.name);
    for (const BodyShape& shape : s.shapes) {
      check(shape.mesh.vertices().size(), 262143, "vertices of " + shape.mesh.name());
    }
  }
  check(shapes, 1048575, "shapes");
}

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

bool inside(const Placed& s, const Placed& outer) {
  return std::all_of(s.mesh->vertices().begin(), s.mesh->vertices().end(),
                     [&](const Vec3& v) { return inside(s.X_WB * v, outer); });
}

// throws when a shape is wholly inside one of another system, or two have their middles in each
// other
void check_apart(std::span<const WorldSystem> systems) {
  std::vector<Placed> all;
  for (const WorldSystem& s : systems) {
    for (const SystemShape& shape : s.shapes) {
      all.push_back(placed(s.name, shape.mesh, s.pose(shape.body)));
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Placed& a = all[i];
    for (std::size_t j = 0; j < i; ++j) {
      const Placed& b = all[j];
      if (a.system == b.system || (a.middle - b.middle).norm() >= a.reach + b.reach) continue;
      const bool crossed = inside(a.middle, b) && inside(b.middle, a);
      if (!crossed && !inside(a, b) && !inside(b, a)) continue;
      throw ConfigError("scene: " + *a.system + ": " + a.mesh->name() + " starts inside " +
                        b.mesh->name() + " of " + *b.system +
                        ", expected an overlap of less than half of either");
    }
  }
}

}  // namespace

void check_scene(const Scene& scene) {
  check_counts(scene);
  std::set<std::string> names;
  for (const SceneSystem& s : scene.systems) {
    if (!names.insert(s.name).second) {
      throw ConfigError("scene: two systems named '" + s.name + "'");
    }
    const std::string problem = state_problem(s.model, s.start.q, s.start.v);
    if (!problem.empty()) throw ModelError("scene: " + s.name + ": " + problem);
    for (const BodyShape& shape : s.shapes) {
      check_surface(shape.surface, "scene: " + s.name + ": " + shape.mesh.name());
    }
  }
  for (const StaticShape& s : scene.statics) {
    check_surface(s.surface, "scene: " + s.name);
    if (!s.n.allFinite() || std::abs(s.n.norm() - 1.0) > 1e-9 || !std::isfinite(s.offset)) {
      throw ConfigError("scene: " + s.name + ": expected a unit normal and a finite offset");
    }
  }
}

void check_start(std::span<const WorldSystem> systems, std::span<const StaticShape> statics) {
  for (const WorldSystem& s : systems) {
    if (!s.bodies->begin(s.state, s.drive, 1e-3)) {
      throw ModelError("scene: " + s.name + ": its acceleration at the start is not finite");
    }
    for (const SystemShape& shape : s.shapes) {
      const Pose& X_WB = s.pose(shape.body);
      const double size = 2.0 * shape.box.half.norm();
      for (const StaticShape& other : statics) {
        for (const Vec3& v : shape.mesh.vertices()) {
          Nearness near;
          if (!near_shape(other, X_WB * v, 0.0, near) || near.gap >= -0.5 * size) continue;
          throw ConfigError("scene: " + s.name + ": " + shape.mesh.name() + " starts " +
                            std::to_string(-near.gap) + " m deep in " + other.name +
                            ", expected less than half its size of " + std::to_string(size) + " m");
        }
      }
    }
  }
  check_apart(systems);
}

}  // namespace kagami::models
