// The four-bar against O03 and O04, whose numbers come from closed forms (elliptic functions) and
// from maximal coordinates.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "models/base/angle.hpp"
#include "models/closed_chains/loop_stepper.hpp"
#include "models/closed_chains/test/loop_models.hpp"
#include "models/test/support/model_json.hpp"

namespace kagami::models {
namespace {

struct FourBar {
  explicit FourBar(const std::string& fixture)
      : json(test::read_fixture(fixture)),
        model(test::four_bar({length("l1"), length("l2"), length("l3")},
                             json.at("link_mass").get<std::array<double, 3>>(), length("ground"))) {
  }
  [[nodiscard]] double length(const char* key) const { return json.at("link_length").at(key); }
  [[nodiscard]] JointVector columns(const nlohmann::json& row, int first) const {
    const auto n = static_cast<std::size_t>(first);
    return (JointVector(3) << row[n].get<double>(), row[n + 1].get<double>(),
            row[n + 2].get<double>())
        .finished();
  }

  nlohmann::json json;
  Model model;
};

// F on a body in its own frame, as (x, z) in the world; phi: the body's absolute angle
std::array<double, 2> in_world(const Force& F, double phi) {
  const Vec3 f = F.force();
  return {std::cos(phi) * f.x() + std::sin(phi) * f.z(),
          -std::sin(phi) * f.x() + std::cos(phi) * f.z()};
}

// all four joint forces of one row
void expect_forces(const FourBar& bar, const LoopDynamics& dynamics, const State& s,
                   const JointVector& vdot, const nlohmann::json& row) {
  std::vector<Force> F_ext(3, Force::zero());
  dynamics.add_forces(F_ext);
  RneaWorkspace w(bar.model);
  JointVector tau;
  rnea_reference(bar.model, s.q, s.v, vdot, ExternalLoads{F_ext, nullptr}, w, tau);
  EXPECT_LE(tau.cwiseAbs().maxCoeff(), 1e-9);
  // the bars' axial force is the quotient of two small numbers next to the singular pose
  const double tolerance = 1e-8 / std::min(1.0, row[24].get<double>());
  double phi = 0.0;
  for (int i = 0; i < 3; ++i) {
    phi += s.q[i];
    const auto f = in_world(w.F[static_cast<std::size_t>(i)], phi);
    const double sign = i == 2 ? -1.0 : 1.0;  // F3: on link 2
    EXPECT_NEAR(sign * f[0], row[static_cast<std::size_t>(13 + 2 * i)].get<double>(), tolerance);
    EXPECT_NEAR(sign * f[1], row[static_cast<std::size_t>(14 + 2 * i)].get<double>(), tolerance);
  }
  const Vec3 F4 = dynamics.wrench(0).force();
  EXPECT_NEAR(F4.x(), row[19].get<double>(), tolerance);
  EXPECT_NEAR(F4.z(), row[20].get<double>(), tolerance);
  EXPECT_NEAR(F4.y(), 0.0, 1e-12);
}

void expect_accelerations(const FourBar& bar) {
  LoopDynamics dynamics(bar.model);
  const JointVector tau = JointVector::Zero(3);
  JointVector vdot;
  for (const nlohmann::json& row : bar.json.at("rows")) {
    const State s{bar.columns(row, 1), bar.columns(row, 5)};
    ASSERT_EQ(dynamics.run(s.q, s.v, tau, ExternalLoads{}, vdot), LoopStatus::kOk);
    EXPECT_EQ(dynamics.rank(), 2);
    EXPECT_LE((vdot - bar.columns(row, 9)).cwiseAbs().maxCoeff(), 1e-9);
    expect_forces(bar, dynamics, s, vdot, row);
  }
}

// what a run of 3 s at 1 ms showed
struct Motion3s {
  double angle = 0.0;          // largest error against the rows (rad)
  double energy = 0.0;         // largest change (J)
  double gap = 0.0;            // m
  double coupler = 0.0;        // largest |phi2 - 90 deg|
  double least = 1e300;        // smallest singular value
  std::vector<double> passes;  // when theta1 crossed +-90 deg (s)
};

Motion3s simulate(const FourBar& bar) {
  const nlohmann::json& rows = bar.json.at("rows");
  LoopStepper stepper(bar.model);
  const JointVector tau = JointVector::Zero(3);
  State s{bar.columns(rows[0], 1), bar.columns(rows[0], 5)};
  const double E0 = test::energy(bar.model, s);
  Motion3s r;
  for (int step = 0; step <= 3000; ++step) {
    if (step % 100 == 0) {
      const nlohmann::json& row = rows.at(static_cast<std::size_t>(step / 100));
      EXPECT_NEAR(row[0].get<double>(), step * 1e-3, 1e-12);
      r.angle = std::max(r.angle, (s.q - bar.columns(row, 1)).cwiseAbs().maxCoeff());
    }
    r.energy = std::max(r.energy, std::abs(test::energy(bar.model, s) - E0));
    r.coupler = std::max(r.coupler, std::abs(s.q[0] + s.q[1] - std::numbers::pi / 2));
    const double before = std::cos(s.q[0]);
    EXPECT_EQ(stepper.runge_kutta_4(tau, 1e-3, s), LoopStatus::kOk);
    const double after = std::cos(s.q[0]);
    if (before * after < 0.0) r.passes.push_back(1e-3 * (step + before / (before - after)));
    r.gap = std::max(r.gap, stepper.dynamics().gap());
    r.least = std::min(r.least, stepper.dynamics().smallest_singular_value());
  }
  return r;
}

TEST(FourBar, AccelerationsAndAllJointForcesAreThoseOfTheParallelogram) {
  expect_accelerations(FourBar("o03_seed.json"));
}

TEST(FourBar, AccelerationsAndAllJointForcesAreThoseOfTheGeneralOne) {
  expect_accelerations(FourBar("o03_general.json"));
}

TEST(FourBar, AccelerationsAndForcesHoldUpToTheSingularPose) {
  expect_accelerations(FourBar("o04_seed.json"));
}

TEST(FourBar, MotionFollowsTheReferenceForThreeSeconds) {
  for (const char* fixture : {"o03_seed.json", "o03_general.json"}) {
    const Motion3s r = simulate(FourBar(fixture));
    EXPECT_LE(r.angle, 1e-9) << fixture;   // order 4 at 1 ms; advised 1e-6 rad
    EXPECT_LE(r.energy, 1e-9) << fixture;  // advised 1e-6 J
    EXPECT_LE(r.gap, 1e-12) << fixture;
  }
}

// O04: the collinear pose is a crossing of two branches; the source's own simulation jumps there
TEST(FourBar, PassesFiveSingularPosesOnItsBranch) {
  const FourBar bar("o04_seed.json");
  const Motion3s r = simulate(bar);
  EXPECT_LE(r.energy, 1e-8);
  EXPECT_LE(r.coupler, 1e-8);
  EXPECT_LE(r.angle, 1e-8);
  EXPECT_LE(r.least, 1e-2);
  const auto exact = bar.json.at("singular_instants").get<std::vector<double>>();
  ASSERT_EQ(r.passes.size(), exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(r.passes[i], exact[i], 1e-6);
}

TEST(FourBar, StandsInTheSingularPoseItselfWithLowerRankAndNoSilentNumber) {
  const FourBar bar("o04_seed.json");
  LoopDynamics dynamics(bar.model);
  State s{JointVector(3), JointVector(3)};
  s.q << std::numbers::pi / 2, 0.0, std::numbers::pi;
  s.v << 3.0, -3.0, 3.0;  // along the parallelogram's branch
  JointVector vdot;
  ASSERT_EQ(dynamics.run(s.q, s.v, JointVector::Zero(3), ExternalLoads{}, vdot), LoopStatus::kOk);
  EXPECT_EQ(dynamics.rank(), 1);
  EXPECT_NEAR(vdot[0], 11.772, 1e-9);
  // a rate that the equations allow but no branch has
  s.v << 3.0, 0.0, 3.0;
  EXPECT_EQ(dynamics.run(s.q, s.v, JointVector::Zero(3), ExternalLoads{}, vdot),
            LoopStatus::kOverConstrained);
}

}  // namespace
}  // namespace kagami::models
