#include "drivers/virtual/plant_body.hpp"

#include <algorithm>

#include "models/base/errors.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

// inertia of a point mass at p about the origin
Mat3 point_inertia(double mass, const Vec3& p) {
  return mass * (p.squaredNorm() * Mat3::Identity() - p * p.transpose());
}

// welds a body to a link; both inertias about their mass centres
void weld(PlantLink& link, double mass, const Vec3& com, const Mat3& inertia) {
  const double total = link.mass + mass;
  if (total <= 0.0) return;
  const Vec3 centre = (link.mass * link.com + mass * com) / total;
  const Mat3 sum = link.inertia + point_inertia(link.mass, link.com - centre) + inertia +
                   point_inertia(mass, com - centre);
  link.inertia = sum;
  link.com = centre;
  link.mass = total;
}

double mass_scale(const models::RobotDescription& robot, const ServoSet& servos,
                  const std::string& joint) {
  const auto found = std::find(robot.joint_names.begin(), robot.joint_names.end(), joint);
  const auto place = static_cast<std::size_t>(found - robot.joint_names.begin());
  return place < servos.joints.size() ? servos.joints[place].link_mass_scale : 1.0;
}

}  // namespace

PlantBody plant_body(const models::RobotDescription& robot, const ServoSet& servos) {
  const models::Model& model = robot.model;
  PlantBody body;
  body.gravity = model.gravity();
  std::vector<PlantCarrier>& carriers = body.carrier_of_body;
  carriers.resize(static_cast<std::size_t>(model.num_bodies()));
  for (int i = 0; i < model.num_bodies(); ++i) {
    const models::Body& part = model.body(i);
    PlantCarrier carrier;
    if (part.parent != kWorld) carrier = carriers[static_cast<std::size_t>(part.parent)];
    const Mat3 R = carrier.R * part.X_PJ.R;
    const Vec3 p = carrier.p + carrier.R * part.X_PJ.p;

    if (part.joint.type == models::JointType::kRevolute) {
      PlantLink link;
      link.joint = part.joint_name;
      link.parent = carrier.link;
      link.R_PB = R;
      link.p_PB = p;
      link.axis = part.joint.axis;
      body.links.push_back(link);
      carrier = {static_cast<int>(body.links.size()) - 1, Mat3::Identity(), Vec3::Zero()};
    } else if (part.joint.type == models::JointType::kFixed) {
      carrier.R = R;
      carrier.p = p;
    } else {
      throw ModelError(robot.name + ": joint " + part.joint_name +
                       ": the virtual robot supports fixed and revolute joints only");
    }
    carriers[static_cast<std::size_t>(i)] = carrier;

    if (part.inertia.mass <= 0.0) continue;
    const double scale = mass_scale(robot, servos, part.joint_name);
    const double mass = scale * part.inertia.mass;
    const Vec3 com = part.inertia.h / part.inertia.mass;
    const Mat3 about_com = scale * part.inertia.I - point_inertia(mass, com);
    PlantLink& link =
        carrier.link == kWorld ? body.base : body.links[static_cast<std::size_t>(carrier.link)];
    weld(link, mass, carrier.p + carrier.R * com, carrier.R * about_com * carrier.R.transpose());
  }

  for (const models::CollisionBox& box : robot.boxes) {
    const PlantCarrier& carrier = carriers[static_cast<std::size_t>(box.body)];
    body.boxes.push_back(
        {carrier.link, carrier.R * box.X_BS.R, carrier.p + carrier.R * box.X_BS.p, box.size});
  }
  for (const std::string& name : robot.joint_names) {
    int found = kWorld;
    for (std::size_t k = 0; k < body.links.size(); ++k) {
      if (body.links[k].joint == name) found = static_cast<int>(k);
    }
    if (found == kWorld) {
      throw ModelError(robot.name + ": joint " + name + ": no revolute joint of this name");
    }
    body.link_of_joint.push_back(found);
  }
  return body;
}

}  // namespace kagami::drivers::virtual_robot
