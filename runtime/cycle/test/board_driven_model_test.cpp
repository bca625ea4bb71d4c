/// The model behind the boards that shadow model and loop twin share: what a restart keeps.
#include "runtime/cycle/board_driven_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "models/base/angle.hpp"
#include "models/base/idx.hpp"
#include "models/robot/robot_folder.hpp"
#include "runtime/cycle/test/support/closed_loop.hpp"

namespace kagami::runtime {
namespace {

constexpr std::int64_t kTickNs = 1'000'000;

/// A pulse that no servo withstands, on the left knee, one second after the start.
Disturbance blow() {
  Disturbance d;
  d.kind = DisturbanceKind::kTorque;
  d.joint = "left_knee";
  d.torque = 1e5;  // N m
  d.when = {.from = 1.0, .until = 1.003};
  return d;
}

TEST(BoardDrivenModel, ARestartKeepsTheBaseAndTheCommandsAndDropsTheHistory) {
  const models::RobotDescription robot =
      models::read_robot_folder(KAGAMI_SOURCE_DIR "/models/data/khr1", models::BaseKind::kFloating);
  CycleConfig config;
  config.floor = models::FloorOptions{};
  config.start = {.x = 0.3, .y = -0.2, .turn = {std::sqrt(0.5), 0.0, 0.0, std::sqrt(0.5)}};
  config.disturbances = {blow()};
  BoardDrivenModel model(robot, config);

  drivers::ServoSample sample;
  model.disturb_from(0);
  model.start(sample, 0);
  const std::size_t knee = idx(test::joint_index(robot, "left_knee"));
  JointArray<double> target{};
  target[knee] = to_rad(20.0);
  for (int b = 0; b < model.num_boards(); ++b) {
    drivers::BoardCommand command{.mode = drivers::TargetMode::kPositions, .speed = 3};
    int refused = -1;
    ASSERT_EQ(model.calibration().to_counts(b, target, command.counts, refused),
              drivers::IoStatus::kOk);
    model.command(b, command);
  }

  std::int64_t now = 0;
  BasePose before;
  BoardDrivenModel::Bounds bounds;
  while (!bounds.left && now < 1'100'000'000) {
    before = model.body().base();
    now += kTickNs;
    ++sample.round;
    bounds = model.advance(now, sample);
  }
  ASSERT_TRUE(bounds.left);
  EXPECT_EQ(bounds.joint, static_cast<int>(knee));
  EXPECT_FALSE(std::abs(bounds.speed) < 100.0);                 // rad/s
  ASSERT_GT(std::hypot(before.x - 0.3, before.y + 0.2), 1e-4);  // m: it has left its start
  EXPECT_NEAR(model.body().base().x, before.x, 1e-6);
  EXPECT_NEAR(model.body().base().y, before.y, 1e-6);
  JointArray<double> q{};
  EXPECT_EQ(model.history().at(now - 5 * kTickNs, q), HistoryAnswer::kTooOld);
  EXPECT_EQ(model.body().q()[knee], 0.0);  // the measured pose

  for (int k = 0; k < 1500; ++k) {
    now += kTickNs;
    ++sample.round;
    const BoardDrivenModel::Bounds later = model.advance(now, sample);
    EXPECT_FALSE(later.left);  // the same episode
    bounds.kept = bounds.kept || later.kept;
  }
  EXPECT_TRUE(bounds.kept);
  EXPECT_NEAR(model.body().q()[knee], target[knee], to_rad(3.0));  // its load bends it
}

}  // namespace
}  // namespace kagami::runtime
