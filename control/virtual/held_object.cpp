#include "control/virtual/held_object.hpp"

#include <Eigen/Geometry>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::control {

models::MassProperties box_mass(double mass, const Vec3& edges) {
  if (!(mass > 0.0) || !(edges.minCoeff() > 0.0)) {
    throw ModelError("box of " + number_text(mass) + " kg, shortest edge " +
                     number_text(edges.minCoeff()) + " m: expected both above 0");
  }
  const Vec3 s = edges.cwiseProduct(edges);
  models::MassProperties m;
  m.mass = mass;
  m.I_com = Mat3(Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y()).asDiagonal()) * (mass / 12.0);
  return m;
}

models::Model holding(const models::Model& robot, const HeldObject& object, const JointVector& q) {
  if (object.hands.empty())
    throw ModelError("object '" + object.name + "': has no hands, expected at least one");
  models::ModelBuilder builder(robot);
  models::Joint free;
  free.type = models::JointType::kFloating;
  const BodyIndex body = builder.add_body(object.name, kWorld, object.name + "_free", free,
                                          models::Pose{}, object.mass);
  models::Kinematics k(robot);
  models::forward_kinematics(robot, q, JointVector::Zero(robot.num_v()), k);
  for (const std::string& hand : object.hands) {
    const models::Frame frame = robot.frame(hand);
    // L on the object where the hand's frame is
    const models::Pose X_OL = models::inverse(object.X_WO) * models::frame_pose(k, frame);
    builder.add_loop(hand, body, X_OL, frame.body, frame.X_BF, models::Joint{});
  }
  return builder.build();
}

JointVector with_object(const JointVector& q, const models::Pose& X_WO) {
  const Eigen::Quaterniond turn = models::quaternion_of(X_WO.R);
  JointVector all(q.size() + 7);
  all << q, X_WO.p, turn.w(), turn.x(), turn.y(), turn.z();
  return all;
}

}  // namespace kagami::control
