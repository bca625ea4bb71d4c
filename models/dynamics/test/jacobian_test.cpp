// Jacobians, their rates and the centroidal momentum matrix against velocities, momenta and finite
// differences, for every type of joint.
#include <gtest/gtest.h>

#include <string>

#include "models/dynamics/centroidal.hpp"
#include "models/dynamics/jacobians.hpp"
#include "models/robot/state.hpp"
#include "models/test/support/no_alloc.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using test::Random;

// every second one has every type of joint, which the kernels leave to the references
Model model_of(std::uint64_t seed) {
  Random random(seed);
  if (seed % 2 == 0) return test::random_mixed_tree(random, 12, BaseKind::kFloating);
  return test::random_tree(random, 12, seed % 4 == 1 ? BaseKind::kFloating : BaseKind::kFixed);
}

struct JacobianCase {
  explicit JacobianCase(std::uint64_t seed)
      : model(model_of(seed)), random(seed + 3), state(test::random_state(random, model)) {}

  /// q after the state's velocity for a time h (s).
  [[nodiscard]] JointVector q_at(double h) const {
    JointVector q = state.q;
    integrate(model, state.v, h, q);
    return q;
  }

  Model model;
  Random random;
  State state;
};

constexpr std::uint64_t kCases = 40;
constexpr double kStep = 1e-5;  // s, of the central differences: error of order 1e-9

TEST(Jacobians, GiveEveryBodysVelocity) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    const JacobianCase c(seed);
    JacobianWorkspace w(c.model);
    Kinematics k(c.model);
    forward_kinematics(c.model, c.state.q, c.state.v, k);
    Jacobian J_W;
    Jacobian J;
    joint_jacobians(c.model, c.state.q, w, J_W);
    for (int i = 0; i < c.model.num_bodies(); ++i) {
      const auto n = static_cast<std::size_t>(i);
      body_jacobian(c.model, J_W, i, k.X_WB[n], ExpressedIn::kBody, J);
      EXPECT_LT((J * c.state.v - k.tree.V[n].c).norm(), 1e-12);
      body_jacobian(c.model, J_W, i, k.X_WB[n], ExpressedIn::kWorld, J);
      EXPECT_LT((J * c.state.v - (k.X_WB[n] * k.tree.V[n]).c).norm(), 1e-12);
    }
  }
}

TEST(Jacobians, RatesAreTheirDifferences) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    const JacobianCase c(seed);
    JacobianWorkspace w(c.model);
    Jacobian J_W;
    Jacobian later;
    Jacobian earlier;
    Jacobian rate;
    joint_jacobians(c.model, c.q_at(kStep), w, later);
    joint_jacobians(c.model, c.q_at(-kStep), w, earlier);
    joint_jacobians(c.model, c.state.q, w, J_W);
    joint_jacobian_rates(c.model, c.state.q, c.state.v, w, rate);
    EXPECT_LT((rate - (later - earlier) / (2.0 * kStep)).norm(), 1e-7);

    const int body = c.model.num_bodies() - 1;
    const auto n = static_cast<std::size_t>(body);
    const Kinematics now = w.kinematics;
    Jacobian J_B[2];
    for (int side = 0; side < 2; ++side) {
      forward_kinematics(c.model, c.q_at(side == 0 ? -kStep : kStep), c.state.v, w.kinematics);
      body_jacobian(c.model, side == 0 ? earlier : later, body, w.kinematics.X_WB[n],
                    ExpressedIn::kBody, J_B[side]);
    }
    Jacobian rate_B;
    body_jacobian_rate(c.model, J_W, rate, body, now.X_WB[n], now.tree.V[n], ExpressedIn::kBody,
                       rate_B);
    EXPECT_LT((rate_B - (J_B[1] - J_B[0]) / (2.0 * kStep)).norm(), 1e-7);
    body_jacobian_rate(c.model, J_W, rate, body, now.X_WB[n], now.tree.V[n], ExpressedIn::kWorld,
                       rate_B);
    body_jacobian(c.model, rate, body, now.X_WB[n], ExpressedIn::kWorld, J_B[0]);
    EXPECT_EQ(rate_B, J_B[0]);
  }
}

