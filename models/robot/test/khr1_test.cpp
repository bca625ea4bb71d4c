// The shipped KHR-1 against published values: mass, sole height, the table of sole positions in
// the stock motions' poses, and the wiring of the manual.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/base_pose.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/robot/state.hpp"

namespace kagami::models {
namespace {

constexpr double kMm = 1e-3;

struct SolePose {
  const char* name;
  std::array<int, 24> count;  // absolute channel values, 225 = unused
  Vec3 left;                  // mm, sole below the ankle roll axis, in the trunk's frame
  Vec3 right;
};

// rows of Kondo's sample motions and the sole positions published for them
const std::array<SolePose, 8> kPoses{{
    {"walk forward 0",
     {9,  11, 90, 225, 225, 90,  175, 169, 90,  225, 225, 225,
      88, 80, 63, 111, 92,  225, 92,  100, 117, 69,  88,  225},
     Vec3(12.9, 23.0, -239.0),
     Vec3(12.9, -23.0, -239.0)},
    {"walk forward 2",
     {9,  11, 90, 225, 225, 60,  175, 169, 90,  225, 225, 225,
      73, 40, 1,  126, 107, 225, 75,  102, 118, 69,  102, 225},
     Vec3(7.1, 59.5, -194.7),
     Vec3(16.3, 30.5, -230.3)},
    {"walk forward 3",
     {5,  11, 90, 225, 225, 90,  150, 169, 90,  225, 225, 225,
      73, 65, 66, 93,  107, 225, 75,  102, 118, 69,  102, 225},
     Vec3(39.5, 68.4, -227.9),
     Vec3(16.3, 30.5, -230.3)},
    {"walk forward 4",
     {9,  11, 90, 225, 225, 120, 150, 169, 90,  225, 225, 225,
      97, 85, 49, 127, 80,  225, 101, 69,  114, 44,  78,  225},
     Vec3(-9.8, -3.1, -229.9),
     Vec3(-37.6, -49.9, -230.4)},
    {"walk forward 5",
     {9,  11, 90, 225, 225, 120, 175, 169, 90,  225, 225, 225,
      97, 85, 49, 127, 79,  225, 103, 107, 172, 23,  78,  225},
     Vec3(-9.8, -2.8, -229.9),
     Vec3(-16.2, -50.9, -200.4)},
    {"walk forward 6",
     {30, 11, 90, 225, 225, 120, 175, 169, 90,  225, 225, 225,
      97, 85, 49, 127, 79,  225, 102, 116, 130, 73,  76,  225},
     Vec3(-9.8, -2.8, -229.9),
     Vec3(24.8, -52.2, -227.9)},
    {"side step left 0",
     {5,  10, 90, 225, 225, 90,  175, 170, 90,  225, 225, 225,
      88, 95, 75, 110, 92,  225, 92,  85,  105, 70,  88,  225},
     Vec3(-5.8, 23.0, -244.1),
     Vec3(-5.8, -23.0, -244.1)},
    {"side step left 3",
     {5,  10,  90,  225, 225, 60,  175, 170, 90,  225, 225, 225,
      69, 115, 115, 90,  111, 225, 82,  85,  105, 70,  102, 225},
     Vec3(-4.3, 85.9, -241.4),
     Vec3(-5.8, 7.9, -241.2)},

}};

// the published sole positions leave out the small fore-and-aft offsets of hip pitch, knee and
// ankle roll: -1.3 - 0.4 + 0.2 mm
const Vec3 kDropped(-1.5, 0.0, 0.0);

class Khr1 : public ::testing::Test {
 protected:
  RobotDescription robot_ =
      read_robot_folder(std::string(KAGAMI_SOURCE_DIR) + "/models/data/khr1", BaseKind::kFixed);

