// Assemblies next to light links against a dense solve in long double, from another formulation.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "models/forward/forward_dynamics.hpp"
#include "models/robot/builder.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using Long = long double;
using Long3 = Eigen::Matrix<Long, 3, 1>;
using LongTurn = Eigen::Matrix<Long, 3, 3>;
using LongVector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;
using LongMatrix = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;

struct LongBody {
  LongTurn R = LongTurn::Identity();
  Long3 p = Long3::Zero();
  Long3 z = Long3::Zero();   // axis
  Long3 w = Long3::Zero();   // rad/s
  Long3 wd = Long3::Zero();  // rad/s^2
  Long3 a = Long3::Zero();   // m/s^2, of the joint, against gravity
  Long3 f = Long3::Zero();   // N, carried by the joint
  Long3 m = Long3::Zero();   // N m, about the joint
};

LongTurn turn_about(const Vec3& axis, double angle) {
  const Long3 u = axis.cast<Long>();
  LongTurn K;
  K << 0, -u[2], u[1], u[2], 0, -u[0], -u[1], u[0], 0;
  const Long c = std::cos(static_cast<Long>(angle));
  const Long s = std::sin(static_cast<Long>(angle));
  return LongTurn::Identity() + s * K + (1 - c) * (K * K);
}

// Newton and Euler in axes of the world; a chain of hinges, body i on body i - 1
LongVector joint_moments(const Model& model, const JointVector& q, const LongVector& v,
                         const LongVector& vdot, const Long3& gravity) {
  const auto n = static_cast<std::size_t>(model.num_bodies());
  std::vector<LongBody> bodies(n);
  LongBody before;
  before.a = -gravity;
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const Body& body = model.body(static_cast<int>(i));
    LongBody& b = bodies[i];
    const Long3 r = before.R * body.X_PJ.p.cast<Long>();
    const LongTurn R_J = before.R * body.X_PJ.R.cast<Long>();
    b.p = before.p + r;
    b.z = R_J * body.joint.axis.cast<Long>();
    b.R = R_J * turn_about(body.joint.axis, q[k]);
    b.a = before.a + before.wd.cross(r) + before.w.cross(before.w.cross(r));
    b.w = before.w + b.z * v[k];
    b.wd = before.wd + b.z * vdot[k] + before.w.cross(b.z) * v[k];
    before = b;
  }
  LongVector tau(static_cast<Eigen::Index>(n));
  for (std::size_t i = n; i-- > 0;) {
    const SpatialInertia& inertia = model.body(static_cast<int>(i)).inertia;
    LongBody& b = bodies[i];
    const Long3 c = b.R * inertia.com().cast<Long>();
    const LongTurn I = b.R * inertia.about_com().cast<Long>() * b.R.transpose();
    const Long3 F = inertia.mass * (b.a + b.wd.cross(c) + b.w.cross(b.w.cross(c)));
    b.f += F;
    b.m += I * b.wd + b.w.cross(I * b.w) + c.cross(F);
    tau[static_cast<Eigen::Index>(i)] = b.z.dot(b.m);
    if (i == 0) break;
    bodies[i - 1].f += b.f;
    bodies[i - 1].m += b.m + (b.p - bodies[i - 1].p).cross(b.f);
  }
  return tau;
}

struct Exact {
  LongVector vdot;
  JointVector tau;         // as large as what each joint moves
  double condition = 0.0;  // of the mass matrix with a diagonal of ones
};

