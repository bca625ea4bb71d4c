// Joints against the reference values of tables 2.1 and 2.2, finite differences and closed forms.
#include "models/robot/joint.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "models/robot/euler_state.hpp"
#include "models/robot/euler_zyz.hpp"
#include "models/robot/state.hpp"
#include "models/spatial/rotation.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using test::Random;
using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

constexpr double kExact = 1e-12;  // few operations on numbers of order 1
constexpr std::array kAllTypes = {JointType::kFixed,     JointType::kRevolute,
                                  JointType::kPrismatic, JointType::kUniversal,
                                  JointType::kSpherical, JointType::kFloating};

Columns motion_columns(const Joint& joint, const double* q) {
  Motion S[kMaxJointDofs];
  joint_subspace(joint, q, S);
  Columns m(6, num_v(joint.type));
  for (int k = 0; k < m.cols(); ++k) m.col(k) = S[k].c;
  return m;
}

Columns constraint_columns(const Joint& joint, const double* q) {
  Force T[kMaxJointDofs];
  joint_constraint_subspace(joint, q, T);
  Columns m(6, 6 - num_v(joint.type));
  for (int k = 0; k < m.cols(); ++k) m.col(k) = T[k].c;
  return m;
}

Columns columns_of(const nlohmann::json& rows) {
  Columns m(6, static_cast<Eigen::Index>(rows.at(0).size()));
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < m.cols(); ++k) {
      m(i, k) = rows.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(k));
    }
  }
  return m;
}

double largest(const Eigen::MatrixXd& m) {
  return m.size() == 0 ? 0.0 : m.cwiseAbs().maxCoeff();
}

// both matrices have orthonormal or at least independent columns of the same span
void expect_same_span(const Columns& a, const Columns& b, const std::string& name) {
  ASSERT_EQ(a.cols(), b.cols()) << name;
  if (a.cols() == 0) return;
  const Eigen::MatrixXd A = a;
  const Eigen::MatrixXd B = b;
  EXPECT_LT(largest(B - A * (A.transpose() * A).ldlt().solve(A.transpose() * B)), kExact) << name;
  EXPECT_EQ(Eigen::FullPivLU<Eigen::MatrixXd>(B).rank(), a.cols()) << name;
}

Joint joint_named(const std::string& name) {
  const Vec3 axis = Vec3::Unit(std::max(0, name.back() - 'x') % 3);
  if (name.starts_with("revolute")) return {JointType::kRevolute, axis, Vec3::Zero()};
  if (name.starts_with("prismatic")) return {JointType::kPrismatic, axis, Vec3::Zero()};
  if (name == "universal z-y") return {JointType::kUniversal, Vec3::UnitZ(), Vec3::UnitY()};
  if (name == "spherical-quaternion") return {JointType::kSpherical, Vec3::Zero(), Vec3::Zero()};
  if (name == "floating") return {JointType::kFloating, Vec3::Zero(), Vec3::Zero()};
  if (name == "fixed") return {};
  throw std::runtime_error("joint " + name);
}

// q of a joint at a random place
std::array<double, 7> random_q(Random& random, const Joint& joint) {
  std::array<double, 7> q{};
  neutral_joint(joint, q.data());
  const JointVector v = random.vector(kMaxJointDofs);
  integrate_joint(joint, v.data(), 1.7, q.data());
  return q;
}

TEST(JointTables, EveryJointMatchesTheReference) {
  const nlohmann::json file = test::read_fixture("o09_joints.json");
  int checked = 0;
  for (const nlohmann::json& c : file.at("cases")) {
    const std::string name = c.at("joint");
    if (name == "spherical z-y-z") continue;  // below
    const Joint joint = joint_named(name);
    std::array<double, 7> q{};
    neutral_joint(joint, q.data());
    if (c.contains("q")) std::copy(c.at("q").begin(), c.at("q").end(), q.begin());
    const Columns S = motion_columns(joint, q.data());
    EXPECT_LT(largest(S - columns_of(c.at("S"))), kExact) << name;
    EXPECT_LT(largest(S - columns_of(c.at("Ta"))), kExact) << name;  // T_a has the values of S
    expect_same_span(constraint_columns(joint, q.data()), columns_of(c.at("T")), name);
    ++checked;
  }
  EXPECT_EQ(checked, 15);
}

