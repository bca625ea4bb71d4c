#include "tools/gap/drive_history.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "models/base/angle.hpp"
#include "tools/gap/explain.hpp"
#include "tools/gap/test/planted_cause.hpp"

namespace kagami::tools {
namespace {

using runtime::CycleRecord;
using test::PlantedCause;

/// The history of a recorded run whose rows were changed, from row `from` on.
DriveHistory changed_history(PlantedCause& run, int from,
                             const std::function<void(CycleRecord&)>& change) {
  run.history("squat");
  DriveHistoryBuilder builder(run.model);
  int number = 0;
  RunRecord(run.record()).for_each_row([&](const CycleRecord& recorded) {
    CycleRecord row = recorded;
    if (number++ >= from) change(row);
    builder.add(row);
  });
  return builder.take();
}

TEST(DriveHistory, HoldsWhatTheBoardsReceivedAndWhatTheShadowModelDid) {
  PlantedCause run;
  const DriveHistory history = run.history("squat");
  const std::size_t knee = run.index_of("left_knee");
  const JointDrive& drive = history.drive[knee];
  EXPECT_EQ(history.ended_early, "");
  EXPECT_NEAR(to_deg(*std::max_element(drive.ramp.begin(), drive.ramp.end())), 80.0, 0.01);
  EXPECT_NEAR(to_deg(*std::max_element(drive.angle.begin(), drive.angle.end())), 80.0, 2.0);
  EXPECT_EQ(drive.ramp.size(), drive.angle.size());
  EXPECT_EQ(drive.ramp.size(), drive.load.size());
  EXPECT_GT(history.readings[knee].measured.size(), 300u);
  EXPECT_GT(drive.inertia, 1e-5);  // kg m^2, of a shank with its foot
  EXPECT_LT(drive.inertia, 1e-2);
}

// A clock that was set would make a grid of a billion points.
TEST(DriveHistory, EndsWhereTheClockJumps) {
  PlantedCause run;
  const DriveHistory history =
      changed_history(run, 3000, [](CycleRecord& row) { row.in.now_ns += 1'000'000'000'000'000; });
  EXPECT_NE(history.ended_early.find("1000000.0 s of samples are missing after 2.99 s"),
            std::string::npos)
      << history.ended_early;
  EXPECT_LT(history.drive[0].ramp.size(), 800u);
  EXPECT_NO_THROW(static_cast<void>(explain_gap(history)));
}

TEST(DriveHistory, EndsWhereTheShadowModelWasRestarted) {
  PlantedCause run;
  const DriveHistory history = changed_history(run, 4000, [](CycleRecord& row) {
    row.out.num_events = 1;
    row.out.events[0].code = runtime::EventCode::kShadowReset;
  });
  EXPECT_NE(history.ended_early.find("left its bounds after 4.00 s"), std::string::npos)
      << history.ended_early;
}

TEST(DriveHistory, ReadingsThatAreNoNumbersAreLeftOut) {
  PlantedCause run;
  const DriveHistory history = changed_history(run, 3000, [&](CycleRecord& row) {
    row.in.sample.angle[0] = std::numeric_limits<double>::quiet_NaN();
  });
  for (const float angle : history.readings[0].measured) EXPECT_TRUE(std::isfinite(angle));
  EXPECT_LT(history.readings[0].measured.size(), history.readings[1].measured.size());
}

TEST(DriveHistory, AReadingAtTheEndOfTheRangeIsNoAngle) {
  PlantedCause run;
  const DriveHistory history = run.history("squat");
  // the shoulder's zero is the boards' count 0
  EXPECT_TRUE(history.readings[run.index_of("left_shoulder_roll")].measured.empty());
}

TEST(DriveHistory, WithoutRowsNothingIsExplained) {
  const PlantedCause run;
  const DriveHistory history = DriveHistoryBuilder(run.model).take();
  for (const JointExplanation& joint : explain_gap(history)) {
    EXPECT_EQ(joint.readings, 0u);
    EXPECT_TRUE(joint.causes.empty());
  }
}

}  // namespace
}  // namespace kagami::tools
