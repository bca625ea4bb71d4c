#include "tools/tune/relay.hpp"

#include <cmath>
#include <complex>
#include <numbers>

// Relay of amplitude d with hysteresis eps on a curve of amplitude a, [Astrom 1984]:
//   N(a) = 4 d / (pi a) (sqrt(1 - (eps/a)^2) - i eps/a),  limit cycle where G(i w) = -1 / N(a)  (1)
//   K_u = 4 d / (pi sqrt(a^2 - eps^2)),  T_u = 2 pi / w                                         (2)
// Ours: a is the first harmonic itself and not half the swing, so readings of whole degrees do not
// shift it, and a triangle counts for what its harmonic is.
namespace kagami::tools {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kSkipped = 2;  // periods until the cycle is one
constexpr int kFewest = 2;

}  // namespace

std::optional<RelayCycle> relay_cycle(const std::vector<double>& sign,
                                      const std::vector<double>& angle, double dt, double d,
                                      double hysteresis) {
  std::vector<std::size_t> rises;
  for (std::size_t i = 1; i < sign.size() && i < angle.size(); ++i) {
    if (sign[i] > 0.0 && sign[i - 1] <= 0.0) rises.push_back(i);
  }
  const int periods = static_cast<int>(rises.size()) - 1 - kSkipped;
  if (periods < kFewest) return std::nullopt;
  const std::size_t begin = rises[kSkipped];
  const std::size_t end = rises.back();
  RelayCycle cycle;
  cycle.periods = periods;
  cycle.period = dt * static_cast<double>(end - begin) / periods;
  std::complex<double> harmonic;
  for (std::size_t i = begin; i < end; ++i) {
    const double phase = 2.0 * kPi * dt * static_cast<double>(i - begin) / cycle.period;
    harmonic += angle[i] * std::polar(1.0, -phase);
  }
  cycle.amplitude = 2.0 * std::abs(harmonic) / static_cast<double>(end - begin);
  if (!(cycle.amplitude > hysteresis)) return std::nullopt;
  const double a = cycle.amplitude;
  cycle.ultimate_gain = 4.0 * d / (kPi * std::sqrt(a * a - hysteresis * hysteresis));
  // phase of 1 / (i w) is a quarter turn; the rest of half a turn is the joint's, less the relay's
  const double phase = 0.5 * kPi - std::asin(hysteresis / a);
  cycle.lag = phase * cycle.period / (2.0 * kPi);
  return cycle;
}

control::ParallelGains servo_gains(const RelayCycle& cycle) noexcept {
  const double kp = cycle.ultimate_gain / 2.2;
  return {kp, 0.0, kp * cycle.lag};
}

}  // namespace kagami::tools
