// Long: hours of walking by robots whose servos differ from the model's, without one false alarm.
// `./kagami test --long`; KAGAMI_FAULT_HOURS sets how many hours, 1 by default.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "models/robot/robot_folder.hpp"
#include "runtime/app/outcome.hpp"
#include "runtime/app/run.hpp"
#include "runtime/test/support/run_case.hpp"

namespace kagami::runtime {
namespace {

using nlohmann::json;
using test::shipped_run;
using test::TempDir;

constexpr double kRunSeconds = 120.0;

double hours() {
  const char* text = std::getenv("KAGAMI_FAULT_HOURS");
  return text == nullptr ? 1.0 : std::atof(text);
}

/// Servos of a robot, each parameter of each joint drawn around the model's. On the stand, where
/// none falls, robots may be far quicker than the model, or slower.
json drawn_servos(const std::vector<std::string>& joints, Scene on, std::mt19937& random) {
  const auto draw = [&](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random);
  };
  const double delay = draw(0.010, 0.024);
  const double filter = on == Scene::kStand ? draw(0.005, 0.120) : draw(0.080, 0.105);
  json rows = json::object();
  for (const std::string& joint : joints) {
    rows[joint] = {{"delay_s", delay},
                   {"filter_1_s", filter * draw(0.97, 1.03)},
                   {"filter_2_s", filter * draw(0.97, 1.03)},
                   {"kp", draw(17.0, 26.0)},
                   {"kde", draw(0.40, 0.60)},
                   {"stall_torque", draw(0.75, 1.0)},
                   {"free_speed", draw(5.6, 6.8)},
                   {"rotor_inertia", draw(0.0008, 0.0014)},
                   {"coulomb_friction", 0.0},
                   {"dead_band_deg", draw(0.0, 0.5)},
                   {"backlash_deg", 0.0},
                   {"trim_deg", draw(-2.5, 2.5)}};
  }
  return {{"schema", "kagami.servos/1"},
          {"default", rows.begin().value()},
          {"joints", rows},
          {"supply", {{"sag", 0.0}}}};
}

TEST(RobotFaultsLong, WalkingOverTheServosRangesRaisesNoFalseAlarm) {
  const TempDir dir;
  const std::vector<std::string> joints =
      models::read_robot_folder(std::string(KAGAMI_SOURCE_DIR) + "/models/data/khr1",
                                models::BaseKind::kFixed)
          .joint_names;
  constexpr std::array<const char*, 4> kMotions{"walk_forward", "walk_backward", "side_left",
                                                "side_right"};
  constexpr std::array<const char*, 3> kBoards{"fast", "slow", "burst"};
  const int runs = static_cast<int>(hours() * 3600.0 / kRunSeconds);
  double walked = 0.0;
  int fallen = 0;
  for (int k = 0; k < runs; ++k) {
    std::mt19937 random(static_cast<unsigned>(k));
    const auto plant = dir.path() / "plant.json";
    const auto index = static_cast<std::size_t>(k);
    const Scene on = index / 12 % 2 == 0 ? Scene::kStand : Scene::kFloor;
    std::ofstream(plant) << drawn_servos(joints, on, random).dump();
    RunConfig config = shipped_run(kMotions.at(index % 4), dir.path());
    config.board = kBoards.at(index / 4 % 3);
    config.on = on;
    config.plant = plant;
    config.loop = true;
    StopRequest stop;
    RunHooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](const Progress& p) {
      if (p.time_s > kRunSeconds) stop.raise_to(StopLevel::kSlowDown);
    };
    const RunResult r = run(config, hooks);
    walked += r.duration_s;
    // who has fallen may be blocked by the floor: that alarm is no false one
    if (r.fell_robot.value_or(false) || r.fell_shadow.value_or(false)) {
      ++fallen;
      continue;
    }
    EXPECT_TRUE(r.faults.empty()) << "run " << k << " " << r.motion << " " << config.board << " "
                                  << r.on << " " << robot_faults_json(r.faults).dump();
  }
  RecordProperty("hours", std::to_string(walked / 3600.0));
  RecordProperty("fallen", fallen);
  std::printf("%.2f h of walking in %d runs, of which %d ended in a fall\n", walked / 3600.0, runs,
              fallen);
}

}  // namespace
}  // namespace kagami::runtime
