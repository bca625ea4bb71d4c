#include "tools/gap/joint_replay.hpp"

#include <algorithm>
#include <cmath>

#include "models/actuator/servo.hpp"

namespace kagami::tools {
namespace {

/// The ramp as the servo gets it: `delay` later, linear between the grid points.
class DelayedRamp {
 public:
  DelayedRamp(const std::vector<float>& ramp, double delay, double step)
      : ramp_(ramp), whole_(static_cast<std::ptrdiff_t>(std::floor(delay / step))) {
    part_ = delay / step - static_cast<double>(whole_);
  }
  double operator[](std::size_t k) const {
    const auto newer = static_cast<std::ptrdiff_t>(k) - whole_;
    return (1.0 - part_) * at(newer) + part_ * at(newer - 1);
  }

 private:
  double at(std::ptrdiff_t k) const {
    return ramp_[static_cast<std::size_t>(std::max<std::ptrdiff_t>(k, 0))];
  }

  const std::vector<float>& ramp_;
  std::ptrdiff_t whole_;
  double part_ = 0.0;
};

}  // namespace

void replay_joint(const JointDrive& drive, const ServoParameters& servo, double load_scale,
                  GridRange range, double step, std::vector<double>& angle) {
  constexpr double kNominal = 1.0;  // of the supply
  angle.resize(range.size());
  if (angle.empty()) return;
  const DelayedRamp ramp(drive.ramp, servo.delay, step);
  models::TargetFilter filter(servo.filter_1, servo.filter_2);
  filter.set_step(step);
  filter.reset(ramp[range.first]);
  double q = drive.angle[range.first];
  double v = 0.0;
  angle[0] = q;
  for (std::size_t k = range.first; k + 1 < range.last; ++k) {
    const double target = filter.step(ramp[k], ramp[k + 1]);
    const models::ServoDrive torque = drive.driven[k] > 0.5F
                                          ? models::servo_drive(servo, target, q, v, step, kNominal)
                                          : models::servo_released(servo, v, step);
    v += step * (torque.tau_0 - load_scale * drive.load[k]) / (drive.inertia + torque.inertia);
    q += step * v;
    angle[k + 1 - range.first] = q;
  }
}

}  // namespace kagami::tools
