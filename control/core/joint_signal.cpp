#include "control/core/joint_signal.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/trig.hpp"

namespace kagami::control {
namespace {

constexpr std::array<std::string_view, 4> kNames{"step", "ramp", "relay", "chirp"};

void demand(bool good, const std::string& what, double value, const std::string& expected) {
  if (good) return;
  throw ConfigError("joint test: " + what + " is " + number_text(value) + ", expected " + expected);
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

void check(const JointSignal& s) {
  constexpr double kMost = 1.6;  // rad
  const bool moves = s.kind != TestKind::kRelay;
  demand(!moves || (std::abs(s.size) > 0.0 && std::abs(s.size) <= kMost), "size (rad)", s.size,
         "up to +-1.6, not 0");
  demand(s.seconds >= 0.2 && s.seconds <= 60.0, "length (s)", s.seconds, "0.2..60");
  demand(s.chirp_from_hz > 0.0 && s.chirp_from_hz <= 20.0, "chirp from (Hz)", s.chirp_from_hz,
         "0..20");
  demand(s.chirp_to_hz > 0.0 && s.chirp_to_hz <= 20.0, "chirp to (Hz)", s.chirp_to_hz, "0..20");
  demand(s.relay_speed > 0.0 && s.relay_speed <= 10.0, "relay speed (rad/s)", s.relay_speed,
         "0..10");
  demand(s.relay_hysteresis >= 0.0 && s.relay_hysteresis <= 0.5, "relay hysteresis (rad)",
         s.relay_hysteresis, "0..0.5");
}

}  // namespace kagami::control
