// Margin, slip, lying and times of rows whose outcome is known.
#include "tools/check/motion_watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "models/base/angle.hpp"
#include "tools/test/source_folder.hpp"

namespace kagami::tools {
namespace {

using runtime::CycleRecord;
using runtime::Phase;

const std::filesystem::path kKhr1 = test::kSource / "models/data/khr1";

/// Rows every 10 ms of a KHR-1 that stands in its zero posture.
struct StandingRows {
  models::RobotDescription robot = models::read_robot_folder(kKhr1, models::BaseKind::kFloating);
  MotionWatch watch{robot, 6.0};
  CycleRecord row;

  StandingRows() {
    row.out.base.z = 0.2519;  // m, robot.urdf
    row.out.phase = Phase::kPlaying;
  }
  void add(int count = 1, double motion_time_each = 0.01) {
    for (int k = 0; k < count; ++k) {
      watch.add(row);
      row.in.now_ns += 10'000'000;
      row.out.motion_time += motion_time_each;
    }
  }
};

/// Mass centre and soles of the standing robot by numbers of the URDF alone: without rotations
/// every link is the sum of the joints' origins away.
struct UrdfSums {
  double x = 0.0, y = 0.0;  // m, mass centre
  double front = -1.0, back = 1.0, left = -1.0, right = 1.0;

