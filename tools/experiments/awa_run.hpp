/// The KHR-1 of Awa 2009 in ODE: every joint led by a PID law whose output is the speed that the
/// engine's motor receives.
#pragma once

#include <vector>

#include "control/pid/joint_pid.hpp"
#include "drivers/virtual/plant_body.hpp"
#include "drivers/virtual/plant_ode.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/robot_folder.hpp"
#include "motions/play/player.hpp"

namespace kagami::tools {

/// A joint that obeys at once: theta' = u, in steps of h; no engine.
class IdealJoint {
 public:
  IdealJoint(const control::PidSettings& settings, double h, double start)
      : pid_(settings, h), h_(h), theta_(start) {
    pid_.start_cold(start);
  }
  double step(double reference) {
    control::PidInput in;
    in.dt = in.sample_dt = h_;
    in.reference = reference;
    in.measured = theta_;
    theta_ += h_ * pid_.step(in);
    return theta_;
  }
  [[nodiscard]] double theta() const { return theta_; }

 private:
  control::Pid pid_;
  double h_;
  double theta_;
};

/// Answer of one joint to a step of 1 rad, without the limit of speed.
struct StepAnswer {
  double overshoot = 0.0;  ///< %
  double rise = 0.0;       ///< s, 10 to 90 %
  double settling = 0.0;   ///< s, last time 2 % off
};

StepAnswer step_answer(control::PidSettings settings, double h);

/// The walk: reference, engine, ideal joints beside it.
class WalkRun {
 public:
  WalkRun(const models::RobotDescription& robot, const motions::Motion& motion,
          const std::vector<control::PidSettings>& pid, double speed)
      : robot_(robot),
        n_(robot.joint_names.size()),
        body_(drivers::virtual_robot::plant_body(robot, robot.servos)),
        plant_(body_, std::vector<double>(n_, 0.0), kFriction),
        player_(motion, robot.wiring, options(speed)),
        pid_(pid, drivers::virtual_robot::kPlantStep),
        rnea_(robot.model),
        q_(JointVector::Zero(robot.model.num_q())),
        still_(JointVector::Zero(robot.model.num_v())),
        gravity_(still_) {
    JointArray<double> home{};
    std::vector<double> angles(n_);
    for (std::size_t j = 0; j < n_; ++j) angles[j] = home[j] + trim(j);
    plant_.place(angles);
    player_.start(home);
    for (std::size_t j = 0; j < n_; ++j) {
      start_[j] = angles[j];
      ideal_.emplace_back(pid[j], drivers::virtual_robot::kPlantStep, angles[j]);
    }
    pid_.start_cold(start_);
  }

  void step();
  [[nodiscard]] const drivers::virtual_robot::PlantOde& plant() const { return plant_; }
  [[nodiscard]] const JointArray<double>& reference() const { return in_.reference; }
  [[nodiscard]] const motions::PlayCommand& command() const { return command_; }
  [[nodiscard]] const models::RobotDescription& robot() const { return robot_; }
  [[nodiscard]] double angle(std::size_t j) const { return plant_.angle(static_cast<int>(j)); }
  [[nodiscard]] bool is_limited(std::size_t j) const {
    return pid_.joint(static_cast<int>(j)).is_saturated();
  }
  [[nodiscard]] double ideal(std::size_t j) const { return ideal_[j].theta(); }

 private:
  static constexpr double kFriction = 0.5;
  static motions::PlayOptions options(double speed) {
    motions::PlayOptions o;
    o.mode = motions::PlayMode::kRamp;
    o.speed = speed;
    return o;
  }
  // the shift of the home with which the stock motions stand (robot.json)
  [[nodiscard]] double trim(std::size_t j) const { return robot_.servos.joints[j].trim; }

  const models::RobotDescription& robot_;
  std::size_t n_;
  drivers::virtual_robot::PlantBody body_;
  drivers::virtual_robot::PlantOde plant_;
  motions::Player player_;
  control::JointPid pid_;
  std::vector<IdealJoint> ideal_;
  motions::PlayCommand command_;
  control::JointPidInput in_;
  JointArray<double> start_{};
  JointArray<double> u_{};
  models::RneaWorkspace rnea_;
  JointVector q_;
  JointVector still_;
  JointVector gravity_;  // N m, trunk held
};

/// What a walk came to before it fell or ended.
struct WalkMeasure {
  double fell_at = 0.0;    ///< s; NaN: it did not
  double leg_error = 0.0;  ///< rad, root mean square over legs and steps
  double limited = 0.0;    ///< share of legs' steps at the law's limit of speed
  double ahead = 0.0;      ///< m, of the base at the end
};
/// To the motion's end, the fall or `duration` (s).
WalkMeasure measure_walk(WalkRun& walk, double duration);

/// When it fell, s; NaN: not within `duration`.
double falls_at(WalkRun& walk, double duration);

}  // namespace kagami::tools
