// Oracle O13: a KHR-1-like robot read from its URDF; kinematics, inverse dynamics, momentum.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

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

      rnea_reference(model_, q, v, vector_from_json(s.at("qdd")), Extras{}, w, tau);
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

}  // namespace
}  // namespace kagami::models
