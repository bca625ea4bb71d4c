// The stack of boxes in our own world.
#include <Eigen/Geometry>
#include <algorithm>
#include <stdexcept>

#include "models/contact/world/world.hpp"
#include "tools/bench/contact/free_scenes.hpp"
#include "tools/bench/contact/our_scenes.hpp"

namespace kagami::bench {
namespace {

using namespace models;

constexpr double kG = 9.81;  // m/s^2

World make_world(const std::string& method, int boxes) {
  const Surface surface{.mu_static = kBoxFriction, .mu_kinetic = kBoxFriction};
  const ConvexMesh mesh = ConvexMesh::box("box", Vec3(kBox[0], kBox[1], kBox[2]));
  Scene scene{.systems = {}, .statics = {floor_at(0.0, surface)}};
  for (const BoxPose& box : falling_boxes(boxes)) {
    const Eigen::Quaterniond turn(box.q[0], box.q[1], box.q[2], box.q[3]);
    const Pose X_WB{turn.toRotationMatrix(), Vec3(box.p[0], box.p[1], box.p[2])};
    scene.systems.push_back(
        free_body("box" + std::to_string(scene.systems.size()), mesh, kBoxMass, surface, X_WB));
  }
  ContactSettings settings;
  settings.method = contact_method(method);
  return World(scene, settings, {.bodies = boxes, .points = 10 * boxes});
}

class OurStack : public StackSimulation {
 public:
  OurStack(const std::string& method, int boxes, double dt)
      : dt_(dt), world_(make_world(method, boxes)) {}

  void step() override { worst_ = std::max(worst_, world_.step(dt_)); }

  StackView view() override {
    if (worst_ > WorldStatus::kNotConverged) throw std::runtime_error(name(worst_));
    StackView view;
    const Triple I = box_inertia(kBoxMass, kBox);
    for (int i = 0; i < world_.num_systems(); ++i) {
      const State& s = world_.state(i);
      const Vec3 p = s.q.head<3>();
      const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> R =
          Eigen::Quaterniond(s.q[3], s.q[4], s.q[5], s.q[6]).toRotationMatrix();
      view.centre.push_back({p.x(), p.y(), p.z()});
      view.depth = std::max(view.depth, depth_of(p.data(), R.data(), kBox));
      view.energy += kBoxMass * (kG * p.z() + .5 * s.v.tail<3>().squaredNorm());
      for (int k = 0; k < 3; ++k)
        view.energy += .5 * I[static_cast<std::size_t>(k)] * s.v[k] * s.v[k];
    }
    view.force.resize(view.centre.size());
    for (int i = 0; i < world_.num_patches(); ++i) {
      const WorldPatch patch = world_.patch(i);
      if (patch.other == kStaticBody)
        view.force[static_cast<std::size_t>(patch.system)] += patch.force.local[5] / dt_;
    }
    return view;
  }

 private:
  double dt_;
  World world_;
  WorldStatus worst_ = WorldStatus::kOk;
};

}  // namespace

void add_our_stack(const std::string& method) {
  const MakeStack make = [method](int boxes, double dt) {
    return std::make_unique<OurStack>(method, boxes, dt);
  };
  add_stack_rows("/" + method, 50, make);
  add_fine_stack_row("/" + method, make);
}

}  // namespace kagami::bench
