#include "models/robot/robot_folder.hpp"

#include <gtest/gtest.h>

namespace kagami::models {
namespace {

const std::string kFolder = std::string(KAGAMI_SOURCE_DIR) + "/models/data/khr1";

TEST(RobotFolder, Khr1HasEighteenBodiesInTheOrderOfItsJointList) {
  const RobotDescription robot = read_robot_folder(kFolder, BaseKind::kFixed);
  EXPECT_EQ(robot.name, "khr1");
  EXPECT_EQ(robot.model.num_bodies(), 18);
  EXPECT_EQ(robot.model.num_v(), 17);
  ASSERT_EQ(robot.joint_names.size(), 17u);
  EXPECT_EQ(robot.joint_names.front(), "head_yaw");
  EXPECT_EQ(robot.joint_names[9], "left_knee");
  EXPECT_EQ(robot.joint_names.back(), "right_ankle_roll");
  EXPECT_EQ(robot.wiring.joints[9].channel, 15);
  EXPECT_TRUE(robot.notices.empty());
  EXPECT_NEAR(robot.model.total_mass(), 1.20, 0.005);  // kg, rounding of the published sum
}

TEST(RobotFolder, FloatingBaseAddsSixDegreesOfFreedomInFront) {
  const RobotDescription robot = read_robot_folder(kFolder, BaseKind::kFloating);
  EXPECT_EQ(robot.model.num_v(), 23);
  EXPECT_EQ(robot.model.num_q(), 24);
  EXPECT_EQ(robot.model.body(1).v_index, 6);
}

}  // namespace
}  // namespace kagami::models