Exact solved(const Model& model, const JointVector& q, const JointVector& v, test::Random& random) {
  const int n = model.num_v();
  const LongVector rest = LongVector::Zero(n);
  LongMatrix H(n, n);
  for (int k = 0; k < n; ++k)
    H.col(k) = joint_moments(model, q, rest, LongVector::Unit(n, k), Long3::Zero());
  const LongVector bias =
      joint_moments(model, q, v.cast<Long>(), rest, model.gravity().cast<Long>());
  Exact e;
  e.tau = random.vector(n);
  for (int k = 0; k < n; ++k) e.tau[k] *= 10.0 * static_cast<double>(H(k, k));
  const LongVector d = H.diagonal().cwiseSqrt().cwiseInverse();
  const LongMatrix scaled = d.asDiagonal() * H * d.asDiagonal();
  const LongVector right = d.cwiseProduct(e.tau.cast<Long>() - bias);
  e.vdot = d.cwiseProduct(LongVector(scaled.fullPivLu().solve(right)));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled.cast<double>());
  e.condition = eigen.eigenvalues()[n - 1] / eigen.eigenvalues()[0];
  return e;
}

// 3 to 10 hinges in a row; every other link, by chance, is lighter by 1e-3 to 1e-12
Model chain(test::Random& random, bool light) {
  ModelBuilder builder;
  const int n = 3 + random.index(8);
  for (int i = 0; i < n; ++i) {
    double mass = random.between(0.5, 2.0);
    if (light && random.index(2) == 1) mass *= std::pow(10.0, random.between(-12.0, -3.0));
    const Joint hinge{JointType::kRevolute, random.vec3().normalized(), Vec3::Zero()};
    const Vec3 place = i == 0 ? Vec3(Vec3::Zero()) : Vec3(0.3 * random.vec3());
    builder.add_body("b" + std::to_string(i), i - 1, "j" + std::to_string(i), hinge,
                     Pose{Mat3::Identity(), place},
                     {mass, 0.2 * random.vec3(), 0.009 * mass * Mat3::Identity()});
  }
  return builder.build();
}

// dca and ada stay within the largest residual times the condition; unchecked they missed by 1e23
// times rounding times condition
TEST(LightLinks, ErrorsStayWithinTheConditionOfTheMassMatrix) {
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  test::Random random(7);
  double assembled = 0.0;  // largest error over rounding times condition, by dca and ada
  double reference = 0.0;  // by crba and aba
  for (int trial = 0; trial < 200; ++trial) {
    const Model model = chain(random, true);
    const JointVector q = 2.0 * random.vector(model.num_v());
    const JointVector v = random.vector(model.num_v());
    const Exact e = solved(model, q, v, random);
    for (const Algorithm a :
         {Algorithm::kCrba, Algorithm::kAba, Algorithm::kDca, Algorithm::kAda}) {
      ForwardDynamics dynamics(model, a);
      JointVector vdot;
      ASSERT_EQ(dynamics.run(q, v, e.tau, vdot), DynamicsStatus::kOk) << trial << name(a);
      const LongVector off = vdot.cast<Long>() - e.vdot;
      const auto error =
          static_cast<double>(off.cwiseAbs().maxCoeff() / e.vdot.cwiseAbs().maxCoeff());
      const bool assembly = a == Algorithm::kDca || a == Algorithm::kAda;
      double& worst = assembly ? assembled : reference;
      worst = std::max(worst, error / (kEps * e.condition));
    }
  }
  EXPECT_LT(reference, 50.0);  // measured 7
  EXPECT_LT(assembled, 1e7);   // the largest residual, 2^-30, is 4e6 times rounding
}

// ordinary chains keep the selected algorithm, and its digits
TEST(LightLinks, OrdinaryChainsAreLeftToTheAlgorithmThatWasSelected) {
  test::Random random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const Model model = chain(random, false);
    const JointVector q = 2.0 * random.vector(model.num_v());
    const JointVector v = random.vector(model.num_v());
    const Exact e = solved(model, q, v, random);
    ForwardDynamics dynamics(model, Algorithm::kDca);
    JointVector vdot;
    ASSERT_EQ(dynamics.run(q, v, e.tau, vdot), DynamicsStatus::kOk);
    EXPECT_EQ(dynamics.ran(), Algorithm::kDca) << trial;
  }
}

}  // namespace
}  // namespace kagami::models
