// Inverse dynamics with loops against forward dynamics (LoopDynamics and LoopAssembly), the closed
// form of the parallelogram, finite differences and the balance of power.
#include "models/closed_chains/loop_inverse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "models/base/errors.hpp"
#include "models/closed_chains/loop_assembly.hpp"
#include "models/closed_chains/test/loop_models.hpp"
#include "models/closed_chains/test/random_loops.hpp"
#include "models/dynamics/energy.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::models {
namespace {

JointVector independent_part(const LoopInverse& inverse, const JointVector& x) {
  JointVector part(static_cast<int>(inverse.independent().size()));
  for (int j = 0; j < part.size(); ++j) {
    part[j] = x[inverse.independent()[static_cast<std::size_t>(j)]];
  }
  return part;
}

// moves along the loops, so that every value of the inverse can be compared with the forward one
struct Moving {
  Moving(const Model& m, State s, std::vector<bool> actuated)
      : model(m), state(std::move(s)), inverse(model, std::move(actuated)), forward(model) {
    EXPECT_EQ(forward.close(state.q), LoopStatus::kOk);
    EXPECT_EQ(forward.factor(state.q), LoopStatus::kOk);
    forward.project_velocity(state.v, false);
    EXPECT_EQ(inverse.factor(state.q), LoopStatus::kOk);
  }
  const Model& model;
  State state;
  LoopInverse inverse;
  LoopDynamics forward;
};

std::vector<bool> all(const Model& model) {
  return std::vector<bool>(static_cast<std::size_t>(model.num_v()), true);
}

// FD(ID(x)) = x, the loops' forces those of the forward dynamics, the power balanced
void expect_inverse(Moving& c, const JointVector& wanted, double tolerance) {
  JointVector vdot;
  JointVector tau;
  ASSERT_EQ(c.inverse.run(c.state.q, c.state.v, wanted, ExternalLoads{}, vdot, tau),
            LoopStatus::kOk);
  EXPECT_LE((independent_part(c.inverse, vdot) - wanted).norm(), 1e-12 * (1.0 + wanted.norm()));
  JointVector again;
  ASSERT_EQ(c.forward.run(c.state.q, c.state.v, tau, ExternalLoads{}, again), LoopStatus::kOk);
  const double size = 1.0 + vdot.norm();
  EXPECT_LE((again - vdot).norm(), tolerance * size);
  LoopAssembly assembly(c.model);
  ASSERT_EQ(assembly.run(c.state.q, c.state.v, tau, ExternalLoads{}, again), LoopStatus::kOk);
  EXPECT_LE((again - vdot).norm(), 10 * tolerance * size);
  for (int l = 0; l < static_cast<int>(c.model.loops().size()); ++l) {
    const Vec6 F = c.forward.wrench(l).c;
    EXPECT_LE((c.inverse.dynamics().wrench(l).c - F).norm(), 10 * tolerance * (1.0 + F.norm()));
  }
  Kinematics k(c.model);
  forward_kinematics(c.model, c.state.q, c.state.v, k);
  RneaWorkspace w(c.model);
  const PowerBalance power = power_balance(c.model, c.state.q, c.state.v, vdot, tau, {}, k, w);
  EXPECT_NEAR(power.residual(), 0.0, tolerance * size * (1.0 + c.state.v.norm()));  // W
}

TEST(LoopInverse, UndoesForwardDynamicsOfEveryShippedKindOfLoop) {
  test::Random random(21);
  for (const Model& model : {test::peers_four_bar(false), test::peers_four_bar(true),
                             test::slider_crank(), test::double_loop()}) {
    for (int i = 0; i < 10; ++i) {
      State s{0.1 * random.vector(model.num_v()), random.vector(model.num_v())};
      Moving c(model, s, all(model));
      ASSERT_EQ(c.inverse.independent().size(), 1u);
      expect_inverse(c, 5.0 * random.vector(1), 1e-10);
    }
  }
}

TEST(LoopInverse, UndoesForwardDynamicsOfAHumanoidOnBothFeet) {
  test::Random random(22);
  State s;
  const Model model = test::humanoid_on_both_feet(s);
  for (int i = 0; i < 5; ++i) {
    s.v = random.vector(model.num_v());
    // the base has no motor
    LoopInverse standard(model);
    Moving c(model, s, [&] {
      std::vector<bool> actuated = all(model);
      std::fill_n(actuated.begin(), 6, false);
      return actuated;
    }());
    ASSERT_EQ(c.inverse.independent().size(), 12u);  // 23 - 11
    EXPECT_GE(c.inverse.independent()[0], 6) << "joints, not the base";
    ASSERT_EQ(standard.factor(c.state.q), LoopStatus::kOk);
    EXPECT_TRUE(std::equal(standard.independent().begin(), standard.independent().end(),
                           c.inverse.independent().begin()));
    expect_inverse(c, 2.0 * random.vector(12), 1e-9);
    JointVector vdot;
    JointVector tau;
    ASSERT_EQ(
        c.inverse.run(c.state.q, c.state.v, JointVector::Zero(12), ExternalLoads{}, vdot, tau),
        LoopStatus::kOk);
    EXPECT_EQ(tau.head(6).norm(), 0.0);
  }
}

TEST(LoopInverse, UndoesForwardDynamicsOfRandomClosedTrees) {
  test::Random random(23);
  int compared = 0;
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    test::RandomChain r(random, 4 + random.index(6), i % 2 ? BaseKind::kFloating : BaseKind::kFixed,
                        1 + random.index(2));
    LoopDynamics probe(r.model);
    ASSERT_EQ(probe.factor(r.q), LoopStatus::kOk);
    const int rank = probe.rank();
    if (rank == r.model.num_v() || probe.singular_values()[static_cast<std::size_t>(rank - 1)] <
                                       1e-3 * probe.singular_values()[0]) {
      continue;
    }
    Moving c(r.model, State{r.q, r.v}, all(r.model));
    const auto free = static_cast<int>(c.inverse.independent().size());
    ASSERT_EQ(free, r.model.num_v() - rank);
    expect_inverse(c, random.vector(free), 1e-8);
    ++compared;
  }
  EXPECT_GE(compared, 100);
}

