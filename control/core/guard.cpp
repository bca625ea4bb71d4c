#include "control/core/guard.hpp"

#include <cmath>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"

namespace kagami::control {

ControlGuard::ControlGuard(const ControlLimits& limits) : limits_(limits) {
  const auto demand = [](double value, const char* what) {
    if (value > 0.0 && std::isfinite(value)) return;
    throw ConfigError(std::string("control: ") + what + " is " + number_text(value) +
                      " s, expected more than 0");
  };
  demand(limits.max_age, "max_age");
  demand(limits.max_saturation, "max_saturation");
}

ControlStatus ControlGuard::found(ControlStatus status, std::size_t joint, double value) noexcept {
  finding_ = {static_cast<int>(joint), value};
  return status;
}

ControlStatus ControlGuard::check_input(const ControlInput& in) noexcept {
  finding_ = {-1, in.dt};
  if (!(in.dt > 0.0) || !std::isfinite(in.dt)) return ControlStatus::kBadStep;
  const auto joints = static_cast<std::size_t>(in.num_joints);
  for (std::size_t j = 0; j < joints; ++j) {
    for (const double value : {in.measured[j], in.q_ref[j], in.qd_ref[j], in.q_target[j]}) {
      if (!std::isfinite(value)) return found(ControlStatus::kNotFinite, j, value);
    }
    // false for NaN: an unknown age is too old
    if (!(in.age[j] <= limits_.max_age)) return found(ControlStatus::kOld, j, in.age[j]);
  }
  return ControlStatus::kOk;
}

ControlStatus ControlGuard::check_output(const ControlInput& in, ControlDrive drive,
                                         const ControlOutput& out) noexcept {
  const auto joints = static_cast<std::size_t>(in.num_joints);
  if (drive == ControlDrive::kTarget) {
    for (std::size_t j = 0; j < joints; ++j) {
      if (!std::isfinite(out.q_target[j])) {
        return found(ControlStatus::kBadOutput, j, out.q_target[j]);
      }
    }
  } else {
    // the joints are the last degrees of freedom; a floating base's own stand before them
    const Eigen::Index base = out.tau.size() - in.num_joints;
    for (Eigen::Index i = 0; i < out.tau.size(); ++i) {
      if (std::isfinite(out.tau[i])) continue;
      finding_ = {i < base ? -1 : static_cast<int>(i - base), out.tau[i]};
      return ControlStatus::kBadOutput;
    }
  }
  for (std::size_t j = 0; j < joints; ++j) {
    saturated_time_[j] = out.is_saturated[j] ? saturated_time_[j] + in.dt : 0.0;
  }
  for (std::size_t j = 0; j < joints; ++j) {
    if (saturated_time_[j] > limits_.max_saturation) {
      return found(ControlStatus::kSaturated, j, saturated_time_[j]);
    }
  }
  return ControlStatus::kOk;
}

}  // namespace kagami::control
