// Oracle O13: a KHR-1-like robot read from its URDF; kinematics, inverse dynamics, momentum.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/model_urdf.hpp"
#include "models/test/support/model_json.hpp"

namespace kagami::models {
namespace {

using test::vec3_from_json;
using test::vector_from_json;

class Khr1Like : public ::testing::Test {
 protected:
  static Model load(std::vector<std::string>& notices) {
    UrdfOptions options;
    options.X_WJ.p = Vec3(0.0, 0.0, 0.25);  // the oracle holds the trunk there
    return read_urdf(test::read_fixture_text("khr1_like.urdf"), "khr1_like.urdf", options, notices);
  }
  std::size_t body_of(const nlohmann::json& id) const {
    return static_cast<std::size_t>(model_.find_body("motor" + std::to_string(id.get<int>())));
  }

  std::vector<std::string> notices_;
  Model model_ = load(notices_);
};

TEST_F(Khr1Like, JointsStandInTheOrderOfTheFile) {
  const nlohmann::json order = test::read_fixture("o13_chains.json").at("joint_order");
  ASSERT_EQ(model_.num_v(), 17);
  for (int j = 0; j < 17; ++j) {
    EXPECT_EQ(model_.body(j + 1).joint_name, order.at(static_cast<std::size_t>(j)));
  }
  EXPECT_NEAR(model_.total_mass(), 0.794, 1e-12);
  EXPECT_EQ(model_.frames().size(), 2u);  // the soles, merged into the feet
  EXPECT_TRUE(notices_.empty());
}

TEST_F(Khr1Like, ChainsEndWhereTheOracleHasThem) {
  Kinematics k(model_);
  const nlohmann::json poses = test::read_fixture("o13_chains.json").at("poses");
  ASSERT_EQ(poses.size(), 3u);
  for (const nlohmann::json& pose : poses) {
    SCOPED_TRACE(pose.at("name"));
    forward_kinematics(model_, vector_from_json(pose.at("q")), JointVector::Zero(17), k);
    for (const nlohmann::json& end : pose.at("ends")) {
      const Pose& X_WB = k.X_WB[body_of(end.at("id"))];
      EXPECT_LT((X_WB.p - vec3_from_json(end.at("p_joint"))).norm(), 1e-12);
      EXPECT_LT((X_WB.R - test::mat3_from_json(end.at("R"))).norm(), 1e-12);
      const Vec3 tip(0.0, 0.0, end.at("id") == 6 ? 0.041 : -0.041);  // a motor's length; 6 = head
      EXPECT_LT((X_WB * tip - vec3_from_json(end.at("p_tip"))).norm(), 1e-12);
    }
  }
}

TEST_F(Khr1Like, InverseDynamicsGivesTheOraclesTorquesAndReactions) {
  RneaWorkspace w(model_);
  Kinematics k(model_);
  for (const char* file : {"o13_sinus.json", "o13_home_static.json"}) {
    const nlohmann::json samples = test::read_fixture(file).at("samples");
    ASSERT_FALSE(samples.empty());
    for (const nlohmann::json& s : samples) {
      SCOPED_TRACE(file);
      const JointVector q = vector_from_json(s.at("q"));
      const JointVector v = vector_from_json(s.at("qd"));
      JointVector tau;
      rnea(model_, q, v, vector_from_json(s.at("qdd")), w, tau);
      const JointVector difference = tau - vector_from_json(s.at("tau"));
      EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-10);  // N m

      rnea_reference(model_, q, v, vector_from_json(s.at("qdd")), ExternalLoads{}, w, tau);
      // reaction of the stand on the trunk, about the world's origin
      const Force base = model_.body(0).X_PJ * w.F[0];
      EXPECT_LT((base.force() - vec3_from_json(s.at("base_force"))).norm(), 1e-10);
      EXPECT_LT((base.moment() - vec3_from_json(s.at("base_moment_about_world_origin"))).norm(),
                1e-10);

      forward_kinematics(model_, q, v, k);
      const Force P = momentum(model_, k);
      EXPECT_LT((center_of_mass(model_, k) - vec3_from_json(s.at("com"))).norm(), 1e-12);
      EXPECT_LT((P.force() - vec3_from_json(s.at("linear_momentum"))).norm(), 1e-12);
      EXPECT_LT((P.moment() - vec3_from_json(s.at("angular_momentum_about_origin"))).norm(), 1e-12);
    }
  }
}

// The quantities of Awa 2009 for one body, in world axes with the world's origin as reference:
// v_o the velocity of the body's point that passes there, vdot_o its rate.
struct AwaLink {
  // M: of the motor alone
  AwaLink(const Model& model, const SpatialInertia& M, const Kinematics& k, const RneaWorkspace& w,
          std::size_t i) {
    const Mat3& R = k.X_WB[i].R;
    const Vec3& p = k.X_WB[i].p;
    const Motion& V = w.tree.V[i];
    omega = R * V.angular();
    v_o = R * V.linear() - omega.cross(p);
    omegadot = R * w.a[i].angular();
    vdot_o = R * w.a[i].linear() + model.gravity() - omegadot.cross(p);
    p_g = k.X_WB[i] * M.com();
    pdot_g = v_o + omega.cross(p_g);
    pddot_g = vdot_o + omegadot.cross(p_g) + omega.cross(pdot_g);
    P = M.mass * pdot_g;
    L = p_g.cross(P) + R * (M.about_com() * V.angular());
    f = R * w.F[i].force();
    tau = R * w.F[i].moment() + p.cross(f);
  }
  Vec3 omega, v_o, omegadot, vdot_o, p_g, pdot_g, pddot_g, P, L, f, tau;
};

TEST_F(Khr1Like, MotorsMoveAndPassOnForcesAsInTheThesis) {
  const nlohmann::json samples = test::read_fixture("o13_sinus.json").at("samples");
  ASSERT_EQ(samples.size(), 11u);
  Kinematics k(model_);
  RneaWorkspace w(model_);
  // all hang alike; 17 and 23 carry a sole besides, which counts in f and tau alone
  const SpatialInertia motor = model_.body(model_.find_body("motor3")).inertia;
  for (const nlohmann::json& s : samples) {
    const JointVector q = vector_from_json(s.at("q"));
    const JointVector v = vector_from_json(s.at("qd"));
    JointVector tau;
    forward_kinematics(model_, q, v, k);
    rnea_reference(model_, q, v, vector_from_json(s.at("qdd")), ExternalLoads{}, w, tau);
    for (const int id : {3, 17, 23}) {
      SCOPED_TRACE(id);
      const nlohmann::json& want = s.at("links").at("motor" + std::to_string(id));
      const AwaLink got(model_, motor, k, w, body_of(id));
      // m/s, rad/s; m/s^2, rad/s^2 (up to 40)
      EXPECT_LT((got.omega - vec3_from_json(want.at("omega"))).norm(), 1e-12);
      EXPECT_LT((got.v_o - vec3_from_json(want.at("v_o"))).norm(), 1e-12);
      EXPECT_LT((got.omegadot - vec3_from_json(want.at("omegadot"))).norm(), 1e-11);
      EXPECT_LT((got.vdot_o - vec3_from_json(want.at("vdot_o"))).norm(), 1e-11);
      EXPECT_LT((got.p_g - vec3_from_json(want.at("p_g"))).norm(), 1e-12);
      EXPECT_LT((got.pdot_g - vec3_from_json(want.at("pdot_g"))).norm(), 1e-12);
      EXPECT_LT((got.pddot_g - vec3_from_json(want.at("pddot_g"))).norm(), 1e-11);
      EXPECT_LT((got.P - vec3_from_json(want.at("P"))).norm(), 1e-12);
      EXPECT_LT((got.L - vec3_from_json(want.at("L_about_origin"))).norm(), 1e-12);
      EXPECT_LT((got.f - vec3_from_json(want.at("f"))).norm(), 1e-10);                   // N
      EXPECT_LT((got.tau - vec3_from_json(want.at("tau_about_origin"))).norm(), 1e-10);  // N m
    }
  }
}

// base force = dP/dt - m g, base moment = dL/dt - c x m g; the rates by central differences
TEST_F(Khr1Like, BaseReactionIsTheRateOfTheMomentum) {
  const nlohmann::json samples = test::read_fixture("o13_sinus.json").at("samples");
  Kinematics k(model_);
  const double h = 1e-5;  // s
  const double mass = model_.total_mass();
  for (const nlohmann::json& s : samples) {
    const JointVector q = vector_from_json(s.at("q"));
    const JointVector v = vector_from_json(s.at("qd"));
    const JointVector a = vector_from_json(s.at("qdd"));
    const auto P_at = [&](double t) {
      forward_kinematics(model_, q + t * v + 0.5 * t * t * a, v + t * a, k);
      return momentum(model_, k);
    };
    const Vec6 rate = (P_at(h).c - P_at(-h).c) / (2.0 * h);
    const Vec3 weight = mass * model_.gravity();
    // N, N m: rounding 1e-16 / h and h^2 times third derivatives of some 1e2
    EXPECT_LT((rate.tail<3>() - weight - vec3_from_json(s.at("base_force"))).norm(), 1e-8);
    EXPECT_LT((rate.head<3>() - vec3_from_json(s.at("com")).cross(weight) -
               vec3_from_json(s.at("base_moment_about_world_origin")))
                  .norm(),
              1e-8);
  }
}

}  // namespace
}  // namespace kagami::models