  UrdfSums() {
    std::ifstream in(kKhr1 / "robot.urdf");
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto numbers = [](const std::string& s) {
      std::istringstream stream(s);
      std::array<double, 3> v{};
      stream >> v[0] >> v[1] >> v[2];
      return v;
    };
    const std::regex joint(
        "<joint name=\"[^\"]+\" type=\"revolute\">\\s*<parent link=\"([^\"]+)\"/>\\s*<child "
        "link=\"([^\"]+)\"/>\\s*<origin xyz=\"([^\"]+)\"");
    std::map<std::string, std::array<double, 3>> place{{"base_link", {0, 0, 0}}};
    for (std::sregex_iterator it(text.begin(), text.end(), joint), end; it != end; ++it) {
      const auto parent = place.at((*it)[1]);
      auto here = numbers((*it)[3]);
      for (std::size_t i = 0; i < 3; ++i) here[i] += parent[i];
      place[(*it)[2]] = here;
    }
    const std::regex link(
        "<link name=\"([^\"]+)\">\\s*<inertial>\\s*<origin xyz=\"([^\"]+)\"[^>]*>\\s*<mass "
        "value=\"([^\"]+)\"");
    double mass = 0.0;
    for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it) {
      const auto at = place.at((*it)[1]);
      const auto com = numbers((*it)[2]);
      const double m = std::stod((*it)[3]);
      mass += m;
      x += m * (at[0] + com[0]);
      y += m * (at[1] + com[1]);
    }
    x /= mass;
    y /= mass;
    const std::regex foot(
        "<link name=\"((?:left|right)_foot)\">[\\s\\S]*?<collision>\\s*<origin "
        "xyz=\"([^\"]+)\"[^>]*>\\s*<geometry><box size=\"([^\"]+)\"");
    for (std::sregex_iterator it(text.begin(), text.end(), foot), end; it != end; ++it) {
      const auto at = place.at((*it)[1]);
      const auto middle = numbers((*it)[2]);
      const auto size = numbers((*it)[3]);
      front = std::max(front, at[0] + middle[0] + 0.5 * size[0]);
      back = std::min(back, at[0] + middle[0] - 0.5 * size[0]);
      left = std::max(left, at[1] + middle[1] + 0.5 * size[1]);
      right = std::min(right, at[1] + middle[1] - 0.5 * size[1]);
    }
  }
  [[nodiscard]] double margin() const {
    return std::min({front - x, x - back, left - y, y - right});
  }
};

TEST(MotionWatch, MarginOfAStandingRobotIsTheOneOfTheUrdf) {
  StandingRows rows;
  rows.add(3);
  const UrdfSums urdf;
  ASSERT_GT(urdf.margin(), 0.02);  // m
  for (const double margin : rows.watch.margin) EXPECT_NEAR(margin, urdf.margin(), 1e-9);
  EXPECT_EQ(rows.watch.outside, 0.0);
  EXPECT_NEAR(rows.watch.supported, 0.02, 1e-12);  // s
}

TEST(MotionWatch, BesideItsFeetTheMarginIsNegativeAndCounted) {
  StandingRows rows;
  const std::vector<std::string>& names = rows.robot.joint_names;
  const auto joint = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  rows.add(2);
  // feet flat, the robot leaning forward by 45 deg: the mass is far in front
  for (const char* side : {"left", "right"})
    rows.row.out.q_simulated[joint(std::string(side) + "_ankle_pitch")] = to_rad(-45.0);
  rows.row.out.base.turn = {std::cos(to_rad(22.5)), 0.0, std::sin(to_rad(22.5)), 0.0};
  // lower the robot until its soles are on the floor
  PosedBody body(rows.robot);
  rows.row.out.base.z = 0.0;
  ASSERT_TRUE(body.set(rows.row.out.q_simulated, rows.row.out.base));
  double lowest = 1.0;
  for (const models::CollisionBox& box : rows.robot.boxes)
    for (const Vec3& corner : models::corners(box)) {
      const models::Pose& X_WB = body.kinematics().X_WB[static_cast<std::size_t>(box.body)];
      lowest = std::min(lowest, (X_WB.R * corner + X_WB.p).z());
    }
  rows.row.out.base.z = -lowest;
  rows.add(2);
  EXPECT_LT(rows.watch.least_margin.value, -0.02);  // m
  EXPECT_EQ(rows.watch.least_margin.sample, 2u);
  EXPECT_NEAR(rows.watch.outside, 0.02, 1e-12);  // s
}

TEST(MotionWatch, AFootThatIsMovedSlidesByThatMuchAndAnewAfterALift) {
  StandingRows rows;
  rows.add();
  const auto move = [&](int count) {
    for (int k = 0; k < count; ++k) {
      rows.row.out.base.x += 0.001;
      rows.add();
    }
  };
  move(7);
  ASSERT_EQ(rows.watch.slips.size(), 2u);
  for (const FootSlip& slip : rows.watch.slips) EXPECT_NEAR(slip.distance, 0.007, 1e-12);  // m
  rows.row.out.base.z += 0.01;
  move(20);  // in the air
  rows.row.out.base.z -= 0.01;
  rows.add();
  move(5);
  for (const FootSlip& slip : rows.watch.slips) EXPECT_NEAR(slip.distance, 0.007, 1e-12);
  move(3);
  for (const FootSlip& slip : rows.watch.slips) {
    EXPECT_NEAR(slip.distance, 0.008, 1e-12);
    EXPECT_EQ(slip.sample, rows.watch.margin.size() - 1);
  }
}

TEST(MotionWatch, LyingIsAStretchWithoutMarginAndSlip) {
  StandingRows rows;
  rows.add(2);
  rows.row.out.fell = true;
  for (int k = 0; k < 3; ++k) {
    rows.row.out.base.x += 0.05;
    rows.add();
  }
  rows.row.out.fell = false;
  rows.add(2);
  ASSERT_EQ(rows.watch.lying.size(), 1u);
  EXPECT_EQ(rows.watch.lying[0].first, 2u);
  EXPECT_EQ(rows.watch.lying[0].last, 4u);
  EXPECT_TRUE(std::isnan(rows.watch.margin[3]));
  EXPECT_EQ(rows.watch.slips[0].distance, 0.0);
}

TEST(MotionWatch, TimeIsTheMotionsAndGoesOnBeyondIt) {
  StandingRows rows;
  rows.row.out.phase = Phase::kLeadIn;
  rows.add(3, 0.0);
  rows.row.out.phase = Phase::kPlaying;
  rows.add(4, 0.02);  // at twice the speed
  rows.row.out.phase = Phase::kSettling;
  rows.row.out.motion_time -= 0.02;
  rows.add(2, 0.0);
  const std::vector<double> times = rows.watch.times();
  const std::vector<double> expected = {-0.03, -0.02, -0.01, 0.0, 0.02, 0.04, 0.06, 0.07, 0.08};
  ASSERT_EQ(times.size(), expected.size());
  for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(times[k], expected[k], 1e-12) << k;
}

TEST(MotionWatch, RowsWithoutAPoseOrWithAnOldTimeAreLeftOut) {
  StandingRows rows;
  rows.row.out.q_simulated[3] = NAN;
  rows.add();
  EXPECT_TRUE(rows.watch.times().empty());
  rows.row.out.q_simulated[3] = 0.0;
  rows.add();
  rows.watch.add(rows.row);
  rows.watch.add(rows.row);  // the same time once more
  EXPECT_EQ(rows.watch.times().size(), 2u);
}

TEST(MotionWatch, SpeedAndTorqueAreSharesOfTheirLimits) {
  StandingRows rows;
  rows.row.out.qd_ref[2] = -3.0;  // of 6 rad/s
  rows.row.out.torque_simulated[5] = 0.4265;
  rows.add(2);
  EXPECT_NEAR(rows.watch.speed_share[1], 0.5, 1e-12);
  EXPECT_NEAR(rows.watch.torque_share[1], 0.4265 / rows.robot.servos.joints[5].stall_torque, 1e-12);
}

// the simulations let a lying robot down onto the floor: no load of the motion
TEST(MotionWatch, ALyingStartHasNoLoadBeforeTheMotion) {
  for (const motions::Start start : {motions::Start::kStanding, motions::Start::kLyingFront}) {
    StandingRows rows;
    MotionWatch watch(rows.robot, 6.0, start);
    const auto add = [&](Phase phase, double torque) {
      rows.row.out.phase = phase;
      rows.row.out.torque_simulated[5] = torque;
      watch.add(rows.row);
      rows.row.in.now_ns += 10'000'000;
    };
    add(Phase::kLeadIn, 0.0);
    add(Phase::kLeadIn, 0.4);
    add(Phase::kPlaying, 0.1);
    const bool is_standing = start == motions::Start::kStanding;
    EXPECT_EQ(watch.loads[5].top_torque(), is_standing ? 0.4 : 0.1);
    EXPECT_EQ(watch.loads[5].top_sample(), is_standing ? 1u : 2u);
    EXPECT_EQ(std::isnan(watch.torque_share[1]), !is_standing);
  }
}

}  // namespace
}  // namespace kagami::tools