// theta'' = w2 sin(theta) + tau / I for the parallelogram of O03: I = m l^2 (1/3 + 1 + 1/3), all of
// it seen at joint 1, w2 = 1.2 g / l
TEST(LoopInverse, TorqueOfTheParallelogramIsItsClosedForm) {
  const Model model = test::four_bar({1, 1, 1}, {1, 1, 1}, 1.0);
  for (const double theta : {0.4, 1.1, 2.4}) {
    State s{JointVector(3), JointVector(3)};
    s.q << theta, std::numbers::pi / 2 - theta, std::numbers::pi / 2 + theta;
    s.v << 1.3, -1.3, 1.3;
    LoopInverse inverse(model, {true, false, false});
    ASSERT_EQ(inverse.factor(s.q), LoopStatus::kOk);
    ASSERT_EQ(inverse.independent().size(), 1u);
    ASSERT_EQ(inverse.independent()[0], 0);
    JointVector v(3);
    inverse.velocities(JointVector::Constant(1, 1.3), v);
    EXPECT_LE((v - s.v).norm(), 1e-13);
    JointVector vdot;
    JointVector tau;
    ASSERT_EQ(inverse.run(s.q, s.v, JointVector::Constant(1, 4.0), ExternalLoads{}, vdot, tau),
              LoopStatus::kOk);
    EXPECT_NEAR(tau[0], 5.0 / 3.0 * (4.0 - 1.2 * 9.81 * std::sin(theta)), 1e-12);  // N m
    EXPECT_EQ(tau[1], 0.0);
    EXPECT_NEAR(vdot[1], -4.0, 1e-12);
    EXPECT_NEAR(vdot[2], 4.0, 1e-12);
  }
}

