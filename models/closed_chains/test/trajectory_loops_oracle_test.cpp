// Tabulated motions of closed chains: O03 and O04 with the shipped four-bars, O11 with the shipped
// slider-crank, and that one over its dead centres.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "models/closed_chains/closed_chain_stepper.hpp"
#include "models/closed_chains/loop_dynamics.hpp"
#include "models/closed_chains/loop_stepper.hpp"
#include "models/closed_chains/test/loop_models.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/read_model.hpp"
#include "models/test/support/model_json.hpp"

namespace kagami::models {
namespace {

Model robot(const std::string& name) {
  return read_model(std::string(KAGAMI_SOURCE_DIR) + "/models/data/" + name).model;
}

struct Case {
  const char* robot;
  const char* fixture;
};
constexpr std::array<Case, 3> kCases = {{{"four_bar", "o03_seed.json"},
                                         {"four_bar_general", "o03_general.json"},
                                         {"four_bar", "o04_seed.json"}}};

JointVector columns(const nlohmann::json& row, std::size_t first) {
  JointVector x(3);
  for (std::size_t k = 0; k < 3; ++k) x[static_cast<int>(k)] = row.at(first + k);
  return x;
}

// thetas, their rates and accelerations, as the columns stand
State state_of(const nlohmann::json& row) {
  return {columns(row, 1), columns(row, 5)};
}

TEST(ClosedChainMotions, AccelerationsAndTheGroundsForceAreThoseOfEveryRow) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.fixture);
    const Model model = robot(c.robot);
    LoopDynamics dynamics(model);
    const nlohmann::json rows = test::read_fixture(c.fixture).at("rows");
    ASSERT_EQ(rows.size(), 31u);
    for (const nlohmann::json& row : rows) {
      const State s = state_of(row);
      JointVector vdot;
      ASSERT_EQ(dynamics.run(s.q, s.v, JointVector::Zero(3), ExternalLoads{}, vdot),
                LoopStatus::kOk);
      EXPECT_EQ(dynamics.rank(), 2);
      EXPECT_LT((vdot - columns(row, 9)).cwiseAbs().maxCoeff(), 1e-9);  // rad/s^2
      // N; next to the singular pose the axial force is the quotient of two small numbers
      const double tolerance = 1e-8 / std::min(1.0, row.at(24).get<double>());
      const Vec3 F4 = dynamics.wrench(0).force();
      EXPECT_NEAR(F4.x(), row.at(19).get<double>(), tolerance);
      EXPECT_NEAR(F4.z(), row.at(20).get<double>(), tolerance);
    }
  }
}

// what a motion of 3 s at 1 ms showed
struct Observed {
  double angle = 0.0;          // rad
  double energy = 0.0;         // J
  double coupler = 0.0;        // largest |theta1 + theta2 - 90 deg|, rad
  std::vector<double> passes;  // when theta1 passed +-90 deg, s
};

template <class Stepper>
Observed follow(const Case& c) {
  const Model model = robot(c.robot);
  const nlohmann::json rows = test::read_fixture(c.fixture).at("rows");
  Stepper stepper(model);
  State s = state_of(rows.at(0));
  const double energy = test::energy(model, s);
  Observed observed;
  for (int step = 0; step <= 3000; ++step) {
    if (step % 100 == 0) {
      const nlohmann::json& row = rows.at(static_cast<std::size_t>(step / 100));
      EXPECT_NEAR(row.at(0).get<double>(), 1e-3 * step, 1e-12);
      observed.angle = std::max(observed.angle, (s.q - columns(row, 1)).cwiseAbs().maxCoeff());
    }
    observed.energy = std::max(observed.energy, std::abs(test::energy(model, s) - energy));
    observed.coupler = std::max(observed.coupler, std::abs(s.q[0] + s.q[1] - std::numbers::pi / 2));
    const double before = std::cos(s.q[0]);
    EXPECT_EQ(stepper.runge_kutta_4(JointVector::Zero(3), 1e-3, s), LoopStatus::kOk);
    const double after = std::cos(s.q[0]);
    if (before * after < 0.0) observed.passes.push_back(1e-3 * (step + before / (before - after)));
  }
  return observed;
}

