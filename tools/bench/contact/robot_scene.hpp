/// The KHR-1-like robot on level ground: the scene, and how every engine's run of it is judged.
///
/// Steps of 1 ms, friction 0.8, two soles of 80 x 45 mm. The servos' torque kp (r - q) - kd v is
/// computed before each step and counts as a part of it, in every engine alike.
#pragma once

#include <benchmark/benchmark.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/bench/bench_models.hpp"

namespace kagami::bench {

inline constexpr double kGravity = 9.81;             ///< m/s^2
inline constexpr double kRobotStep = 1e-3;           ///< s
inline constexpr double kRobotFriction = 0.8;        ///< no unit
inline constexpr Triple kSole = {.080, .045, .006};  ///< m, edges of the box under each foot
inline constexpr double kSoleZ = -.030;              ///< m, its centre in the foot's frame
inline constexpr double kRobotHeight = .208;         ///< m, trunk's origin when the soles touch

/// khr1_like with heavier feet, so that a servo outside the step is stable at 1 ms. 1.23 kg.
ModelDef khr1_standing();
/// N, of all its bodies.
double weight(const ModelDef& model);
/// Indices of its two feet.
std::array<int, 2> feet(const ModelDef& model);

/// What the joints do.
class SquatServo {
 public:
  explicit SquatServo(const ModelDef& model);
  /// N m of revolute joint `k` at angle q (rad) and rate v (rad/s), for a crouch of `a` rad.
  [[nodiscard]] double tau(int k, double a, double q, double v) const {
    const Joint& j = joints_[static_cast<std::size_t>(k)];
    return j.kp * (j.share * a - q) - j.kd * v;
  }

 private:
  struct Joint {
    double kp, kd, share;  // N m/rad, N m s/rad, angle per crouch
  };
  std::vector<Joint> joints_;
};

/// What can be seen of the robot after a step.
struct RobotView {
  std::array<double, 8> corner_z = {};  ///< m, lower corners of the soles
  std::array<double, 4> sole_xy = {};   ///< m, of both soles' centres
  double force = 0.0;                   ///< N, sum of the normal forces
  int carrying = 0;                     ///< corners with a force above 0
  double energy = 0.0;                  ///< J, kinetic and potential
  bool exact = true;                    ///< the solver ended before its limit
};

/// One engine's robot. Not copied, one thread at a time.
class RobotSim {
 public:
  virtual ~RobotSim() = default;
  /// Upright at rest, soles `drop` m above the ground.
  virtual void reset(double drop) = 0;
  /// Servos and one step of kRobotStep, crouching by `a` rad.
  virtual void step(double a) = 0;
  virtual RobotView view() = 0;
};

using MakeRobot = std::function<std::unique_ptr<RobotSim>()>;

/// Rows "khr1/stand<suffix>", "khr1/squat<suffix>", "khr1/tail<suffix>", "khr1/rollouts<suffix>".
/// docs/benchmarks.md defines what they measure and what the counters mean.
void add_robot_rows(const std::string& suffix, const MakeRobot& make);

}  // namespace kagami::bench