TEST(JointTables, UniversalMovesAsItsRotationDoes) {
  const nlohmann::json file = test::read_fixture("o09_joints.json");
  for (const nlohmann::json& c : file.at("cases")) {
    if (c.at("joint") != "universal z-y") continue;
    const Joint joint = joint_named("universal z-y");
    const JointVector q = test::vector_from_json(c.at("q"));
    const JointVector qd = test::vector_from_json(c.at("qd"));
    const JointVector qdd = test::vector_from_json(c.at("qdd"));
    const Columns S = motion_columns(joint, q.data());
    const Vec6 bias = joint_bias(joint, q.data(), qd.data()).c;
    const Vec3 w = (S * qd).head<3>();
    const Vec3 wd = (S * qdd + bias).head<3>();
    EXPECT_LT(
        largest(joint_pose(joint, q.data()).R - test::mat3_from_json(c.at("R_parent_from_child"))),
        kExact);
    EXPECT_LT(largest(w - test::vec3_from_json(c.at("omega_child"))), kExact);
    EXPECT_LT(largest(wd - test::vec3_from_json(c.at("omegadot_child"))), kExact);
    EXPECT_LT(largest(bias - test::vec6_from_json(c.at("Sdot_local_qd"))), kExact);
  }
}

TEST(JointTables, EulerAnglesMatchTheReference) {
  const nlohmann::json file = test::read_fixture("o09_joints.json");
  int checked = 0;
  for (const nlohmann::json& c : file.at("cases")) {
    if (c.at("joint") != "spherical z-y-z") continue;
    const Vec3 q = test::vec3_from_json(c.at("q"));
    const Vec3 qd = test::vec3_from_json(c.at("qd"));
    const double k = 1.0 / std::abs(std::sin(q[1]));  // what the nearness of the singularity costs
    EXPECT_LT(largest(rotation_of(euler_zyz_quaternion(q)) -
                      test::mat3_from_json(c.at("R_parent_from_child"))),
              kExact);
    EXPECT_LT(largest(euler_zyz_actuation(q) - columns_of(c.at("Ta")).topRows<3>()), kExact * k);
    Vec3 rates = Vec3::Zero();
    ASSERT_TRUE(euler_zyz_rates(q, test::vec3_from_json(c.at("omega_child")), rates));
    EXPECT_LT(largest(rates - qd), kExact * k);
    ++checked;
  }
  EXPECT_GT(checked, 3);
}

TEST(Joint, SubspacesAreOrthogonalAndComplete) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    for (const JointType type : kAllTypes) {
      const Joint joint = test::random_joint_of(random, type);
      const std::array<double, 7> q = random_q(random, joint);
      const Eigen::MatrixXd S = motion_columns(joint, q.data());
      const Eigen::MatrixXd T = constraint_columns(joint, q.data());
      const int n = num_v(type);
      EXPECT_LT(largest(S.transpose() * S - Eigen::MatrixXd::Identity(n, n)), kExact);
      EXPECT_LT(largest(T.transpose() * S), kExact);
      EXPECT_LT(largest(T.transpose() * T - Eigen::MatrixXd::Identity(6 - n, 6 - n)), kExact);
      Mat6 all;
      all << S, T;
      EXPECT_GT(std::abs(all.determinant()), 0.99);  // orthonormal: 1
    }
  }
}

// V_JB_B by central differences of the pose
Vec6 velocity_by_differences(const Joint& joint, const double* q, const double* v) {
  constexpr double h = 1e-5;  // s
  std::array<double, 7> before{};
  std::array<double, 7> after{};
  std::copy(q, q + num_q(joint.type), before.begin());
  after = before;
  integrate_joint(joint, v, -h, before.data());
  integrate_joint(joint, v, h, after.data());
  const Pose X0 = joint_pose(joint, before.data());
  const Pose X1 = joint_pose(joint, after.data());
  const Pose X = joint_pose(joint, q);
  const Mat3 W = X.R.transpose() * (X1.R - X0.R) / (2.0 * h);
  Vec6 V;
  V << 0.5 * (W(2, 1) - W(1, 2)), 0.5 * (W(0, 2) - W(2, 0)), 0.5 * (W(1, 0) - W(0, 1)),
      X.R.transpose() * (X1.p - X0.p) / (2.0 * h);
  return V;
}

