#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/spatial/inertia.hpp"
#include "models/spatial/pose.hpp"
#include "models/spatial/rotation.hpp"
#include "models/spatial/vectors.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using test::mat3_from_json;
using test::mat6_from_json;
using test::vec3_from_json;
using test::vec6_from_json;

// few operations without cancellation on numbers up to 50 (oracle O09)
constexpr double kTolerance = 1e-12;

class SpatialOracle : public ::testing::Test {
 protected:
  nlohmann::json cases_ = test::read_fixture("o09_spatial_algebra.json").at("cases");

  // the oracle's frames: R maps A's coordinates to B's, d is the position of B's origin in A
  static Pose pose_AB(const nlohmann::json& c) {
    return {mat3_from_json(c.at("R_B_from_A")).transpose(), vec3_from_json(c.at("d_OP_in_A"))};
  }
  static SpatialInertia inertia(const nlohmann::json& c) {
    return SpatialInertia::from_com(c.at("mass"), vec3_from_json(c.at("com")),
                                    mat3_from_json(c.at("I_com")));
  }
};

TEST_F(SpatialOracle, TransformsOfMotionsAndForcesAgree) {
  for (const nlohmann::json& c : cases_) {
    const Pose X_AB = pose_AB(c);
    const Mat6 X_motion = mat6_from_json(c.at("X_motion_A_to_B"));
    const Mat6 X_force = mat6_from_json(c.at("X_force_A_to_B"));
    for (int k = 0; k < 6; ++k) {
      const Motion V_A{Vec6::Unit(k)};
      const Force F_A{Vec6::Unit(k)};
      EXPECT_LT((inverse_times(X_AB, V_A).c - X_motion.col(k)).cwiseAbs().maxCoeff(), kTolerance);
      EXPECT_LT((inverse_times(X_AB, F_A).c - X_force.col(k)).cwiseAbs().maxCoeff(), kTolerance);
      EXPECT_LT(((X_AB * inverse_times(X_AB, V_A)).c - V_A.c).cwiseAbs().maxCoeff(), kTolerance);
      EXPECT_LT(((X_AB * inverse_times(X_AB, F_A)).c - F_A.c).cwiseAbs().maxCoeff(), kTolerance);
    }
  }
}

