#include "motions/file/bind.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "motions/test/khr1_wiring.hpp"
#include "motions/test/messages.hpp"

namespace kagami::motions {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::optional<double> deg(double value) {
  return to_rad(value);
}

// two joints of board 1, one of board 0
Motion three_joints() {
  Motion m;
  m.name = "test";
  m.file = "test.json";
  m.joints = {"left_knee", "head_yaw", "right_knee"};
  m.poses = {{"first", {deg(10), deg(0), std::nullopt}, 4, 0.0},
             {"", {std::nullopt, deg(45), deg(-20)}, 3, 0.0},
             {"", {deg(12), deg(45), deg(-20)}, std::nullopt, 0.4}};
  return m;
}

std::string message(const Motion& motion, const RobotWiring& wiring = test::khr1_wiring()) {
  return test::error_of<ConfigError>([&] { bind_motion(motion, wiring); });
}

TEST(BindMotion, PutsJointsIntoModelOrderAndCompletesEveryPose) {
  const RobotWiring wiring = test::khr1_wiring();
  const Motion m = bind_motion(three_joints(), wiring);
  ASSERT_EQ(m.joints.size(), wiring.joints.size());
  for (std::size_t j = 0; j < m.joints.size(); ++j) {
    EXPECT_EQ(m.joints[j], wiring.joints[j].joint);
    for (const Pose& pose : m.poses) EXPECT_TRUE(pose.angle[j].has_value());
  }
  EXPECT_EQ(m.poses[1].angle[9], to_rad(10));  // left knee: carried over
  EXPECT_EQ(m.poses[0].angle[14], 0.0);        // right knee: not given yet, home
  EXPECT_EQ(m.poses[1].angle[14], to_rad(-20));
  EXPECT_EQ(m.poses[2].angle[5], 0.0);  // right shoulder roll: never mentioned, home
  EXPECT_TRUE(m.warnings.empty());
}

TEST(BindMotion, TakesDurationsFromTheSpeedTableOverBothBoards) {
  const Motion m = bind_motion(three_joints(), test::khr1_wiring());
  // of the first pose: from the last one, 45 deg of the head at code 4
  EXPECT_DOUBLE_EQ(m.poses[0].duration, 45 * 0.0036);
  EXPECT_DOUBLE_EQ(m.poses[1].duration, 45 * 0.0034);
  EXPECT_DOUBLE_EQ(m.poses[2].duration, 0.4);
  EXPECT_DOUBLE_EQ(m.duration(), 45 * 0.0034 + 0.4);
  EXPECT_EQ(m.poses[1].speed, 3);
  EXPECT_FALSE(m.has_speed_codes());
}

TEST(BindMotion, CountsAtLeastTheMinimumTravel) {
  Motion m = three_joints();
  m.poses[2].speed = 7;
  m.poses[2].duration = 0.0;
  EXPECT_DOUBLE_EQ(bind_motion(m, test::khr1_wiring()).poses[2].duration, 10 * 0.0178);
}

TEST(BindMotion, LeavesADurationWithoutACodeAsItIs) {
  Motion m = three_joints();
  m.poses[1].speed.reset();
  m.poses[1].duration = 0.05;  // 45 deg: less than any code takes
  EXPECT_EQ(bind_motion(m, test::khr1_wiring()).poses[1].duration, 0.05);
}

TEST(BindMotion, KeepsALongerDurationBesideACodeAndRefusesAShorter) {
  Motion m = three_joints();
  m.poses[1].duration = 0.5;
  EXPECT_DOUBLE_EQ(bind_motion(m, test::khr1_wiring()).poses[1].duration, 0.5);
  m.poses[1].duration = 0.1;
  EXPECT_THAT(message(m), AllOf(HasSubstr("test.json: pose 1: duration_s 0.1"),
                                HasSubstr("0.153 s"), HasSubstr("speed 3")));
}

TEST(BindMotion, KeepsTheDigitsOfTheFile) {
  Motion m = three_joints();
  m.poses[0].angle[0] = deg(10.4);
  m.poses[1].angle[1] = deg(44.6);
  const Motion bound = bind_motion(m, test::khr1_wiring());
  EXPECT_EQ(bound.poses[0].angle[9], to_rad(10.4));
  EXPECT_EQ(bound.poses[1].angle[0], to_rad(44.6));
  EXPECT_THAT(bound.warnings, IsEmpty());
  // the boards travel from 0 to 45 whole degrees
  EXPECT_DOUBLE_EQ(bound.poses[1].duration, 45 * 0.0034);
}

TEST(BindMotion, BindingTwiceChangesNothing) {
  const Motion once = bind_motion(three_joints(), test::khr1_wiring());
  const Motion twice = bind_motion(once, test::khr1_wiring());
  for (std::size_t p = 0; p < once.poses.size(); ++p) {
    EXPECT_EQ(twice.poses[p].angle, once.poses[p].angle);
    EXPECT_EQ(twice.poses[p].duration, once.poses[p].duration);
  }
}

TEST(BindMotion, NamesUnknownAndRepeatedJoints) {
  Motion m = three_joints();
  m.joints[1] = "head_yew";
  EXPECT_THAT(message(m), AllOf(HasSubstr("test.json: joint 1: 'head_yew' is unknown"),
                                HasSubstr("head_yaw, left_shoulder_pitch")));
  m.joints[1] = "left_knee";
  EXPECT_THAT(message(m), HasSubstr("joint 1: duplicate joint 'left_knee'"));
}

TEST(BindMotion, NamesPoseAndJointOfACountOrALimitThatDoesNotFit) {
  Motion m = three_joints();
  m.poses[2].angle[0] = deg(120);  // left knee: home 115, sign -1
  EXPECT_THAT(message(m), HasSubstr("test.json: pose 2, left_knee: 120 deg is count -5 of "
                                    "channel 15, expected 0..180"));
  RobotWiring wiring = test::khr1_wiring();
  wiring.joints[9].soft_max = to_rad(11);
  EXPECT_THAT(message(three_joints(), wiring),
              HasSubstr("pose 2, left_knee: 12 deg is outside [-65, 11] deg"));
  wiring = test::khr1_wiring();
  wiring.joints[5].soft_max = to_rad(-5);  // home itself is outside
  EXPECT_THAT(message(three_joints(), wiring),
              HasSubstr("pose 0 (first), right_shoulder_roll: 0 deg is outside [-180, -5] deg"));
  m = three_joints();
  m.poses[0].angle[0] = std::nan("");
  EXPECT_THAT(message(m), HasSubstr("pose 0 (first), left_knee: is not a finite angle"));
  m.poses[0].angle[0] = 1e300;
  EXPECT_THAT(message(m), HasSubstr("expected 0..180"));
}

TEST(BindMotion, RefusesAShapeThatNoReaderGives) {
  Motion m = three_joints();
  m.poses.clear();
  EXPECT_THAT(message(m), HasSubstr("the motion is empty"));
  m = three_joints();
  m.poses.resize(kMaxPoses + 1, m.poses[0]);
  EXPECT_THAT(message(m), HasSubstr("200001 poses, expected at most 200000"));
  m = three_joints();
  m.poses[0].angle.pop_back();
  m.poses[1].speed = 9;
  m.poses[2].duration = std::nan("");
  EXPECT_THAT(message(m), AllOf(HasSubstr("pose 0 (first): 2 angles, expected 3"),
                                HasSubstr("pose 1: speed 9, expected 0..7"),
                                HasSubstr("pose 2: duration nan s")));
  m = three_joints();
  m.poses[2].duration = 0.0;
  EXPECT_THAT(message(m), HasSubstr("pose 2: duration 0 s, expected a speed code"));
}

TEST(BindMotion, CountsAndAnglesAreInverse) {
  for (const JointWiring& joint : test::khr1_wiring().joints) {
    for (int count = 0; count <= 180; ++count) {
      EXPECT_EQ(count_of(joint, angle_of(joint, count)), count) << joint.joint;
    }
  }
}

}  // namespace
}  // namespace kagami::motions
