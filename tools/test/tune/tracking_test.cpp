// What autotune is for: the walk on the stand, led by gains found on the twins, against the
// thesis's gains on the shipped plant and on twenty drawn ones. Long; prints its lines.
#include <gtest/gtest.h>

#include <cstdio>

#include "models/base/angle.hpp"
#include "tools/test/tune/tune_case.hpp"
#include "tools/tune/autotune.hpp"
#include "tools/tune/track.hpp"

namespace kagami::tools {
namespace {

using test::khr1_on_stand;

TEST(Tracking, OfTheWalkIsHalvedByAutotuneOnTheShippedPlantAndOnDrawnOnes) {
  const std::string awa = test::gains_text("awa_2009");
  AutotuneSettings settings;
  settings.joint = -1;
  const AutotuneResult found = autotune(khr1_on_stand(), awa, {}, {}, settings);
  const std::string tuned = gain_set_text(awa, found.after, "tuned", "");
  const motions::Motion walk = test::shipped_motion("walk_forward");
  const std::vector<PlantRow> rows =
      compare_on_plants(khr1_on_stand(), test::kRobotFolder, awa, tuned, walk, 20, 1001);
  int good = 0;
  for (const PlantRow& row : rows) {
    const bool is_less = row.rms_after <= 0.6 * row.rms_before;
    const bool is_calm = row.overshoot_after <= 5.0;  // %
    std::printf("%5lu  %6.2f -> %5.2f deg RMS  %5.1f -> %4.1f %% overshoot\n",
                static_cast<unsigned long>(row.seed), to_deg(row.rms_before), to_deg(row.rms_after),
                row.overshoot_before, row.overshoot_after);
    if (row.seed == 0) {
      EXPECT_TRUE(is_less && is_calm);  // the shipped plant
    } else if (is_less && is_calm) {
      ++good;
    }
  }
  EXPECT_EQ(rows.size(), 21u);
  EXPECT_GE(good, 18);
}

}  // namespace
}  // namespace kagami::tools
