// Reaction null space against O12 (another program's coupling inertias, projectors and reactions),
// against inverse dynamics, and against itself with another root.
#include "control/balance/reaction_null_space.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/base/errors.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/read_model.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/robot/state.hpp"
#include "models/test/support/forward_sample.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::control {
namespace {

using models::Model;
using test::max_abs;

Model hoap2() {
  return models::read_model(KAGAMI_SOURCE_DIR "/models/data/hoap2_10dof").model;
}

JointVector with_base(const Model& model, const JointVector& theta) {
  models::State s = models::neutral_state(model);
  s.q.tail(theta.size()) = theta;
  return s.q;
}

TEST(ReactionNullSpace, IsThatOfO12OnTheHoap2) {
  const nlohmann::json json = test::read_fixture("o12_balance.json");
  const Model model = hoap2();
  ReactionNullSpace rns(model, model.frame("link5"));
  ASSERT_EQ(rns.num_joints(), 10);
  for (const nlohmann::json& c : json.at("null_space")) {
    const JointVector theta = test::vector_from_json(c.at("theta"));
    const JointVector rate = test::vector_from_json(c.at("thetad"));
    ASSERT_EQ(rns.evaluate(with_base(model, theta), rate), ReactionStatus::kOk);
    for (int row = 0; row < 6; ++row) {
      const JointVector want =
          test::vector_from_json(c.at("M_fl").at(static_cast<std::size_t>(row)));
      EXPECT_LT(max_abs(rns.coupling_inertia().row(row).transpose() - want), 1e-12);
    }
    EXPECT_LT((rns.bias().c - test::vec6_from_json(c.at("Mfldot_thetad"))).norm(),
              1e-11);  // N, N m
    EXPECT_EQ(rns.report().rank, 6);
    EXPECT_EQ(rns.report().free, 4);
    EXPECT_EQ(rns.report().damping, 0.0);
    for (int j = 0; j < 10; ++j) {
      JointVector column = JointVector::Unit(10, j);
      rns.project(column);
      const JointVector want =
          test::vector_from_json(c.at("null_projector").at(static_cast<std::size_t>(j)));
      EXPECT_LT(max_abs(column - want), 1e-9);
      EXPECT_LT((rns.coupling_inertia() * column).norm(), 1e-12);  // M_fl N = 0
      JointVector again = column;
      rns.project(again);
      EXPECT_LT(max_abs(again - column), 1e-12);  // N^2 = N
    }
    const JointVector zeta = test::vector_from_json(c.at("zeta"));
    JointVector theta_dd;
    rns.acceleration(zeta, theta_dd);
    EXPECT_LT(max_abs(theta_dd - test::vector_from_json(c.at("thetadd"))), 1e-9);
    JointVector theta_d;
    rns.velocity(models::Force::zero(), zeta, theta_d);
    EXPECT_LT(max_abs(theta_d - test::vector_from_json(c.at("reactionless_velocity"))), 1e-9);
  }
}

/// Force on the held foot (about its frame, its axes) of a motion, gravity included; by rnea.
Vec6 foot_reaction(const Model& model, const JointVector& theta, const JointVector& rate,
                   const JointVector& acceleration) {
  models::RneaWorkspace w(model);
  JointVector v = JointVector::Zero(16);
  JointVector vdot = v;
  v.tail(10) = rate;
  vdot.tail(10) = acceleration;
  JointVector tau;
  models::rnea(model, with_base(model, theta), v, vdot, w, tau);
  return tau.head<6>();
}

TEST(ReactionNullSpace, AMotionInItLeavesTheFootsReactionTheStaticOne) {
  const Model model = hoap2();
  ReactionNullSpace rns(model, model.frame("link5"));
  JointVector theta = JointVector::Zero(10);
  JointVector rate = JointVector::Zero(10);
  JointVector theta_dd;
  // 0.5 s of a motion that swings all joints: semi-implicit steps of 1 ms
  double moved = 0.0;
  for (int k = 0; k < 500; ++k) {
    JointVector zeta(10);
    for (int j = 0; j < 10; ++j) zeta[j] = 3.0 * std::sin(0.012 * k + 0.7 * j);
    ASSERT_EQ(rns.evaluate(with_base(model, theta), rate), ReactionStatus::kOk);
    rns.acceleration(zeta, theta_dd);
    const Vec6 dynamic = foot_reaction(model, theta, rate, theta_dd);
    const Vec6 at_rest = foot_reaction(model, theta, JointVector::Zero(10), JointVector::Zero(10));
    ASSERT_LT((dynamic - at_rest).norm(), 1e-9) << k;  // N, N m
    rate += 1e-3 * theta_dd;
    theta += 1e-3 * rate;
    moved = std::max(moved, max_abs(rate));
  }
  EXPECT_GT(moved, 0.3);  // rad/s: it did move
}

TEST(ReactionNullSpace, TheIntegratedFormHoldsTheMomentum) {
  const Model model = hoap2();
  ReactionNullSpace rns(model, model.frame("link5"));
  const models::Force L{(Vec6() << 0.01, -0.02, 0.005, 0.1, 0.05, -0.03).finished()};
  JointVector theta = JointVector::Constant(10, 0.1);
  JointVector rate = JointVector::Zero(10);
  for (int k = 0; k < 50; ++k) {
    ASSERT_EQ(rns.evaluate(with_base(model, theta), rate), ReactionStatus::kOk);
    rns.velocity(L, JointVector::Constant(10, 0.4), rate);
    ASSERT_EQ(rns.evaluate(with_base(model, theta), rate), ReactionStatus::kOk);
    EXPECT_LT((rns.momentum().c - L.c).norm(), 1e-13);  // N m s, N s
    theta += 0.01 * rate;
  }
}

// the same robot hung from its trunk, or from its foot, floating or held: one coupling inertia
TEST(ReactionNullSpace, DoesNotDependOnTheRootOfTheTree) {
  const nlohmann::json json = test::read_fixture("o12_balance.json");
  const Model from_foot = hoap2();
  const Model held =
      models::read_model(KAGAMI_SOURCE_DIR "/models/data/hoap2_10dof", models::BaseKind::kFixed)
          .model;
  const Model from_trunk = test::model_from_json(json.at("scene_model"));
  ReactionNullSpace a(from_foot, from_foot.frame("link5"));
  ReactionNullSpace b(from_trunk, from_trunk.frame("link5"));
  ReactionNullSpace c(held, held.frame("link5"));
  const int order[10] = {4, 3, 2, 1, 0, 5, 6, 7, 8, 9};  // joint5 first, or joint1
  for (int seed = 0; seed < 5; ++seed) {
    JointVector theta(10);
    JointVector rate(10);
    for (int j = 0; j < 10; ++j) {
      theta[j] = 0.5 * std::sin(1.0 + seed + 2.1 * j);
      rate[j] = 2.0 * std::cos(3.0 * seed + 1.3 * j);
    }
    JointVector theta_b(10);
    JointVector rate_b(10);
    for (int j = 0; j < 10; ++j) {
      theta_b[order[j]] = theta[j];
      rate_b[order[j]] = rate[j];
    }
    models::State s = models::neutral_state(from_trunk);
    s.q.head<7>() << 0.3, -0.2, 0.5, 0.5, 0.5, -0.5, 0.5;  // anywhere
    s.q.tail(10) = theta_b;
    ASSERT_EQ(a.evaluate(with_base(from_foot, theta), rate), ReactionStatus::kOk);
    ASSERT_EQ(b.evaluate(s.q, rate_b), ReactionStatus::kOk);
    ASSERT_EQ(c.evaluate(theta, rate), ReactionStatus::kOk);
    for (int j = 0; j < 10; ++j) {
      EXPECT_LT((a.coupling_inertia().col(j) - b.coupling_inertia().col(order[j])).norm(), 1e-13);
      EXPECT_LT((a.coupling_inertia().col(j) - c.coupling_inertia().col(j)).norm(), 1e-14);
    }
    EXPECT_LT((a.bias().c - b.bias().c).norm(), 1e-12);
    EXPECT_LT((a.bias().c - c.bias().c).norm(), 1e-13);
  }
}

/// The thesis's three-joint model: three point masses (as good as), ankle about y, hip about z and
/// then y, foot held at the origin.
Model three_joints(const nlohmann::json& p) {
  models::ModelBuilder builder;
  const auto mass = [&](const char* key, double z) {
    models::MassProperties m;
    m.mass = p.at(key);
    m.com = Vec3(0.0, 0.0, z);
    m.I_com = 1e-6 * Mat3::Identity();
    return m;
  };
  models::Joint y;
  y.type = models::JointType::kRevolute;
  y.axis = Vec3::UnitY();
  models::Joint z = y;
  z.axis = Vec3::UnitZ();
  const models::Pose hip{Mat3::Identity(), Vec3(0.0, 0.0, p.at("l1"))};
  const int leg = builder.add_body("leg", kWorld, "ankle", y, {}, mass("m1", p.at("lg1")));
  const int middle = builder.add_body("hip", leg, "h1", z, hip, mass("mh1", 0.0));
  builder.add_body("upper", middle, "h2", y, {}, mass("m2", p.at("lg2")));
  return builder.build();
}

TEST(ReactionNullSpace, OfThreeJointsAndOneForceIsTheThesissCorrected) {
  const nlohmann::json json = test::read_fixture("o12_balance.json");
  ReactionSettings forward;
  forward.weights << 0.0, 0.0, 0.0, 1.0, 0.0, 0.0;
  int cases = 0;
  for (const nlohmann::json& c : json.at("three_joint")) {
    const Model model = three_joints(c.at("params"));
    models::Frame world;
    world.name = "ground";
    ReactionNullSpace rns(model, world, forward);
    JointVector theta(3);
    theta << c.at("theta_a").get<double>(), c.at("theta_h1").get<double>(),
        c.at("theta_h2").get<double>();
    ASSERT_EQ(rns.evaluate(theta, JointVector::Zero(3)), ReactionStatus::kOk);
    const JointVector row = test::vector_from_json(c.at("M_fl"));
    EXPECT_LT(max_abs(rns.coupling_inertia().row(3).transpose() - row), 1e-12);
    // both of the thesis's vectors lie in it: N n = n
    const nlohmann::json& n2 = c.at("n2");
    for (const JointVector& n :
         {(JointVector(3) << c.at("n11").get<double>(), 0.0, c.at("n31").get<double>()).finished(),
          (JointVector(3) << n2.at("n12").get<double>(), n2.at("n22").get<double>(), 0.0)
              .finished()}) {
      JointVector inside = n;
      rns.project(inside);
      EXPECT_LT(max_abs(inside - n), 1e-12);
    }
    EXPECT_EQ(rns.report().free, 2);
    ++cases;
  }
  EXPECT_EQ(cases, 8);
}

TEST(ReactionNullSpace, DampsWhereReactionsCannotBeDistinguished) {
  // a threshold that every pose is below
  const Model model = hoap2();
  ReactionSettings settings;
  settings.near_singular = 0.5;  // always near
  settings.max_damping = 0.1;
  ReactionNullSpace damped(model, model.frame("link5"), settings);
  ReactionNullSpace exact(model, model.frame("link5"));
  const JointVector q = with_base(model, JointVector::Constant(10, 0.2));
  const JointVector rate = JointVector::Constant(10, 1.0);
  ASSERT_EQ(damped.evaluate(q, rate), ReactionStatus::kOk);
  ASSERT_EQ(exact.evaluate(q, rate), ReactionStatus::kOk);
  const ReactionReport& r = damped.report();
  const double part = r.smallest / (0.5 * r.largest);
  EXPECT_NEAR(r.damping, 0.1 * r.largest * std::sqrt(1.0 - part * part), 1e-12);
  EXPECT_EQ(r.condition, r.largest / r.smallest);
  EXPECT_GT(r.condition, 1.0);
  JointVector bounded;
  JointVector full;
  damped.acceleration(JointVector::Zero(10), bounded);
  exact.acceleration(JointVector::Zero(10), full);
  EXPECT_LT(bounded.norm(), full.norm());
}

TEST(ReactionNullSpace, WorksOnTheKhr1AndAllocatesNothing) {
  const models::RobotDescription khr1 =
      models::read_robot_folder(KAGAMI_SOURCE_DIR "/models/data/khr1", models::BaseKind::kFloating);
  ReactionNullSpace rns(khr1.model, khr1.model.frame("left_foot"));
  const models::State s = models::neutral_state(khr1.model);
  const JointVector rate = JointVector::Constant(rns.num_joints(), 0.3);
  JointVector theta_dd;
  ASSERT_EQ(rns.evaluate(s.q, rate), ReactionStatus::kOk);
  const test::NoAlloc guard;
  ASSERT_EQ(rns.evaluate(s.q, rate), ReactionStatus::kOk);
  rns.acceleration(rate, theta_dd);
  EXPECT_EQ(guard.count(), 0);
  EXPECT_TRUE(theta_dd.allFinite());
  EXPECT_LE(rns.report().rank, 6);
}

TEST(ReactionNullSpace, RefusesWhatItCannotBeOf) {
  const Model model = hoap2();
  const Model held =
      models::read_model(KAGAMI_SOURCE_DIR "/models/data/hoap2_10dof", models::BaseKind::kFixed)
          .model;
  EXPECT_THROW(ReactionNullSpace(held, held.frame("link10")), ConfigError);
  ReactionSettings settings;
  settings.weights.setZero();
  EXPECT_THROW(ReactionNullSpace(model, model.frame("link5"), settings), ConfigError);
  settings.weights[2] = -1.0;
  EXPECT_THROW(ReactionNullSpace(model, model.frame("link5"), settings), ConfigError);
  settings = {};
  settings.max_damping = 2.0;
  EXPECT_THROW(ReactionNullSpace(model, model.frame("link5"), settings), ConfigError);
  settings = {};
  settings.near_singular = std::nan("");
  EXPECT_THROW(ReactionNullSpace(model, model.frame("link5"), settings), ConfigError);
  ReactionNullSpace rns(model, model.frame("link5"));
  JointVector q = with_base(model, JointVector::Zero(10));
  EXPECT_EQ(rns.evaluate(q, JointVector::Zero(9)), ReactionStatus::kNotFinite);
  q[9] = std::nan("");
  EXPECT_EQ(rns.evaluate(q, JointVector::Zero(10)), ReactionStatus::kNotFinite);
}

}  // namespace
}  // namespace kagami::control
