// Counts and radians, the plausibility of readings, and what turnarounds teach.
#include "drivers/rcb1/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "drivers/rcb1/protocol.hpp"
#include "drivers/rcb1/reading_gate.hpp"
#include "drivers/rcb1/turnaround.hpp"
#include "drivers/test/support/fake_boards.hpp"
#include "drivers/test/support/worked_frames.hpp"
#include "models/base/angle.hpp"
#include "models/base/test/support/milliseconds.hpp"

namespace kagami::drivers::rcb1 {
namespace {

using test::all;
using test::kMs;
using test::small_wiring;

TEST(Calibration, CountIsHomePlusSignTimesDegrees) {
  const Calibration calibration(small_wiring());
  JointArray<double> angle{};
  angle[0] = to_rad(10.0);   // left_arm: channel 1, sign 1, home 90
  angle[1] = to_rad(10.0);   // right_arm: channel 7, sign -1, home 90
  angle[3] = to_rad(-30.0);  // left_hip: channel 13, sign 1, home 115
  angle[4] = to_rad(-30.0);  // right_hip: channel 19, sign -1, home 65
  ChannelCounts counts{};
  int joint = -1;
  ASSERT_EQ(calibration.to_counts(0, angle, counts, joint), IoStatus::kOk);
  EXPECT_EQ(counts, (ChannelCounts{100, 225, 225, 225, 225, 90, 80, 225, 225, 225, 225, 225}));
  ASSERT_EQ(calibration.to_counts(1, angle, counts, joint), IoStatus::kOk);
  EXPECT_EQ(counts, (ChannelCounts{85, 225, 115, 225, 225, 225, 95, 225, 225, 225, 225, 225}));
}

TEST(Calibration, EveryLegalCountSurvivesTheWayToRadiansAndBack) {
  const Calibration calibration(small_wiring());
  for (int count = 0; count <= 180; ++count) {
    ChannelCounts counts{};
    counts.fill(static_cast<std::uint8_t>(count));
    JointArray<double> angle{};
    for (int b = 0; b < 2; ++b) {
      calibration.to_angles(b, counts, angle);
      ChannelCounts again{};
      int joint = -1;
      ASSERT_EQ(calibration.to_counts(b, angle, again, joint), IoStatus::kOk);
      for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
        const auto i = static_cast<std::size_t>(slot);
        EXPECT_EQ(again[i], calibration.joint_at(b, slot) < 0 ? kOutputLow : counts[i]);
      }
    }
  }
}

TEST(Calibration, MirroredAnglesGiveMirroredCountsAlsoAtHalves) {
  const Calibration calibration(small_wiring());
  for (int halves = -180; halves <= 180; ++halves) {
    JointArray<double> angle{};
    angle[0] = angle[1] = to_rad(0.5 * halves);
    ChannelCounts counts{};
    int joint = -1;
    ASSERT_EQ(calibration.to_counts(0, angle, counts, joint), IoStatus::kOk);
    EXPECT_EQ(counts[6], 180 - counts[0]) << halves;  // right = 180 - left
    EXPECT_LE(std::abs(counts[0] - 90 - 0.5 * halves), 0.5);
  }
}

TEST(Calibration, AngleOutsideTheServosRangeIsRefusedByName) {
  const Calibration calibration(small_wiring());
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad_deg : {91.0, -91.0, 1e300, -inf, inf, std::nan("")}) {
    JointArray<double> angle{};
    angle[2] = to_rad(bad_deg);  // head
    ChannelCounts counts{};
    counts.fill(7);
    int joint = -1;
    EXPECT_EQ(calibration.to_counts(0, angle, counts, joint), IoStatus::kRefused) << bad_deg;
    EXPECT_EQ(joint, 2);
    EXPECT_EQ(counts[0], 7);  // untouched
    EXPECT_EQ(calibration.to_counts(1, angle, counts, joint), IoStatus::kOk);
  }
}

TEST(Calibration, AJointBeyondItsRangeIsReadAtItsEndAndTheOthersOfItsBoardAreReadAsWell) {
  const Calibration calibration(small_wiring());
  JointArray<double> q{};
  q[0] = to_rad(97.4);  // left_arm: home 90, up to 90 degrees
  q[1] = to_rad(-1e5);  // right_arm, mirrored
  q[2] = to_rad(12.6);  // head
  JointArray<double> angle{};
  calibration.read_angles(0, q, angle);
  EXPECT_NEAR(to_deg(angle[0]), 90.0, 1e-12);
  EXPECT_NEAR(to_deg(angle[1]), -90.0, 1e-12);
  EXPECT_NEAR(to_deg(angle[2]), 13.0, 1e-12);
  q[2] = std::nan("");
  calibration.read_angles(0, q, angle);
  EXPECT_NEAR(to_deg(angle[2]), 13.0, 1e-12);  // as it was
}