template <class Stepper>
void expect_motions() {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.fixture);
    const Observed observed = follow<Stepper>(c);
    // the README's: 1e-6 and 1e-4 rad, 1e-6 and 1e-5 J; energy to what the singular poses are
    // held to
    EXPECT_LT(observed.angle, 1e-8);
    EXPECT_LT(observed.energy, 1e-8);
  }
}

TEST(ClosedChainMotions, AreFollowedByTheGeneralStepper) {
  expect_motions<LoopStepper>();
}

TEST(ClosedChainMotions, AreFollowedByThePlanarStepper) {
  EXPECT_TRUE(ClosedChainStepper(robot("four_bar")).is_planar());
  expect_motions<ClosedChainStepper>();
}

TEST(ClosedChainMotions, FiveSingularPosesArePassedOnTheBranch) {
  const Observed observed = follow<ClosedChainStepper>(kCases[2]);
  const auto want =
      test::read_fixture("o04_seed.json").at("singular_instants").get<std::vector<double>>();
  ASSERT_EQ(observed.passes.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(observed.passes[i], want[i], 1e-5);  // s
  EXPECT_LT(observed.coupler, 1e-8);
}

// the virtual mechanism of the thesis's chapter 7: no gravity, a force along the guide at the end
// effector, which is the slider's lower end
TEST(ClosedChainMotions, SliderCrankAcceleratesAsTheVirtualMechanismOfO11) {
  const Model shipped = robot("slider_crank");
  ModelBuilder builder(shipped);
  builder.set_gravity(Vec3::Zero());
  const Model model = builder.build();
  LoopDynamics dynamics(model);
  const nlohmann::json cases = test::read_fixture("o11_sliders.json").at("cases");
  ASSERT_EQ(cases.size(), 3u);
  for (const nlohmann::json& c : cases) {
    SCOPED_TRACE(c.at("id"));
    for (const nlohmann::json& row : c.at("rows")) {
      const State s{columns(row, 1), columns(row, 4)};
      Kinematics k(model);
      forward_kinematics(model, s.q, s.v, k);
      const Vec3 f = k.X_WB[2].R.transpose() * Vec3(row.at(10).get<double>(), 0.0, 0.0);
      std::vector<Force> F_ext(3, Force::zero());
      F_ext[2] = Force::from(Vec3(0.0, 0.0, 0.5).cross(f), f);
      JointVector vdot;
      ASSERT_EQ(dynamics.run(s.q, s.v, JointVector::Zero(3), ExternalLoads{F_ext, nullptr}, vdot),
                LoopStatus::kOk);
      // rad/s^2; the table's 13 digits, amplified next to the dead centre
      EXPECT_LT((vdot - columns(row, 7)).cwiseAbs().maxCoeff(), 1e-9) << row.at(0);
    }
  }
}

TEST(ClosedChainMotions, SliderCrankFallsThroughItsDeadCentresWithItsEnergy) {
  const Model model = robot("slider_crank");
  const double deg = std::numbers::pi / 180.0;
  State s{JointVector(3), JointVector::Zero(3)};
  s.q << 30.0 * deg, 85.658906273255 * deg, 64.341093726745 * deg;
  const double energy = test::energy(model, s);
  LoopStepper stepper(model);
  double worst = 0.0;
  double gap = 0.0;
  int turns = 0;
  for (int step = 0; step < 3000; ++step) {
    const double before = std::cos(s.q[0]);
    ASSERT_EQ(stepper.runge_kutta_4(JointVector::Zero(3), 1e-3, s), LoopStatus::kOk) << step;
    turns += before * std::cos(s.q[0]) < 0.0 ? 1 : 0;
    worst = std::max(worst, std::abs(test::energy(model, s) - energy));
    gap = std::max(gap, stepper.dynamics().gap());
  }
  EXPECT_GE(turns, 2);     // crank and rod in line with the guide
  EXPECT_LT(worst, 1e-7);  // J
  EXPECT_LT(gap, 1e-10);   // m, rad
}

}  // namespace
}  // namespace kagami::models
