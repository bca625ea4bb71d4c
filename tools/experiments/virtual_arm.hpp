/// The open arm of Takahashi 2012, chapter 7, under its controller: mechanisms, laws, run, and the
/// motion that exact mechanics has for them.
#pragma once

#include <array>

#include "models/robot/model.hpp"
#include "models/robot/state.hpp"
#include "tools/experiments/experiment.hpp"

namespace kagami::tools {

/// What the arm is controlled as.
enum class ArmMechanism {
  kOpen,         ///< nothing: no control input
  kFourBar,      ///< link 4 is at rest and hangs from (1, 0, 0) m: Fig. 7.5
  kSliderCrank,  ///< links 2 and 3 are one rod, link 4 hangs and slides along x at height 0: 7.10
};

/// Virtual force: of joints (7.9), and of the end along x (7.15); gains of 0: none.
struct ArmLaw {
  std::array<double, 4> kp = {};  ///< N m/rad
  std::array<double, 4> kd = {};  ///< N m s/rad
  std::array<double, 4> target_deg = {};
  double end_kp = 0.0;      ///< N/m
  double end_kd = 0.0;      ///< N s/m
  double end_target = 0.0;  ///< m
};

/// At rest with the mechanism closed: what theta1 leaves open follows from it. kOpen: the angles of
/// Fig. 7.4.
models::State arm_start(const models::Model& arm, ArmMechanism mechanism, double theta1_deg);

/// Rows of state_columns; tau:JOINT (N m); endx, endz (m), endvx, endvz (m/s); u (N m of joint 1,
/// or N at the end), error and error_rate of what it feeds back (rad or m); E (J);
/// smallest_singular_value and force (N, largest of the virtual loops); 0 without a mechanism.
/// Throws Error when the controller or the integrator stops.
Trace run_arm(const models::Model& arm, ArmMechanism mechanism, const ArmLaw& law,
              const models::State& start, const ExperimentSettings& settings);

/// Adds theta1_gap (rad) and vdot1_gap (rad/s^2): distance of joint 1 from the mechanism's own
/// equation of one degree of freedom under the same law, integrated apart, 8 parts a row.
void add_exact_arm(ArmMechanism mechanism, const ArmLaw& law, Trace& trace);

}  // namespace kagami::tools
