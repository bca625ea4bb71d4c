#include "tools/analysis/holds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

/// Steps of `model_deg` every 2 s; each takes 0.5 s. The robot is `off_deg` away in each.
ReadingPairs steps(const std::vector<double>& model_deg, const std::vector<double>& off_deg) {
  ReadingPairs pairs;
  for (std::size_t k = 0; k < model_deg.size(); ++k) {
    const double from = k == 0 ? model_deg[0] : model_deg[k - 1];
    for (double t = 0.0; t < 2.0; t += 0.02) {
      const double q = from + (model_deg[k] - from) * std::min(1.0, t / 0.5);
      const double still_moves =
          k > 0 && t < 0.7 ? 4.0 : 0.0;  // deg: the robot arrives 0.2 s later
      pairs.time.push_back(2.0 * static_cast<double>(k) + t);
      pairs.simulated.push_back(to_rad(q));
      pairs.measured.push_back(to_rad(q - off_deg[k] - still_moves));
      pairs.half_width.push_back(0.0);
    }
  }
  return pairs;
}

TEST(Holds, TrimIsTheMeanDifferenceWithoutArrival) {
  const auto holds = find_holds(steps({0, 20, -10}, {1.5, 1.5, 1.5}));
  ASSERT_TRUE(holds);
  EXPECT_EQ(holds->count, 3u);
  EXPECT_NEAR(to_deg(holds->bias), 1.5, 0.01);
  ASSERT_TRUE(holds->spread);
  EXPECT_NEAR(to_deg(*holds->spread), 0.0, 0.01);
}

TEST(Holds, SagThatDependsOnThePoseIsTheirSpread) {
  const auto holds = find_holds(steps({0, 20}, {1.0, 3.0}));
  ASSERT_TRUE(holds && holds->spread);
  EXPECT_NEAR(to_deg(holds->bias), 2.0, 0.02);
  EXPECT_NEAR(to_deg(*holds->spread), 1.0, 0.02);
}

TEST(Holds, OnePoseHasNoSpreadAndAMovingJointNoHold) {
  const auto rest = find_holds(steps({5, 5, 5}, {1, 1, 1}));
  ASSERT_TRUE(rest);
  EXPECT_FALSE(rest->spread);
  ReadingPairs moving = steps({0, 0, 0}, {0, 0, 0});
  for (std::size_t i = 0; i < moving.size(); ++i) moving.simulated[i] = moving.time[i];
  EXPECT_FALSE(find_holds(moving));
  EXPECT_FALSE(find_holds({}));
}

}  // namespace
}  // namespace kagami::tools
