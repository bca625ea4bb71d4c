// The stock motions through the whole program on the floor: boards and line, twin and plant.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "drivers/virtual/plant.hpp"
#include "drivers/virtual/plant_body.hpp"
#include "drivers/virtual/virtual_robot.hpp"
#include "models/base/angle.hpp"
#include "models/robot/robot_folder.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/app/run.hpp"
#include "runtime/test/support/run_case.hpp"

namespace kagami::runtime {
namespace {

using test::TempDir;

struct Sample {
  const char* motion = "";
  double x = 0.0;       // m, column "study" of docs/floor.md; NaN: not compared
  double y = 0.0;       // m
  double spread = 0.0;  // m, of both
};

constexpr double kAny = std::numeric_limits<double>::quiet_NaN();

class OnTheFloor : public ::testing::TestWithParam<Sample> {};
INSTANTIATE_TEST_SUITE_P(Samples, OnTheFloor,
                         ::testing::Values(Sample{"walk_forward", 0.23, kAny, 0.03},
                                           Sample{"walk_backward", -0.24, kAny, 0.036},
                                           Sample{"side_left", kAny, 0.071, 0.02},
                                           Sample{"side_right", kAny, -0.10, 0.02},
                                           Sample{"front_laydown", kAny, kAny, 0.0},
                                           Sample{"back_laydown", kAny, kAny, 0.0},
                                           Sample{"getup_front", kAny, kAny, 0.0},
                                           Sample{"getup_back", kAny, kAny, 0.0}),
                         [](const auto& p) { return std::string(p.param.motion); });

void expect_near_unless_any(double value, double expected, double spread) {
  if (std::isnan(expected)) return;
  EXPECT_NEAR(value, expected, spread);
}

TEST_P(OnTheFloor, TwinAndPlantPlayItAndStand) {
  const TempDir dir;
  RunConfig config = test::shipped_run(GetParam().motion, dir.path());
  config.on = Scene::kFloor;
  const RunResult r = run(config, {});
  ASSERT_EQ(r.end, RunEnd::kCompleted) << r.end_text;
  EXPECT_EQ(r.on, "floor");
  EXPECT_EQ(r.fell_shadow, false);
  EXPECT_EQ(r.fell_robot, false);
  if (std::isnan(GetParam().x) && std::isnan(GetParam().y)) return;  // where it lay turns it
  for (const BaseResult& base : {r.base_shadow, r.base_robot}) {
    expect_near_unless_any(base.x_m.value(), GetParam().x, GetParam().spread);
    expect_near_unless_any(base.y_m.value(), GetParam().y, GetParam().spread);
    EXPECT_NEAR(base.heading_deg.value(), 0.0, 10.0);
  }
}

TEST(FloorRun, IsRepeatableBitForBitAndVerifies) {
  const TempDir dir;
  RunConfig config = test::shipped_run("bow", dir.path() / "a");
  config.on = Scene::kFloor;
  const RunResult first = run(config, {});
  config.out_dir = dir.path() / "b";
  const RunResult second = run(config, {});
  EXPECT_EQ(first.state_hash, second.state_hash);
  EXPECT_EQ(first.base_shadow.x_m, second.base_shadow.x_m);
  EXPECT_EQ(first.base_robot.x_m, second.base_robot.x_m);
  EXPECT_NE(first.base_shadow.x_m, first.base_robot.x_m) << "two models, not one";
  const VerifyResult again = verify_record(first.record);
  EXPECT_TRUE(again.identical) << again.note;
  EXPECT_EQ(again.rows, static_cast<std::uint64_t>(first.ticks));
}

TEST(FloorRun, RecordsWhereTheBaseIs) {
  const TempDir dir;
  RunConfig config = test::shipped_run("bow", dir.path());
  config.on = Scene::kFloor;
  const RunResult r = run(config, {});
  const std::vector<CycleRecord> rows = test::rows_of(r.record);
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows.back().out.base.x, r.base_shadow.x_m);
  EXPECT_NEAR(rows.back().out.base.z, 0.2519, 1e-3);  // m: standing straight
  double tilt_max = 0.0;
  for (const CycleRecord& row : rows) tilt_max = std::max(tilt_max, row.out.base.tilt);
  EXPECT_NEAR(tilt_max, 0.49, 0.1);  // rad: the bow's 28 deg
}

TEST(FloorRun, FallenTwinIsReported) {
  const TempDir dir;
  RunConfig config = test::shipped_run("front_laydown", dir.path());
  config.on = Scene::kFloor;
  config.friction = 0.0;  // hands and feet slide away
  const RunResult r = run(config, {});
  EXPECT_EQ(r.end, RunEnd::kCompleted);
  EXPECT_EQ(r.fell_shadow, true);
  EXPECT_TRUE(r.fell_robot.has_value());
}

TEST(FloorRun, LimpRobotIsHeldUntilItsServosAre) {
  const TempDir dir;
  RunConfig config = test::shipped_run("home", dir.path());
  config.on = Scene::kFloor;
  config.board = "slow";  // free at power-on
  const RunResult r = run(config, {});
  EXPECT_EQ(r.fell_robot, false);
  EXPECT_EQ(r.fell_shadow, false);
}

// a servo model that is too kind would be found out: without the lag twin and plant both fall
TEST(FloorRun, WithoutTheServosLagTheWalkFalls) {
  const TempDir dir;
  const RunConfig shipped = test::shipped_run("walk_forward", dir.path());
  models::RobotDescription robot =
      models::read_robot_folder(shipped.robot_folder, models::BaseKind::kFixed);
  const auto run_with = [&](const char* name, const ServoSet& servos, bool in_twin) {
    RunConfig config = shipped;
    config.on = Scene::kFloor;
    config.out_dir = dir.path() / name;
    const std::filesystem::path file = dir.path() / (std::string(name) + ".json");
    std::ofstream(file) << servo_set_text(servos, robot.joint_names);
    if (in_twin) config.twin_file = file;
    if (!in_twin) config.plant = file.string();
    return run(config, {});
  };
  const auto without_lag = [](ServoSet servos) {
    for (ServoParameters& servo : servos.joints) servo.filter_1 = servo.filter_2 = 0.0;
    return servos;
  };
  EXPECT_EQ(run_with("twin", without_lag(robot.servos), true).fell_shadow, true);
  const ServoSet plant = drivers::virtual_robot::read_plant_servos(robot, shipped.robot_folder, "");
  EXPECT_EQ(run_with("plant", without_lag(plant), false).fell_robot, true);
}

TEST(FloorRun, ShowsTheBaseInItsFrames) {
  const TempDir dir;
  RunConfig config = test::shipped_run("getup_front", dir.path());
  config.on = Scene::kFloor;
  const RunResult r = run(config, {});
  std::map<std::int64_t, BasePose> bases;
  for (const CycleRecord& row : test::rows_of(r.record)) {
    if (row.out.phase != Phase::kWaiting) bases[row.in.now_ns] = row.out.base;
  }
  const McapReader reader(r.record.string());
  MessageFilter filter;
  filter.topics = {"/tf"};
  int frames = 0;
  reader.for_each(filter, [&](const MessageView& message) {
    const std::string text(reinterpret_cast<const char*>(message.data.data()), message.data.size());
    const nlohmann::json frame = nlohmann::json::parse(text)["transforms"][0];
    ASSERT_EQ(frame["parent_frame_id"], "world");
    const BasePose& base = bases.at(static_cast<std::int64_t>(message.log_time_ns));
    EXPECT_NEAR(frame["translation"]["x"].get<double>(), base.x, 1e-12);
    EXPECT_NEAR(frame["translation"]["z"].get<double>(), base.z, 1e-12);
    EXPECT_NEAR(frame["rotation"]["w"].get<double>(), base.turn[0], 1e-12);
    EXPECT_NEAR(frame["rotation"]["y"].get<double>(), base.turn[2], 1e-12);
    ++frames;
  });
  EXPECT_GT(frames, 200);
  // it lies on its face first and is upright at the end; rotation and tilt agree
  EXPECT_GT(bases.begin()->second.tilt, 1.4);   // rad
  EXPECT_LT(bases.rbegin()->second.tilt, 0.1);  // rad
  const auto& turn = bases.begin()->second.turn;
  EXPECT_NEAR(std::cos(bases.begin()->second.tilt),
              1.0 - 2.0 * (turn[1] * turn[1] + turn[2] * turn[2]), 1e-12);
}

/// The plant alone: is at rest for 0.5 s, is pushed at the trunk for 0.1 s (N, forward), continues.
struct Pushed {
  bool fell = false;
  BasePose base;
};
Pushed plant_after_push(double force) {
  namespace vr = drivers::virtual_robot;
  const std::filesystem::path folder =
      std::filesystem::path(KAGAMI_SOURCE_DIR) / "models/data/khr1";
  const models::RobotDescription robot =
      models::read_robot_folder(folder, models::BaseKind::kFixed);
  const ServoSet servos = vr::read_plant_servos(robot, folder, "");
  vr::Plant plant(vr::plant_body(robot, servos), servos, 0.5);
  std::vector<double> held;
  for (const ServoParameters& servo : servos.joints) held.push_back(servo.trim);
  plant.place(held);
  const std::vector<vr::ServoCommand> home(held.size(), {0.0, true});
  for (int k = 0; k < 3000; ++k) {
    if (k >= 500 && k < 600) plant.push({force, 0.0, 0.0});
    plant.step(home);
  }
  return {plant.body().fell(), plant.body().base()};
}

TEST(PlantOnTheFloor, TakesASmallPushAndFallsByALargeOne) {
  const Pushed small = plant_after_push(1.0);
  EXPECT_FALSE(small.fell);
  EXPECT_LT(to_deg(small.base.tilt), 1.0);
  EXPECT_NE(small.base.x, plant_after_push(0.0).base.x) << "the push arrives";
  EXPECT_TRUE(plant_after_push(8.0).fell);
}

}  // namespace
}  // namespace kagami::runtime
