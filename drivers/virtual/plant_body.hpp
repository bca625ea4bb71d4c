/// The robot's body as the plant needs it: moving links, their joints, their masses; nothing else.
#pragma once

#include <string>
#include <vector>

#include "models/base/types.hpp"
#include "models/robot/robot_folder.hpp"

namespace kagami::drivers::virtual_robot {

/// A link B that turns against its parent P about one axis. B coincides with the joint frame at
/// joint angle 0.
struct PlantLink {
  std::string joint;             ///< name
  int parent = kWorld;           ///< index of the parent link; kWorld: the base
  Mat3 R_PB = Mat3::Identity();  ///< at joint angle 0
  Vec3 p_PB = Vec3::Zero();      ///< m
  Vec3 axis = Vec3::UnitX();     ///< in B
  double mass = 0.0;             ///< kg
  Vec3 com = Vec3::Zero();       ///< m, in B
  Mat3 inertia = Mat3::Zero();   ///< kg m^2 about the mass centre, axes of B
};

/// A box that rides on a link, for the floor.
struct PlantBox {
  int link = kWorld;  ///< kWorld: on the base
  Mat3 R_BS = Mat3::Identity();
  Vec3 p_BS = Vec3::Zero();  ///< m, the box's middle in the link's frame
  Vec3 size = Vec3::Zero();  ///< m, edge lengths
};

/// The link that carries a body of the model, and where the body's frame is on it.
struct PlantCarrier {
  int link = kWorld;  ///< kWorld: the base
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();  ///< m
};

/// Parents stand before children. Joint j of the model order turns link_of_joint[j].
struct PlantBody {
  std::vector<PlantLink> links;
  std::vector<int> link_of_joint;
  PlantLink base;               ///< mass and inertia of the root link; part of the world on a stand
  std::vector<PlantBox> boxes;  ///< what touches the floor
  std::vector<PlantCarrier> carrier_of_body;  ///< per body of the model
  Vec3 gravity = Vec3(0.0, 0.0, -9.81);       ///< m/s^2, world
};

/// The body of a robot folder that was read with a fixed base. Links on fixed joints become part of
/// what carries them. The servos of the plant name the masses of links that differ from the
/// folder's. Throws ModelError for joints other than fixed and revolute.
PlantBody plant_body(const models::RobotDescription& robot, const ServoSet& servos);

}  // namespace kagami::drivers::virtual_robot
