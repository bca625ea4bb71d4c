// The relay's cycle against loops whose limit cycle is known in closed form, and the bounded
// search.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <numbers>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "tools/tune/optimise.hpp"
#include "tools/tune/relay.hpp"

namespace kagami::tools {
namespace {

constexpr double kDt = 1e-4;  // s

/// A relay of amplitude d around a plant with dead time: x' = f(x, u(t - L)), curve x.
struct RelayRun {
  std::vector<double> sign;
  std::vector<double> angle;
};
RelayRun relay_run(const std::function<double(double, double)>& rate, double d, double dead_time,
                   double hysteresis, double seconds, double rounding = 0.0) {
  RelayRun run;
  std::deque<double> late(static_cast<std::size_t>(std::lround(dead_time / kDt)), 0.0);
  double x = 0.0;
  double u = d;
  for (double t = 0.0; t < seconds; t += kDt) {
    const double seen = rounding > 0.0 ? rounding * std::round(x / rounding) : x;
    if (u > 0.0 ? seen > hysteresis : seen < -hysteresis) u = -u;
    run.sign.push_back(u);
    run.angle.push_back(seen);
    late.push_back(u);
    x += kDt * rate(x, late.front());
    late.pop_front();
  }
  return run;
}

TEST(Relay, OnAnIntegratorWithDeadTimeFindsItsUltimateGainExactly) {
  // exp(-s L) / s: a triangle of half height d L, period 4 L; K_u = pi / (2 L), T_u = 4 L
  const double L = 0.13;
  const double d = 0.7;
  const RelayRun run = relay_run([](double /*x*/, double u) { return u; }, d, L, 0.0, 6.0);
  const auto cycle = relay_cycle(run.sign, run.angle, kDt, d, 0.0);
  ASSERT_TRUE(cycle.has_value());
  EXPECT_NEAR(cycle->period, 4.0 * L, 3.0 * kDt);  // s; the relay turns on whole steps
  EXPECT_NEAR(cycle->amplitude, 8.0 / (std::numbers::pi * std::numbers::pi) * d * L, 1e-3 * d * L);
  EXPECT_NEAR(cycle->ultimate_gain, std::numbers::pi / (2.0 * L), 0.01 / L);
  EXPECT_NEAR(cycle->lag, L, 1e-3);  // s
}

TEST(Relay, OnALagWithDeadTimeHasThePeriodOfTheClosedForm) {
  // K exp(-s L) / (1 + s T): half height K d (1 - exp(-L/T)), period 2 T ln(2 exp(L/T) - 1)
  const double T = 0.2;
  const double K = 1.4;
  for (const double L : {0.05, 0.1, 0.2}) {
    SCOPED_TRACE(L);
    const RelayRun run =
        relay_run([&](double x, double u) { return (K * u - x) / T; }, 1.0, L, 0.0, 10.0);
    const auto cycle = relay_cycle(run.sign, run.angle, kDt, 1.0, 0.0);
    ASSERT_TRUE(cycle.has_value());
    EXPECT_NEAR(cycle->period, 2.0 * T * std::log(2.0 * std::exp(L / T) - 1.0), 4.0 * kDt);
    // the true ultimate point: atan(w T) + w L = pi
    double low = 0.1;
    double high = std::numbers::pi / L;
    while (high - low > 1e-9) {
      const double w = 0.5 * (low + high);
      (std::atan(w * T) + w * L < std::numbers::pi ? low : high) = w;
    }
    const double Ku = std::sqrt(1.0 + low * low * T * T) / K;
    // a describing function leaves out the other harmonics: some hundredths of error
    EXPECT_NEAR(cycle->ultimate_gain, Ku, 0.12 * Ku);
  }
}

TEST(Relay, WorksWithReadingsOfWholeDegrees) {
  const double L = 0.2;
  const auto plant = [](double /*x*/, double u) { return u; };
  const double hysteresis = to_rad(0.5);
  const RelayRun exact = relay_run(plant, 1.0, L, hysteresis, 12.0);
  const RelayRun seen = relay_run(plant, 1.0, L, hysteresis, 12.0, to_rad(1.0));
  const auto a = relay_cycle(exact.sign, exact.angle, kDt, 1.0, hysteresis);
  const auto b = relay_cycle(seen.sign, seen.angle, kDt, 1.0, hysteresis);
  ASSERT_TRUE(a.has_value() && b.has_value());
  // with hysteresis the triangle grows by it: half height d L + eps, period 4 (L + eps / d)
  EXPECT_NEAR(a->period, 4.0 * (L + hysteresis), 1e-3);
  EXPECT_NEAR(b->ultimate_gain, a->ultimate_gain, 0.02 * a->ultimate_gain);
  EXPECT_NEAR(b->lag, a->lag, 0.02 * a->lag);
}

TEST(Relay, GivesNoResultWithoutASteadyCycle) {
  const std::vector<double> still(1000, 1.0);
  EXPECT_FALSE(relay_cycle(still, still, kDt, 1.0, 0.0).has_value());
  RelayRun run = relay_run([](double, double u) { return u; }, 1.0, 0.1, 0.0, 4.0);
  EXPECT_FALSE(
      relay_cycle(run.sign, run.angle, kDt, 1.0, 0.5).has_value());  // under the hysteresis
}

TEST(Relay, GainsAreThoseOfTheRule) {
  RelayCycle cycle;
  cycle.ultimate_gain = 10.0;
  cycle.lag = 0.25;
  const control::ParallelGains servo = servo_gains(cycle);
  EXPECT_DOUBLE_EQ(servo.kp, 10.0 / 2.2);
  EXPECT_EQ(servo.ki, 0.0);
  EXPECT_DOUBLE_EQ(servo.kd, 0.25 * servo.kp);
}

double valley(const std::vector<double>& x) {
  const double a = x[1] - x[0] * x[0];
  return (1.0 - x[0]) * (1.0 - x[0]) + 5.0 * a * a;
}
const SearchBounds kBox{{-2.0, -1.0}, {2.0, 3.0}};

TEST(Search, FindsTheBottomOfAValleyAndIsTheSameEveryTime) {
  const SearchResult first = search(valley, kBox, {-1.5, 2.0}, 300);
  EXPECT_NEAR(first.best[0], 1.0, 0.05);
  EXPECT_NEAR(first.best[1], 1.0, 0.1);
  EXPECT_LE(first.evaluations, 300);
  EXPECT_EQ(search(valley, kBox, {-1.5, 2.0}, 300).best, first.best);
}

TEST(Search, StaysInTheBoxAlsoWhereItsBestIsOutside) {
  const SearchResult r = search(
      [](const std::vector<double>& x) {
        EXPECT_GE(x[0], 0.0);
        EXPECT_LE(x[0], 1.0);
        return -x[0];
      },
      {{0.0}, {1.0}}, {0.3}, 60);
  EXPECT_NEAR(r.best[0], 1.0, 1e-3);
}

TEST(Search, NeverAnswersWorseThanItsStart) {
  // everything but the start is impossible
  const SearchResult r = search(
      [](const std::vector<double>& x) {
        return x[0] == 0.25 ? 1.0 : std::numeric_limits<double>::infinity();
      },
      {{0.0}, {1.0}}, {0.25}, 40);
  EXPECT_EQ(r.best.at(0), 0.25);
  EXPECT_EQ(r.cost, 1.0);
}

TEST(Search, StopsOnRequestAndPassesOnWhatTheCostThrows) {
  int checks = 0;
  const SearchResult r = search(valley, kBox, {0.0, 0.0}, 200, [&] { return ++checks < 8; });
  EXPECT_TRUE(r.aborted);
  EXPECT_EQ(r.evaluations, 7);
  EXPECT_TRUE(search(valley, kBox, {0.0, 0.0}, 200, [] { return false; }).aborted);
  int calls = 0;
  const auto bad = [&](const std::vector<double>& x) -> double {
    if (++calls == 5) throw ConfigError("no");
    return valley(x);
  };
  EXPECT_THROW((void)search(bad, kBox, {0.0, 0.0}, 50), ConfigError);
  EXPECT_EQ(calls, 5);
  EXPECT_THROW((void)search(valley, kBox, {0.0, 9.0}, 50), Error);
  EXPECT_THROW((void)search(valley, {{0.0}, {0.0}}, {0.0}, 50), Error);
}

}  // namespace
}  // namespace kagami::tools