TEST(Calibration, RandomAnglesNeverProduceAnIllegalCount) {
  const Calibration calibration(small_wiring());
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-4.0, 4.0);
  for (int i = 0; i < 20'000; ++i) {
    JointArray<double> angle{};
    for (double& a : angle) a = uniform(random);
    ChannelCounts counts{};
    int joint = -1;
    if (calibration.to_counts(i % 2, angle, counts, joint) != IoStatus::kOk) continue;
    for (const std::uint8_t c : counts) EXPECT_TRUE(c <= kMaxCount || c == kOutputLow);
  }
}

TEST(Calibration, SpecialCodesLeaveTheirJointAlone) {
  const Calibration calibration(small_wiring());
  JointArray<double> angle{};
  angle[0] = 0.25;
  ChannelCounts counts{};
  counts.fill(kFree);
  calibration.to_angles(0, counts, angle);
  EXPECT_EQ(angle[0], 0.25);
}

std::array<bool, kChannelsPerBoard> all_used() {
  std::array<bool, kChannelsPerBoard> used{};
  used.fill(true);
  return used;
}

TEST(ReadingGate, RefusesZerosAndUsedChannelsAboveTheRangeOnly) {
  std::array<bool, kChannelsPerBoard> used{};
  used[3] = true;
  ReadingGate gate(used);
  EXPECT_FALSE(gate.accept(all(0), 0));
  EXPECT_EQ(gate.refused_slot(), -1);
  EXPECT_FALSE(gate.accept(all(181), 0));
  EXPECT_EQ(gate.refused_slot(), 3);
  ChannelCounts odd = all(250);
  odd[3] = 180;
  EXPECT_TRUE(gate.accept(odd, 0));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(gate.accept(all(0), i * 10 * kMs));
}

TEST(ReadingGate, SpeedLimitIs357DegreesPerSecondPlusFive) {
  // after 100 ms: 35.7 + 5 = 40.7 deg
  for (const auto& [step_deg, believed] : {std::pair{40, true}, std::pair{41, false}}) {
    ReadingGate gate(all_used());
    ASSERT_TRUE(gate.accept(all(90), 0));
    ChannelCounts moved = all(90);
    moved[7] = static_cast<std::uint8_t>(90 + step_deg);
    EXPECT_EQ(gate.accept(moved, 100 * kMs), believed);
    if (!believed) {
      EXPECT_EQ(gate.refused_slot(), 7);
    }
  }
}

TEST(ReadingGate, ThreeRefusedReadingsThatAgreeAreBelieved) {
  ReadingGate gate(all_used());
  ASSERT_TRUE(gate.accept(all(90), 0));
  EXPECT_FALSE(gate.accept(all(150), 10 * kMs));
  EXPECT_FALSE(gate.accept(all(151), 20 * kMs));
  EXPECT_TRUE(gate.accept(all(152), 30 * kMs));
  EXPECT_TRUE(gate.accept(all(153), 40 * kMs));
}

TEST(ReadingGate, RefusedReadingsThatDisagreeAreNeverBelieved) {
  ReadingGate gate(all_used());
  ASSERT_TRUE(gate.accept(all(90), 0));
  for (int i = 1; i < 20; ++i) {
    EXPECT_FALSE(gate.accept(all(i % 2 == 0 ? 150 : 30), 100'000 + i)) << i;
  }
  EXPECT_TRUE(gate.accept(all(91), 10 * kMs));  // and the truth is still accepted
  gate.forget();
  EXPECT_TRUE(gate.accept(all(10), 11 * kMs));
}

TEST(Turnaround, MinimumIsThatOfTheLast256) {
  Turnaround turnaround;
  EXPECT_FALSE(turnaround.known());
  EXPECT_EQ(turnaround.allowance_ns(5 * kMs), kReplyLimitNs);
  turnaround.add(-7);  // the host cannot see the answer before it began
  EXPECT_EQ(turnaround.min_ns(), 0);
  for (int i = 0; i < 255; ++i) turnaround.add(2 * kMs + i);
  EXPECT_EQ(turnaround.min_ns(), 0);
  turnaround.add(9 * kMs);
  EXPECT_EQ(turnaround.min_ns(), 2 * kMs);
  EXPECT_EQ(turnaround.max_ns(), 9 * kMs);
}

TEST(Turnaround, AllowanceDoublesWithEachTimeOutUpToTheReference) {
  Turnaround turnaround;
  turnaround.add(1 * kMs);
  EXPECT_EQ(turnaround.allowance_ns(2 * kMs), 3 * kMs);
  turnaround.timed_out();
  EXPECT_EQ(turnaround.allowance_ns(2 * kMs), 6 * kMs);
  for (int i = 0; i < 20; ++i) turnaround.timed_out();
  EXPECT_EQ(turnaround.allowance_ns(2 * kMs), kReplyLimitNs);
  turnaround.add(4 * kMs);
  EXPECT_EQ(turnaround.allowance_ns(2 * kMs), 6 * kMs);
}

}  // namespace
}  // namespace kagami::drivers::rcb1
