#include "tools/scenario/scenario_parts.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;

constexpr Range kPlace{-1e4, 1e4, "m"};
constexpr Range kAngle{-1e3, 1e3, "rad"};
constexpr Range kSize{1e-6, 1e3, "m"};
constexpr Range kCoefficient{0.0, 1e3, ""};
constexpr double kUnitError = 1e-6;  // files carry quaternions with some 10 digits

Mat3 read_turn(const ConfigNode& node) {
  if (node.has("rpy") && node.has("quaternion"))
    node.fail("quaternion", "is given together with rpy; expected one of them");
  if (node.has("rpy")) {
    const std::vector<double> a = node.numbers("rpy", 3, kAngle);
    return models::rotation_rpy(a[0], a[1], a[2]);
  }
  if (!node.has("quaternion")) return Mat3::Identity();
  const std::vector<double> x = node.numbers("quaternion", 4, {-1.0, 1.0, ""});
  const Eigen::Quaterniond q(x[0], x[1], x[2], x[3]);
  if (std::abs(q.norm() - 1.0) > kUnitError)
    node.fail("quaternion",
              "has length " + number_text(q.norm()) + ", expected a unit quaternion w, x, y, z");
  return models::rotation_of(q.normalized());
}

std::vector<std::vector<int>> read_faces(const ConfigNode& node, int vertices) {
  std::vector<std::vector<int>> faces;
  if (!node.has("faces")) node.fail("faces", "is missing");
  const json& list = node.raw().at("faces");
  if (!list.is_array()) node.fail("faces", "is not a list of lists of vertex numbers");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = "faces/" + std::to_string(i);
    if (!list[i].is_array()) node.fail(place, "is not a list of vertex numbers");
    std::vector<int>& face = faces.emplace_back();
    for (const json& corner : list[i]) {
      if (!corner.is_number_integer() || corner < 0 || corner >= vertices)
        node.fail(place, corner.dump().substr(0, 60) +
                             " is not the number of a vertex, expected 0.." +
                             std::to_string(vertices - 1));
      face.push_back(corner.get<int>());
    }
  }
  return faces;
}

models::ConvexMesh read_mesh(const ConfigNode& node, const std::string& name) {
  if (!node.has("vertices")) node.fail("vertices", "is missing");
  const json& list = node.raw().at("vertices");
  if (!list.is_array()) node.fail("vertices", "is not a list of points");
  const int count = static_cast<int>(list.size());
  if (count > models::kMaxMeshVertices)
    node.fail("vertices", std::to_string(list.size()) + " points, expected at most " +
                              std::to_string(models::kMaxMeshVertices));
  const std::vector<double> x = node.matrix("vertices", count, 3, kPlace);
  std::vector<Vec3> vertices;
  for (std::size_t i = 0; i < list.size(); ++i)
    vertices.emplace_back(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
  std::vector<std::vector<int>> faces = read_faces(node, count);
  for (const std::string& key : node.keys())
    if (key != "vertices" && key != "faces")
      node.fail(key, "is unknown, expected: faces, vertices");
  return {name, std::move(vertices), std::move(faces)};
}

void read_volumetric(const ConfigNode& contact, models::VolumetricSettings& v) {
  const std::optional<ConfigNode> node = contact.find_object("volumetric");
  if (!node) return;
  v.compensation = node->number_or("compensation", v.compensation, {0.0, 1e6, "1/s"});
  v.compensation_speed =
      node->number_or("compensation_speed", v.compensation_speed, {0.0, 1e3, "m/s"});
  v.skin = node->number_or("skin", v.skin, {0.0, 1.0, "m"});
  v.rest_depth = node->number_or("rest_depth", v.rest_depth, {0.0, 1.0, "m"});
  v.pyramid_edges =
      static_cast<int>(node->integer_or("pyramid_edges", v.pyramid_edges, {3.0, 64.0, ""}));
  v.restitution_speed =
      node->number_or("restitution_speed", v.restitution_speed, {0.0, 1e3, "m/s"});
  v.slip_speed = node->number_or("slip_speed", v.slip_speed, {0.0, 1.0, "m/s"});
  v.accuracy = node->number_or("accuracy", v.accuracy, {1e-12, 1e3, "m/s^2"});
  v.relative_accuracy = node->number_or("relative_accuracy", v.relative_accuracy, {0.0, 1.0, ""});
  v.max_sweeps = static_cast<int>(node->integer_or("max_sweeps", v.max_sweeps, {1.0, 1e4, ""}));
  node->reject_unknown_keys();
}

Vec3 size_under(const ConfigNode& node, std::string_view key) {
  const std::vector<double> x = node.numbers(key, 3, kSize);
  return {x[0], x[1], x[2]};
}

}  // namespace

Vec3 vec3_or_zero(const ConfigNode& node, std::string_view key, double limit,
                  std::string_view unit) {
  if (!node.has(key)) return Vec3::Zero();
  const std::vector<double> x = node.numbers(key, 3, {-limit, limit, unit});
  return {x[0], x[1], x[2]};
}

models::Pose read_pose(const ConfigNode& node) {
  return {read_turn(node), vec3_or_zero(node, "at", kPlace.max, "m")};
}

