// Metrics of a response against the closed forms of first- and second-order systems, and the
// spectrum against sines and the sum that defines it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numbers>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "tools/tune/metrics.hpp"
#include "tools/tune/strokes.hpp"

namespace kagami::tools {
namespace {

// the answer of `of` (of time) to a reference that is 0 at first and then `reference` (of time)
Response response(double seconds, const std::function<double(double)>& reference,
                  const std::function<double(double)>& of, double dt = 1e-3) {
  Response r;
  r.dt = dt;
  for (int i = 0; i <= static_cast<int>(std::lround(seconds / dt)); ++i) {
    const double t = static_cast<double>(i) * dt;
    r.reference.push_back(i == 0 ? 0.0 : reference(t));
    r.angle.push_back(of(t));
  }
  return r;
}

double one(double /*t*/) {
  return 1.0;
}

TEST(Metrics, AreThoseOfAFirstOrderLag) {
  const double T = 0.1;
  const ResponseMetrics m =
      measure(response(2.0, one, [&](double t) { return 1.0 - std::exp(-t / T); }));
  ASSERT_TRUE(m.step.has_value());
  EXPECT_NEAR(m.step->rise.value_or(-1.0), T * std::log(9.0), 1e-5);   // s; 1 ms, straight between
  EXPECT_NEAR(m.step->delay.value_or(-1.0), T * std::log(2.0), 1e-5);  // s
  EXPECT_NEAR(m.step->settling.value_or(-1.0), T * std::log(50.0), 1e-3);  // s; whole steps
  EXPECT_EQ(m.step->overshoot, 0.0);
  EXPECT_NEAR(m.rms, std::sqrt(T / 2.0 / 2.0), 1e-3);  // of exp(-t/T) over 2 s
  EXPECT_NEAR(m.steady_error, 0.0, 1e-7);
  // largest mean rate over 10 ms is that of the first 10 ms
  EXPECT_NEAR(m.peak_rate, (1.0 - std::exp(-0.1)) / 0.01, 1e-9);  // rad/s
}

TEST(Metrics, AreThoseOfASecondOrderSystem) {
  for (const double zeta : {0.2, 0.4, 0.6}) {
    SCOPED_TRACE(zeta);
    const double w = 12.0;
    const double wd = w * std::sqrt(1.0 - zeta * zeta);
    const auto of = [&](double t) {
      return 1.0 - std::exp(-zeta * w * t) * (std::cos(wd * t) + zeta * w / wd * std::sin(wd * t));
    };
    const ResponseMetrics m = measure(response(6.0, one, of));
    const double overshoot =
        100.0 * std::exp(-std::numbers::pi * zeta / std::sqrt(1.0 - zeta * zeta));
    EXPECT_NEAR(m.step->overshoot, overshoot, 0.01);  // %; the peak lies between two values
    // within 2 % for good: no later than its envelope, no earlier than half a swing before
    const double envelope = -std::log(0.02 * std::sqrt(1.0 - zeta * zeta)) / (zeta * w);
    EXPECT_LE(m.step->settling.value_or(99.0), envelope + 1e-3);
    EXPECT_GE(m.step->settling.value_or(-1.0), envelope - std::numbers::pi / wd);
  }
}

TEST(Metrics, OfAMirroredStepAreTheSame) {
  const auto of = [](double t) { return 1.0 - std::exp(-3.0 * t) * std::cos(9.0 * t); };
  const ResponseMetrics up = measure(response(4.0, one, of));
  const ResponseMetrics down = measure(response(
      4.0, [](double) { return -1.0; }, [&](double t) { return -of(t); }));
  EXPECT_GT(up.step->overshoot, 10.0);
  EXPECT_EQ(up.step->overshoot, down.step->overshoot);
  EXPECT_EQ(up.step->settling, down.step->settling);
  EXPECT_EQ(up.step->rise, down.step->rise);
  EXPECT_EQ(up.rms, down.rms);
}

TEST(Strokes, EndWhereTheReferenceTurnsOrStands) {
  // up 20 degrees in 0.2 s, rests 0.3 s, further up 10 in 0.1 s and at once down 30 in 0.3 s
  const auto reference = [](double t) {
    const double up = std::min(t, 0.2) + std::clamp(t - 0.5, 0.0, 0.1);
    return to_rad(100.0 * (up - std::clamp(t - 0.6, 0.0, 0.3)));
  };
  const Response r = response(1.5, reference, reference);
  const std::vector<Stroke> strokes = strokes_of(r.reference, r.dt);
  ASSERT_EQ(strokes.size(), 3u);
  const double ends[3][2] = {{0.0, 20.0}, {20.0, 30.0}, {30.0, 0.0}};  // deg
  const double times[3][2] = {{0.0, 0.2}, {0.5, 0.6}, {0.6, 0.9}};     // s
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(to_deg(strokes[k].from), ends[k][0], 1e-9) << k;
    EXPECT_NEAR(to_deg(strokes[k].to), ends[k][1], 1e-9) << k;
    EXPECT_NEAR(static_cast<double>(strokes[k].begin) * r.dt, times[k][0], 1.5e-3) << k;
    EXPECT_NEAR(static_cast<double>(strokes[k].end) * r.dt, times[k][1], 1.5e-3) << k;
  }
  EXPECT_EQ(stroke_overshoot(r, 0.1), 0.0);
}

TEST(Strokes, OvershootOfAStepIsThatOfItsClosedForm) {
  const double zeta = 0.4;
  const double wd = 8.0 * std::sqrt(1.0 - zeta * zeta);  // rad/s
  const auto of = [&](double t) {
    return 0.3 *
           (1.0 - std::exp(-8.0 * zeta * t) *
                      (std::cos(wd * t) + zeta / std::sqrt(1.0 - zeta * zeta) * std::sin(wd * t)));
  };
  const Response r = response(
      3.0, [](double) { return 0.3; }, of);
  const double overshoot =
      100.0 * std::exp(-std::numbers::pi * zeta / std::sqrt(1.0 - zeta * zeta));
  EXPECT_NEAR(stroke_overshoot(r, 0.1), overshoot, 1e-3);  // %; of 1 ms steps
  EXPECT_NEAR(stroke_overshoot(r, 0.1), step_metrics(r, 0.0, 0.3).overshoot, 1e-12);
  EXPECT_EQ(stroke_overshoot(r, 0.31), 0.0);  // too short to count
}

TEST(Strokes, OfAJointThatIsStillOnItsWayAreLateAndNoOvershoot) {
  // 60 degrees up, 20 back, and a joint a whole stroke late: it never came near the second's end
  const auto reference = [](double t) {
    return to_rad(200.0 * (std::min(t, 0.3) - std::clamp(t - 0.3, 0.0, 0.1)));
  };
  const Response late =
      response(0.41, reference, [&](double t) { return reference(std::max(0.0, t - 0.25)); });
  EXPECT_EQ(stroke_overshoot(late, 0.1), 0.0);
  // going the same way after a stop is no overshoot either; a tenth of the first stroke is
  const auto stairs = [](double t) { return t < 0.5 ? 0.2 : 0.4; };
  const Response up = response(1.0, stairs, [&](double t) {
    return t == 0.0 ? 0.0 : t < 0.5 ? 0.22 : 0.4;
  });
  EXPECT_NEAR(stroke_overshoot(up, 0.1), 10.0, 1e-9);
}

TEST(Metrics, LagOfARampIsTheTimeConstantAndTheDelay) {
  const double T = 0.08;
  const double L = 0.03;
  const double rate = 0.7;
  // rests, rises for ever; the answer once the beginning is forgotten
  const auto ramp = [&](double t) { return rate * std::max(0.0, t - 0.2); };
  const auto of = [&](double t) {
    const double s = t - 0.2 - L;
    return s <= 0.0 ? 0.0 : rate * (s - T * (1.0 - std::exp(-s / T)));
  };
  Response r = response(8.0, ramp, of);
  EXPECT_NEAR(lag_of(r).value_or(-1.0), T + L, 2e-3);  // s; the beginning pulls it down
  const ResponseMetrics m = measure(r);
  EXPECT_FALSE(m.step.has_value());
  EXPECT_NEAR(m.steady_error, rate * (T + L), 1e-9);  // rad
}

TEST(Metrics, LagOfASineIsItsPhase) {
  const double T = 0.05;
  const double w = 2.0 * std::numbers::pi * 1.5;
  const double phase = std::atan(w * T);
  const auto sine = [&](double t) { return std::sin(w * t); };
  const auto of = [&](double t) {
    return std::sin(w * t - phase) / std::sqrt(1.0 + w * w * T * T);
  };
  const Response r = response(6.0, sine, of);
  EXPECT_NEAR(lag_of(r).value_or(-1.0), phase / w, 2e-4);  // s
  const ResponseMetrics m = measure(r);
  // error transfer i w T / (1 + i w T)
  const double amplitude = w * T / std::sqrt(1.0 + w * w * T * T);
  EXPECT_NEAR(m.rms, amplitude / std::sqrt(2.0), 1e-3);
  EXPECT_NEAR(m.error.peak_hz, 1.5, 2e-3);
  EXPECT_NEAR(m.error.peak, amplitude, 0.01 * amplitude);
}

TEST(Metrics, SayNothingOfWhatTheCurveDoesNotShow) {
  const ResponseMetrics m = measure(response(1.0, one, [](double t) { return 0.3 * t; }));
  EXPECT_FALSE(m.step->rise.has_value());
  EXPECT_FALSE(m.step->delay.has_value());
  EXPECT_FALSE(m.lag.has_value());
  const nlohmann::json j = metrics_json(m);
  EXPECT_TRUE(j.at("rise_s").is_null());
  EXPECT_FALSE(j.at("overshoot_pct").is_null());
  const ResponseMetrics still = measure(response(
      1.0, [](double) { return 0.0; }, [](double) { return 0.0; }));
  EXPECT_FALSE(still.step.has_value());
  EXPECT_FALSE(still.lag.has_value());
  EXPECT_TRUE(metrics_json(still).at("overshoot_pct").is_null());
  Response bad = response(1.0, one, one);
  bad.angle.pop_back();
  EXPECT_THROW((void)measure(bad), Error);
  EXPECT_THROW((void)step_metrics(response(1.0, one, one), 1.0, 1.0), Error);
}

TEST(Metrics, OfWholeDegreesTellNoMoreThanADegree) {
  const double step = to_rad(10.0);
  const auto of = [&](double t) { return step * (1.0 - std::exp(-t / 0.1)); };
  Response r = response(
      3.0, [&](double) { return step; }, of);
  const ResponseMetrics exact = measure(r);
  for (double& angle : r.angle) angle = to_rad(std::round(to_deg(angle)));
  r.resolution = to_rad(1.0);
  const ResponseMetrics seen = measure(r);
  EXPECT_NEAR(to_deg(seen.step->band), 0.6, 1e-12);
  // crossings are off by at most half a degree over the rate there
  EXPECT_NEAR(seen.step->rise.value_or(-1.0), exact.step->rise.value_or(0.0),
              0.1 * 0.5 / 1.0 + 0.1 * 0.5 / 9.0);
  EXPECT_NEAR(seen.rms, exact.rms, to_rad(0.29));
  // a swing of less than a reading beyond the end is not called one
  for (double& angle : r.angle) angle = angle > step - 1e-9 ? step + 0.4 * to_rad(1.0) : angle;
  EXPECT_EQ(measure(r).step->overshoot, 0.0);
}

TEST(Spectrum, IsTheSumThatDefinesIt) {
  std::vector<std::complex<double>> x;
  for (int n = 0; n < 16; ++n) x.emplace_back(std::sin(1.7 * n) + 0.1 * n, std::cos(0.3 * n * n));
  std::vector<std::complex<double>> fast = x;
  fourier_transform(fast);
  for (std::size_t k = 0; k < x.size(); ++k) {
    std::complex<double> sum;
    for (std::size_t n = 0; n < x.size(); ++n) {
      sum += x[n] * std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(k * n) / 16.0);
    }
    EXPECT_NEAR(std::abs(fast[k] - sum), 0.0, 1e-13) << k;
  }
  x.pop_back();
  EXPECT_THROW(fourier_transform(x), Error);
}

TEST(Spectrum, ShowsAmplitudeAndFrequencyOfSinesOffTheLines) {
  for (const double hz : {1.0, 2.37, 7.7}) {
    SCOPED_TRACE(hz);
    std::vector<double> curve;
    for (int i = 0; i < 3000; ++i)
      curve.push_back(5.0 + 0.2 * std::sin(2.0 * std::numbers::pi * hz * 1e-3 * i));
    const Spectrum s = spectrum_of(curve, 1e-3);
    EXPECT_NEAR(s.peak_hz, hz, 0.02);  // Hz; lines are 0.06 Hz apart
    EXPECT_NEAR(s.peak, 0.2, 0.002);   // a hundredth
    EXPECT_LT(s.amplitude[0], 0.002);  // the mean is gone, but for part of a period
  }
  EXPECT_THROW((void)spectrum_of(std::vector<double>(3, 0.0), 1e-3), Error);
  EXPECT_THROW((void)spectrum_of(std::vector<double>(8, 0.0), 0.0), Error);
}

}  // namespace
}  // namespace kagami::tools
