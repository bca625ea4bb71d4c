/// What the parts of a scenario have in common: poses, surfaces, shapes, contact settings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/base/config_fwd.hpp"
#include "models/contact/method/contact_method.hpp"
#include "models/contact/scene/scene.hpp"
#include "models/contact/shape/convex_mesh.hpp"
#include "models/spatial/pose.hpp"

namespace kagami::tools {

/// Three numbers within +-limit under `key`; zero when it is absent.
Vec3 vec3_or_zero(const ConfigNode& node, std::string_view key, double limit,
                  std::string_view unit);
/// Keys "at" (m) and "rpy" (rad) or "quaternion" (w, x, y, z); identity when all are absent.
models::Pose read_pose(const ConfigNode& node);
/// Whether any of read_pose's keys is there.
bool has_pose(const ConfigNode& node);
/// Where the copies of a body start: read_pose, and with "copies" {count, offset, scatter, turned,
/// seed} the k-th of them k offsets on (m), moved by at most +-scatter (m) and, if turned, in a
/// random attitude. The numbers come from std::mt19937, the same on every machine.
std::vector<models::Pose> read_copies(const ConfigNode& node, int most);
/// Keys "velocity" (m/s, of the frame's origin) and "turn_rate" (rad/s), both in W, as V_WB_B.
models::Motion read_velocity(const ConfigNode& node, const models::Pose& X_WB);
/// Object "surface"; `fallback` for what it leaves out.
models::Surface read_surface(const ConfigNode& node, const models::Surface& fallback);
/// Exactly one of the keys "box", "wedge" (edge lengths, m), "mesh" {vertices, faces}, moved by
/// X_AS.
models::ConvexMesh read_shape(const ConfigNode& node, const std::string& name,
                              const models::Pose& X_AS);
/// Object "contact": method, its settings, max_points, max_bodies; `capacity` holds the defaults.
models::ContactSettings read_contact(const ConfigNode& root, models::ContactCapacity& capacity);
/// Object "sleep" {"time_s", "speed"}; without it no body sleeps.
models::SleepSettings read_sleep(const ConfigNode& root);

}  // namespace kagami::tools
