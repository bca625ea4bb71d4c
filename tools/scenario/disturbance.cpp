#include "tools/scenario/disturbance.hpp"

#include <Eigen/Geometry>
#include <string>

#include "models/base/errors.hpp"
#include "models/robot/joint.hpp"
#include "tools/scenario/scenario_parts.hpp"

namespace kagami::tools {
namespace {

constexpr Range kTime{0.0, 1e5, "s"};
constexpr double kMostForce = 1e6;  // N

int find_system(const ConfigNode& node, const models::Scene& scene) {
  const std::string name = node.text("on");
  for (std::size_t i = 0; i < scene.systems.size(); ++i)
    if (scene.systems[i].name == name) return static_cast<int>(i);
  node.fail("on", "'" + name + "' is no body and no robot of this scenario");
}

// the moving body that a link belongs to; without the key the first one
int find_body(const ConfigNode& node, const models::Model& model) {
  if (!node.has("body")) return 0;
  const std::string name = node.text("body");
  int body = kWorld;
  try {
    body = model.frame(name).body;
  } catch (const ModelError& error) {
    node.fail("body", error.what());
  }
  if (body < 0) node.fail("body", "'" + name + "' does not move");
  return body;
}

// of a body in the world, from the chain of its parents
models::Pose pose_of(const models::Model& model, const models::State& state, int body) {
  models::Pose X_WB;
  for (int i = body; i >= 0; i = model.body(i).parent) {
    const models::Body& b = model.body(i);
    X_WB = b.X_PJ * models::joint_pose(b.joint, state.q.data() + b.q_index) * X_WB;
  }
  return X_WB;
}

}  // namespace

std::vector<Disturbance> read_disturbances(const ConfigNode& root, const models::Scene& scene) {
  std::vector<Disturbance> all;
  if (!root.has("disturbances")) return all;
  const std::vector<ConfigNode> entries = root.list("disturbances");
  if (entries.size() > static_cast<std::size_t>(kMaxDisturbances))
    root.fail("disturbances", std::to_string(entries.size()) + " entries, expected at most " +
                                  std::to_string(kMaxDisturbances));
  for (const ConfigNode& node : entries) {
    Disturbance d;
    d.system = find_system(node, scene);
    d.body = find_body(node, scene.systems[static_cast<std::size_t>(d.system)].model);
    if (!node.has("force")) node.fail("force", "is missing, expected three numbers (N)");
    d.force = vec3_or_zero(node, "force", kMostForce, "N");
    d.from = node.number("from", kTime);
    d.until = d.from + node.number("for", kTime);
    node.reject_unknown_keys();
    all.push_back(d);
  }
  return all;
}

void disturb(const std::vector<Disturbance>& all, double t, models::World& world) {
  for (const Disturbance& d : all) world.drive(d.system).F_ext.clear();
  for (const Disturbance& d : all) {
    if (t < d.from || t >= d.until) continue;
    const models::Model& model = world.model(d.system);
    std::vector<models::Force>& F_ext = world.drive(d.system).F_ext;
    F_ext.resize(static_cast<std::size_t>(model.num_bodies()), models::Force::zero());
    const models::Pose X_WB = pose_of(model, world.state(d.system), d.body);
    const Vec3 f = X_WB.R.transpose() * d.force;
    const Vec3 n = model.body(d.body).inertia.com().cross(f);
    F_ext[static_cast<std::size_t>(d.body)] += models::Force::from(n, f);
  }
}

}  // namespace kagami::tools
