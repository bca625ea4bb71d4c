/// The scenes without servos: a pendulum that falls on the ground, and boxes that fall in a stack.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/bench/bench_models.hpp"

namespace kagami::bench {

/// Five links of 4 x 4 x 10 cm and 0.3 kg, hinges about y, hanging from 0.41 m: it drags its last
/// link over the ground. Starts stretched at rest. [Wakisaka 2013] with the height of the published
/// comparison.
inline constexpr Triple kLink = {.04, .04, .10};    ///< m
inline constexpr double kLinkZ = -.05;              ///< m, its centre below the hinge
inline constexpr double kLinkFriction = 1.0;        ///< no unit
inline constexpr double kFirstAngle = -M_PI / 3.0;  ///< rad, of the first hinge
ModelDef ground_pendulum();

/// Boxes of 1 g in a column with random poses [Zhang 2018].
inline constexpr Triple kBox = {.2, .1, .05};  ///< m
inline constexpr double kBoxMass = 1e-3;       ///< kg
inline constexpr double kBoxFriction = .5;     ///< no unit
struct BoxPose {
  Triple p = {};                           ///< m, centre
  std::array<double, 4> q = {1, 0, 0, 0};  ///< w, x, y, z
};
std::vector<BoxPose> falling_boxes(int count);
/// kg m^2, xx, yy, zz about its centre.
Triple box_inertia(double mass, const Triple& size);

/// m below the ground z = 0 of the deepest corner of a box: centre p, rotation R row after row.
inline double depth_of(const double* p, const double* R, const Triple& size) {
  return .5 * (std::fabs(R[6]) * size[0] + std::fabs(R[7]) * size[1] + std::fabs(R[8]) * size[2]) -
         p[2];
}

struct PendulumView {
  double energy = 0.0;  ///< J, kinetic and potential
  double depth = 0.0;   ///< m, of the deepest corner; negative: above the ground
  double speed = 0.0;   ///< rad/s, of the fastest hinge
  double force = 0.0;   ///< N, of the ground
};

class PendulumSim {
 public:
  virtual ~PendulumSim() = default;
  virtual void step() = 0;
  virtual PendulumView view() = 0;
};

struct StackView {
  std::vector<double> force;   ///< N, of the ground on each box
  std::vector<Triple> centre;  ///< m
  double depth = 0.0;          ///< m, deepest corner below the ground
  double energy = 0.0;         ///< J
};

class StackSimulation {
 public:
  virtual ~StackSimulation() = default;
  virtual void step() = 0;
  virtual StackView view() = 0;
};

/// At the start of the scene, with steps of dt (s).
using MakePendulum = std::function<std::unique_ptr<PendulumSim>(double dt)>;
using MakeStack = std::function<std::unique_ptr<StackSimulation>(int boxes, double dt)>;

/// Rows "pendulum/1ms<suffix>", 2ms, 5ms, 10ms. docs/benchmarks.md has the counters.
void add_pendulum_rows(const std::string& suffix, const MakePendulum& make);
/// Rows "boxes/10<suffix>" to "boxes/<most><suffix>" in tens, steps of 1 ms.
void add_stack_rows(const std::string& suffix, int most, const MakeStack& make);
/// Row "boxes/50/0.1ms<suffix>".
void add_fine_stack_row(const std::string& suffix, const MakeStack& make);

}  // namespace kagami::bench
