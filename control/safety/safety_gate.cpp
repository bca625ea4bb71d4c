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
    watch_rate(j, is_finding, std::abs(wanted - wanted_[i]) / dt, dt, report);
    wanted_[i] = wanted;
    safe_[i] = too_fast ? safe_[i] + std::copysign(step_max, step) : wanted;
    changed = changed || safe_[i] != target[i];
  }
  return changed ? GateStatus::kClamped : GateStatus::kOk;
}

void SafetyGate::watch_rate(int joint, bool is_too_fast, double speed, double dt,
                            GateReport& report) noexcept {
  const auto i = static_cast<std::size_t>(joint);
  if (is_too_fast) {
    if (!rate_active_[i]) report.add(GateFindingKind::kRate, joint, speed);
    rate_worst_[i] = rate_active_[i] ? std::max(rate_worst_[i], speed) : speed;
    rate_active_[i] = true;
    rate_quiet_[i] = 0.0;
  } else if (rate_active_[i]) {
    rate_quiet_[i] += dt;
    if (rate_quiet_[i] < kRateQuiet) return;
    report.add(GateFindingKind::kRateCleared, joint, rate_worst_[i]);
    rate_active_[i] = false;
  }
}

GateStatus SafetyGate::pass_pose(const JointArray<double>& target, std::uint8_t& speed_code,
                                 GateReport& report) noexcept {
  if (refuse_non_finite(target, report)) return GateStatus::kRefused;

  bool changed = false;
  for (int j = 0; j < limits_.num_joints; ++j) {
    const auto i = static_cast<std::size_t>(j);
    safe_[i] = wanted_[i] = clamp_angle(j, target[i], report);
    changed = changed || safe_[i] != target[i];
    if (rate_active_[i]) report.add(GateFindingKind::kRateCleared, j, rate_worst_[i]);
    rate_active_[i] = false;
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
  const bool outside = clamped != target;
  if (outside != limit_active_[i]) {
    report.add(outside ? GateFindingKind::kLimit : GateFindingKind::kLimitCleared, joint, target);
    limit_active_[i] = outside;
  }
  return clamped;
}

}  // namespace kagami::control
