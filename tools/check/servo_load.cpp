#include "tools/check/servo_load.hpp"

#include <algorithm>
#include <cmath>

namespace kagami::tools {
namespace {

constexpr double kAtLimit = 0.9;  // of what the motor line leaves: rotor and friction take a share
constexpr double kLoaded = 0.25;  // of the stall torque: less is no load, however fast it turns

}  // namespace

void ServoLoad::add(double torque, double speed, double dt, std::size_t sample) {
  const double size = std::abs(torque);
  const double stall = servo_.stall_torque;
  if (!std::isfinite(size) || !std::isfinite(speed) || !(dt > 0.0)) return;
  if (size > top_) {
    top_ = size;
    top_sample_ = sample;
  }
  const bool drives = torque * speed >= 0.0;
  if (!drives && size > stall && size > braking_) {
    braking_ = size;
    braking_sample_ = sample;
  }
  const double left = stall * (1.0 - std::abs(speed) / servo_.free_speed);
  if (drives && size >= kAtLimit * left && size >= kLoaded * stall) {
    if (stretch_ == 0.0) stretch_sample_ = sample;
    stretch_ += dt;
    if (stretch_ > longest_) {
      longest_ = stretch_;
      longest_sample_ = stretch_sample_;
    }
  } else {
    stretch_ = 0.0;
  }
  square_ += size * size * dt;
  seconds_ += dt;
}

double ServoLoad::rms_torque() const noexcept {
  return seconds_ > 0.0 ? std::sqrt(square_ / seconds_) : 0.0;
}

double ServoLoad::heat() const noexcept {
  const double share = rms_torque() / servo_.stall_torque;
  return share * share * servo_.stall_torque * servo_.free_speed;
}

}  // namespace kagami::tools
