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

/// One servo that is replayed. Saturation is decided at the end of the step, with its own speed:
/// then the angle is a continuous function of the parameters. The model decides at the start, which
/// makes no difference at its short steps.
struct Lane {
  Lane(const JointDrive& drive, const JointModel& of, GridRange range, double step)
      : model(of), ramp(drive.ramp, of.delay, step), filter(of.filter_1, of.filter_2) {
    filter.set_step(step);
    filter.reset(ramp[range.first]);
    q = drive.angle[range.first];
  }

  void step(double target, bool is_driven, double load, double inertia, double h) {
    v = is_driven ? driven_speed(target, load, inertia, h) : released_speed(load, inertia, h);
    q += h * v;
  }

  double released_speed(double load, double inertia, double h) const {
    const double M = inertia + model.rotor_inertia;
    return (M * v - h * load) / (M + h * models::friction_damping(model, v, 0.0));
  }

  double driven_speed(double target, double load, double inertia, double h) const {
    const double error = target + model.trim - q;
    const double beyond = std::abs(error) - 0.5 * (model.dead_band + model.backlash);
    if (model.backlash > 0.0 && beyond <= 0.0) {
      return (inertia * v - h * load) / (inertia + h * models::friction_damping(model, v, 0.0));
    }
    const double M = inertia + model.rotor_inertia;
    const double b = model.stall_torque / model.free_speed;
    const double u = beyond > 0.0 ? std::copysign(model.kp * beyond, error) : 0.0;
    const double S = model.stall_torque;
    const double motor = std::clamp(u - model.kde * v, -S, S) - b * v;
    const double f = models::friction_damping(model, v, motor);
    const double control = model.kde + h * model.kp;
    const double free = (M * v + h * (u - load)) / (M + h * (b + control + f));
    const double wanted = u - control * free;
    if (std::abs(wanted) < S) return free;
    return (M * v + h * (std::copysign(S, wanted) - load)) / (M + h * (b + f));
  }

  const JointModel& model;
  DelayedRamp ramp;
  models::TargetFilter filter;
  double q = 0.0;  // rad
  double v = 0.0;  // rad/s
};

}  // namespace

void replay_joint(const JointDrive& drive, std::span<const JointModel> models, GridRange range,
                  double step, std::vector<std::vector<double>>& angles) {
  angles.resize(models.size());
  for (std::vector<double>& angle : angles) angle.resize(range.size());
  if (range.size() == 0) return;
  std::vector<Lane> lanes;
  lanes.reserve(models.size());
  for (const JointModel& model : models) lanes.emplace_back(drive, model, range, step);
  for (std::size_t i = 0; i < lanes.size(); ++i) angles[i][0] = lanes[i].q;
  for (std::size_t k = range.first; k + 1 < range.last; ++k) {
    const bool is_driven = drive.driven[k] > 0.5F;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      Lane& lane = lanes[i];
      const double target = lane.filter.step(lane.ramp[k], lane.ramp[k + 1]);
      lane.step(target, is_driven, lane.model.load(drive, k), drive.inertia, step);
      angles[i][k + 1 - range.first] = lane.q;
    }
  }
}

}  // namespace kagami::tools
