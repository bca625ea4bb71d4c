#include "control/pid/joint_pid.hpp"

#include <cmath>
#include <string>

#include "models/base/errors.hpp"

namespace kagami::control {
namespace {

void check_all(std::span<const PidSettings> settings, double period) {
  for (std::size_t j = 0; j < settings.size(); ++j) {
    check(settings[j], period, "joint " + std::to_string(j));
  }
}

PidInput input_of(const JointPidInput& in, std::size_t j) noexcept {
  PidInput one;
  one.dt = in.dt;
  one.sample_dt = in.sample_dt[j];
  one.reference = in.reference[j];
  one.reference_rate = in.reference_rate[j];
  one.measured = in.measured[j];
  one.gravity = in.gravity[j];
  return one;
}

}  // namespace

const char* name(PidStatus status) noexcept {
  switch (status) {
    case PidStatus::kOk:
      return "ok";
    case PidStatus::kBadStep:
      return "bad step";
    case PidStatus::kNotFinite:
      return "not finite";
  }
  return "?";
}

JointPid::JointPid(std::span<const PidSettings> settings, double period)
    : num_joints_(static_cast<int>(settings.size())), period_(period) {
  if (settings.empty() || settings.size() > static_cast<std::size_t>(kMaxJoints)) {
    throw ConfigError("pid: settings for " + std::to_string(settings.size()) +
                      " joints, expected 1 to " + std::to_string(kMaxJoints));
  }
  check_all(settings, period);
  joints_.reserve(settings.size());
  for (const PidSettings& s : settings) joints_.emplace_back(s, period);
}

void JointPid::start_cold(const JointArray<double>& measured) noexcept {
  for (std::size_t j = 0; j < joints_.size(); ++j) joints_[j].start_cold(measured[j]);
  saturated_time_.fill(0.0);
}

void JointPid::start(const JointArray<double>& reference, const JointArray<double>& measured,
                     const JointArray<double>& output) noexcept {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    joints_[j].start(reference[j], measured[j], output[j]);
  }
  saturated_time_.fill(0.0);
}

PidStatus JointPid::checked(const JointPidInput& in) noexcept {
  bad_joint_ = -1;
  if (!(in.dt > 0.0) || !std::isfinite(in.dt)) return PidStatus::kBadStep;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    bad_joint_ = static_cast<int>(j);
    if (!(in.sample_dt[j] >= 0.0) || !std::isfinite(in.sample_dt[j])) return PidStatus::kBadStep;
    if (!std::isfinite(in.reference[j]) || !std::isfinite(in.reference_rate[j]) ||
        !std::isfinite(in.measured[j]) || !std::isfinite(in.gravity[j])) {
      return PidStatus::kNotFinite;
    }
  }
  bad_joint_ = -1;
  return PidStatus::kOk;
}

PidStatus JointPid::step(const JointPidInput& in, JointArray<double>& u) noexcept {
  if (const PidStatus status = checked(in); status != PidStatus::kOk) return status;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    u[j] = joints_[j].step(input_of(in, j));
    saturated_time_[j] = joints_[j].is_saturated() ? saturated_time_[j] + in.dt : 0.0;
  }
  return PidStatus::kOk;
}

PidStatus JointPid::follow(const JointPidInput& in, const JointArray<double>& u) noexcept {
  if (const PidStatus status = checked(in); status != PidStatus::kOk) return status;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (std::isfinite(u[j])) continue;
    bad_joint_ = static_cast<int>(j);
    return PidStatus::kNotFinite;
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) joints_[j].follow(input_of(in, j), u[j]);
  saturated_time_.fill(0.0);
  return PidStatus::kOk;
}

void JointPid::set_all(std::span<const PidSettings> settings) {
  if (settings.size() != joints_.size()) {
    throw ConfigError("pid: settings for " + std::to_string(settings.size()) +
                      " joints, expected " + std::to_string(joints_.size()));
  }
  check_all(settings, period_);
  for (std::size_t j = 0; j < joints_.size(); ++j) joints_[j].set(settings[j]);
}

void JointPid::set(int joint, const PidSettings& settings) noexcept {
  joints_[static_cast<std::size_t>(joint)].set(settings);
}

}  // namespace kagami::control
