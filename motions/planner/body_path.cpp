#include "motions/planner/body_path.hpp"

#include "models/base/errors.hpp"
#include "models/dynamics/kinematics.hpp"

namespace kagami::motions {
namespace {

models::Kinematics pose_of(const WalkingRobot& robot, const models::State& state) {
  models::Kinematics k(robot.model);
  models::forward_kinematics(robot.model, state.q, state.v, k);
  return k;
}

std::array<Vec3, 2> feet_of(const WalkingRobot& robot, const models::Kinematics& k) {
  std::array<Vec3, 2> p;
  for (std::size_t side = 0; side < 2; ++side) {
    const BodyIndex foot = robot.model.find_body(robot.feet[side]);
    if (foot < 0) throw ModelError("planner: the robot has no body " + robot.feet[side]);
    p[side] = k.X_WB[static_cast<std::size_t>(foot)].p;
  }
  return p;
}

// the joint that moves the `steps`-th body above `body`
int dof_above(const models::Model& model, BodyIndex body, int steps) {
  while (steps-- > 0) body = model.body(body).parent;
  return model.body(body).q_index;
}

}  // namespace

models::State standing_guess(const WalkingRobot& robot, double bend) {
  models::State state = models::neutral_state(robot.model);
  const std::array<Vec3, 2> feet = feet_of(robot, pose_of(robot, state));
  state.q[2] += robot.sole.below - 0.5 * (feet[0].z() + feet[1].z());
  for (const std::string& name : robot.knees) {
    const BodyIndex knee = robot.model.find_joint(name);
    if (knee < 0) throw ModelError("planner: the robot has no joint " + name);
    state.q[dof_above(robot.model, knee, 0)] = bend;
    state.q[dof_above(robot.model, knee, 1)] = -0.5 * bend;  // the hip's pitch
    for (BodyIndex b = knee + 1; b < robot.model.num_bodies(); ++b)
      if (robot.model.body(b).parent == knee) state.q[robot.model.body(b).q_index] = -0.5 * bend;
  }
  return state;
}

std::array<Vec3, 2> standing_feet(const WalkingRobot& robot) {
  return feet_of(robot, pose_of(robot, standing_guess(robot, 0.0)));
}

Vec3 standing_com(const WalkingRobot& robot) {
  return models::center_of_mass(robot.model, pose_of(robot, standing_guess(robot, 0.0)));
}

}  // namespace kagami::motions
