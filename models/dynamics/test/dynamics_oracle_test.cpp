// Worked examples of others: random trees (O10), planar chains (O01, O02), a free body (O05) and a
// floating arm (O07). None of their numbers comes from a recursive algorithm.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "models/dynamics/aba.hpp"
#include "models/dynamics/crba.hpp"
#include "models/dynamics/energy.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/test/support/forward_sample.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using test::max_abs;
using test::vec3_from_json;
using test::vector_from_json;

// one tree of O10, loaded
struct Tree {
  explicit Tree(const nlohmann::json& c)
      : json(c),
        model(test::model_from_json(c.at("model"))),
        q(vector_from_json(c.at("q"))),
        v(vector_from_json(c.at("v"))),
        kinematics(model) {
    forward_kinematics(model, q, v, kinematics);
    F_ext.assign(static_cast<std::size_t>(model.num_bodies()), Force::zero());
    for (const nlohmann::json& e : c.at("external")) add_external(e);
  }

  // force and moment in world axes, the force at a point given in the body
  void add_external(const nlohmann::json& e) {
    const auto i = e.at("body").get<std::size_t>();
    const Mat3& R = kinematics.X_WB[i].R;
    const Vec3 f = R.transpose() * vec3_from_json(e.at("force_world"));
    const Vec3 n = R.transpose() * vec3_from_json(e.at("moment_world"));
    const Vec3 p = vec3_from_json(e.at("point_body"));
    F_ext[i] += Force::from(n + p.cross(f), f);
  }

  const nlohmann::json& json;
  Model model;
  JointVector q;
  JointVector v;
  Kinematics kinematics;
  std::vector<Force> F_ext;
};

class RandomTreesOracle : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cases_.size(), 20u); }

  nlohmann::json cases_ = test::read_fixture("o10_trees.json").at("cases");
};

TEST_F(RandomTreesOracle, AbaGivesTheAccelerations) {
  for (const nlohmann::json& c : cases_) {
    SCOPED_TRACE(c.at("id"));
    const Tree t(c);
    AbaWorkspace w(t.model);
    JointVector vdot;
    aba(t.model, t.q, t.v, vector_from_json(c.at("tau")), ExternalLoads{.F_ext = t.F_ext}, w, vdot);
    const JointVector want = vector_from_json(c.at("vdot"));
    EXPECT_LT(max_abs(vdot - want), 1e-9 * std::max(1.0, max_abs(want)));  // condition up to 7e3
    if (t.model.body(0).joint.type != JointType::kFloating) continue;
    // the ordinary acceleration of a floating root's origin
    const Vec3 a = t.kinematics.X_WB[0].R *
                   (vdot.segment<3>(3) + Vec3(t.v.head<3>()).cross(Vec3(t.v.segment<3>(3))));
    EXPECT_LT((a - vec3_from_json(c.at("root_origin_classical_acc_world"))).norm(),
              1e-9 * std::max(1.0, max_abs(want)));
  }
}

TEST_F(RandomTreesOracle, RneaGivesTheJointForcesAndTheJointWrenches) {
  for (const nlohmann::json& c : cases_) {
    SCOPED_TRACE(c.at("id"));
    const Tree t(c);
    RneaWorkspace w(t.model);
    JointVector tau;
    rnea(t.model, t.q, t.v, vector_from_json(c.at("inverse").at("vdot")),
         ExternalLoads{.F_ext = t.F_ext}, w, tau);
    EXPECT_LT(max_abs(tau - vector_from_json(c.at("inverse").at("tau"))), 1e-11);  // N m

    // wrenches belong to the forward case
    rnea_reference(t.model, t.q, t.v, vector_from_json(c.at("vdot")),
                   ExternalLoads{.F_ext = t.F_ext}, w, tau);
    for (int i = 0; i < t.model.num_bodies(); ++i) {
      const auto n = static_cast<std::size_t>(i);
      const Mat3& R = t.kinematics.X_WB[n].R;
      const Vec6 want = test::vec6_from_json(c.at("joint_wrench_world_at_child_origin").at(n));
      EXPECT_LT((R * w.F[n].moment() - want.head<3>()).norm(), 1e-9) << i;  // vdot has 1e-12
      EXPECT_LT((R * w.F[n].force() - want.tail<3>()).norm(), 1e-9) << i;
    }
  }
}