// redundant actuation: of all that move it the same, the smallest
TEST(LoopInverse, SharesTheLoadWhereThereAreMoreMotorsThanFreedoms) {
  const Model model = test::four_bar({1, 1, 1}, {1, 1, 1}, 1.0);
  JointVector q(3);
  q << 1.1, std::numbers::pi / 2 - 1.1, std::numbers::pi / 2 + 1.1;
  const JointVector zero = JointVector::Zero(3);
  const JointVector wanted = JointVector::Constant(1, 4.0);
  JointVector vdot;
  JointVector alone;
  JointVector shared;
  LoopInverse one(model, {true, false, false});
  LoopInverse three(model);
  ASSERT_EQ(one.factor(q), LoopStatus::kOk);
  ASSERT_EQ(one.run(q, zero, wanted, ExternalLoads{}, vdot, alone), LoopStatus::kOk);
  ASSERT_EQ(three.factor(q), LoopStatus::kOk);
  ASSERT_EQ(three.independent().size(), 1u);
  const int first = three.independent()[0];
  const double sign = first == 1 ? -1.0 : 1.0;  // joint 2 turns against the others
  ASSERT_EQ(three.run(q, zero, sign * wanted, ExternalLoads{}, vdot, shared), LoopStatus::kOk);
  // the joints turn by 1, -1, 1: each carries a third
  EXPECT_LE((shared - alone[0] / 3.0 * Vec3(1, -1, 1)).norm(), 1e-12);  // N m
}