  JointVector angles(const std::array<int, 24>& count) const {
    JointVector q(17);
    for (std::size_t j = 0; j < 17; ++j) {
      const JointWiring& w = robot_.wiring.joints[j];
      const int c = count[static_cast<std::size_t>(w.channel - 1)];
      q[static_cast<int>(j)] = to_rad(w.sign * (c - w.home_deg));
    }
    return q;
  }
  Vec3 frame_at(const JointVector& q, const char* frame) const {
    Kinematics k(robot_.model);
    forward_kinematics(robot_.model, q, JointVector::Zero(17), k);
    return frame_pose(k, robot_.model.frame(frame)).p;
  }
};

TEST_F(Khr1, WeighsOnePointTwoKilograms) {
  EXPECT_NEAR(robot_.model.total_mass(), 1.20, 0.005);  // kg; the published split adds to 1.202
}

TEST_F(Khr1, StandsWithItsSolesLevelBelowTheBody) {
  const JointVector zero = JointVector::Zero(17);
  // the lengths of [KS]: soles 251.9 mm below the body's centre (head of robot.urdf)
  EXPECT_LT((frame_at(zero, "l_sole") - Vec3(-5.8, 23.0, -251.9) * kMm).norm(), 0.1 * kMm);
  EXPECT_LT((frame_at(zero, "r_sole") - Vec3(-5.8, -23.0, -251.9) * kMm).norm(), 0.1 * kMm);
}

TEST_F(Khr1, SolesStandWhereTheSampleMotionsPutThem) {
  for (const SolePose& pose : kPoses) {
    SCOPED_TRACE(pose.name);
    const JointVector q = angles(pose.count);
    // 0.5 mm: rounding of the printed lengths, largest measured 0.37
    EXPECT_LT((frame_at(q, "l_sole") - (pose.left + kDropped) * kMm).cwiseAbs().maxCoeff(),
              0.5 * kMm);
    EXPECT_LT((frame_at(q, "r_sole") - (pose.right + kDropped) * kMm).cwiseAbs().maxCoeff(),
              0.5 * kMm);
  }
}

TEST_F(Khr1, IsItsOwnMirrorImage) {
  JointVector q = JointVector::Zero(17);
  const auto set = [&](const char* joint, double angle) {
    const BodyIndex body = robot_.model.find_joint(joint);
    ASSERT_GE(body, 0);
    q[robot_.model.body(body).v_index] = angle;
  };
  for (const char* joint : {"shoulder_pitch", "hip_pitch", "knee", "ankle_pitch"}) {
    set((std::string("left_") + joint).c_str(), 0.3);
    set((std::string("right_") + joint).c_str(), 0.3);
  }
  for (const char* joint : {"shoulder_roll", "elbow", "hip_roll", "ankle_roll"}) {
    set((std::string("left_") + joint).c_str(), 0.2);
    set((std::string("right_") + joint).c_str(), -0.2);
  }
  for (const char* frame : {"sole", "forearm"}) {
    const std::string left = frame[0] == 's' ? "l_sole" : "left_forearm";
    const std::string right = frame[0] == 's' ? "r_sole" : "right_forearm";
    const Vec3 l = frame_at(q, left.c_str());
    const Vec3 r = frame_at(q, right.c_str());
    EXPECT_LT((l - Vec3(r.x(), -r.y(), r.z())).norm(), 1e-15);
  }
}

TEST_F(Khr1, JointsTurnInTheSensesOfTheirNames) {
  const JointVector zero = JointVector::Zero(17);
  const auto moved = [&](const char* joint, double angle, const char* frame) {
    JointVector q = zero;
    q[robot_.model.body(robot_.model.find_joint(joint)).v_index] = angle;
    return Vec3(frame_at(q, frame) - frame_at(zero, frame));
  };
  EXPECT_GT(moved("left_hip_pitch", -0.3, "l_sole").x(), 0.04);             // thigh forward
  EXPECT_LT(moved("left_knee", 0.3, "l_sole").x(), -0.02);                  // knee bent: shin back
  EXPECT_GT(moved("left_hip_roll", 0.3, "l_sole").y(), 0.05);               // left leg outward
  EXPECT_GT(moved("left_shoulder_pitch", -0.3, "left_forearm").x(), 0.01);  // arm forward
  EXPECT_GT(moved("left_shoulder_roll", 0.3, "left_forearm").y(), 0.01);    // left arm outward
  EXPECT_LT(moved("right_shoulder_roll", -0.3, "right_forearm").y(), -0.01);
}

TEST_F(Khr1, SoftLimitsAndUrdfLimitsAreTheServosWholeRange) {
  for (std::size_t j = 0; j < 17; ++j) {
    const JointWiring& w = robot_.wiring.joints[j];
    const double a = to_rad(w.sign * (0 - w.home_deg));
    const double b = to_rad(w.sign * (180 - w.home_deg));
    EXPECT_NEAR(w.soft_min, std::min(a, b), 1e-12) << w.joint;
    EXPECT_NEAR(w.soft_max, std::max(a, b), 1e-12) << w.joint;
    const DofLimits& limits = robot_.model.limits(static_cast<int>(j));
    EXPECT_NEAR(limits.q_min, w.soft_min, 1e-8) << w.joint;  // nine printed digits
    EXPECT_NEAR(limits.q_max, w.soft_max, 1e-8) << w.joint;
    EXPECT_EQ(limits.speed, 6.16);
    EXPECT_EQ(limits.effort, 0.853);
  }
}

TEST_F(Khr1, TrunkLeansByTheStudysRollShift) {
  // hip and ankle of a leg against each other: the soles stay level
  for (std::size_t j = 0; j < 17; ++j) {
    const std::string& name = robot_.joint_names[j];
    const double hip = name == "left_hip_roll" || name == "right_hip_roll" ? -2.0 : 0.0;
    const double ankle = name == "left_ankle_roll" || name == "right_ankle_roll" ? 2.0 : 0.0;
    EXPECT_NEAR(to_deg(robot_.servos.joints[j].trim), hip + ankle, 1e-12) << name;
  }
}

TEST_F(Khr1, CollisionBoxesAreThreeQuartersOfTheLinksAndWholeFeet) {
  ASSERT_EQ(robot_.boxes.size(), 18u);
  for (const CollisionBox& box : robot_.boxes) {
    EXPECT_GE(box.body, 0);
    EXPECT_LT(box.body, robot_.model.num_bodies());
    if (box.link != "left_foot" && box.link != "right_foot") continue;
    EXPECT_NEAR((box.size - Vec3(0.0926, 0.0481, 0.027)).norm(), 0.0, 1e-12);  // m
  }
  // base above the soles when it stands upright (m)
  EXPECT_NEAR(-lowest_corner(robot_.model, robot_.boxes), 0.2519, 1e-4);
}

TEST_F(Khr1, PlantServosDifferFromTheTwins) {
  const std::string file = std::string(KAGAMI_SOURCE_DIR) + "/models/data/khr1/plant.json";
  const ServoSet plant = read_servo_file(ConfigDocument::read(file), robot_.joint_names);
  int with_play = 0;
  for (std::size_t j = 0; j < 17; ++j) {
    EXPECT_NE(plant.joints[j].filter_1, robot_.servos.joints[j].filter_1);
    EXPECT_NE(plant.joints[j].delay, robot_.servos.joints[j].delay);
    EXPECT_LE(std::abs(to_deg(plant.joints[j].trim - robot_.servos.joints[j].trim)), 1.0);
    EXPECT_EQ(plant.joints[j].coulomb_friction, 0.0);
    with_play += plant.joints[j].backlash > 0.0 || plant.joints[j].dead_band > 0.0 ? 1 : 0;
  }
  EXPECT_GT(with_play, 0);
  EXPECT_LT(with_play, 17);
}

}  // namespace
}  // namespace kagami::models
