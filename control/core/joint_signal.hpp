/// What the reference of one joint does in a test: step, ramp, chirp, or constant while a relay
/// drives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kagami::control {

enum class TestKind : std::uint8_t { kStep, kRamp, kRelay, kChirp };

/// "step", "ramp", "relay", "chirp".
std::string_view name_of(TestKind kind);
/// Throws ConfigError that lists the names.
TestKind test_kind(std::string_view name);

/// A test of one joint. Sizes are offsets from the pose that the others hold.
struct JointSignal {
  TestKind kind = TestKind::kStep;
  int joint = 0;               ///< model order
  double size = 0.0;           ///< rad, != 0; step and ramp: how far; chirp: amplitude; relay: none
  double seconds = 2.0;        ///< of the test, 0.2..60
  double chirp_from_hz = 0.2;  ///< frequency at its beginning
  double chirp_to_hz = 3.0;    ///< and at its end, straight in between
  double relay_speed = 1.0;    ///< rad/s, the target's while the relay drives
  double relay_hysteresis = 0.0087;  ///< rad: where a reading of whole degrees turns
};

/// Offset and its rate at a time from the test's start; zero before it.
struct SignalPoint {
  double offset = 0.0;  ///< rad
  double rate = 0.0;    ///< rad/s; a step's is 0
};
/// Step: at once. Ramp: up within a quarter of the time, held, down within a quarter, held.
/// Chirp: size * sin, its frequency rising evenly. Relay: 0. Cycle code.
SignalPoint signal_at(const JointSignal& signal, double t) noexcept;

/// Every number is in its range. Cycle code.
bool is_possible(const JointSignal& signal) noexcept;
/// Throws ConfigError naming what is out of range.
void check(const JointSignal& signal);

}  // namespace kagami::control
