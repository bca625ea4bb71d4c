/// What the plant's engine world consists of inside; included by its own files alone.
#pragma once

#include <ode/ode.h>

#include <Eigen/Geometry>
#include <vector>

#include "drivers/virtual/plant_ode.hpp"

namespace kagami::drivers::virtual_robot {

/// A link's frame in the world.
struct Placement {
  Mat3 R_WB = Mat3::Identity();
  Vec3 p_WB = Vec3::Zero();
};

/// Once per thread that calls the engine.
void start_engine_in_this_thread() noexcept;

struct PlantOde::State {
  PlantBody body;
  dWorldID world = nullptr;
  // of this world alone: the engine's common one stops the program when two threads step two worlds
  dThreadingImplementationID threading = nullptr;
  std::vector<dBodyID> bodies;          // per link
  std::vector<int> turns;               // per joint, whole turns beyond the engine's angle
  std::vector<double> engine_angle;     // rad, per joint, -pi..pi, of the last step
  std::vector<dJointID> hinges;         // per link: what no servo drives turns freely
  std::vector<dJointID> friction_rows;  // per joint; null: without dry friction
  dBodyID base = nullptr;               // on the floor
  bool is_held = false;                 // the base, on the floor
  double friction = 0.0;
  double friction_at_start = 0.0;
  struct Ball {
    dBodyID id = nullptr;
    dJointID weld = nullptr;
  };
  std::vector<Ball> balls;  // that ride on links; null where one has left
  double standing = 0.0;    // m, height of the base in the zero posture
  dGeomID plane = nullptr;
  std::vector<dGeomID> boxes;
  dJointGroupID contacts = nullptr;

  [[nodiscard]] dJointID hinge(int joint) const noexcept {
    const auto link = body.link_of_joint[static_cast<std::size_t>(joint)];
    return hinges[static_cast<std::size_t>(link)];
  }

  ~State() {
    for (const dGeomID box : boxes) dGeomDestroy(box);
    if (plane != nullptr) dGeomDestroy(plane);
    if (contacts != nullptr) dJointGroupDestroy(contacts);
    if (world != nullptr) dWorldDestroy(world);  // its bodies and joints go with it
    if (threading != nullptr) dThreadingFreeImplementation(threading);
  }

  // world poses of all links; q per link
  std::vector<Placement> poses(const std::vector<double>& q, const Placement& root = {}) const {
    std::vector<Placement> result(body.links.size());
    for (std::size_t k = 0; k < body.links.size(); ++k) {
      const PlantLink& link = body.links[k];
      Placement parent = root;
      if (link.parent != kWorld) parent = result[static_cast<std::size_t>(link.parent)];
      const Mat3 turn = Eigen::AngleAxisd(q[k], link.axis).toRotationMatrix();
      result[k].R_WB = parent.R_WB * link.R_PB * turn;
      result[k].p_WB = parent.p_WB + parent.R_WB * link.p_PB;
    }
    return result;
  }

  void add_bodies(const std::vector<Placement>& zero);
  void add_hinge(const PlantLink& link, dBodyID child, const Placement& place);
  dJointID add_friction(const PlantLink& link, dBodyID child, const Placement& place,
                        double torque);
  dBodyID add_body(const PlantLink& link, const Placement& place);
  void count_turns() noexcept;
  void add_floor(double floor_friction);
  void add_boxes();
  double lowest_corner(const std::vector<Placement>& links, const Placement& root) const;
  void touch_floor() noexcept;
  // null: held by the world
  dBodyID body_of(int link) const noexcept {
    return link == kWorld ? base : bodies[static_cast<std::size_t>(link)];
  }
  const Vec3& com_of(int link) const noexcept {
    return link == kWorld ? body.base.com : body.links[static_cast<std::size_t>(link)].com;
  }
  dBodyID parent_body(const PlantLink& link) const {
    return link.parent == kWorld ? base : bodies[static_cast<std::size_t>(link.parent)];
  }
};

}  // namespace kagami::drivers::virtual_robot
