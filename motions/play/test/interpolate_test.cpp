#include "motions/play/interpolate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace kagami::motions {
namespace {

TEST(Interpolate, RestToRestIsTheMinimumJerkPolynomial) {
  // closed form 10 s^3 - 15 s^4 + 6 s^5 (Flash and Hogan 1985, for one coordinate)
  const QuinticPiece piece{0.5, -1.5, 0.0, 0.0, 0.8};
  for (int i = 0; i <= 100; ++i) {
    const double s = i / 100.0;
    const double expected = 0.5 - 2.0 * s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
    EXPECT_NEAR(piece.at(s * 0.8).q, expected, 1e-14);  // rad; a few roundings
  }
  EXPECT_NEAR(piece.at(0.4).qd, 15.0 / 8.0 * -2.0 / 0.8, 1e-13);  // rad/s, the peak
}

TEST(Interpolate, PieceMeetsItsEndConditions) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> u(-3.0, 3.0);
  for (int i = 0; i < 200; ++i) {
    const QuinticPiece piece{u(random), u(random), u(random), u(random),
                             0.05 + std::abs(u(random))};
    const CurvePoint start = piece.at(0.0);
    EXPECT_EQ(start.q, piece.q0);
    EXPECT_NEAR(start.qd, piece.v0, 1e-12);
    EXPECT_EQ(start.qdd, 0.0);
    const CurvePoint end = piece.at(piece.T * (1.0 - 1e-9));
    const double scale = 1.0 + std::abs(piece.q1 - piece.q0) / (piece.T * piece.T) +
                         (std::abs(piece.v0) + std::abs(piece.v1)) / piece.T;
    EXPECT_NEAR(end.q, piece.q1, 1e-8);  // rad; 1e-9 of the piece is left
    EXPECT_NEAR(end.qd, piece.v1, 1e-6 * scale);
    EXPECT_NEAR(end.qdd, 0.0, 1e-6 * scale);
    EXPECT_EQ(piece.at(piece.T).q, piece.q1);
    EXPECT_EQ(piece.at(piece.T + 5.0).qd, piece.v1);
  }
}

TEST(Interpolate, DerivativesAgreeWithFiniteDifferences) {
  const QuinticPiece piece{0.2, 1.3, -0.7, 2.1, 0.6};
  const double h = 1e-5;  // s
  for (double t = 0.01; t < 0.59; t += 0.01) {
    const double qd = (piece.at(t + h).q - piece.at(t - h).q) / (2.0 * h);
    const double qdd = (piece.at(t + h).qd - piece.at(t - h).qd) / (2.0 * h);
    EXPECT_NEAR(piece.at(t).qd, qd, 1e-6);    // h^2 q''' / 6, q''' below 3e3
    EXPECT_NEAR(piece.at(t).qdd, qdd, 1e-4);  // h^2 q'''' / 6
  }
}

TEST(Interpolate, PosesAreNeverOvershot) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> angle(-2.0, 2.0);
  std::uniform_real_distribution<double> time(0.03, 1.0);
  for (int run = 0; run < 300; ++run) {
    SCOPED_TRACE(run);
    std::vector<double> q(6);
    std::vector<double> T(6);
    for (std::size_t i = 0; i < 6; ++i) {
      q[i] = i > 0 && run % 3 == 0 && i % 2 == 0 ? q[i - 1] : angle(random);  // pauses too
      T[i] = time(random);
    }
    std::vector<double> v(6, 0.0);
    for (std::size_t i = 1; i < 5; ++i) {
      v[i] = pose_velocity((q[i] - q[i - 1]) / T[i], (q[i + 1] - q[i]) / T[i + 1]);
    }
    for (std::size_t i = 1; i < 6; ++i) {
      const QuinticPiece piece{q[i - 1], q[i], v[i - 1], v[i], T[i]};
      const auto [low, high] = std::minmax(q[i - 1], q[i]);
      for (int k = 0; k <= 200; ++k) {
        const double at = piece.at(T[i] * k / 200.0).q;
        ASSERT_GE(at, low - 1e-13);   // rad, rounding
        ASSERT_LE(at, high + 1e-13);  // rad, rounding
      }
    }
  }
}

TEST(Interpolate, PieceStaysMonotoneUpToTwiceTheMeanSlope) {
  for (double v0 = 0.0; v0 <= 2.0; v0 += 0.125) {
    for (double v1 = 0.0; v1 <= 2.0; v1 += 0.125) {
      const QuinticPiece piece{0.0, 1.0, v0, v1, 1.0};
      for (int k = 0; k <= 400; ++k) ASSERT_GE(piece.at(k / 400.0).qd, -1e-13) << v0 << " " << v1;
    }
  }
}

TEST(Interpolate, PoseVelocityIsTheHarmonicMeanAndZeroAtTurns) {
  EXPECT_DOUBLE_EQ(pose_velocity(1.0, 3.0), 1.5);
  EXPECT_DOUBLE_EQ(pose_velocity(-2.0, -2.0), -2.0);
  EXPECT_EQ(pose_velocity(1.0, -3.0), 0.0);
  EXPECT_EQ(pose_velocity(0.0, 3.0), 0.0);
  EXPECT_LE(pose_velocity(1.0, 1e9), 2.0);
}

TEST(Interpolate, RestToRestTimeGivesThePeakSpeed) {
  const double T = rest_to_rest_time(1.2, 0.8);
  const QuinticPiece piece{0.0, 1.2, 0.0, 0.0, T};
  EXPECT_NEAR(piece.at(T / 2.0).qd, 0.8, 1e-14);  // rad/s
}

TEST(Interpolate, SmoothStepRunsFromZeroToOne) {
  EXPECT_EQ(smooth_step(-1.0), 0.0);
  EXPECT_EQ(smooth_step(0.5), 0.5);
  EXPECT_EQ(smooth_step(2.0), 1.0);
}

}  // namespace
}  // namespace kagami::motions