TEST_F(SpatialOracle, InertiasAgreeInBothFrames) {
  for (const nlohmann::json& c : cases_) {
    const SpatialInertia M_A = inertia(c);
    const SpatialInertia M_B = inverse(pose_AB(c)) * M_A;
    const Mat6 A = ArticulatedInertia::from(M_A).matrix();
    const Mat6 B = ArticulatedInertia::from(M_B).matrix();
    const Mat6 B_articulated = (inverse(pose_AB(c)) * ArticulatedInertia::from(M_A)).matrix();
    const Mat6 want = mat6_from_json(c.at("I_spatial_in_B"));
    EXPECT_LT((A - mat6_from_json(c.at("I_spatial"))).cwiseAbs().maxCoeff(), kTolerance);
    EXPECT_LT((B - want).cwiseAbs().maxCoeff(), 10 * kTolerance);
    EXPECT_LT((B_articulated - want).cwiseAbs().maxCoeff(), 10 * kTolerance);
    EXPECT_LT((M_A.about_com() - mat3_from_json(c.at("I_com"))).cwiseAbs().maxCoeff(), kTolerance);
    EXPECT_LT((M_A.com() - vec3_from_json(c.at("com"))).cwiseAbs().maxCoeff(), kTolerance);
    EXPECT_LT((A.inverse() - mat6_from_json(c.at("Phi"))).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LT((B.inverse() - mat6_from_json(c.at("Phi_in_B"))).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST_F(SpatialOracle, CrossProductsAndPowerAgree) {
  for (const nlohmann::json& c : cases_) {
    const Motion V{vec6_from_json(c.at("V"))};
    const Force F{vec6_from_json(c.at("F"))};
    const Mat6 V_cross = mat6_from_json(c.at("V_cross"));
    const Mat6 V_cross_star = mat6_from_json(c.at("V_cross_star"));
    for (int k = 0; k < 6; ++k) {
      const Vec6 e = Vec6::Unit(k);
      EXPECT_LT((cross(V, Motion{e}).c - V_cross.col(k)).cwiseAbs().maxCoeff(), kTolerance);
      EXPECT_LT((cross(V, Force{e}).c - V_cross_star.col(k)).cwiseAbs().maxCoeff(), kTolerance);
    }
    const Vec6 V_cross_star_F = vec6_from_json(c.at("V_cross_star_F"));
    EXPECT_LT((cross(V, F).c - V_cross_star_F).cwiseAbs().maxCoeff(), kTolerance);
    EXPECT_NEAR(power(V, F), c.at("power_A").get<double>(), kTolerance);
    EXPECT_NEAR(power(V, F), c.at("power_B").get<double>(), kTolerance);
    const Pose X_AB = pose_AB(c);
    EXPECT_NEAR(power(inverse_times(X_AB, V), inverse_times(X_AB, F)), power(V, F), kTolerance);
  }
}

TEST(Spatial, InertiaTimesMotionIsItsMatrixTimesMotion) {
  test::Random random(3);
  for (int i = 0; i < 20; ++i) {
    const SpatialInertia M =
        SpatialInertia::from_com(1.3, random.vec3(), Mat3(Vec3(0.1, 0.2, 0.25).asDiagonal()));
    const Motion V{Vec6(random.vector(6))};
    const Vec6 want = ArticulatedInertia::from(M).matrix() * V.c;
    EXPECT_LT(((M * V).c - want).cwiseAbs().maxCoeff(), kTolerance);
    EXPECT_LT(((ArticulatedInertia::from(M) * V).c - want).cwiseAbs().maxCoeff(), kTolerance);
  }
}

TEST(Spatial, ForgottenVectorsAreLoud) {
  EXPECT_TRUE(std::isnan(Motion{}.c.sum()));
  EXPECT_TRUE(std::isnan(Force{}.c.sum()));
  EXPECT_TRUE(std::isnan(ArticulatedInertia{}.matrix().sum()));
}

TEST(Rotation, AboutAnAxisKeepsTheAxisAndTurnsByTheAngle) {
  const Vec3 axis = Vec3(1.0, -2.0, 0.5).normalized();
  const Mat3 R = rotation_about(axis, 0.7);
  EXPECT_LT((R * axis - axis).norm(), 1e-15);
  EXPECT_NEAR(R.trace(), 1.0 + 2.0 * std::cos(0.7), 1e-15);
  EXPECT_LT((R.transpose() * R - Mat3::Identity()).norm(), 1e-15);
  EXPECT_LT((rotation_about(Vec3::UnitZ(), M_PI / 2) * Vec3::UnitX() - Vec3::UnitY()).norm(),
            1e-15);
}

TEST(Rotation, RollPitchYawTurnsAboutFixedAxesInThatOrder) {
  const Mat3 R = rotation_rpy(M_PI / 2, 0.0, M_PI / 2);
  EXPECT_LT((R * Vec3::UnitY() - Vec3::UnitZ()).norm(), 1e-15);  // roll: y to z
  EXPECT_LT((R * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);  // then yaw: x to y
}

TEST(Rotation, ExponentialMatchesTheRotationAtAllAngles) {
  const Vec3 axis = Vec3(0.3, -0.4, 0.8).normalized();
  for (const double angle : {0.0, 1e-9, 1e-4, 9.99e-4, 1.001e-3, 0.1, 3.0}) {
    const Mat3 R = rotation_of(exponential(angle * axis));
    EXPECT_LT((R - rotation_about(axis, angle)).norm(), 2e-15) << angle;  // rounding
  }
}

TEST(Rotation, QuaternionAndMatrixAreInverseToEachOther) {
  test::Random random(5);
  for (int i = 0; i < 50; ++i) {
    const Mat3 R = rotation_about(random.vec3().normalized(), 3.2 * random.signed_unit());
    EXPECT_LT((rotation_of(quaternion_of(R)) - R).norm(), 1e-14);
    EXPECT_GE(quaternion_of(R).w(), 0.0);
  }
}

TEST(Inertia, ImpossibleBodiesAreNamedByTheirValue) {
  const Mat3 good = Vec3(2.0, 3.0, 4.0).asDiagonal();
  EXPECT_EQ(inertia_problem(1.0, good), "");
  EXPECT_NE(inertia_problem(-0.5, good).find("-0.5"), std::string::npos);
  EXPECT_NE(inertia_problem(0.0, good).find("above 0"), std::string::npos);
  EXPECT_NE(inertia_problem(kNaN, good).find("nan"), std::string::npos);
  const Mat3 thin = Vec3(1.0, 1.0, 3.0).asDiagonal();
  EXPECT_NE(inertia_problem(1.0, thin).find("triangle"), std::string::npos);
  const Mat3 negative = Vec3(-1.0, 1.0, 1.0).asDiagonal();
  EXPECT_NE(inertia_problem(1.0, negative).find("above 0"), std::string::npos);
  Mat3 skewed = good;
  skewed(0, 1) = 1.0;
  EXPECT_NE(inertia_problem(1.0, skewed).find("symmetric"), std::string::npos);
  Mat3 broken = good;
  broken(2, 2) = kNaN;
  EXPECT_NE(inertia_problem(1.0, broken).find("finite"), std::string::npos);
}

}  // namespace
}  // namespace kagami::models
