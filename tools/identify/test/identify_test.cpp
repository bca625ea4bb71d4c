// Virtual robots with servos that the fit does not know, whose plant was written apart from the
// model.
#include "tools/identify/identify.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/library.hpp"
#include "motions/file/motion_json.hpp"
#include "tools/gap/resimulate.hpp"
#include "tools/gap/test/planted_cause.hpp"
#include "tools/identify/plan.hpp"
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

/// KAGAMI_BLIND_SEED draws another pair of robots. The long test has those of 1 to 20.
unsigned blind_seed() {
  const char* text = std::getenv("KAGAMI_BLIND_SEED");
  return text == nullptr ? 101 : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

TEST(Identify, FindsServosThatItDoesNotKnowAndPredictsOtherMotions) {
  const unsigned first = blind_seed();
  std::printf("KAGAMI_BLIND_SEED=%u\n", first);
  test::BlindResult result;
  for (const unsigned seed : {first, first + 1}) {
    BlindRobot blind(seed);
    const Identification found = blind.identified();
    EXPECT_GT(to_deg(found.records.front().before), 1.0);  // deg RMS; there was something to find
    result.add(blind, found);
  }
  result.print();
  EXPECT_EQ(result.lag.share_within(), 1.0);
  EXPECT_EQ(result.trim.share_within(), 1.0);
  EXPECT_EQ(result.play.share_within(), 1.0);
  EXPECT_EQ(result.gain.share_within(), 1.0);
  EXPECT_EQ(result.on_stand.share_within(), 1.0);  // rounding alone makes 0.29 deg RMS
  EXPECT_EQ(result.on_floor.share_within(), 1.0);
}

/// One record of a virtual robot whose servos differ from the model's in one joint.
ServoFit fit_of_planted(const ServoParameters& planted, const std::string& joint) {
  PlantedCause run;
  run.servo(joint) = planted;
  run.history(run.short_motion());
  IdentifySettings settings;
  settings.cross_validate = false;
  const Identification found = identify({run.record()}, {}, settings, nullptr);
  return found.fits[run.index_of(joint)];
}

bool has(const ServoFit& fit, Effect effect) {
  return fit.has_effect[place_of(effect)];
}

TEST(Identify, FindsFrictionThatTheModelDoesNotHave) {
  const PlantedCause robot;
  ServoParameters planted = robot.model.servos.joints[robot.index_of("left_hip_pitch")];
  planted.coulomb_friction = 0.08;
  const ServoFit fit = fit_of_planted(planted, "left_hip_pitch");
  EXPECT_TRUE(has(fit, Effect::kCoulomb));
  EXPECT_NEAR(fit.servo.coulomb_friction, 0.08, 0.02);  // N m
  EXPECT_NEAR(test::lag_of(fit.servo), test::lag_of(planted), 0.002);
}

TEST(Identify, FindsTheGainOfAReading) {
  const PlantedCause robot;
  ServoParameters planted = robot.model.servos.joints[robot.index_of("right_elbow")];
  planted.reading_gain = 0.03;
  const ServoFit fit = fit_of_planted(planted, "right_elbow");
  EXPECT_TRUE(has(fit, Effect::kReadingGain));
  EXPECT_NEAR(fit.servo.reading_gain, 0.03, 0.003);
}

TEST(Identify, AStiffServoIsWithinItsRange) {
  const PlantedCause robot;
  ServoParameters planted = robot.model.servos.joints[robot.index_of("left_knee")];
  planted.kp = 190.0;  // N m/rad
  planted.kde = 4.0;
  const ServoFit fit = fit_of_planted(planted, "left_knee");
  EXPECT_GT(fit.servo.kp, 60.0);
  EXPECT_NEAR(test::lag_of(fit.servo), test::lag_of(planted), 0.002);
}

// every link 15 % heavier or lighter, by turns along each limb
TEST(Identify, FindsMassesOfLinks) {
  PlantedCause run;
  for (std::size_t j = 0; j < run.robot.servos.joints.size(); ++j) {
    run.robot.servos.joints[j].link_mass_scale = j % 2 == 0 ? 1.15 : 0.85;
  }
  std::vector<std::string> records;
  for (const char* motion : {"identify", "push_up"}) {
    run.history(motion);
    records.push_back(run.keep_record(motion));
  }
  IdentifySettings settings;
  settings.cross_validate = false;
  settings.masses = true;
  const Identification found = identify(records, {}, settings, nullptr);
  const auto error = [&](std::size_t j) {
    return found.masses[j].scale - run.robot.servos.joints[j].link_mass_scale;
  };
  for (std::size_t j = 0; j < found.joints.size(); ++j) {
    EXPECT_LT(std::abs(error(j)), 3.0 * found.masses[j].sigma) << found.joints[j];
    EXPECT_EQ(found.servos.joints[j].kp, run.model.servos.joints[j].kp);
  }
  // the whole leg carries or lifts them
  for (const char* foot : {"left_ankle_roll", "right_ankle_roll"}) {
    EXPECT_TRUE(found.masses[run.index_of(foot)].is_known) << foot;
    EXPECT_NEAR(error(run.index_of(foot)), 0.0, 0.05) << foot;
  }
}

TEST(Identify, MassesNeedTheStand) {
  PlantedCause run;
  run.more = {"--on", "floor"};
  run.history("home");
  CommandCase<add_identify> c;
  EXPECT_EQ(c.run({"identify", run.record(), "--masses"}), 2);
  EXPECT_NE(c.err.find("--masses requires records on the stand"), std::string::npos) << c.err;
}

TEST(Identify, PlanShowsWhatTheRecordsLeaveOpen) {
  BlindRobot blind(3);
  IdentifySettings settings;
  settings.cross_validate = false;
  const std::string squat = blind.recorded("squat");
  const Identification before = identify({squat}, {}, settings, nullptr);
  const ExperimentPlan plan = plan_experiment(before);
  ASSERT_GT(plan.values.size(), 50u);  // arms and head rest in a squat
  const std::string motion = blind.folder.file("plan.json");
  std::ofstream(motion) << motions::motion_json_text(plan.motion);
  blind.history(motion);
  const std::string planned = blind.keep_record("planned");
  const Identification after = identify({squat, planned}, {}, settings, nullptr);
  int promised = 0;  // a clear fall; the motion cannot show a free speed, for instance
  int fallen = 0;
  int as_expected = 0;
  for (const PlannedValue& v : plan.values) {
    const double sigma = after.fits[v.joint].values[v.parameter].sigma;
    if (v.expected < 0.8 * v.sigma) {
      ++promised;
      if (sigma < v.sigma) ++fallen;
    }
    if (sigma < 3.0 * v.expected && sigma > v.expected / 3.0) ++as_expected;
  }
  const int all = static_cast<int>(plan.values.size());
  std::printf("%d planned, %d promised to fall, %d fell, %d near the promise\n", all, promised,
              fallen, as_expected);
  EXPECT_GE(promised, all / 3);
  EXPECT_GE(fallen, promised * 8 / 10);
  EXPECT_GE(as_expected, all * 8 / 10);
}

TEST(Identify, PlanIsAMotionOfTheRobot) {
  PlantedCause run;
  run.history("squat");
  CommandCase<add_identify> c;
  const std::string file = run.folder.file("plan.json");
  ASSERT_EQ(c.run({"identify", run.out_dir, "--rounds", "1", "--plan", file, "--json"}), 0)
      << c.err;
  EXPECT_EQ(c.json()["plan"]["file"], file);
  EXPECT_FALSE(c.json()["plan"]["values"].empty());
  EXPECT_EQ(c.json()["plan"]["findings"], nlohmann::json::array()) << "links in each other";
  const motions::Motion motion =
      motions::bind_motion(motions::read_motion(file, run.robot.wiring), run.robot.wiring);
  for (std::size_t j = 0; j < motion.joints.size(); ++j) {
    for (const motions::Pose& pose : motion.poses) {
      EXPECT_GE(*pose.angle[j], run.robot.wiring.joints[j].soft_min);
      EXPECT_LE(*pose.angle[j], run.robot.wiring.joints[j].soft_max);
    }
  }
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
