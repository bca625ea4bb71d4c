/// Where the robot shall be: the motion, a test of one joint or the sit pose, and every way to
/// stop. It owns the run's state machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "drivers/link/samples.hpp"
#include "models/robot/robot_folder.hpp"
#include "runtime/cycle/cycle_config.hpp"
#include "runtime/cycle/event_list.hpp"
#include "runtime/cycle/joint_excitation.hpp"
#include "runtime/cycle/motion_list.hpp"
#include "runtime/cycle/run_machine.hpp"
#include "runtime/cycle/sit_down.hpp"

namespace kagami::runtime {

/// Built at set-up; everything else is cycle code. In a tick: the user's signals, `step`, faults
/// found meanwhile, `apply_relay`, and `finish_tick` with what the gate made of it.
class RunReference {
 public:
  /// `motions`: at least one, the first is played first. Throws ConfigError.
  RunReference(const models::RobotDescription& robot, std::span<const motions::Motion> motions,
               const CycleConfig& config);

  /// The first complete reading (rad): the lead-in starts there.
  void start(const JointArray<double>& measured, EventList& events) noexcept;
  /// From a hold through the lead-in to this motion of the list; refused (kPlayRefused) in every
  /// other state, for a motion that is not there, before anything was sent and while a stop is
  /// requested.
  void play(int motion, StopLevel stop, EventList& events) noexcept;
  /// Adds a signal to the reference of one joint, from a hold and back to it; a reason against it
  /// is kJointTestRefused. A stop, a fault, a refused target end it early.
  void begin_test(const control::JointSignal& signal, StopLevel stop, EventList& events) noexcept;
  void set_speed(double factor) noexcept { motions_.set_speed(factor); }
  void set_loop(bool loop) noexcept { motions_.set_loop(loop); }
  void set_paused(bool paused, EventList& events) noexcept;
  /// The motion's time backwards or forwards; not in keyframe mode.
  void set_reversed(bool reversed, EventList& events) noexcept;
  /// `length` s (> 0) of the motion's own time further, while paused.
  void advance_paused(double length) noexcept { motions_.player().advance_paused(length); }
  /// The stop request was withdrawn: in a hold the ladder begins at its first step again.
  void rearm() noexcept;
  /// Escalates; a level that is not higher than the present one does nothing.
  void request_stop(StopLevel level, EventList& events) noexcept;
  /// Stop at the present command, whatever was playing.
  void fault(EventList& events) noexcept;

  /// The reference of this tick; `dt` s (> 0) until the next. It stays valid and shows what a fault
  /// changes later in the tick.
  const motions::PlayCommand& step(double dt, const drivers::ServoSample& sample,
                                   EventList& events) noexcept;
  /// After the controller: in a relay test the joint's target (rad) is the relay's.
  void apply_relay(double dt, const drivers::ServoSample& sample, JointArray<double>& target,
                   EventList& events) noexcept;
  /// What the gate did in this tick.
  struct Passed {
    const JointArray<double>& sent;  ///< rad, the last target that passed
    bool has_begun = false;          ///< a first target passed
    bool has_released = false;       ///< the sleep bit went out
    bool is_refused = false;         ///< this tick's target
  };
  void finish_tick(const Passed& passed, EventList& events) noexcept;

  [[nodiscard]] RunState state() const noexcept { return machine_.state(); }
  [[nodiscard]] const motions::PlayCommand& command() const noexcept { return command_; }
  /// rad, at the start.
  [[nodiscard]] const JointArray<double>& measured() const noexcept { return measured_; }
  /// A target each tick; else poses that the boards interpolate.
  [[nodiscard]] bool streams() const noexcept { return streams_; }
  /// s between the present reference and the one before.
  [[nodiscard]] double dt() const noexcept { return dt_; }
  /// The test sets all targets, a relay its joint's: the controller waits meanwhile.
  [[nodiscard]] bool test_drives() const noexcept { return is_test(state()) && test_.drives(); }
  [[nodiscard]] JointTestStage test_stage() const noexcept {
    return is_test(state()) ? test_.stage() : JointTestStage::kNone;
  }
  /// s from the start to the end of the motion; 0 before the start.
  [[nodiscard]] double total_duration() const noexcept;
  [[nodiscard]] int motion() const noexcept { return motions_.chosen(); }
  [[nodiscard]] bool is_paused() const noexcept { return motions_.is_paused(); }
  [[nodiscard]] bool is_reversed() const noexcept { return motions_.is_reversed(); }

 private:
  /// Moves the machine and does what its table states. False: the state does not take the signal.
  bool take(RunSignal signal, EventList& events) noexcept;
  void perform(RunAction action, EventList& events) noexcept;
  void slow_down(EventList& events) noexcept;
  void hold_now(EventList& events) noexcept;
  /// The reference is at rest after a stop: sit down, hold or release, as configured.
  void finish(EventList& events) noexcept;
  void park(EventList& events) noexcept;
  void release(EventList& events) noexcept;
  void follow_motion(double dt, EventList& events) noexcept;
  void follow_test(double dt, EventList& events) noexcept;
  [[nodiscard]] std::optional<JointTestReason> why_not_tested(const control::JointSignal& signal,
                                                              StopLevel stop) const noexcept;
  /// rad, the reference of a hold.
  [[nodiscard]] const JointArray<double>& held_reference() const noexcept;
  /// Reports it once.
  void break_test(JointTestReason reason, EventList& events) noexcept;

  CycleConfig config_;
  std::vector<JointWiring> joints_;
  MotionList motions_;
  SitDown sit_down_;
  JointTest test_;
  RunMachine machine_;
  StopLevel stop_ = StopLevel::kNone;

  motions::PlayCommand command_;
  bool streams_ = false;
  double dt_ = 0.0;
  double next_dt_ = 0.0;
  JointArray<double> measured_{};
  bool started_ = false;

  JointArray<double> sent_{};  ///< rad, see Passed
  bool has_begun_ = false;
  bool has_released_ = false;

  bool test_began_done_ = false;  ///< from kDone, else from kHeld
  bool test_began_streaming_ = false;
  bool test_is_aborted_ = false;  ///< and was reported
};

}  // namespace kagami::runtime
