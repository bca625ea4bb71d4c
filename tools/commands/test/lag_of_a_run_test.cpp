// The comparison through the whole program: what is changed in the plant's servos shows where it
// should, across the wire, and nowhere else.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "models/robot/robot_folder.hpp"
#include "runtime/app/assemble.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using test::CliCase;
using test::TempFolder;

const std::filesystem::path kRobot = std::filesystem::path(KAGAMI_SOURCE_DIR) / "models/data/khr1";

/// Replays walk_forward in virtual time with a plant that is the twin after `change`.
nlohmann::json replay_on_plant(
    const std::function<void(ServoSet&, const std::vector<std::string>&)>& change) {
  const TempFolder folder;
  models::RobotDescription robot = models::read_robot_folder(kRobot, models::BaseKind::kFixed);
  change(robot.servos, robot.joint_names);
  std::ofstream(folder.file("plant.json"))
      << runtime::servo_set_text(robot.servos, robot.joint_names);
  CliCase c;
  EXPECT_EQ(
      c.run({"replay", "walk_forward", "--on", "stand", "--clock", "virtual", "--json",
             "--no-report", "--out", folder.file("run"), "--plant", folder.file("plant.json")}),
      0)
      << c.err;
  return c.json();
}

std::map<std::string, std::optional<double>> lags(const nlohmann::json& run) {
  std::map<std::string, std::optional<double>> result;
  for (const nlohmann::json& joint : run["joints"])
    result[joint["name"]] =
        joint["lag_ms"].is_null() ? std::nullopt : std::optional(joint["lag_ms"].get<double>());
  return result;
}

TEST(LagOfARun, EqualServosLeaveNothingButRounding) {
  const nlohmann::json run = replay_on_plant([](ServoSet&, const auto&) {});
  EXPECT_LT(run["rms_deg"].get<double>(),
            0.30);  // deg; required 0.5, the floor is 0.29; measured 0.24
  int moving = 0;
  for (const auto& [name, lag] : lags(run)) {
    if (!lag) continue;
    ++moving;
    EXPECT_NEAR(*lag, 0.0, 1.0) << name;  // ms; rounding of 0.29 deg; largest measured 0.4
  }
  EXPECT_EQ(moving, 13) << "joints that walk_forward moves";
}

TEST(LagOfARun, OneDelayedServoShowsAloneAndInFull) {
  const auto before = lags(replay_on_plant([](ServoSet&, const auto&) {}));
  const auto after = lags(replay_on_plant([](ServoSet& servos, const auto& names) {
    for (std::size_t j = 0; j < names.size(); ++j)
      if (names[j] == "left_knee") servos.joints[j].delay += 0.020;
  }));
  for (const auto& [name, lag] : before) {
    SCOPED_TRACE(name);
    ASSERT_EQ(lag.has_value(), after.at(name).has_value());
    if (!lag) continue;
    const double expected = name == "left_knee" ? 20.0 : 0.0;
    EXPECT_NEAR(*after.at(name) - *lag, expected, 3.0);  // ms; what issue and brief ask for
  }
}

TEST(LagOfARun, DelayInAllServosShowsInAllThatMove) {
  const auto before = lags(replay_on_plant([](ServoSet&, const auto&) {}));
  const auto after = lags(replay_on_plant([](ServoSet& servos, const auto&) {
    for (ServoParameters& servo : servos.joints) servo.delay += 0.020;
  }));
  for (const auto& [name, lag] : before) {
    if (lag) {
      EXPECT_NEAR(after.at(name).value_or(NAN) - *lag, 20.0, 3.0) << name;  // ms
    }
  }
}

}  // namespace
}  // namespace kagami::tools
