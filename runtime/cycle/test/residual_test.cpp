#include "runtime/cycle/residual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "models/base/angle.hpp"

namespace kagami::runtime {
namespace {

/// Joint 0 on board 0, joint 1 on board 1.
RobotWiring two_boards() {
  RobotWiring wiring;
  wiring.joints = {{"a", 1, 1, 90, 0, -1, 1}, {"b", 13, 1, 90, 0, -1, 1}};
  return wiring;
}

CycleOutput row(bool board_0, bool board_1, double residual, double q = 0.0) {
  CycleOutput out;
  out.residual_is_new = {board_0, board_1};
  out.residual[0] = out.residual[1] = residual;
  out.q_aligned[0] = out.q_aligned[1] = q;
  return out;
}

TEST(Residual, CountsOnlyTheJointsOfTheBoardsThatWereRenewed) {
  ResidualStatistics statistics(two_boards());
  statistics.add(row(true, false, 0.1));
  statistics.add(row(true, true, -0.3));
  statistics.add(row(false, false, 9.0));
  EXPECT_EQ(statistics.joint(0).samples, 2u);
  EXPECT_EQ(statistics.joint(1).samples, 1u);
  EXPECT_DOUBLE_EQ(statistics.joint(0).rms(), std::sqrt((0.01 + 0.09) / 2));
  EXPECT_DOUBLE_EQ(statistics.joint(0).bias(), -0.1);
  EXPECT_DOUBLE_EQ(statistics.rms(), std::sqrt((0.01 + 0.09 + 0.09) / 3));
}

TEST(Residual, HasNoStatisticsWithoutSamples) {
  const ResidualStatistics statistics(two_boards());
  EXPECT_TRUE(std::isnan(statistics.rms()));
  EXPECT_TRUE(std::isnan(statistics.joint(0).rms()));
  EXPECT_TRUE(std::isnan(statistics.joint(0).bias()));
  EXPECT_TRUE(std::isnan(statistics.joint(0).floor()));
}

TEST(Residual, LeavesOutValuesThatAreNotKnown) {
  ResidualStatistics statistics(two_boards());
  statistics.add(row(true, true, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(statistics.joint(0).samples, 0u);
}

TEST(Residual, FloorOfASweepIsThatOfUniformRounding) {
  // closed form: a uniform error of +-0.5 deg has an RMS of 1/sqrt(12) deg = 0.2887 deg
  ResidualStatistics statistics(two_boards());
  for (int k = 0; k < 36000; ++k) statistics.add(row(true, true, 0.0, to_rad(0.001 * k)));
  EXPECT_NEAR(to_deg(statistics.joint(0).floor()), 1.0 / std::sqrt(12.0), 1e-5);
}

TEST(Residual, AJointAtRestHasNoFloor) {
  ResidualStatistics statistics(two_boards());
  for (int k = 0; k < 100; ++k) statistics.add(row(true, true, 0.0, to_rad(10.4 + 0.01 * k)));
  EXPECT_TRUE(std::isnan(statistics.joint(0).floor()));
}

}  // namespace
}  // namespace kagami::runtime