std::vector<models::Pose> read_copies(const ConfigNode& node, int most) {
  const models::Pose first = read_pose(node);
  const std::optional<ConfigNode> copies = node.find_object("copies");
  if (!copies) return {first};
  const auto count = copies->integer("count", {1.0, static_cast<double>(most), ""});
  const Vec3 offset = vec3_or_zero(*copies, "offset", 1e3, "m");
  const Vec3 scatter = vec3_or_zero(*copies, "scatter", 1e3, "m");
  const bool turned = copies->boolean_or("turned", false);
  std::mt19937 random(
      static_cast<unsigned>(copies->integer_or("seed", 1, {0.0, 4294967295.0, ""})));
  copies->reject_unknown_keys();
  // -1..1 from the generator's own numbers: the library's distributions differ between machines
  const auto draw = [&random] { return static_cast<double>(random()) / 2147483647.5 - 1.0; };
  std::vector<models::Pose> poses;
  for (std::int64_t k = 0; k < count; ++k) {
    models::Pose& X = poses.emplace_back(first);
    X.p += static_cast<double>(k) * offset;
    for (int i = 0; i < 3; ++i) X.p[i] += draw() * scatter[i];
    if (!turned) continue;
    // evenly over all attitudes: a point of the ball in four dimensions
    Eigen::Vector4d q;
    do {
      for (int i = 0; i < 4; ++i) q[i] = draw();
    } while (q.norm() > 1.0 || q.norm() < 0.1);
    q.normalize();
    X.R = models::rotation_of(Eigen::Quaterniond(q[0], q[1], q[2], q[3])) * first.R;
  }
  return poses;
}

bool has_pose(const ConfigNode& node) {
  return node.has("at") || node.has("rpy") || node.has("quaternion");
}

models::Motion read_velocity(const ConfigNode& node, const models::Pose& X_WB) {
  const Vec3 v = vec3_or_zero(node, "velocity", 1e4, "m/s");
  const Vec3 w = vec3_or_zero(node, "turn_rate", 1e4, "rad/s");
  return models::Motion::from(X_WB.R.transpose() * w, X_WB.R.transpose() * v);
}

models::Surface read_surface(const ConfigNode& node, const models::Surface& fallback) {
  const std::optional<ConfigNode> found = node.find_object("surface");
  if (!found) return fallback;
  models::Surface s;
  // who names the static coefficient alone means both
  s.mu_static = found->number_or("mu_static", fallback.mu_static, kCoefficient);
  s.mu_kinetic = found->number_or(
      "mu_kinetic", found->has("mu_static") ? s.mu_static : fallback.mu_kinetic, kCoefficient);
  s.restitution = found->number_or("restitution", fallback.restitution, {0.0, 1.0, ""});
  found->reject_unknown_keys();
  models::check_surface(s, found->where());
  return s;
}

models::ConvexMesh read_shape(const ConfigNode& node, const std::string& name,
                              const models::Pose& X_AS) {
  constexpr std::array<std::string_view, 3> kKinds = {"box", "wedge", "mesh"};
  std::string_view kind;
  for (const std::string_view k : kKinds) {
    if (!node.has(k)) continue;
    if (!kind.empty())
      node.fail(k, "is given together with " + std::string(kind) + "; expected one shape");
    kind = k;
  }
  if (kind.empty()) node.fail("box", "is missing: expected one of the shapes box, wedge, mesh");
  if (kind != "mesh") {
    const Vec3 size = size_under(node, kind);
    try {
      return kind == "box" ? models::ConvexMesh::box(name, size, X_AS)
                           : models::ConvexMesh::wedge(name, size, X_AS);
    } catch (const ConfigError& error) {  // edges too different for each other
      node.fail(kind, error.what());
    }
  }
  const ConfigNode mesh = node.object(kind);
  try {
    return read_mesh(mesh, name).moved(X_AS);
  } catch (const ConfigError& error) {
    const std::string what = error.what();
    // the reader's message names the file already; the mesh's message does not
    if (what.rfind(mesh.where(), 0) == 0) throw;
    throw ConfigError(mesh.where() + ": " + what);
  }
}

models::ContactSettings read_contact(const ConfigNode& root, models::ContactCapacity& capacity) {
  models::ContactSettings s;
  const std::optional<ConfigNode> node = root.find_object("contact");
  if (!node) return s;
  if (node->has("method")) {
    try {
      s.method = models::contact_method(node->text("method"));
    } catch (const ConfigError& error) {
      node->fail("method", error.what());
    }
  }
  s.relaxation = node->number_or("relaxation", s.relaxation, {1e-12, 1e3, ""});
  s.compensation = node->number_or("compensation", s.compensation, {0.0, 1e6, "1/s"});
  s.compensation_speed =
      node->number_or("compensation_speed", s.compensation_speed, {0.0, 1e3, "m/s"});
  s.friction_smoothing =
      node->number_or("friction_smoothing", s.friction_smoothing, {1e-9, 1e9, "s/m"});
  s.restitution_speed =
      node->number_or("restitution_speed", s.restitution_speed, {0.0, 1e3, "m/s"});
  s.stick_speed = node->number_or("stick_speed", s.stick_speed, {0.0, 1.0, "m/s"});
  s.max_iterations =
      static_cast<int>(node->integer_or("max_iterations", s.max_iterations, {1.0, 10000.0, ""}));
  read_volumetric(*node, s.volumetric);
  capacity.points =
      static_cast<int>(node->integer_or("max_points", capacity.points, {1.0, 100000.0, ""}));
  capacity.bodies =
      static_cast<int>(node->integer_or("max_bodies", capacity.bodies, {1.0, 1000.0, ""}));
  node->reject_unknown_keys();
  return s;
}

models::SleepSettings read_sleep(const ConfigNode& root) {
  models::SleepSettings s;
  const std::optional<ConfigNode> node = root.find_object("sleep");
  if (!node) return s;
  s.time = node->number("time_s", {1e-6, 1e5, "s"});
  s.speed = node->number_or("speed", s.speed, {1e-12, 1e3, "m/s; rad/s"});
  node->reject_unknown_keys();
  return s;
}

}  // namespace kagami::tools
