/// PID of one joint: standard and parallel gains, derivative on measurement or error, anti-windup,
/// feed-forward, changes of gains and of mode that the output does not feel.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace kagami::control {

/// u = kp e + ki int e dt + kd de/dt; u in the unit of PidOutput, e in rad.
struct ParallelGains {
  double kp = 0.0;  ///< u per rad, >= 0
  double ki = 0.0;  ///< u per rad s, >= 0
  double kd = 0.0;  ///< u s per rad, >= 0
};

/// u = kp (e + int e dt / ti + td de/dt): [Awa 2009] Eq. (1).
struct StandardGains {
  double kp = 0.0;                                      ///< u per rad, >= 0
  double ti = std::numeric_limits<double>::infinity();  ///< s, > 0; infinite: no integral
  double td = 0.0;                                      ///< s, >= 0
};

ParallelGains parallel_form(const StandardGains& gains) noexcept;
/// Throws ConfigError for kp = 0 beside another gain: no standard form can express that.
StandardGains standard_form(const ParallelGains& gains);

/// Largest kp, ki, kd of the parallel form.
inline constexpr double kMaxPidGain = 1000.0;

/// What u is: the joint's speed (rad/s), as in the thesis's engine, or its torque (N m).
enum class PidOutput : std::uint8_t { kSpeed, kTorque };

enum class DerivativeOn : std::uint8_t {
  kMeasurement,  ///< -d theta/dt: a step of the reference does not kick
  kError,        ///< de/dt as in Eq. (1)
};

enum class AntiWindup : std::uint8_t {
  kNone,
  kConditional,      ///< a step that would drive u further past its limit is not integrated
  kBackCalculation,  ///< the excess over the limit is taken out of the integral in tracking_time
};

struct PidSettings {
  PidOutput output = PidOutput::kSpeed;
  ParallelGains gains;
  DerivativeOn derivative = DerivativeOn::kMeasurement;
  AntiWindup anti_windup = AntiWindup::kConditional;
  double filter_time = 0.0;    ///< s, >= 0; first-order lag of the derivative, 0: none
  double tracking_time = 0.0;  ///< s, >= 0; 0: sqrt(ti td), or ti without a derivative
  double output_limit = std::numeric_limits<double>::infinity();  ///< |u| <= it, > 0
  double rate_feed_forward = 0.0;     ///< of the reference's rate, 0..10 (u per rad/s)
  double gravity_feed_forward = 0.0;  ///< of the gravity torque, 0..2 (u per N m)
  /// s, 0..0.5; the reference goes to servos that much ahead, along its rate: their own lag. Not a
  /// part of u; for the caller that makes targets of it.
  double lead_time = 0.0;
};
inline constexpr double kMaxRateFeedForward = 10.0;
inline constexpr double kMaxGravityFeedForward = 2.0;
/// Largest lead_time, s.
inline constexpr double kMaxLeadTime = 0.5;
/// Largest filter_time that can be set while the law runs, s; files may have a larger one.
inline constexpr double kMaxFilterTime = 0.2;

/// Throws ConfigError that starts with `where` and names value and range. `period`: s between
/// measurements; with a speed output the discrete derivative answers the last command by
/// -kd / (1 + 2 filter_time / period) and is refused from 1 on (it would ring without end).
void check(const PidSettings& settings, double period, std::string_view where);

/// Inputs of one step.
struct PidInput {
  double dt = 0.0;              ///< s since the last step, > 0
  double sample_dt = 0.0;       ///< s between this measurement and the one before; 0: nothing new
  double reference = 0.0;       ///< rad
  double reference_rate = 0.0;  ///< rad/s, for the feed-forward alone
  double measured = 0.0;        ///< rad
  double gravity = 0.0;         ///< N m that hold the joint still, for the feed-forward alone
};

/// Eqs. (1), (2) of [Awa 2009], sampled: e = r - theta; I += ki dt e; D = -(theta - theta_last) /
/// sample_dt, with kError also + (r - r_last) / sample_dt, r at the measurement's time. The
/// integral is kept in the unit of u, so that gains can change under it. A copy is a snapshot. All
/// but the constructor is cycle code.
class Pid {
 public:
  /// Throws ConfigError as check does.
  Pid(const PidSettings& settings, double period);

  /// As if the joint had always been at `measured` with the reference there: the integral is empty,
  /// a reference elsewhere is a step.
  void start_cold(double measured) noexcept;
  /// Takes over at `output` from what drove the joint before: a next step with the same reference
  /// and measurement gives it again, but for what that step integrates.
  void start(double reference, double measured, double output) noexcept;

  /// u inside its limit. Inputs must be finite, dt > 0, sample_dt >= 0: JointPid checks that.
  double step(const PidInput& in) noexcept;
  /// Manual: the caller chose u = `output`; the next step continues from there.
  void follow(const PidInput& in, double output) noexcept;
  /// Other settings, checked before: u at the last input stays what it was.
  void set(const PidSettings& settings) noexcept;

  /// u of the last step before its limit.
  [[nodiscard]] double unlimited() const noexcept { return unlimited_; }
  [[nodiscard]] bool is_saturated() const noexcept { return unlimited_ != limited_; }
  /// Integral, in the unit of u.
  [[nodiscard]] double integral() const noexcept { return integral_; }
  [[nodiscard]] const PidSettings& settings() const noexcept { return settings_; }

 private:
  void observe(const PidInput& in) noexcept;
  [[nodiscard]] double without_integral(const PidInput& in) const noexcept;
  [[nodiscard]] double limited(double u) const noexcept;

  PidSettings settings_;
  double tracking_time_ = 0.0;  // s
  PidInput last_;
  double measured_rate_ = 0.0;      // rad/s, filtered
  double reference_rate_ = 0.0;     // rad/s, filtered, by differences
  double sampled_reference_ = 0.0;  // rad, with the last new measurement
  double integral_ = 0.0;
  double unlimited_ = 0.0;
  double limited_ = 0.0;
};

}  // namespace kagami::control
