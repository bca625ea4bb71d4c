// A thousand random trees with loops, every type of joint: multipliers on the mass matrix, ADA's
// multi-handle assembly, and a least-squares solution of the whole equations that shares with
// neither its solver.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "models/closed_chains/loop_assembly.hpp"
#include "models/closed_chains/loop_dynamics.hpp"
#include "models/closed_chains/test/random_loops.hpp"

namespace kagami::models {
namespace {

// Gauss's principle by the null space of J, found by Householder QR of J' with pivoting:
//   vdot = x + N z,  J x = -k,  N' H N z = N' (tau - b - H x)
struct NullSpace {
  Eigen::VectorXd vdot;
  int rank = 0;
};

NullSpace null_space(const Eigen::MatrixXd& H, const Eigen::MatrixXd& J, const Eigen::VectorXd& k,
                     const Eigen::VectorXd& force) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(J.transpose());
  qr.setThreshold(1e-8);
  const auto rank = static_cast<int>(qr.rank());
  const Eigen::MatrixXd Q = qr.householderQ();
  const Eigen::MatrixXd N = Q.rightCols(J.cols() - rank);
  // J P = R' Q', so that x = Q1 y with the first rows of R' y = -P' k
  const Eigen::VectorXd right = qr.colsPermutation().transpose() * Eigen::VectorXd(-k);
  const Eigen::MatrixXd R = qr.matrixR().topLeftCorner(rank, rank);
  const Eigen::VectorXd y = R.transpose().triangularView<Eigen::Lower>().solve(right.head(rank));
  const Eigen::VectorXd x = Q.leftCols(rank) * y;
  Eigen::VectorXd vdot = x;
  if (N.cols() > 0) {
    const Eigen::MatrixXd inner = N.transpose() * H * N;
    vdot += N * inner.llt().solve(N.transpose() * (force - H * x));
  }
  return {vdot, rank};
}

struct WorstAgreement {
  double multipliers = 0.0;  // part of what is allowed
  double assembly = 0.0;
  double least = 1.0;  // quotient of the loops' singular values
  int redundant = 0;   // trees with redundant equations
  int locked = 0;      // trees without freedom
};

void compare(test::RandomChain& c, const JointVector& tau, WorstAgreement& worst) {
  const int n = c.model.num_v();
  LoopDynamics dynamics(c.model);
  LoopAssembly assembly(c.model);
  ASSERT_EQ(dynamics.factor(c.q), LoopStatus::kOk);
  dynamics.project_velocity(c.v, false);
  JointVector by_multipliers;
  JointVector by_assembly;
  ASSERT_EQ(dynamics.run(c.q, c.v, tau, ExternalLoads{}, by_multipliers), LoopStatus::kOk);
  ASSERT_EQ(assembly.run(c.q, c.v, tau, ExternalLoads{}, by_assembly), LoopStatus::kOk);

  const JointMatrix& H = dynamics.mass_matrix();
  RneaWorkspace w(c.model);
  JointVector b;
  rnea(c.model, c.q, c.v, JointVector::Zero(n), w, b);
  const NullSpace exact = null_space(H, dynamics.kinematics().J, dynamics.kinematics().k, tau - b);
  ASSERT_EQ(dynamics.rank(), exact.rank);
  ASSERT_EQ(assembly.rank(), exact.rank);

  // 1e-9 of the acceleration (rad/s^2, m/s^2), by the mass matrix's condition where above 1e4
  const Eigen::VectorXd e = H.selfadjointView<Eigen::Lower>().eigenvalues();
  const double condition = e[n - 1] / e[0];
  const double allowed = 1e-9 * std::max(1.0, condition / 1e4) * std::max(1.0, exact.vdot.norm());
  const double multipliers = (by_multipliers - exact.vdot).norm() / allowed;
  const double assembled = (by_assembly - exact.vdot).norm() / allowed;
  EXPECT_LE(multipliers, 1.0);
  EXPECT_LE(assembled, 1.0);
  worst.multipliers = std::max(worst.multipliers, multipliers);
  worst.assembly = std::max(worst.assembly, assembled);
  const auto sigma = dynamics.singular_values();
  worst.least = std::min(worst.least, sigma[static_cast<std::size_t>(exact.rank - 1)] / sigma[0]);
  worst.redundant += exact.rank < c.model.num_loop_constraints() ? 1 : 0;
  worst.locked += exact.rank == n ? 1 : 0;
}

TEST(Loops, ThreeWaysAgreeOnAThousandRandomTrees) {
  test::Random random(2012);
  WorstAgreement worst;
  for (int i = 0; i < 1000; ++i) {
    SCOPED_TRACE(i);
    const int bodies = 4 + random.index(9);
    test::RandomChain c(random, bodies, i % 2 ? BaseKind::kFloating : BaseKind::kFixed,
                        1 + random.index(3));
    compare(c, random.vector(c.model.num_v()), worst);
    if (HasFatalFailure()) return;
  }
  // what the thousand are like, so that the agreement means something
  EXPECT_GE(worst.redundant, 300);
  EXPECT_GE(worst.locked, 5);
  EXPECT_LE(worst.least, 1e-3);  // close to singular poses
  RecordProperty("worst_multipliers", std::to_string(worst.multipliers));
  RecordProperty("worst_assembly", std::to_string(worst.assembly));
  std::printf(
      "worst of what is allowed: multipliers %.1e, assembly %.1e; %d redundant, %d locked, "
      "least singular value %.1e\n",
      worst.multipliers, worst.assembly, worst.redundant, worst.locked, worst.least);
}

}  // namespace
}  // namespace kagami::models
