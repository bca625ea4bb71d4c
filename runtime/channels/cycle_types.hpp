/// Everything that enters and leaves one cycle: plain numbers, trivially copyable, recorded bit by
/// bit.
#pragma once

#include <array>
#include <cstdint>

#include "control/core/joint_signal.hpp"
#include "control/core/status.hpp"
#include "drivers/link/samples.hpp"
#include "models/base/base_pose.hpp"
#include "models/base/types.hpp"
#include "runtime/channels/event.hpp"
#include "runtime/channels/joint_test_state.hpp"
#include "runtime/channels/supervisor_state.hpp"

namespace kagami::runtime {

inline constexpr int kMaxEventsPerCycle = 8;

/// Number of tunables of all controllers of a run together.
inline constexpr int kMaxTunables = 384;
/// Tuning::controller: the motion's targets go to the servos as they are.
inline constexpr std::int32_t kMotionAlone = -1;

/// What the user may change during the run, always all of it; validated before it is published,
/// taken at one tick as one set. Numbers that only rise ask for something once: the newest set wins
/// and nothing is requested twice.
struct Tuning {
  std::uint64_t version = 0;
  double speed = 1.0;  ///< factor on the motion's time, 0.1..2
  /// Which of the run's controllers shall lead, from 0, or kMotionAlone; one that is not there
  /// means the present one.
  std::int32_t controller = 0;
  bool paused = false;           ///< the motion's time is stopped, controllers go on
  bool reverse = false;          ///< the motion's time runs backwards
  bool loop = false;             ///< repeat the motion; at the start as PlayOptions::loop
  std::int32_t motion = 0;       ///< of the run's list, from 0: which the next play plays
  std::uint32_t plays = 0;       ///< one more: from a hold through homing to the motion
  std::uint32_t stepped_ms = 0;  ///< ms of the motion's time requested while paused, sum
  std::uint32_t tests = 0;       ///< one more: `test` is added to the reference, from a hold
  control::JointSignal test{};
  /// Number of the layout that `values` are in: one more with each controller that was taken over
  /// while the run went on. A set in another layout is not taken.
  std::uint32_t layout = 0;
  std::int32_t num_values = 0;  ///< 0: no values, all stay
  /// Those of the first controller in the order of its tunables(), then those of the second, ...
  std::array<double, kMaxTunables> values{};
};

/// What Ctrl-C, SIGTERM and STOP request (docs/supervision.md).
enum class StopLevel : std::uint8_t {
  kNone,
  kSlowDown,  ///< along the path within 0.5 s, then hold
  kHoldNow,   ///< stop at the present command
  kRelease,   ///< sleep bit on all boards
};

struct CycleInput {
  std::int64_t tick = 0;
  std::int64_t now_ns = 0;  ///< of the run's clock
  bool sample_is_new = false;
  drivers::ServoSample sample;  ///< the newest, new or not
  bool tuning_is_new = false;
  Tuning tuning;
  /// Of the gain set whose controller was handed over with this tick, 1 for the first one of the
  /// run's time; 0: none.
  std::int32_t handover_id = 0;
  std::int32_t handover_place = 0;  ///< in the run's list, from 0; one behind the last: a further
  StopLevel stop = StopLevel::kNone;
};

enum class Phase : std::uint8_t {
  kWaiting,  ///< no complete reading yet; nothing is sent
  kLeadIn,   ///< from the measured pose to the first pose of the motion
  kPlaying,
  kSettling,  ///< last pose sent, servos arriving
  kDone,
  kStopping,   ///< slowing down along the path
  kHeld,       ///< standing still after a stop or a fault
  kReleased,   ///< the boards confirmed the sleep bit
  kReleasing,  ///< the sleep bit is requested and not yet confirmed
  kSitting,    ///< after a stop, on the way to the configured sit pose
  kRefused,    ///< the start was refused (kJumpRefused, kTargetRefused); nothing is sent
  kTesting,    ///< a test of one joint, from a hold and back to it
};

struct CycleOutput {
  drivers::ServoTargets targets;
  /// NaN in all joint arrays below: not known yet. Places beyond the robot's joints hold 0.
  JointArray<double> q_ref{};   ///< rad
  JointArray<double> qd_ref{};  ///< rad/s
  /// rad, shadow at now_ns; behind it on a line so slow that the boards' commands are not known yet
  JointArray<double> q_simulated{};
  JointArray<double> qd_simulated{};      ///< rad/s
  JointArray<double> torque_simulated{};  ///< N m, servo torque in the shadow
  JointArray<double> q_aligned{};         ///< rad, shadow at the newest sample's own time
  JointArray<double> residual{};          ///< rad, q_aligned minus measured
  JointArray<double> residual_naive{};    ///< rad, q_simulated minus measured, without alignment
  /// rad, second curve: the loop twin's (controllers of targets) or the reference model's (of
  /// torques); NaN without a controller
  JointArray<double> q_loop{};
  JointArray<double> control{};  ///< output of the law: rad/s (PID), N m; NaN while none is active
  control::ControlStatus control_status = control::ControlStatus::kOk;
  std::int32_t controller = -1;      ///< which leads, from 0; -1: none
  std::uint64_t tuning_version = 0;  ///< of the set that the cycle goes by
  std::int64_t tuning_tick = -1;     ///< at which that was taken; -1: never any
  std::uint64_t tuning_seen = 0;     ///< of the newest set that was looked at, taken or refused
  std::uint32_t tuning_layout = 0;   ///< see Tuning::layout
  std::int32_t motion = 0;           ///< of the run's list, from 0
  bool paused = false;
  bool reverse = false;
  JointTestStage test = JointTestStage::kNone;
  std::int32_t saturated = 0;  ///< joints that the law's own limit holds back
  std::array<bool, kMaxBoards>
      residual_is_new{};  ///< the three above were renewed for this board's joints
  BasePose base;          ///< of the shadow; NaN before it runs, 0 on the stand
  bool fell = false;      ///< the shadow does not stand (models::has_fallen)
  Phase phase = Phase::kWaiting;
  SupervisorState state = SupervisorState::kIdle;
  bool confirmed = false;    ///< all boards acknowledged the newest command, or the sleep bit
  double motion_time = 0.0;  ///< s into the motion, 0 before it begins
  double progress = 0.0;     ///< 0..1 of the whole run
  double longest_command_gap = 0.0;  ///< s, of any board, since the start (CommandGap)
  std::uint64_t steps = 0;           ///< calls of step so far; a gap in a record = rows lost
  std::uint64_t events_lost = 0;     ///< events that found no room in `events`, since the start
  std::uint64_t state_hash = 0;      ///< running, over state and outputs
  std::int32_t num_events = 0;
  std::array<Event, kMaxEventsPerCycle> events{};
};

/// No further target moves the robot: the run is over or waits for the user.
constexpr bool is_at_rest(Phase phase) noexcept {
  return phase == Phase::kDone || phase == Phase::kHeld || phase == Phase::kReleased ||
         phase == Phase::kRefused;
}

/// One row of /cycle.
struct CycleRecord {
  CycleInput in;
  CycleOutput out;
};

}  // namespace kagami::runtime
