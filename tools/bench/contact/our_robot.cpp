// The robot on the ground in our own world.
#include <algorithm>
#include <stdexcept>

#include "models/contact/world/world.hpp"
#include "models/dynamics/energy.hpp"
#include "models/dynamics/kinematics.hpp"
#include "tools/bench/contact/our_scenes.hpp"
#include "tools/bench/contact/robot_scene.hpp"
#include "tools/bench/our_model.hpp"

namespace kagami::bench {
namespace {

using namespace models;

Vec3 vec3(const Triple& t) {
  return {t[0], t[1], t[2]};
}

Pose sole_pose() {
  return {Mat3::Identity(), Vec3(0.0, 0.0, kSoleZ)};
}

World make_world(const ModelDef& def, const std::string& method) {
  const Surface surface{.mu_static = kRobotFriction, .mu_kinetic = kRobotFriction};
  SceneSystem robot{.name = "robot", .model = our_model(def), .start = {}, .shapes = {}};
  robot.start = neutral_state(robot.model);
  robot.start.q[2] = kRobotHeight;
  for (const int foot : feet(def))
    robot.shapes.push_back({.body = foot,
                            .mesh = ConvexMesh::box("sole", vec3(kSole), sole_pose()),
                            .surface = surface});
  ContactSettings settings;
  settings.method = contact_method(method);
  return World({.systems = {robot}, .statics = {floor_at(0.0, surface)}}, settings);
}

class OurRobot : public RobotSim {
 public:
  explicit OurRobot(const std::string& method)
      : def_(khr1_standing()),
        servo_(def_),
        world_(make_world(def_, method)),
        kinematics_(world_.model(0)) {}

  void reset(double drop) override {
    State& s = world_.state(0);
    s = neutral_state(world_.model(0));
    s.q[2] = kRobotHeight + drop;
    world_.forget();
  }

  void step(double a) override {
    const State& s = world_.state(0);
    JointVector& tau = world_.drive(0).tau;
    for (int k = 0; k + 6 < tau.size(); ++k) tau[6 + k] = servo_.tau(k, a, s.q[7 + k], s.v[6 + k]);
    status_ = world_.step(kRobotStep);
    worst_ = std::max(worst_, status_);
  }

  RobotView view() override {
    // an answer that is admissible but not exact is judged by the result
    if (worst_ > WorldStatus::kNotConverged) throw std::runtime_error(name(worst_));
    const State& s = world_.state(0);
    forward_kinematics(world_.model(0), s.q, s.v, kinematics_);
    RobotView view;
    view.exact = status_ == WorldStatus::kOk;
    std::size_t corner = 0;
    std::size_t axis = 0;
    for (const int foot : feet(def_)) {
      const Pose X_WS = kinematics_.X_WB[static_cast<std::size_t>(foot)] * sole_pose();
      for (const double x : {-.5, .5})
        for (const double y : {-.5, .5})
          view.corner_z[corner++] = (X_WS * Vec3(x * kSole[0], y * kSole[1], -.5 * kSole[2])).z();
      view.sole_xy[axis++] = X_WS.p.x();
      view.sole_xy[axis++] = X_WS.p.y();
    }
    for (const WorldContact& c : world_.contacts()) {
      view.force += c.force.local[0] / kRobotStep;
      view.carrying += c.force.local[0] > 0.0 ? 1 : 0;
    }
    for (int i = 0; i < world_.num_patches(); ++i)
      view.force += world_.patch(i).force.local[5] / kRobotStep;
    // a patch has no corners of its own: those of the soles that lie in it, skin and all
    const double skin = VolumetricSettings{}.skin;
    if (world_.num_patches() > 0 && view.force > 0.0)
      view.carrying = static_cast<int>(std::count_if(view.corner_z.begin(), view.corner_z.end(),
                                                     [=](double z) { return z < skin; }));
    view.energy = kinetic_energy(world_.model(0), s.v, kinematics_) +
                  potential_energy(world_.model(0), kinematics_);
    return view;
  }

 private:
  ModelDef def_;
  SquatServo servo_;
  World world_;
  Kinematics kinematics_;
  WorldStatus status_ = WorldStatus::kOk;
  WorldStatus worst_ = WorldStatus::kOk;
};

}  // namespace

void add_our_robot(const std::string& method) {
  add_robot_rows("/" + method, [method] { return std::make_unique<OurRobot>(method); });
}

}  // namespace kagami::bench