TEST(Joint, SubspaceAndBiasAreTheDerivativesOfPoseAndSubspace) {
  Random random(12);
  for (int round = 0; round < 50; ++round) {
    for (const JointType type : kAllTypes) {
      const Joint joint = test::random_joint_of(random, type);
      const std::array<double, 7> q = random_q(random, joint);
      const JointVector v = random.vector(num_v(type));
      const Vec6 V = motion_columns(joint, q.data()) * v;
      // 1e-5 s: truncation 1e-10, rounding 1e-11
      EXPECT_LT(largest(V - velocity_by_differences(joint, q.data(), v.data())), 1e-8);

      constexpr double h = 1e-5;
      std::array<double, 7> before = q;
      std::array<double, 7> after = q;
      integrate_joint(joint, v.data(), -h, before.data());
      integrate_joint(joint, v.data(), h, after.data());
      const Vec6 rate =
          (motion_columns(joint, after.data()) * v - motion_columns(joint, before.data()) * v) /
          (2.0 * h);
      EXPECT_LT(largest(rate - joint_bias(joint, q.data(), v.data()).c), 1e-8);

      std::array<double, 7> q_rate{};
      joint_q_rate(joint, q.data(), v.data(), q_rate.data());
      for (std::size_t k = 0; k < static_cast<std::size_t>(num_q(type)); ++k) {
        EXPECT_NEAR(q_rate[k], (after[k] - before[k]) / (2.0 * h), 1e-8);
      }
    }
  }
}

TEST(Joint, DifferenceUndoesIntegration) {
  Random random(13);
  for (int round = 0; round < 200; ++round) {
    for (const JointType type : kAllTypes) {
      const Joint joint = test::random_joint_of(random, type);
      const std::array<double, 7> q0 = random_q(random, joint);
      // from a full half turn down to where the series serve
      const JointVector v = random.vector(num_v(type)) * std::pow(10.0, -(round % 9)) * 1.7;
      std::array<double, 7> q1 = q0;
      integrate_joint(joint, v.data(), 1.0, q1.data());
      std::array<double, 6> found{};
      joint_difference(joint, q0.data(), q1.data(), found.data());
      for (int k = 0; k < num_v(type); ++k) {
        EXPECT_NEAR(found[static_cast<std::size_t>(k)], v[k], 2e-15 * 20) << round;
      }
    }
  }
}

TEST(Joint, FloatingBodyFollowsTheScrew) {
  // half a turn about z with forward speed v: half a circle of radius v / w to the left
  const Joint joint{JointType::kFloating, Vec3::Zero(), Vec3::Zero()};
  std::array<double, 7> q{};
  neutral_joint(joint, q.data());
  const double v[6] = {0.0, 0.0, M_PI, 1.0, 0.0, 0.25};
  integrate_joint(joint, v, 1.0, q.data());
  EXPECT_NEAR(q[0], 0.0, kExact);
  EXPECT_NEAR(q[1], 2.0 / M_PI, kExact);
  EXPECT_NEAR(q[2], 0.25, kExact);
  EXPECT_NEAR(q[6], 1.0, kExact);  // half a turn about z
}

TEST(Joint, ManyStepsMakeTheSameScrewAsOne) {
  const Joint joint{JointType::kFloating, Vec3::Zero(), Vec3::Zero()};
  const double v[6] = {0.3, -0.5, 0.7, 1.0, 0.2, -0.4};
  std::array<double, 7> once{};
  std::array<double, 7> often{};
  neutral_joint(joint, once.data());
  neutral_joint(joint, often.data());
  integrate_joint(joint, v, 2.0, once.data());
  for (int i = 0; i < 2000; ++i) integrate_joint(joint, v, 1e-3, often.data());
  for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(once[k], often[k], 1e-12);
}

TEST(Joint, QuaternionKeepsUnitLengthOverAMillionSteps) {
  const Joint joint{JointType::kSpherical, Vec3::Zero(), Vec3::Zero()};
  std::array<double, 7> q{};
  neutral_joint(joint, q.data());
  const double v[3] = {3.0, -2.0, 5.0};
  for (int i = 0; i < 1'000'000; ++i) integrate_joint(joint, v, 1e-3, q.data());
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  EXPECT_NEAR(length, 1.0, 3e-16);
  // about a fixed axis the turn is known: 1000 s, rounding grows with the number of steps at most
  const double angle = std::remainder(1000.0 * std::sqrt(38.0), 4.0 * M_PI);
  EXPECT_NEAR(std::abs(q[0]), std::abs(std::cos(0.5 * angle)), 1e-9);
}

