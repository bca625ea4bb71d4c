// The stock motions through the whole program on the floor: boards and line, twin and plant.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "drivers/virtual/plant.hpp"
#include "drivers/virtual/plant_body.hpp"
#include "drivers/virtual/virtual_robot.hpp"
#include "models/base/angle.hpp"
#include "motions/file/library.hpp"
#include "motions/play/player.hpp"
#include "runtime/app/run.hpp"
#include "runtime/test/support/run_case.hpp"

namespace kagami::runtime {
namespace {

using test::TempDir;

struct Sample {
  const char* motion = "";
  double x = 0.0;       // m, what the study found; NaN: not compared
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
                                           Sample{"back_laydown", kAny, kAny, 0.0}),
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

TEST(FloorRun, FallenTwinIsTold) {
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

/// The plant alone gets up: still in the first pose, turned about y, then the motion's lines.
bool plant_stands_after(const std::string& name, double pitch) {
  namespace vr = drivers::virtual_robot;
  const std::filesystem::path root = KAGAMI_SOURCE_DIR;
  const models::RobotDescription robot =
      models::read_robot_folder(root / "models/data/khr1", models::BaseKind::kFixed);
  const motions::Motion motion = motions::load_motion(name, robot.wiring, root / "motions/data");
  const ServoSet servos = vr::read_plant_servos(root / "models/data/khr1", "");
  vr::Plant plant(vr::plant_body(robot), servos, 0.5);
  std::vector<double> held;
  JointArray<double> first{};
  for (std::size_t j = 0; j < robot.joint_names.size(); ++j) {
    first[j] = motion.poses[0].angle[j].value_or(0.0);
    held.push_back(first[j] + servos.joints[j].trim);
  }
  plant.place(held, Eigen::AngleAxisd(pitch, Vec3::UnitY()).toRotationMatrix());
  std::vector<vr::ServoCommand> commands(held.size());
  const auto step = [&](const JointArray<double>& target) {
    for (std::size_t j = 0; j < commands.size(); ++j) commands[j] = {target[j], true};
    plant.step(commands);
  };
  for (int k = 0; k < 800; ++k) step(first);
  EXPECT_TRUE(plant.body().fell()) << "it lies";
  motions::Player player(motion, robot.wiring, {.mode = motions::PlayMode::kRamp, .settle = 1.5});
  player.start(first);
  motions::PlayCommand command;
  do {
    player.step(1e-3, command);
    step(command.q_ref);
  } while (command.phase != motions::PlayPhase::kDone);
  return !plant.body().fell();
}

TEST(PlantOnTheFloor, GetsUpFromLying) {
  constexpr double kQuarter = 1.5707963267948966;
  EXPECT_TRUE(plant_stands_after("getup_front", kQuarter));
  EXPECT_TRUE(plant_stands_after("getup_back", -kQuarter));
}

}  // namespace
}  // namespace kagami::runtime
