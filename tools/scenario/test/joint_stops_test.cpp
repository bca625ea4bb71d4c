// Joint limits of robots in scenes: stops for hinges and sliders, refused starts.
#include "tools/scenario/joint_stops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "tools/scenario/scenario.hpp"
#include "tools/scenario/scene_report.hpp"
#include "tools/scenario/scene_run.hpp"
#include "tools/scenario/test/shipped_folders.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;
using test::kData;

// a rod of 1 m and 1 kg that hangs from a hinge about y, or a block that slides along -z
json robot(const char* type, double lower, double upper) {
  const bool slides = std::string(type) == "prismatic";
  return {{"name", "probe"},
          {"gravity", {0, 0, -9.81}},
          {"bodies",
           {{{"name", "link"},
             {"parent", -1},
             {"mass", 1},
             {"com", {0, 0, slides ? 0.0 : -0.5}},
             {"inertia", {{0.0833, 0, 0}, {0, 0.0833, 0}, {0, 0, 0.001}}},
             {"joint",
              {{"name", "joint"},
               {"type", type},
               {"axis", slides ? json{0, 0, -1} : json{0, 1, 0}},
               {"xyz", {0, 0, 2}},
               {"limits", {{"lower", lower}, {"upper", upper}}}}}}}}};
}

json scene(const json& model, double q, double v, double step) {
  return {{"schema", "kagami.scenario/1"},
          {"duration", 2.0},
          {"step", step},
          {"robots",
           {{{"name", "probe"},
             {"model", model},
             {"joints", {{"joint", q}}},
             {"joint_rates", {{"joint", v}}},
             {"shapes", json::array()}}}}};
}

struct Observed {
  double least = 1e300;  // rad, m
  double most = -1e300;
  double q = 0.0;
  double v = 0.0;
  SceneSummary summary;
};

Observed run_joint(const json& file) {
  const test::TempFolder folder;
  write_file_atomically(folder.file("s.json"), file.dump());
  Observed observed;
  observed.summary =
      run_scene(read_scenario(folder.file("s.json"), kData), {},
                [&observed](const models::World& world, const StepReport& /*report*/) {
                  observed.q = world.state(0).q[0];
                  observed.v = world.state(0).v[0];
                  observed.least = std::min(observed.least, observed.q);
                  observed.most = std::max(observed.most, observed.q);
                });
  return observed;
}

// without stops a hinge swings through, a slider falls for ever
TEST(JointStops, HoldHingesAndSlidersAtTheirLimits) {
  for (const double h : {1e-4, 1e-3, 1e-2}) {
    SCOPED_TRACE(h);
    // it falls onto the stop; what a step of fall adds may pass it
    const double step_of_fall = 15.0 * h * h + 1e-6;
    const Observed hinge = run_joint(scene(robot("revolute", -0.5, 3.0), 1.5, 0.0, h));
    EXPECT_GE(hinge.least, -0.5 - step_of_fall);
    EXPECT_EQ(hinge.summary.stops.size(), 1u);
    const Observed slider = run_joint(scene(robot("prismatic", -1.0, 0.3), 0.0, 0.0, h));
    EXPECT_LE(slider.most, 0.3 + step_of_fall);
    EXPECT_NEAR(slider.q, 0.3, 1e-6);
    EXPECT_NEAR(slider.v, 0.0, 1e-6);
    ASSERT_EQ(slider.summary.stops.size(), 1u);
    EXPECT_EQ(slider.summary.stops[0].joint, "joint");
    EXPECT_NE(scene_text(slider.summary, 80).find("probe joint ("), std::string::npos);
    EXPECT_EQ(scene_json(slider.summary).at("stops").at(0).at("joint"), "joint");
  }
}

// inelastic: an impact only takes energy, and what is pushed off a stop leaves it
TEST(JointStops, TakeEnergyAndLetGo) {
  const Observed up =
      run_joint(scene(robot("revolute", -1.0, 1.0), 0.0, 6.0, 1e-3));  // up against 1, then down
  EXPECT_LE(up.most, 1.0 + 1e-4);
  EXPECT_LT(up.least, -0.5);  // it has swung back
  EXPECT_LE(up.summary.energy.end, up.summary.energy.start);
  EXPECT_LE(up.summary.energy.drive, 0.0);
  EXPECT_LE(up.summary.energy.unsupplied, 1e-6);  // J
}

TEST(JointStops, LeaveARobotWithinItsLimitsAlone) {
  const Observed bounded = run_joint(scene(robot("revolute", -2.0, 2.0), 1.0, 0.0, 1e-3));
  json endless = robot("revolute", -2.0, 2.0);
  endless["bodies"][0]["joint"].erase("limits");
  const Observed free = run_joint(scene(endless, 1.0, 0.0, 1e-3));
  EXPECT_TRUE(bounded.summary.stops.empty());
  EXPECT_EQ(bounded.q, free.q);
  EXPECT_EQ(bounded.v, free.v);
}

TEST(JointStops, AStartOutsideTheLimitsIsRefused) {
  for (const char* type : {"revolute", "prismatic"}) {
    try {
      static_cast<void>(run_joint(scene(robot(type, -0.5, 0.5), 0.6, 0.0, 1e-3)));
      FAIL() << type;
    } catch (const ConfigError& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find("joint 'joint' at 0.6 is outside its limits [-0.5, 0.5]"),
                std::string::npos)
          << text;
    }
  }
}

}  // namespace
}  // namespace kagami::tools
