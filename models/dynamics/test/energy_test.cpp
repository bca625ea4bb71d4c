// Energies against the mass matrix and finite differences, the balance of power against the
// accelerations of the articulated bodies.
#include "models/dynamics/energy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "models/dynamics/aba.hpp"
#include "models/dynamics/crba.hpp"
#include "models/robot/state.hpp"
#include "models/test/support/no_alloc.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using test::Random;

struct EnergyCase {
  explicit EnergyCase(std::uint64_t seed)
      : random(seed + 1),
        model(seed % 2 == 0
                  ? test::random_mixed_tree(random, 9, BaseKind::kFloating)
                  : test::random_tree(random, 9,
                                      seed % 4 == 1 ? BaseKind::kFixed : BaseKind::kFloating)),
        state(test::random_state(random, model)) {}

  /// J, after a time h (s) at the state's velocity and accelerations vdot.
  [[nodiscard]] double energy_at(double h, const JointVector& vdot) const {
    State s = state;
    // the middle velocity moves q right to the second order, which is all that counts here
    const JointVector middle = state.v + 0.5 * h * vdot;
    integrate(model, middle, h, s.q);
    s.v += h * vdot;
    Kinematics k(model);
    forward_kinematics(model, s.q, s.v, k);
    return kinetic_energy(model, s.v, k) + potential_energy(model, k);
  }

  Random random;
  Model model;
  State state;
};

TEST(Energy, KineticEnergyIsHalfOfVHv) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const EnergyCase c(seed);
    Kinematics k(c.model);
    forward_kinematics(c.model, c.state.q, c.state.v, k);
    CrbaWorkspace w(c.model);
    JointMatrix H;
    crba(c.model, c.state.q, w, H);
    const double half = 0.5 * c.state.v.dot(H * c.state.v);
    EXPECT_NEAR(kinetic_energy(c.model, c.state.v, k), half, 1e-12 * (1.0 + half));  // J
  }
}

TEST(Energy, PotentialEnergyFallsByTheWorkOfGravity) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const EnergyCase c(seed);
    const JointVector zero = JointVector::Zero(c.model.num_v());
    // joint forces that hold the robot still do the work that the potential takes up
    RneaWorkspace w(c.model);
    JointVector hold;
    rnea(c.model, c.state.q, zero, zero, w, hold);
    constexpr double kH = 1e-5;  // s
    double U[2];
    for (const int side : {0, 1}) {
      JointVector q = c.state.q;
      integrate(c.model, c.state.v, side == 0 ? -kH : kH, q);
      Kinematics k(c.model);
      forward_kinematics(c.model, q, zero, k);
      U[side] = potential_energy(c.model, k);
    }
    EXPECT_NEAR((U[1] - U[0]) / (2.0 * kH), hold.dot(c.state.v), 1e-7);  // W; h^2 and rounding / h
  }
}

TEST(Energy, WhatIsSuppliedIsStoredAndIsTheDifferenceOfTheEnergies) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    EnergyCase c(seed);
    const JointVector tau = c.random.vector(c.model.num_v());
    std::vector<Force> F;
    for (int i = 0; i < c.model.num_bodies(); ++i) {
      F.push_back(Force::from(c.random.vec3(), c.random.vec3()));
    }
    AbaWorkspace aba_workspace(c.model);
    JointVector vdot;
    aba(c.model, c.state.q, c.state.v, tau, ExternalLoads{F, nullptr}, aba_workspace, vdot);
    Kinematics k(c.model);
    forward_kinematics(c.model, c.state.q, c.state.v, k);
    RneaWorkspace w(c.model);
    const PowerBalance balance = power_balance(c.model, c.state.q, c.state.v, vdot, tau, F, k, w);
    const double size = 1.0 + vdot.norm();
    EXPECT_NEAR(balance.residual(), 0.0, 1e-10 * size);  // W
    constexpr double kH = 1e-5;                          // s
    const double rate = (c.energy_at(kH, vdot) - c.energy_at(-kH, vdot)) / (2.0 * kH);
    EXPECT_NEAR(balance.stored, rate, 1e-6 * size * size);  // W; h^2 times third derivatives
  }
}

TEST(Energy, PowerBalanceAllocatesNothing) {
  if (!test::hooks_are_active()) GTEST_SKIP() << "the sanitizer owns malloc";
  const EnergyCase c(1);
  const JointVector zero = JointVector::Zero(c.model.num_v());
  Kinematics k(c.model);
  RneaWorkspace w(c.model);
  const test::NoAlloc guard;
  forward_kinematics(c.model, c.state.q, c.state.v, k);
  const PowerBalance balance = power_balance(c.model, c.state.q, c.state.v, zero, zero, {}, k, w);
  const long count = guard.count();
  EXPECT_EQ(count, 0);
  EXPECT_TRUE(std::isfinite(balance.residual()));
}

}  // namespace
}  // namespace kagami::models