TEST(Jacobians, TheMassCentreMovesAsByItsJacobian) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    const JacobianCase c(seed);
    JacobianWorkspace w(c.model);
    Kinematics k(c.model);
    forward_kinematics(c.model, c.state.q, c.state.v, k);
    PointJacobian J;
    PointJacobian later;
    PointJacobian earlier;
    PointJacobian rate;
    const Vec3 com = com_jacobian(c.model, c.state.q, w, J);
    EXPECT_LT((com - center_of_mass(c.model, k)).norm(), 1e-13);
    EXPECT_LT((c.model.total_mass() * J * c.state.v - momentum(c.model, k).force()).norm(), 1e-11);
    com_jacobian(c.model, c.q_at(kStep), w, later);
    com_jacobian(c.model, c.q_at(-kStep), w, earlier);
    com_jacobian_rate(c.model, c.state.q, c.state.v, w, rate);
    EXPECT_LT((rate - (later - earlier) / (2.0 * kStep)).norm(), 1e-8);
  }
}

TEST(Centroidal, TheMatrixTimesVelocityIsTheMomentum) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    const JacobianCase c(seed);
    CentroidalWorkspace w(c.model);
    Kinematics k(c.model);
    forward_kinematics(c.model, c.state.q, c.state.v, k);
    Jacobian A;
    const Vec3 com = centroidal_matrix(c.model, c.state.q, w, A);
    EXPECT_LT((com - center_of_mass(c.model, k)).norm(), 1e-13);
    EXPECT_LT((A * c.state.v - momentum_about_com(c.model, k).c).norm(), 1e-11);  // kg m^2/s
  }
}

TEST(Centroidal, TheRateIsItsDifferenceAndTheBiasIsTheRateTimesVelocity) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    const JacobianCase c(seed);
    CentroidalWorkspace w(c.model);
    Jacobian later;
    Jacobian earlier;
    Jacobian rate;
    centroidal_matrix(c.model, c.q_at(kStep), w, later);
    centroidal_matrix(c.model, c.q_at(-kStep), w, earlier);
    centroidal_matrix_rate(c.model, c.state.q, c.state.v, w, rate);
    EXPECT_LT((rate - (later - earlier) / (2.0 * kStep)).norm(), 1e-7);
    const Force bias = centroidal_bias(c.model, c.state.q, c.state.v, w);
    EXPECT_LT((rate * c.state.v - bias.c).norm(), 1e-11);
  }
}

TEST(Jacobians, AllocateNothingAfterSetUp) {
  for (const std::uint64_t seed : {0u, 1u}) {
    const JacobianCase c(seed);
    CentroidalWorkspace w(c.model);
    Jacobian J(6, c.model.num_v());
    Jacobian J_B(6, c.model.num_v());
    PointJacobian Jc(3, c.model.num_v());
    const test::NoAlloc guard;
    joint_jacobians(c.model, c.state.q, w.jacobian, J);
    joint_jacobian_rates(c.model, c.state.q, c.state.v, w.jacobian, J);
    body_jacobian(c.model, J, 2, Pose{}, ExpressedIn::kBody, J_B);
    com_jacobian(c.model, c.state.q, w.jacobian, Jc);
    com_jacobian_rate(c.model, c.state.q, c.state.v, w.jacobian, Jc);
    centroidal_matrix(c.model, c.state.q, w, J);
    centroidal_matrix_rate(c.model, c.state.q, c.state.v, w, J);
    centroidal_bias(c.model, c.state.q, c.state.v, w);
    const long count = guard.count();
    EXPECT_EQ(count, 0);
  }
}

}  // namespace
}  // namespace kagami::models
