// One cause is planted in one joint of the virtual robot, whose plant was written apart from the
// model; it must be found there, with its amount, and nowhere else.
#include "tools/gap/explain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "models/base/angle.hpp"
#include "tools/gap/gap_report.hpp"
#include "tools/gap/joint_fit.hpp"
#include "tools/gap/resimulate.hpp"
#include "tools/gap/test/planted_cause.hpp"

namespace kagami::tools {
namespace {

using test::PlantedCause;

/// The cause that explains most of the joint; nothing in all others.
void expect_only(const std::vector<JointExplanation>& joints, const std::string& where,
                 Cause cause) {
  for (const JointExplanation& joint : joints) {
    SCOPED_TRACE(joint.joint + "\n" + causes_text(joints, 0));
    if (joint.joint != where) {
      EXPECT_TRUE(joint.causes.empty());
      continue;
    }
    ASSERT_FALSE(joint.causes.empty());
    EXPECT_STREQ(cause_name(joint.causes.front().cause), cause_name(cause));
  }
}

double amount_of(const std::vector<JointExplanation>& joints, std::size_t joint) {
  return joints[joint].causes.empty() ? NAN : joints[joint].causes.front().amount;
}

double sum_of(const JointExplanation& joint) {
  return std::accumulate(joint.causes.begin(), joint.causes.end(),
                         joint.resolution + joint.unexplained,
                         [](double sum, const FoundCause& c) { return sum + c.square; });
}

TEST(Explain, ReplayOfAJointFollowsTheShadowModel) {
  PlantedCause run;
  const DriveHistory history = run.history("squat");
  std::vector<std::vector<double>> angles;
  for (std::size_t j = 0; j < history.num_joints(); ++j) {
    SCOPED_TRACE(history.names[j]);
    const JointDrive& drive = history.drive[j];
    const JointModel own{drive.servo};
    replay_joint(drive, {&own, 1}, {0, drive.ramp.size()}, history.step, angles);
    const std::vector<double>& angle = angles.front();
    ASSERT_GT(angle.size(), 1000u);
    for (std::size_t k = 0; k < angle.size(); ++k) {
      ASSERT_NEAR(to_deg(angle[k]), to_deg(drive.angle[k]), 0.6) << k;  // deg
    }
  }
}

TEST(Explain, EqualServosHaveNoCause) {
  PlantedCause run;
  const std::vector<JointExplanation> joints = explain_gap(run.history(run.short_motion()));
  expect_only(joints, "none", Cause::kTrim);
}

TEST(Explain, FindsTrim) {
  PlantedCause run;
  run.servo("left_knee").trim += to_rad(12.0);
  const auto joints = explain_gap(run.history(run.short_motion()));
  expect_only(joints, "left_knee", Cause::kTrim);
  EXPECT_NEAR(to_deg(amount_of(joints, run.index_of("left_knee"))), 12.0, 0.3);
}

TEST(Explain, FindsLatency) {
  PlantedCause run;
  run.servo("right_elbow").delay += 0.042;  // s, between two points of the grid
  const auto joints = explain_gap(run.history(run.short_motion()));
  expect_only(joints, "right_elbow", Cause::kLatency);
  EXPECT_NEAR(amount_of(joints, run.index_of("right_elbow")), 0.042, 0.001);  // s
}

TEST(Explain, FindsTwiceTheServoLag) {
  PlantedCause run;
  run.servo("left_hip_pitch").filter_1 *= 2.0;
  run.servo("left_hip_pitch").filter_2 *= 2.0;
  const auto joints = explain_gap(run.history(run.short_motion()));
  expect_only(joints, "left_hip_pitch", Cause::kServoLag);
  EXPECT_NEAR(amount_of(joints, run.index_of("left_hip_pitch")), 0.200, 0.004);  // s
}

TEST(Explain, FindsTheGainOfAReading) {
  PlantedCause run;
  run.servo("left_elbow").reading_gain = 0.06;
  const auto joints = explain_gap(run.history(run.short_motion()));
  expect_only(joints, "left_elbow", Cause::kGain);
  EXPECT_NEAR(amount_of(joints, run.index_of("left_elbow")), 0.06, 0.005);
}

// The virtual robot measures behind the play of its gear, so that its own play cannot be read: the
// readings are those of the model with play.
TEST(Explain, FindsBacklash) {
  PlantedCause run;
  DriveHistory history = run.history("identify");
  ServoSet with_play = run.model.servos;
  const std::size_t knee = run.index_of("right_knee");
  with_play.joints[knee].backlash = to_rad(2.0);
  AlignedReadings& readings = history.readings[knee];
  const DriveHistory moved = resimulate(RunRecord(run.record()), with_play).history;
  for (std::size_t i = 0; i < readings.measured.size(); ++i) {
    const double angle = to_deg(static_cast<double>(moved.readings[knee].simulated[i]));
    readings.measured[i] = static_cast<float>(to_rad(std::round(angle)));
  }
  const auto joints = explain_gap(history);
  expect_only(joints, "right_knee", Cause::kBacklash);
  EXPECT_NEAR(to_deg(amount_of(joints, knee)), 2.0, 0.3);
}

// Half of the torque is enough for everything that this robot does on the stand. One that is too
// weak to lift its limb stops where the load falls: the angle that the replay does not know.
TEST(Explain, FindsAWeakMotor) {
  PlantedCause run;
  run.servo("left_shoulder_pitch").stall_torque *= 0.3;
  const auto joints = explain_gap(run.history(run.short_motion()));
  expect_only(joints, "left_shoulder_pitch", Cause::kTorqueLimit);
  EXPECT_NEAR(amount_of(joints, run.index_of("left_shoulder_pitch")), -0.7, 0.05);
}

TEST(Explain, FindsAJammedServo) {
  PlantedCause run;
  run.more = {"--fault", "1:stuck 2"};  // left_knee, channel 15
  const auto joints = explain_gap(run.history(run.short_motion()));
  EXPECT_EQ(run.code, 5) << "the run holds, because the knee does not follow";
  expect_only(joints, "left_knee", Cause::kJammed);
}

// The wiring that sends is the wiring that reads, so that the readings are changed here.
TEST(Explain, FindsAWrongSign) {
  PlantedCause run;
  DriveHistory history = run.history(run.short_motion());
  for (float& angle : history.readings[run.index_of("left_elbow")].measured) angle = -angle;
  expect_only(explain_gap(history), "left_elbow", Cause::kSign);
}

TEST(Explain, FindsSwappedChannels) {
  PlantedCause run;
  DriveHistory history = run.history(run.short_motion());
  const std::size_t a = run.index_of("left_knee");
  const std::size_t b = run.index_of("left_ankle_pitch");
  std::swap(history.readings[a].measured, history.readings[b].measured);
  const auto joints = explain_gap(history);
  for (const std::size_t joint : {a, b}) {
    ASSERT_FALSE(joints[joint].causes.empty());
    EXPECT_EQ(joints[joint].causes.front().cause, Cause::kSwapped);
    EXPECT_EQ(joints[joint].causes.front().other_joint, static_cast<int>(joint == a ? b : a));
  }
}

TEST(Explain, SharesAddUpToTheWhole) {
  PlantedCause run;
  run.servo("left_knee").trim += to_rad(3.0);
  run.servo("left_knee").delay += 0.030;
  const auto joints = explain_gap(run.history("walk_forward"));
  for (const JointExplanation& joint : joints) {
    EXPECT_NEAR(sum_of(joint), joint.mean_square, 1e-12) << joint.joint;
  }
  double shares = 0.0;
  for (const CauseShare& share : cause_shares(joints)) shares += share.share;
  EXPECT_NEAR(shares, 1.0, 1e-9);
}

TEST(Explain, WhatAJointAtRestCannotTellIsNotIdentifiable) {
  PlantedCause run;
  const auto joints = explain_gap(run.history("squat"));
  const auto& missing = joints[run.index_of("head_yaw")].not_identifiable;
  EXPECT_EQ(std::count(missing.begin(), missing.end(), Cause::kLatency), 1);
  EXPECT_EQ(std::count(missing.begin(), missing.end(), Cause::kTrim), 0);
  const auto& knee = joints[run.index_of("left_knee")].not_identifiable;
  EXPECT_EQ(std::count(knee.begin(), knee.end(), Cause::kLatency), 0);
}

}  // namespace
}  // namespace kagami::tools
