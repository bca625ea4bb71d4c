// What autotune is for: the walk on the stand, led by gains found on the twins, against the
// thesis's gains on the shipped plant and on twenty drawn ones. Long; prints its lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "models/base/angle.hpp"
#include "runtime/test/support/run_case.hpp"
#include "tools/tune/autotune.hpp"
#include "tools/tune/test/tune_case.hpp"
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

// RMS over the joints of reference minus reading, each at the time of its own reading
double rms_of_record(const std::vector<runtime::CycleRecord>& rows) {
  double squares = 0.0;
  double count = 0.0;
  std::array<std::int64_t, kMaxBoards> last{};
  std::size_t then = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const runtime::Phase phase = rows[i].out.phase;
    for (std::size_t b = 0; b < last.size(); ++b) {
      const std::int64_t sampled_ns = rows[i].in.sample.reading[b].sampled_ns;
      if (sampled_ns == last[b]) continue;
      last[b] = sampled_ns;
      if (phase != runtime::Phase::kPlaying && phase != runtime::Phase::kSettling) continue;
      for (then = i; then > 0 && rows[then].in.now_ns > sampled_ns;) --then;
      for (std::size_t j = 0; j < khr1_on_stand().joint_names.size(); ++j) {
        if (khr1_on_stand().wiring.joints[j].board() != static_cast<int>(b)) continue;
        const double e = rows[then].out.q_ref[j] - rows[i].in.sample.angle[j];
        squares += e * e;
        count += 1.0;
      }
    }
  }
  return std::sqrt(squares / count);
}

TEST(Tracking, InTheLoopIsThatOfARecordedRun) {
  const test::TempDir folder;
  runtime::RunConfig config = test::shipped_run("walk_forward", folder.path());
  config.gains_file = test::kRoot + "/control/data/gains/awa_2009.json";
  (void)runtime::run(config, {});
  const double recorded = rms_of_record(test::rows_of(folder.path() / "run.mcap"));
  RobotLoop robot = test::robot_loop(test::plant_servos());
  const auto controller = make_loop_controller(khr1_on_stand(), test::gains_text("awa_2009"));
  const double seen =
      track(khr1_on_stand(), robot, controller.get(), test::shipped_motion("walk_forward")).all;
  // whole degrees and the part of the settling that a run leaves out
  EXPECT_NEAR(to_deg(recorded), to_deg(seen), 0.02 * to_deg(seen));
}

}  // namespace
}  // namespace kagami::tools
