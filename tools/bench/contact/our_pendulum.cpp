// The pendulum on the ground in our own world.
#include <algorithm>
#include <stdexcept>

#include "models/contact/world/world.hpp"
#include "models/dynamics/energy.hpp"
#include "models/dynamics/kinematics.hpp"
#include "tools/bench/contact/free_scenes.hpp"
#include "tools/bench/contact/our_scenes.hpp"
#include "tools/bench/our_model.hpp"

namespace kagami::bench {
namespace {

using namespace models;

Pose link_pose() {
  return {Mat3::Identity(), Vec3(0.0, 0.0, kLinkZ)};
}

World make_world(const std::string& method) {
  const Surface surface{.mu_static = kLinkFriction, .mu_kinetic = kLinkFriction};
  SceneSystem chain{
      .name = "pendulum", .model = our_model(ground_pendulum()), .start = {}, .shapes = {}};
  chain.start = neutral_state(chain.model);
  chain.start.q[0] = kFirstAngle;
  const Vec3 size(kLink[0], kLink[1], kLink[2]);
  for (int i = 0; i < chain.model.num_bodies(); ++i)
    chain.shapes.push_back(
        {.body = i, .mesh = ConvexMesh::box("link", size, link_pose()), .surface = surface});
  ContactSettings settings;
  settings.method = contact_method(method);
  return World({.systems = {chain}, .statics = {floor_at(0.0, surface)}}, settings);
}

class OurPendulum : public PendulumSim {
 public:
  OurPendulum(const std::string& method, double dt)
      : dt_(dt), world_(make_world(method)), kinematics_(world_.model(0)) {}

  void step() override { worst_ = std::max(worst_, world_.step(dt_)); }

  PendulumView view() override {
    // an answer that is admissible but not exact is judged by the result
    if (worst_ > WorldStatus::kNotConverged) throw std::runtime_error(name(worst_));
    const State& s = world_.state(0);
    forward_kinematics(world_.model(0), s.q, s.v, kinematics_);
    PendulumView view;
    view.energy = kinetic_energy(world_.model(0), s.v, kinematics_) +
                  potential_energy(world_.model(0), kinematics_);
    view.depth = -1.0;
    for (const Pose& X_WB : kinematics_.X_WB) {
      const Pose X_WL = X_WB * link_pose();
      const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> R = X_WL.R;
      view.depth = std::max(view.depth, depth_of(X_WL.p.data(), R.data(), kLink));
    }
    view.speed = s.v.cwiseAbs().maxCoeff();
    for (const WorldContact& c : world_.contacts()) view.force += c.force.local[0] / dt_;
    for (int i = 0; i < world_.num_patches(); ++i)
      if (world_.patch(i).other == kStaticBody) view.force += world_.patch(i).force.local[5] / dt_;
    return view;
  }

 private:
  double dt_;
  World world_;
  Kinematics kinematics_;
  WorldStatus worst_ = WorldStatus::kOk;
};

}  // namespace

void add_our_pendulum(const std::string& method) {
  add_pendulum_rows("/" + method,
                    [method](double dt) { return std::make_unique<OurPendulum>(method, dt); });
}

}  // namespace kagami::bench
