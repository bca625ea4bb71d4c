#include "tools/experiments/awa_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "models/base/errors.hpp"

namespace kagami::tools {

StepAnswer step_answer(control::PidSettings settings, double h) {
  settings.output_limit = std::numeric_limits<double>::infinity();
  IdealJoint joint(settings, h, 0.0);
  StepAnswer a;
  double t10 = 0.0;
  double t90 = 0.0;
  for (double t = h; t < 5.0; t += h) {
    const double x = joint.step(1.0);
    if (t10 == 0.0 && x > 0.1) t10 = t;
    if (t90 == 0.0 && x > 0.9) t90 = t;
    a.overshoot = std::max(a.overshoot, 100.0 * (x - 1.0));
    if (std::abs(x - 1.0) > 0.02) a.settling = t;
  }
  a.rise = t90 - t10;
  return a;
}

void WalkRun::step() {
  constexpr double h = drivers::virtual_robot::kPlantStep;
  player_.step(h, command_);
  in_.dt = h;
  for (std::size_t j = 0; j < n_; ++j) {
    q_[static_cast<Eigen::Index>(j)] = plant_.angle(static_cast<int>(j));
  }
  models::rnea(robot_.model, q_, still_, still_, rnea_, gravity_);
  for (std::size_t j = 0; j < n_; ++j) {
    in_.sample_dt[j] = h;
    in_.reference[j] = command_.q_ref[j] + trim(j);
    in_.reference_rate[j] = command_.qd_ref[j];
    in_.gravity[j] = gravity_[static_cast<Eigen::Index>(j)];
    in_.measured[j] = plant_.angle(static_cast<int>(j));
  }
  if (pid_.step(in_, u_) != control::PidStatus::kOk)
    throw Error("the simulation stopped: joint " + std::to_string(pid_.bad_joint()));
  for (std::size_t j = 0; j < n_; ++j) {
    plant_.set_row(static_cast<int>(j), {u_[j], 0.0, true});
    ideal_[j].step(in_.reference[j]);
  }
  plant_.step();
}

WalkMeasure measure_walk(WalkRun& walk, double duration) {
  WalkMeasure m;
  m.fell_at = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::string>& names = walk.robot().joint_names;
  double squares = 0.0;
  double limited = 0.0;
  double n = 0.0;
  for (double t = 0.0; t < duration && walk.command().phase != motions::PlayPhase::kDone;
       t += drivers::virtual_robot::kPlantStep) {
    walk.step();
    for (std::size_t j = 0; j < names.size(); ++j) {
      const bool is_leg = names[j].find("hip") != std::string::npos ||
                          names[j].find("knee") != std::string::npos ||
                          names[j].find("ankle") != std::string::npos;
      if (!is_leg) continue;
      const double e = walk.reference()[j] - walk.angle(j);
      squares += e * e;
      limited += walk.is_limited(j) ? 1.0 : 0.0;
      n += 1.0;
    }
    m.ahead = walk.plant().base().x;
    if (!walk.plant().fell()) continue;
    m.fell_at = t;
    break;
  }
  m.leg_error = std::sqrt(squares / std::max(1.0, n));
  m.limited = limited / std::max(1.0, n);
  return m;
}

double falls_at(WalkRun& walk, double duration) {
  for (double t = 0.0; t < duration && walk.command().phase != motions::PlayPhase::kDone;
       t += drivers::virtual_robot::kPlantStep) {
    walk.step();
    if (walk.plant().fell()) return t;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace kagami::tools
