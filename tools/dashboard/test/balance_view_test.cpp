// Forces in /balance: of a robot on both soles, at rest and in motion.
#include "tools/dashboard/balance_view.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/robot/state.hpp"
#include "tools/dashboard/ground_force.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;

constexpr double kG = 9.80665;  // m/s^2

// two forces of two feet are one force in its place: sum and moment
TEST(GroundForce, SharedKeepsSumAndMoment) {
  const std::array<Vec3, 2> feet = {Vec3(0.01, 0.04, 0.0), Vec3(-0.02, -0.05, 0.0)};
  for (const Vec3& at : {Vec3(0.02, 0.01, 0.0), Vec3(-0.03, -0.03, 0.0)}) {
    const Reaction whole{at, Vec3(0.0, 0.0, 12.0)};
    const std::vector<Reaction> two = shared(whole, feet);
    ASSERT_EQ(two.size(), 2u);
    EXPECT_GT(two[0].force.z(), 0.0);
    EXPECT_GT(two[1].force.z(), 0.0);
    EXPECT_LT((two[0].force + two[1].force - whole.force).norm(), 1e-12);  // N
    const Vec3 moment = two[0].point.cross(two[0].force) + two[1].point.cross(two[1].force);
    EXPECT_LT((moment - at.cross(whole.force)).norm(), 1e-12);  // N m
  }
}

TEST(GroundForce, BeyondAFootThatFootBearsAllAndNonePulls) {
  const std::array<Vec3, 2> feet = {Vec3(0.0, 0.04, 0.0), Vec3(0.0, -0.04, 0.0)};
  const Reaction whole{Vec3(0.01, 0.06, 0.0), Vec3(0.0, 0.0, 12.0)};
  const std::vector<Reaction> two = shared(whole, feet);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].force, whole.force);
  EXPECT_LT((two[0].point - whole.point).norm(), 1e-15);  // m
  EXPECT_EQ(two[1].force, Vec3::Zero());
  EXPECT_EQ(shared(whole, {feet.data(), 1}).front().point, whole.point);
  EXPECT_TRUE(shared(whole, {}).empty());
}

/// The KHR-1 at home with its lowest corners on the floor.
struct Standing {
  models::RobotDescription robot =
      models::read_robot_folder(KAGAMI_SOURCE_DIR "/models/data/khr1", models::BaseKind::kFloating);
  BalanceView view{robot};
  runtime::CycleRecord row;
  double sole = 0.0;  // m, of the trunk's frame over the soles

  Standing() {
    row.out.base.turn = {1.0, 0.0, 0.0, 0.0};
    const models::State s = models::neutral_state(robot.model);
    models::Kinematics k(robot.model);
    models::forward_kinematics(robot.model, s.q, s.v, k);
    const double start = k.X_WB[0].p.z();
    for (const models::CollisionBox& box : robot.boxes) {
      for (const Vec3& corner : models::corners(box)) {
        const models::Pose& X_WB = k.X_WB[static_cast<std::size_t>(box.body)];
        sole = std::max(sole, start - (X_WB.R * corner + X_WB.p).z());
      }
    }
  }
  /// The last message of three, 40 ms apart, while the trunk moves along x by `path` of time (m,
  /// s).
  template <typename Path>
  json after(Path path) {
    json last;
    for (const double t : {0.0, 0.04, 0.08}) {
      row.in.now_ns = std::llround(t * 1e9);
      row.out.base.z = sole;
      row.out.base.x = path(t);
      last = json::parse(view.text(row, 0));
    }
    return last;
  }
};

TEST(BalanceView, AtRestBothFeetCarryTheWeight) {
  Standing s;
  const json balance = s.after([](double) { return 0.0; });
  const json& reactions = balance.at("reactions");
  ASSERT_EQ(reactions.size(), 2u) << balance.dump();
  double up = 0.0;
  for (const json& r : reactions) {
    up += r.at("force")[2].get<double>();
    EXPECT_NEAR(r.at("point")[0].get<double>(), balance.at("com")[0].get<double>(), 1e-9);
  }
  EXPECT_NEAR(up, s.robot.model.total_mass() * kG, 1e-9);  // N
  // the capture point is the mass centre's foot: at most half a sole from the nearest edge
  EXPECT_GT(balance.at("margin_m").get<double>(), 0.01);
  EXPECT_LT(balance.at("margin_m").get<double>(), 0.05);
}

TEST(BalanceView, ForcesAndMarginFollowFromTheMotion) {
  Standing s;
  const double still = s.after([](double) { return 0.0; }).at("margin_m");
  // 0.5 m/s^2 forwards: the force leans, the zero-moment point moves back by h a / g
  Standing pushed;
  const json balance = pushed.after([](double t) { return 0.5 * 0.5 * t * t; });
  double along = 0.0;
  for (const json& r : balance.at("reactions")) along += r.at("force")[0].get<double>();
  EXPECT_NEAR(along, s.robot.model.total_mass() * 0.5, 1e-9);  // N
  // at 1 m/s the capture point is sqrt(h / g) m ahead, far beyond the toes
  Standing fast;
  const json lost = fast.after([](double t) { return t; });
  const double h = lost.at("com")[2].get<double>();
  EXPECT_NEAR(lost.at("margin_m").get<double>(), -std::sqrt(h / kG), 0.1);  // m; a sole's length
  EXPECT_LT(lost.at("margin_m").get<double>(), 0.0);
  EXPECT_GT(still, 0.0);
}

}  // namespace
}  // namespace kagami::tools
