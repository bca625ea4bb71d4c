#include "control/safety/safety_gate.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/base/errors.hpp"

namespace kagami::control {
namespace {

constexpr std::uint8_t kSlowestSpeedCode = kSpeedCodes - 1;

void check(const SafetyLimits& limits) {
  if (limits.num_joints < 1 || limits.num_joints > kMaxJoints) {
    throw ConfigError("safety limits: " + std::to_string(limits.num_joints) +
                      " joints, expected 1.." + std::to_string(kMaxJoints));
  }
  if (!(limits.jump_max > 0.0) || !std::isfinite(limits.jump_max)) {
    throw ConfigError("safety limits: jump_max " + std::to_string(limits.jump_max) +
                      " rad, expected a positive number");
  }
  for (int j = 0; j < limits.num_joints; ++j) {
    const auto i = static_cast<std::size_t>(j);
    const std::string place = "safety limits: joint " + std::to_string(j) + ": ";
    const double lower = limits.angle_min[i];
    const double upper = limits.angle_max[i];
    if (!std::isfinite(lower) || !std::isfinite(upper) || !(lower < upper)) {
      throw ConfigError(place + "angles " + std::to_string(lower) + " to " + std::to_string(upper) +
                        " rad, expected a finite range");
    }
    if (!(limits.rate_max[i] > 0.0) || !std::isfinite(limits.rate_max[i])) {
      throw ConfigError(place + "rate_max " + std::to_string(limits.rate_max[i]) +
                        " rad/s, expected a positive number");
    }
  }
}

}  // namespace

SafetyLimits safety_limits(const RobotWiring& wiring, const ServoSet& servos) {
  if (wiring.joints.size() != servos.joints.size() || wiring.joints.size() > kMaxJoints) {
    throw ConfigError("safety limits: " + std::to_string(wiring.joints.size()) +
                      " wired joints and " + std::to_string(servos.joints.size()) +
                      " servos, expected the same number up to " + std::to_string(kMaxJoints));
  }
  SafetyLimits limits;
  limits.num_joints = static_cast<int>(wiring.joints.size());
  for (std::size_t i = 0; i < wiring.joints.size(); ++i) {
    limits.angle_min[i] = wiring.joints[i].soft_min;
    limits.angle_max[i] = wiring.joints[i].soft_max;
    limits.rate_max[i] = servos.joints[i].free_speed;
  }
  return limits;
}

SafetyGate::SafetyGate(const SafetyLimits& limits) : limits_(limits) {
  check(limits_);
  since_.fill(kQuiet);
}

GateStatus SafetyGate::begin(const JointArray<double>& measured, const JointArray<double>& first,
                             GateReport& report) noexcept {
  if (refuse_non_finite(measured, report) || refuse_non_finite(first, report)) {
    return GateStatus::kRefused;
  }

  JointArray<double> clamped{};
  bool changed = false;
  bool jumps = false;
  for (int j = 0; j < limits_.num_joints; ++j) {
    const auto i = static_cast<std::size_t>(j);
    clamped[i] = clamp_angle(j, first[i], report);
    changed = changed || clamped[i] != first[i];
    const double jump = std::abs(clamped[i] - measured[i]);
    if (jump > limits_.jump_max) {
      report.add(GateFindingKind::kJump, j, jump);
      jumps = true;
    }
  }
  if (jumps) return GateStatus::kRefused;
  safe_ = wanted_ = clamped;
  return changed ? GateStatus::kClamped : GateStatus::kOk;
}

GateStatus SafetyGate::pass_stream(const JointArray<double>& target, double dt,
                                   GateReport& report) noexcept {
  if (refuse_non_finite(target, report)) return GateStatus::kRefused;

  bool changed = false;
  for (int j = 0; j < limits_.num_joints; ++j) {
    const auto i = static_cast<std::size_t>(j);
    const double wanted = clamp_angle(j, target[i], report);
    // the rate counts from the previous command: that is where the servo is heading
    const double step = wanted - safe_[i];
    const double step_max = limits_.rate_max[i] * dt;
    const bool too_fast = std::abs(step) > step_max;
    const bool is_finding = std::abs(step) > step_max * (1.0 + kRateSlack);
    const double speed = std::abs(wanted - wanted_[i]) / dt;
    if (is_finding)
      note(rate_[i], GateFindingKind::kRate, j, speed, speed > rate_[i].worst, report);
    wanted_[i] = wanted;
    safe_[i] = too_fast ? safe_[i] + std::copysign(step_max, step) : wanted;
    changed = changed || safe_[i] != target[i];
  }
  return changed ? GateStatus::kClamped : GateStatus::kOk;
}

void SafetyGate::advance(double dt, GateReport& report) noexcept {
  for (int j = 0; j < limits_.num_joints; ++j) {
    const auto i = static_cast<std::size_t>(j);
    since_[i] += dt;
    if (outside_[i]) limit_[i].quiet = -dt;  // a pose is there until the next one
    settle(limit_[i], GateFindingKind::kLimit, GateFindingKind::kLimitCleared, j, dt, report);
    settle(rate_[i], GateFindingKind::kRate, GateFindingKind::kRateCleared, j, dt, report);
  }
}

void SafetyGate::note(Episode& episode, GateFindingKind kind, int joint, double value,
                      bool is_worse, GateReport& report) noexcept {
  if (!episode.is_open) episode = {.is_open = true, .worst = value};
  if (is_worse) episode.worst = value;
  episode.quiet = 0.0;
  if (episode.is_reported || since_[static_cast<std::size_t>(joint)] < kQuiet) return;
  episode.is_reported = true;
  add(kind, joint, episode.worst, report);
}

void SafetyGate::settle(Episode& episode, GateFindingKind start, GateFindingKind end, int joint,
                        double dt, GateReport& report) noexcept {
  if (!episode.is_open) return;
  episode.quiet += dt;
  if (since_[static_cast<std::size_t>(joint)] < kQuiet) return;
  if (!episode.is_reported) {
    episode.is_reported = true;
    add(start, joint, episode.worst, report);
  } else if (episode.quiet >= kQuiet) {
    add(end, joint, episode.worst, report);
    episode = {};
  }
}

void SafetyGate::add(GateFindingKind kind, int joint, double value, GateReport& report) noexcept {
  since_[static_cast<std::size_t>(joint)] = 0.0;
  report.add(kind, joint, value);
}

GateStatus SafetyGate::pass_pose(const JointArray<double>& target, std::uint8_t& speed_code,
                                 GateReport& report) noexcept {
  if (refuse_non_finite(target, report)) return GateStatus::kRefused;

  bool changed = false;
  for (int j = 0; j < limits_.num_joints; ++j) {
    const auto i = static_cast<std::size_t>(j);
    safe_[i] = wanted_[i] = clamp_angle(j, target[i], report);
    changed = changed || safe_[i] != target[i];
  }
  if (speed_code > kSlowestSpeedCode) {
    speed_code = kSlowestSpeedCode;
    changed = true;
  }
  return changed ? GateStatus::kClamped : GateStatus::kOk;
}

bool SafetyGate::refuse_non_finite(const JointArray<double>& target, GateReport& report) noexcept {
  for (int j = 0; j < limits_.num_joints; ++j) {
    const double value = target[static_cast<std::size_t>(j)];
    if (std::isfinite(value)) continue;
    if (!not_finite_active_) report.add(GateFindingKind::kNotFinite, j, value);
    not_finite_active_ = true;
    return true;
  }
  if (not_finite_active_) report.add(GateFindingKind::kFinite, -1, 0.0);
  not_finite_active_ = false;
  return false;
}

double SafetyGate::clamp_angle(int joint, double target, GateReport& report) noexcept {
  const auto i = static_cast<std::size_t>(joint);
  const double clamped = std::clamp(target, limits_.angle_min[i], limits_.angle_max[i]);
  outside_[i] = clamped != target;
  if (outside_[i]) {
    const auto beyond = [&](double value) {
      return std::max(limits_.angle_min[i] - value, value - limits_.angle_max[i]);
    };
    note(limit_[i], GateFindingKind::kLimit, joint, target,
         beyond(target) > beyond(limit_[i].worst), report);
  }
  return clamped;
}

}  // namespace kagami::control
