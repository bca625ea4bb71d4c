#include "tools/experiments/hoap_robot.hpp"

#include "models/base/errors.hpp"
#include "models/robot/read_model.hpp"

namespace kagami::tools {
namespace {

using motions::WalkingRobot;

constexpr int kJoints = 20;
constexpr double kSoleBelow = 0.040;   // m, below the ankle
constexpr double kFootHeight = 0.039;  // m

// box that rides on a body: edge lengths and middle (m)
struct Part {
  const char* body;
  Vec3 size;
  Vec3 middle;
};

std::vector<Part> parts() {
  const Vec3 foot(0.094, 0.062, kFootHeight);
  const Vec3 on_foot(0.0038, 0.0, 0.5 * kFootHeight - kSoleBelow);
  // slim and short enough that legs and arms pass each other and the feet tilt under the shins
  const Vec3 thigh(0.04, 0.03, 0.08);
  const Vec3 on_thigh(0.0, 0.0, -0.05);
  const Vec3 shin(0.03, 0.03, 0.05);
  const Vec3 on_shin(0.0, 0.0, -0.035);
  const Vec3 upper_arm(0.04, 0.04, 0.09);
  const Vec3 on_upper_arm(0.0, 0.0, -0.06);
  const Vec3 forearm(0.03, 0.03, 0.06);
  const Vec3 on_forearm(0.0, 0.0, -0.03);
  return {{"left_foot", foot, on_foot},
          {"right_foot", foot, on_foot},
          {"trunk", {0.12, 0.13, 0.15}, {-0.027, 0.0, 0.11}},
          {"trunk", {0.059, 0.059, 0.07}, {0.002, 0.0, 0.21}},
          {"left_thigh", thigh, on_thigh},
          {"right_thigh", thigh, on_thigh},
          {"left_shin", shin, on_shin},
          {"right_shin", shin, on_shin},
          {"left_upper_arm", upper_arm, on_upper_arm},
          {"right_upper_arm", upper_arm, on_upper_arm},
          {"left_forearm", forearm, on_forearm},
          {"right_forearm", forearm, on_forearm}};
}

}  // namespace

WalkingRobot hoap1(const DataFolders& data) {
  WalkingRobot robot;
  robot.model = models::read_model(find_robot(data, "hoap1"), models::BaseKind::kFloating).model;
  if (robot.model.num_v() != 6 + kJoints)
    throw ModelError("robot hoap1 has " + std::to_string(robot.model.num_v()) +
                     " degrees of freedom, expected " + std::to_string(6 + kJoints));
  robot.feet = {"left_foot", "right_foot"};
  robot.knees = {"left_knee", "right_knee"};
  const Part foot = parts().front();
  robot.sole = {foot.middle.x() - 0.5 * foot.size.x(), foot.middle.x() + 0.5 * foot.size.x(),
                -0.5 * foot.size.y(), 0.5 * foot.size.y(), kSoleBelow};
  return robot;
}

models::Scene hoap_scene(const WalkingRobot& robot, const models::State& start,
                         const models::Surface& surface) {
  models::SceneSystem system;
  system.name = "hoap1";
  system.model = robot.model;
  system.start = start;
  for (const Part& part : parts()) {
    const BodyIndex body = robot.model.find_body(part.body);
    if (body < 0) throw ModelError("robot hoap1 has no body " + std::string(part.body));
    models::Pose X_BS;
    X_BS.p = part.middle;
    system.shapes.push_back({body, models::ConvexMesh::box(part.body, part.size, X_BS), surface});
  }
  models::Scene scene;
  scene.systems.push_back(std::move(system));
  scene.statics.push_back(models::floor_at(0.0, surface));
  return scene;
}

}  // namespace kagami::tools
