/// Settings of one run of the cycle: plain values, already validated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "control/core/guard.hpp"
#include "models/actuator/servo_driven_robot.hpp"
#include "models/base/angle.hpp"
#include "models/base/base_pose.hpp"
#include "models/base/disturbance.hpp"
#include "models/base/types.hpp"
#include "models/forward/dynamics_choice.hpp"
#include "motions/play/player.hpp"
#include "motions/play/stored_program.hpp"

namespace kagami::runtime {

/// `--on-stop`: what follows the hold of a stop.
enum class OnStop : std::uint8_t {
  kHold,     ///< stay: the boards keep the pose by themselves
  kSit,      ///< go to the sit pose with a slow speed code (after a slow-down alone), then stay
  kRelease,  ///< request the sleep bit: the servos are released
};

/// The controllers of a run. All are built at set-up; one leads at a time.
struct ControlConfig {
  /// Gain sets (kagami.gains/1) as texts, the first leads first; none: the motion alone.
  std::vector<std::string> gains;
  std::vector<std::string> gains_files;  ///< their names in messages; empty: "gains 1", ...
  /// Further ones may be handed over during the run; then the loop twin runs from the start.
  bool live = false;
  control::ControlLimits limits;
};

struct CycleConfig {
  std::int64_t period_ns = 1'000'000;  ///< nominal time between ticks
  motions::PlayOptions play;
  motions::StoredProgram stored;  ///< what the boards play from `stored_slot`; empty: nothing
  std::uint8_t stored_slot = 0;   ///< 0..39

  OnStop on_stop = OnStop::kHold;
  /// rad, model order; without one kSit means kHold.
  std::optional<JointArray<double>> sit_pose;
  std::uint8_t sit_speed_code = 6;  ///< 6 or 7: slow
  double slow_down_time = 0.5;      ///< s, time in which StopLevel::kSlowDown comes to rest

  int read_every = 1;                        ///< positions are read in each n-th round; 0 = off
  std::int64_t stale_ns = 300'000'000;       ///< older readings mean hold
  std::int64_t round_limit_ns = 30'000'000;  ///< what one skipped reading may add to that age

  double jump_max = to_rad(3.0);               ///< rad, first target against measured pose
  std::optional<JointArray<double>> rate_max;  ///< rad/s; default: each servo's free speed

  std::int64_t dt_max_ns = 20'000'000;  ///< the player's time advances by at most this per tick
  std::int64_t stall_ns = 15'000'000;   ///< a longer gap between ticks is an event
  /// Forward dynamics of the shadow, the loop twin and the reference models without loops.
  models::DynamicsChoice dynamics{};
  /// What supports the shadow model; none: the stand. Then the robot's base must float.
  std::optional<models::FloorOptions> floor;
  /// On the floor: where the shadow's base is at the start; its height follows from the pose.
  BasePose start;
  /// Disturbances of the shadow (and the loop twin); time 0 is the first tick.
  std::vector<Disturbance> disturbances;
  ControlConfig control;
  int substeps_max = 16;  ///< shadow steps per tick after a gap; the rest follows in later ticks
};

}  // namespace kagami::runtime