TEST_F(RandomTreesOracle, CrbaGivesTheMassMatrixAndRneaTheBias) {
  for (const nlohmann::json& c : cases_) {
    SCOPED_TRACE(c.at("id"));
    const Tree t(c);
    CrbaWorkspace w(t.model);
    JointMatrix H;
    crba(t.model, t.q, w, H);
    EXPECT_LT((H - test::matrix_from_json(c.at("H"))).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_TRUE(H == H.transpose());

    RneaWorkspace r(t.model);
    JointVector b;
    rnea(t.model, t.q, t.v, JointVector::Zero(t.model.num_v()), r, b);
    EXPECT_LT(max_abs(b - vector_from_json(c.at("b"))), 1e-11);
  }
}

TEST_F(RandomTreesOracle, PosesMomentaAndEnergiesAgree) {
  for (const nlohmann::json& c : cases_) {
    SCOPED_TRACE(c.at("id"));
    const Tree t(c);
    for (int i = 0; i < t.model.num_bodies(); ++i) {
      const nlohmann::json& want = c.at("body_pose").at(static_cast<std::size_t>(i));
      const Pose& X_WB = t.kinematics.X_WB[static_cast<std::size_t>(i)];
      EXPECT_LT((X_WB.R - test::mat3_from_json(want.at("R"))).norm(), 1e-12);
      EXPECT_LT((X_WB.p - vec3_from_json(want.at("xyz"))).norm(), 1e-12);
    }
    EXPECT_NEAR(kinetic_energy(t.model, t.v, t.kinematics), c.at("kinetic_energy").get<double>(),
                1e-11);
    EXPECT_NEAR(potential_energy(t.model, t.kinematics), c.at("potential_energy").get<double>(),
                1e-11);
    EXPECT_LT((center_of_mass(t.model, t.kinematics) - vec3_from_json(c.at("com"))).norm(), 1e-12);
    const Force P = momentum_about_com(t.model, t.kinematics);
    EXPECT_LT((P.force() - vec3_from_json(c.at("linear_momentum"))).norm(), 1e-11);
    EXPECT_LT((P.moment() - vec3_from_json(c.at("angular_momentum_about_com"))).norm(), 1e-11);
  }
}

// a tabulated motion: state and acceleration in every row
struct TabulatedMotion {
  explicit TabulatedMotion(const std::string& name)
      : json(test::read_fixture(name)), model(test::model_from_json(json.at("model"))) {}

  State state(std::size_t row) const {
    State s{JointVector(model.num_q()), JointVector(model.num_v())};
    for (int k = 0; k < model.num_q(); ++k) s.q[k] = cell(row, 1 + k);
    for (int k = 0; k < model.num_v(); ++k) s.v[k] = cell(row, 1 + model.num_q() + k);
    return s;
  }
  JointVector vdot(std::size_t row) const {
    JointVector a(model.num_v());
    for (int k = 0; k < model.num_v(); ++k) a[k] = cell(row, 1 + model.num_q() + model.num_v() + k);
    return a;
  }
  double time(std::size_t row) const { return cell(row, 0); }
  double energy(std::size_t row) const { return json.at("rows").at(row).back(); }
  std::size_t rows() const { return json.at("rows").size(); }
  double cell(std::size_t row, int column) const {
    return json.at("rows").at(row).at(static_cast<std::size_t>(column));
  }

  nlohmann::json json;
  Model model;
};

TEST(TabulatedMotions, AbaGivesTheTabulatedAccelerations) {
  for (const char* name : {"o01_seed.json", "o02_four_link.json", "o02_five_link.json",
                           "o05_asymmetric.json", "o07_seed.json"}) {
    SCOPED_TRACE(name);
    const TabulatedMotion m(name);
    AbaWorkspace w(m.model);
    const JointVector tau = JointVector::Zero(m.model.num_v());
    for (std::size_t row = 0; row < m.rows(); ++row) {
      JointVector vdot;
      aba(m.model, m.state(row).q, m.state(row).v, tau, w, vdot);
      const JointVector want = m.vdot(row);
      // the table's 13 digits of state, amplified by up to 1e3
      EXPECT_LT(max_abs(vdot - want), 1e-9 * std::max(1.0, max_abs(want))) << row;
      EXPECT_NEAR(test::energy(m.model, m.state(row)), m.energy(row), 1e-10) << row;
    }
  }
}

// follows the motion from its first to its last row with Runge-Kutta steps of dt
State follow(const TabulatedMotion& m, double dt) {
  State s = m.state(0);
  const int steps = static_cast<int>(std::lround(m.time(m.rows() - 1) / dt));
  for (int i = 0; i < steps; ++i) test::rk4_step(m.model, dt, s);
  return s;
}

TEST(TabulatedMotions, RungeKuttaArrivesWhereTheyEnd) {
  // allowed: ten times the error of a correct Runge-Kutta at 1 ms (oracles, typical errors)
  struct Case {
    const char* name;
    double angle;   // rad
    double energy;  // J
  };
  for (const Case& c : {Case{"o01_seed.json", 5e-6, 8e-7}, Case{"o05_asymmetric.json", 1e-8, 1e-9},
                        Case{"o07_seed.json", 1e-5, 1e-7}}) {
    SCOPED_TRACE(c.name);
    const TabulatedMotion m(c.name);
    const State end = follow(m, 1e-3);
    const State want = m.state(m.rows() - 1);
    EXPECT_LT(max_abs(end.q - want.q), c.angle);
    EXPECT_NEAR(test::energy(m.model, end), m.energy(m.rows() - 1), c.energy);
  }
}

TEST(TabulatedMotions, FloatingArmKeepsItsMomenta) {
  const TabulatedMotion m("o07_seed.json");
  Kinematics k(m.model);
  State s = m.state(0);
  forward_kinematics(m.model, s.q, s.v, k);
  const Force before = momentum_about_com(m.model, k);
  s = follow(m, 5e-4);
  forward_kinematics(m.model, s.q, s.v, k);
  // at 1 ms the last second, where two axes nearly coincide, costs 6e-8; half the step a sixteenth
  EXPECT_LT((momentum_about_com(m.model, k).c - before.c).cwiseAbs().maxCoeff(),
            1e-8);  // N m s, N s
}

}  // namespace
}  // namespace kagami::models