TEST(LoopInverse, ReportsWhatTheActuatorsCannotDo) {
  State s;
  const Model model = test::humanoid_on_both_feet(s);
  std::vector<bool> none = all(model);
  std::fill_n(none.begin(), 20, false);
  LoopInverse inverse(model, none);
  ASSERT_EQ(inverse.factor(s.q), LoopStatus::kOk);
  JointVector vdot = JointVector::Constant(1, 7.0);
  JointVector tau = vdot;
  EXPECT_EQ(inverse.run(s.q, s.v, JointVector::Zero(12), ExternalLoads{}, vdot, tau),
            LoopStatus::kUnderActuated);
  JointVector bad = JointVector::Constant(12, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(inverse.run(s.q, s.v, bad, ExternalLoads{}, vdot, tau), LoopStatus::kNotFinite);
  EXPECT_EQ(inverse.factor(JointVector::Constant(model.num_q(), NAN)), LoopStatus::kNotFinite);
  EXPECT_EQ(vdot[0], 7.0);
  EXPECT_EQ(tau[0], 7.0);
  EXPECT_STREQ(name(LoopStatus::kUnderActuated), "under-actuated");
  EXPECT_THROW(LoopInverse(model, {true}), ConfigError);
}

// a rod welded at both ends has no independent coordinate: nothing moves, nothing is requested
TEST(LoopInverse, HeldJointsAreNamed) {
  ModelBuilder builder;
  const Joint hinge{JointType::kRevolute, Vec3::UnitY(), Vec3::Zero()};
  const MassProperties mass{1.0, Vec3(0.5, 0, 0), Mat3::Identity()};
  builder.add_body("rod", kWorld, "hinge", hinge, Pose{}, mass);
  builder.add_body("free", 0, "elbow", hinge, Pose{Mat3::Identity(), Vec3(1, 0, 0)}, mass);
  builder.add_loop("weld", 0, Pose{Mat3::Identity(), Vec3(1, 0, 0)}, kWorld,
                   Pose{Mat3::Identity(), Vec3(1, 0, 0)}, Joint{});
  const Model model = builder.build();
  LoopInverse inverse(model);
  ASSERT_EQ(inverse.factor(JointVector::Zero(2)), LoopStatus::kOk);
  EXPECT_TRUE(inverse.is_held(0));
  EXPECT_FALSE(inverse.is_held(1));
  JointVector vdot;
  JointVector tau;
  const JointVector zero = JointVector::Zero(2);
  ASSERT_EQ(inverse.run(zero, zero, JointVector::Zero(1), ExternalLoads{}, vdot, tau),
            LoopStatus::kOk);
  EXPECT_NEAR(tau[0], 0.0, 1e-14);          // the weld carries it
  EXPECT_NEAR(tau[1], -0.5 * 9.81, 1e-12);  // N m; about +y a weight at +x pulls along +
}

// pushes on every body and another diagonal than the rotors', as a servo's implicit terms
TEST(LoopInverse, TakesForcesOfTheSurroundingsAndAddedInertia) {
  test::Random random(24);
  State s;
  const Model model = test::humanoid_on_both_feet(s);
  s.v = random.vector(model.num_v());
  Moving c(model, s, all(model));
  std::vector<Force> push;
  for (int i = 0; i < model.num_bodies(); ++i) {
    push.push_back(Force::from(0.1 * random.vec3(), random.vec3()));
  }
  JointVector added = JointVector::Constant(model.num_v(), 2e-3);
  added.head<6>().setZero();
  const ExternalLoads extras{push, &added};
  const auto free = static_cast<int>(c.inverse.independent().size());
  const JointVector wanted = random.vector(free);
  JointVector vdot;
  JointVector tau;
  ASSERT_EQ(c.inverse.run(c.state.q, c.state.v, wanted, extras, vdot, tau), LoopStatus::kOk);
  JointVector again;
  ASSERT_EQ(c.forward.run(c.state.q, c.state.v, tau, extras, again), LoopStatus::kOk);
  EXPECT_LE((again - vdot).norm(), 1e-9 * (1.0 + vdot.norm()));
  LoopAssembly assembly(model);
  ASSERT_EQ(assembly.run(c.state.q, c.state.v, tau, extras, again), LoopStatus::kOk);
  EXPECT_LE((again - vdot).norm(), 1e-8 * (1.0 + vdot.norm()));
  // the pushes count
  ASSERT_EQ(c.forward.run(c.state.q, c.state.v, tau, ExternalLoads{{}, &added}, again),
            LoopStatus::kOk);
  EXPECT_GE((again - vdot).norm(), 1.0);
}

// no freedom at all: no question, and the loop carries everything
TEST(LoopInverse, WhatCannotMoveNeedsNoTorque) {
  ModelBuilder builder;
  builder.add_body("rod", kWorld, "hinge", Joint{JointType::kRevolute, Vec3::UnitY(), Vec3::Zero()},
                   Pose{}, {2.0, Vec3(0.5, 0, 0), Mat3::Identity()});
  builder.add_loop("weld", 0, Pose{}, kWorld, Pose{}, Joint{});
  const Model model = builder.build();
  LoopInverse inverse(model);
  const JointVector zero = JointVector::Zero(1);
  ASSERT_EQ(inverse.factor(zero), LoopStatus::kOk);
  EXPECT_TRUE(inverse.independent().empty());
  JointVector vdot;
  JointVector tau;
  ASSERT_EQ(inverse.run(zero, zero, JointVector(0), ExternalLoads{}, vdot, tau), LoopStatus::kOk);
  EXPECT_NEAR(vdot[0], 0.0, 1e-14);
  EXPECT_NEAR(tau[0], 0.0, 1e-14);
  EXPECT_NEAR(inverse.dynamics().wrench(0).moment().y(), -9.81, 1e-12);  // N m
}

TEST(LoopInverse, NeverAllocates) {
  if (!test::hooks_are_active()) GTEST_SKIP() << "the sanitizer owns malloc";
  State s;
  const Model model = test::humanoid_on_both_feet(s);
  LoopInverse inverse(model);
  const JointVector wanted = JointVector::Zero(12);
  JointVector vdot;
  JointVector tau;
  const test::NoAlloc guard;
  const LoopStatus first = inverse.factor(s.q);
  const LoopStatus second = inverse.run(s.q, s.v, wanted, ExternalLoads{}, vdot, tau);
  const long count = guard.count();
  EXPECT_EQ(count, 0);
  EXPECT_EQ(first, LoopStatus::kOk);
  EXPECT_EQ(second, LoopStatus::kOk);
}

}  // namespace
}  // namespace kagami::models
