#include "control/pid/pid.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"

// [Awa 2009] Eqs. (1), (2):
//   u = K_p (e + (1/T_i) int e dt + T_d de/dt)   (1)      e = theta_d - theta   (2)
// Anti-windup, filter, feed-forward and the take-over of the integral are ours.
namespace kagami::control {
namespace {

constexpr double kMaxTime = 100.0;  // s
// without an integral gain nothing else would ever empty what a bumpless change left there (s): a
// torque that may hold a weight slowly, a speed, which may be a reading's last jump, soon
constexpr double kForgetTorque = 0.5;
constexpr double kForgetSpeed = 0.05;

double forget_time(PidOutput output) noexcept {
  return output == PidOutput::kSpeed ? kForgetSpeed : kForgetTorque;
}

void check_range(double value, double min, double max, std::string_view what,
                 std::string_view where) {
  if (value >= min && value <= max) return;  // false for NaN
  throw ConfigError(std::string(where) + ": " + std::string(what) + " " + number_text(value) +
                    " is outside [" + number_text(min) + ", " + number_text(max) + "]");
}

// first-order lag by implicit Euler: stable for every dt
double filtered(double old, double now, double dt, double time) noexcept {
  return time > 0.0 ? old + (now - old) * (dt / (time + dt)) : now;
}

double default_tracking_time(const PidSettings& settings) noexcept {
  const ParallelGains& g = settings.gains;
  if (g.ki <= 0.0 || g.kp <= 0.0) return forget_time(settings.output);
  const double ti = g.kp / g.ki;
  return g.kd > 0.0 ? std::sqrt(ti * g.kd / g.kp) : ti;
}

}  // namespace

ParallelGains parallel_form(const StandardGains& gains) noexcept {
  return {gains.kp, gains.kp / gains.ti, gains.kp * gains.td};
}

StandardGains standard_form(const ParallelGains& gains) {
  StandardGains s{};
  if (gains.kp == 0.0) {
    if (gains.ki == 0.0 && gains.kd == 0.0) return s;
    throw ConfigError("gains ki " + number_text(gains.ki) + ", kd " + number_text(gains.kd) +
                      " with kp 0 have no standard form: ti = kp / ki, td = kd / kp");
  }
  s.kp = gains.kp;
  if (gains.ki > 0.0) s.ti = gains.kp / gains.ki;
  s.td = gains.kd / gains.kp;
  return s;
}

void check(const PidSettings& s, double period, std::string_view where) {
  check_range(period, 1e-5, 1.0, "period", where);
  check_range(s.gains.kp, 0.0, kMaxPidGain, "kp", where);
  check_range(s.gains.ki, 0.0, kMaxPidGain, "ki", where);
  check_range(s.gains.kd, 0.0, kMaxPidGain, "kd", where);
  check_range(s.filter_time, 0.0, kMaxTime, "filter_time", where);
  check_range(s.tracking_time, 0.0, kMaxTime, "tracking_time", where);
  check_range(s.output_limit, 1e-6, std::numeric_limits<double>::infinity(), "output_limit", where);
  check_range(s.rate_feed_forward, 0.0, 10.0, "rate_feed_forward", where);
  check_range(s.gravity_feed_forward, 0.0, 2.0, "gravity_feed_forward", where);
  check_range(s.lead_time, 0.0, kMaxLeadTime, "lead_time", where);
  // pole of u_k = -kd d_k, d_k = d_(k-1) + a (u_(k-1) - d_(k-1)): 1 - a (1 + kd) > -1
  const double bound = 1.0 + 2.0 * s.filter_time / period;
  if (s.output == PidOutput::kSpeed && s.gains.kd >= bound) {
    throw ConfigError(
        std::string(where) + ": kd " + number_text(s.gains.kd) +
        " (kp td) must be below 1 + 2 filter_time / period = " + number_text(bound) +
        " with a speed output: otherwise the derivative responds to the last command");
  }
}

Pid::Pid(const PidSettings& settings, double period) {
  check(settings, period, "pid");
  set(settings);
}

void Pid::start_cold(double measured) noexcept {
  start(measured, measured, 0.0);
}

void Pid::start(double reference, double measured, double output) noexcept {
  last_ = PidInput{};
  last_.reference = reference;
  sampled_reference_ = reference;
  last_.measured = measured;
  measured_rate_ = 0.0;
  reference_rate_ = 0.0;
  limited_ = limited(output);
  unlimited_ = limited_;
  integral_ = limited_ - without_integral(last_);
}

double Pid::limited(double u) const noexcept {
  return std::clamp(u, -settings_.output_limit, settings_.output_limit);
}

// both derivatives; a measurement that is not new leaves both as they were: the reference that
// counts is the one at the measurement's own time
void Pid::observe(const PidInput& in) noexcept {
  if (in.sample_dt > 0.0) {
    const double rate = (in.measured - last_.measured) / in.sample_dt;
    measured_rate_ = filtered(measured_rate_, rate, in.sample_dt, settings_.filter_time);
    const double wanted = (in.reference - sampled_reference_) / in.sample_dt;
    reference_rate_ = filtered(reference_rate_, wanted, in.sample_dt, settings_.filter_time);
    sampled_reference_ = in.reference;
  }
  last_ = in;
}

double Pid::without_integral(const PidInput& in) const noexcept {
  const double e = in.reference - in.measured;  // (2)
  const double D = settings_.derivative == DerivativeOn::kError ? reference_rate_ - measured_rate_
                                                                : -measured_rate_;
  return settings_.gains.kp * e + settings_.gains.kd * D +
         settings_.rate_feed_forward * in.reference_rate +
         settings_.gravity_feed_forward * in.gravity;
}

double Pid::step(const PidInput& in) noexcept {
  observe(in);
  const double e = in.reference - in.measured;  // (2)
  const double forget = forget_time(settings_.output);
  const double before =
      settings_.gains.ki > 0.0 ? integral_ : integral_ * forget / (forget + in.dt);
  integral_ = before + settings_.gains.ki * in.dt * e;
  const double rest = without_integral(in);
  unlimited_ = rest + integral_;  // (1)
  limited_ = limited(unlimited_);
  const double excess = unlimited_ - limited_;
  if (excess == 0.0) return limited_;

  switch (settings_.anti_windup) {
    case AntiWindup::kNone:
      break;
    case AntiWindup::kConditional:
      if (excess * e > 0.0) {
        integral_ = before;
        unlimited_ = rest + integral_;
        limited_ = limited(unlimited_);
      }
      break;
    case AntiWindup::kBackCalculation:
      integral_ -= excess * std::min(1.0, in.dt / tracking_time_);
      break;
  }
  return limited_;
}

void Pid::follow(const PidInput& in, double output) noexcept {
  observe(in);
  limited_ = limited(output);
  unlimited_ = limited_;
  integral_ = limited_ - without_integral(in);
}

void Pid::set(const PidSettings& settings) noexcept {
  const double before = without_integral(last_);
  settings_ = settings;
  tracking_time_ =
      settings.tracking_time > 0.0 ? settings.tracking_time : default_tracking_time(settings);
  integral_ += before - without_integral(last_);
}

}  // namespace kagami::control
