#include "control/core/joint_signal.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/base/trig.hpp"

namespace kagami::control {
namespace {

constexpr std::array<std::string_view, 4> kNames{"step", "ramp", "relay", "chirp"};

/// One number of a signal and where it may lie.
struct Bound {
  const char* what;
  double value;
  bool good;  // false for NaN
  const char* expected;
};

std::array<Bound, 6> bounds(const JointSignal& s) noexcept {
  constexpr double kMost = 1.6;  // rad
  const bool moves = s.kind != TestKind::kRelay;
  const auto frequency = [](double hz) { return hz > 0.0 && hz <= 20.0; };
  return {{{"size (rad)", s.size, !moves || (std::abs(s.size) > 0.0 && std::abs(s.size) <= kMost),
            "up to +-1.6, not 0"},
           {"length (s)", s.seconds, s.seconds >= 0.2 && s.seconds <= 60.0, "0.2..60"},
           {"chirp from (Hz)", s.chirp_from_hz, frequency(s.chirp_from_hz), "0..20"},
           {"chirp to (Hz)", s.chirp_to_hz, frequency(s.chirp_to_hz), "0..20"},
           {"relay speed (rad/s)", s.relay_speed, s.relay_speed > 0.0 && s.relay_speed <= 10.0,
            "0..10"},
           {"relay hysteresis (rad)", s.relay_hysteresis,
            s.relay_hysteresis >= 0.0 && s.relay_hysteresis <= 0.5, "0..0.5"}}};
}

SignalPoint ramp_at(const JointSignal& s, double t) noexcept {
  const double quarter = 0.25 * s.seconds;
  const double rate = s.size / quarter;
  if (t < quarter) return {rate * t, rate};
  if (t < 2.0 * quarter) return {s.size, 0.0};
  if (t < 3.0 * quarter) return {s.size - rate * (t - 2.0 * quarter), -rate};
  return {};
}

// phase 2 pi (f0 t + (f1 - f0) t^2 / (2 T))
SignalPoint chirp_at(const JointSignal& s, double t) noexcept {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const double climb = (s.chirp_to_hz - s.chirp_from_hz) / s.seconds;
  const double phase = kTurn * (s.chirp_from_hz * t + 0.5 * climb * t * t);
  const double rate = kTurn * (s.chirp_from_hz + climb * t);
  const trig::SinCos turned = trig::sincos(phase);
  return {s.size * turned.sin, s.size * rate * turned.cos};
}

}  // namespace

std::string_view name_of(TestKind kind) {
  return kNames.at(static_cast<std::size_t>(kind));
}

TestKind test_kind(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<TestKind>(i);
  }
  throw ConfigError("joint test: '" + std::string(name) + "', expected step, ramp, relay or chirp");
}

SignalPoint signal_at(const JointSignal& signal, double t) noexcept {
  if (t < 0.0) return {};
  switch (signal.kind) {
    case TestKind::kStep:
      return {signal.size, 0.0};
    case TestKind::kRamp:
      return ramp_at(signal, t);
    case TestKind::kChirp:
      return chirp_at(signal, t);
    case TestKind::kRelay:
      break;
  }
  return {};
}

bool is_possible(const JointSignal& signal) noexcept {
  for (const Bound& bound : bounds(signal)) {
    if (!bound.good) return false;
  }
  return true;
}

void check(const JointSignal& signal) {
  for (const Bound& bound : bounds(signal)) {
    if (bound.good) continue;
    throw ConfigError(std::string("joint test: ") + bound.what + " is " + number_text(bound.value) +
                      ", expected " + bound.expected);
  }
}

}  // namespace kagami::control