TEST(EulerZyz, RoundTripThroughTheQuaternion) {
  Random random(14);
  for (int i = 0; i < 500; ++i) {
    const Vec3 q(3.0 * random.signed_unit(), random.between(0.05, 3.09),
                 3.0 * random.signed_unit());
    const EulerZyz found = euler_zyz_of(euler_zyz_quaternion(q));
    EXPECT_FALSE(found.singular);
    EXPECT_LT(largest(found.angles - q), 1e-13);
    EXPECT_NEAR(found.sigma, std::sin(q[1]), 1e-14);
  }
}

TEST(EulerZyz, SingularityIsReported) {
  for (const double angle2 : {0.0, 1e-9, M_PI}) {
    const Vec3 q(0.4, angle2, 0.3);
    const EulerZyz found = euler_zyz_of(euler_zyz_quaternion(q));
    EXPECT_TRUE(found.singular);
    EXPECT_LT(std::abs(found.sigma), kEulerSingular);
    // the angles still name the orientation
    EXPECT_LT(largest(rotation_of(euler_zyz_quaternion(found.angles)) -
                      rotation_of(euler_zyz_quaternion(q))),
              1e-8);
    Vec3 rates = Vec3::Zero();
    EXPECT_FALSE(euler_zyz_rates(q, Vec3(1.0, 0.0, 0.0), rates));
  }
}

TEST(EulerState, GoesToTheQuaternionsAndBackWithItsRates) {
  Random random(15);
  const Model model = test::random_mixed_tree(random, 12, BaseKind::kFloating);
  ASSERT_GT(model.quaternions().size(), 1u);
  const State s = test::random_state(random, model);
  JointVector angles;
  const double sigma = q_to_zyz(model, s.q, angles);
  ASSERT_EQ(angles.size(), model.num_q() - static_cast<int>(model.quaternions().size()));
  ASSERT_GT(sigma, 1e-2);  // of this seed: not near the singularity
  JointVector q;
  zyz_to_q(model, angles, q);
  for (const int at : model.quaternions()) {
    const double sign = q.segment<4>(at).dot(s.q.segment<4>(at)) < 0.0 ? -1.0 : 1.0;
    q.segment<4>(at) *= sign;  // two quaternions name one orientation
  }
  EXPECT_LT(largest(q - s.q), 1e-13);

  JointVector rates;
  ASSERT_TRUE(zyz_rates(model, angles, s.v, rates));
  constexpr double h = 1e-6;  // s: truncation h^2 / sigma^3, rounding 1e-16 / h
  JointVector after = s.q;
  JointVector before = s.q;
  integrate(model, s.v, h, after);
  integrate(model, s.v, -h, before);
  JointVector later;
  JointVector earlier;
  q_to_zyz(model, after, later);
  q_to_zyz(model, before, earlier);
  for (int i = 0; i < rates.size(); ++i) {
    const double turn = std::remainder(later[i] - earlier[i], 2.0 * M_PI);
    EXPECT_NEAR(rates[i], turn / (2.0 * h), 1e-6 / (sigma * sigma)) << i;
  }
}

TEST(EulerState, TheSingularityOfABaseIsReportedAndLeavesTheRatesAlone) {
  Random random(16);
  const Model model = test::random_tree(random, 3, BaseKind::kFloating);
  State s = neutral_state(model);  // upright is where z-y-z is singular
  s.v.setOnes();
  JointVector angles;
  EXPECT_LT(q_to_zyz(model, s.q, angles), kEulerSingular);
  JointVector rates = JointVector::Constant(1, 42.0);
  EXPECT_FALSE(zyz_rates(model, angles, s.v, rates));
  EXPECT_EQ(rates.size(), 1);
  JointVector q;
  zyz_to_q(model, angles, q);
  EXPECT_LT(largest(q - s.q), 1e-15);  // the orientation is still named
}

}  // namespace
}  // namespace kagami::models
