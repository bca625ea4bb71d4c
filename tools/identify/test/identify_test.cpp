// Virtual robots with servos that the fit does not know, whose plant was written apart from the
// model.
#include "tools/identify/identify.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "tools/gap/resimulate.hpp"
#include "tools/gap/test/planted_cause.hpp"
#include "tools/identify/test/blind_robot.hpp"

namespace kagami::tools {
namespace {

using test::BlindRobot;
using test::CommandCase;
using test::PlantedCause;

TEST(Resimulate, GivesTheRecordsOwnAnglesBitForBit) {
  PlantedCause run;
  const DriveHistory recorded = run.history("squat");
  const DriveHistory again = resimulate(RunRecord(run.record()), run.model.servos).history;
  ASSERT_EQ(recorded.num_joints(), again.num_joints());
  for (std::size_t j = 0; j < recorded.num_joints(); ++j) {
    EXPECT_EQ(recorded.drive[j].angle, again.drive[j].angle) << recorded.names[j];
    EXPECT_EQ(recorded.readings[j].simulated, again.readings[j].simulated) << recorded.names[j];
  }
}

// Another seed is no worse: identify_long_test draws twenty.
TEST(Identify, FindsServosThatItDoesNotKnowAndPredictsAnotherMotion) {
  BlindRobot blind(2);
  const Identification found = blind.identified({"identify"}, "walk_forward");
  int found_joints = 0;
  for (std::size_t j = 0; j < found.joints.size(); ++j) {
    const ServoParameters& truth = blind.robot.servos.joints[j];
    const ServoParameters& fitted = found.servos.joints[j];
    const bool has_lag = std::abs(test::lag_of(fitted) - test::lag_of(truth)) < 0.002;  // s
    const bool has_trim = std::abs(fitted.trim - truth.trim) < to_rad(0.3);
    const bool has_play = std::abs(fitted.backlash - truth.backlash) < to_rad(0.3);
    if (has_lag && has_trim && has_play) ++found_joints;
  }
  EXPECT_GE(found_joints, 16) << "of 17 joints";
  EXPECT_GT(to_deg(found.records.back().before), 1.0);      // deg RMS; there was something to find
  EXPECT_LT(to_deg(found.records.back().predicted), 0.45);  // deg RMS; rounding alone makes 0.29
}

TEST(Identify, TheFileIsATwinForReplay) {
  PlantedCause run;
  run.servo("left_knee").trim += to_rad(3.0);
  run.history("squat");
  CommandCase<add_identify> c;
  const std::string twin = run.folder.file("twin.json");
  ASSERT_EQ(c.run({"identify", run.out_dir, "--out", twin, "--json"}), 0) << c.err;
  const nlohmann::json answer = c.json();
  EXPECT_EQ(answer["schema"], "kagami.identify/1");
  const double before = answer["records"][0]["before_rms_deg"];
  run.more = {"--twin", twin, "--json"};
  run.history("squat");
  EXPECT_LT(run.json()["rms_deg"].get<double>(), 0.5 * before);
}

TEST(Identify, RecordsOfAnotherModelAreRefused) {
  PlantedCause run;
  run.history("home");
  const std::string first = run.keep_record("first");
  run.more = {"--twin", run.folder.file("plant.json")};
  run.servo("left_knee").kp = 30.0;
  run.history("home");
  CommandCase<add_identify> c;
  EXPECT_EQ(c.run({"identify", first, run.record()}), 2);
  EXPECT_NE(c.err.find("has another robot or model"), std::string::npos) << c.err;
}

}  // namespace
}  // namespace kagami::tools
