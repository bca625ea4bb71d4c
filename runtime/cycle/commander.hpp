/// What the boards are told: the player's targets through the safety gate, and every way to stop.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "control/safety/safety_gate.hpp"
#include "drivers/link/samples.hpp"
#include "models/robot/robot_folder.hpp"
#include "motions/play/player.hpp"
#include "runtime/cycle/cycle_config.hpp"
#include "runtime/cycle/event_list.hpp"
#include "runtime/cycle/joint_excitation.hpp"
#include "runtime/cycle/supervisor.hpp"

namespace kagami::runtime {

/// Built at set-up; everything else is cycle code. Order in a tick: stop and hold requests, plan,
/// send.
class Commander {
 public:
  /// `motions`: at least one, the first is played first. Throws ConfigError.
  Commander(const models::RobotDescription& robot, std::span<const motions::Motion> motions,
            const CycleConfig& config);

  /// The first complete reading: the lead-in starts there.
  void start(const JointArray<double>& measured, EventList& events) noexcept;
  void set_speed(double factor) noexcept;
  void set_loop(bool loop) noexcept;
  void set_paused(bool paused, EventList& events) noexcept;
  /// The motion's time backwards or forwards; not in keyframe mode.
  void set_reversed(bool reversed, EventList& events) noexcept;
  [[nodiscard]] bool is_reversed() const noexcept { return reversed_; }
  /// `length` s (> 0) of the motion's own time further, while paused.
  void advance_paused(double length) noexcept { player().advance_paused(length); }
  /// From a hold through homing to this motion of the list; refused (kPlayRefused) in every other
  /// state, for a motion that is not there, before anything was sent and while a stop is asked for.
  void play(int motion, StopLevel stop, EventList& events) noexcept;
  /// Lays a signal on the reference of one joint, from a hold and back to it; what is against it is
  /// kJointTestRefused. A stop, a fault, a refused target break it off.
  void begin_test(const control::JointSignal& signal, StopLevel stop, EventList& events) noexcept;
  /// Between whoever leads and `send`: a relay's target takes the place of what was said.
  void drive_test(double dt, const drivers::ServoSample& sample, EventList& events) noexcept;
  /// The test says all targets, a relay its joint's: whoever leads rests meanwhile.
  [[nodiscard]] bool test_drives() const noexcept {
    return stage_ == Stage::kTest && test_.drives();
  }
  [[nodiscard]] JointTestStage test_stage() const noexcept {
    return stage_ == Stage::kTest ? test_.stage() : JointTestStage::kNone;
  }
  /// Nobody asks for a stop any more: in a hold the ladder begins at its first step again.
  void rearm() noexcept;
  /// Escalates; a level that is not higher than the present one does nothing.
  void request_stop(StopLevel level, EventList& events) noexcept;
  /// A fault: stand still at the present command, whatever was playing.
  void hold(EventList& events) noexcept;

  /// Advances the reference by `dt` seconds (> 0).
  void update_reference(double dt, const drivers::ServoSample& sample, EventList& events) noexcept;
  /// Passes the planned target through the gate; a new command gets a new sequence number, a held
  /// one keeps its own.
  void issue_targets(std::int64_t tick, EventList& events) noexcept;

  /// Between plan and send: a controller may say another target, the player leads or slows down.
  [[nodiscard]] bool may_control() const noexcept {
    if (stage_ == Stage::kTest) return true;
    return stage_ == Stage::kFollow && begun_ && streams_ &&
           (phase_ == Phase::kPlaying || phase_ == Phase::kSettling || phase_ == Phase::kStopping);
  }
  /// The motion has been played and its last target stands, a controller's or the player's.
  [[nodiscard]] bool is_done() const noexcept {
    return stage_ == Stage::kFollow && phase_ == Phase::kDone;
  }
  void set_target(const JointArray<double>& target) noexcept { command_.target = target; }
  /// rad, the last target that passed the gate.
  [[nodiscard]] const JointArray<double>& safe() const noexcept { return gate_.safe(); }
  /// Targets pass the gate in this tick: neither waiting, parked, refused nor asleep.
  [[nodiscard]] bool passes_targets() const noexcept {
    return begun_ && (stage_ == Stage::kFollow || stage_ == Stage::kTest || stage_ == Stage::kSit);
  }
  /// A first target passed the gate.
  [[nodiscard]] bool has_begun() const noexcept { return begun_; }

  [[nodiscard]] bool is_started() const noexcept { return started_; }
  [[nodiscard]] bool may_start() const noexcept { return stage_ == Stage::kWaiting; }
  [[nodiscard]] SupervisorState state() const noexcept { return supervisor_.state(); }
  /// A stop or a fault has come to its last command, which stands or lets go.
  [[nodiscard]] bool stands_stopped() const noexcept {
    return stage_ == Stage::kParked || stage_ == Stage::kSleep;
  }
  [[nodiscard]] Phase phase() const noexcept { return phase_; }
  [[nodiscard]] const motions::PlayCommand& command() const noexcept { return command_; }
  [[nodiscard]] const drivers::ServoTargets& targets() const noexcept { return targets_; }
  [[nodiscard]] double total_duration() const noexcept;
  [[nodiscard]] int motion() const noexcept { return motion_; }
  [[nodiscard]] bool is_paused() const noexcept { return paused_; }

 private:
  enum class Stage : std::uint8_t {
    kWaiting,
    kFollow,  ///< the player leads
    kSit,     ///< the boards interpolate to the sit pose
    kTest,    ///< a signal leads one joint
    kParked,  ///< one target for good
    kSleep,
    kRefused,
  };

  [[nodiscard]] motions::Player& player() noexcept {
    return players_[static_cast<std::size_t>(motion_)];
  }
  /// Does what the table asks for at a transition.
  void perform(RunAction action, EventList& events) noexcept;
  void hold_now(EventList& events) noexcept;
  /// The lead-in, the motion, the stop go from phase to phase.
  void tell_phase(Phase before, Phase now, EventList& events) noexcept;
  void follow_player(double dt, EventList& events) noexcept;
  /// The player stands still after a stop: hold, sit down or go limp, as configured.
  void finish_stop(EventList& events) noexcept;
  void begin_sit(EventList& events) noexcept;
  void hold_sitting(EventList& events) noexcept;
  void follow_sit(double dt, EventList& events) noexcept;
  void follow_sleep(const drivers::ServoSample& sample, EventList& events) noexcept;
  [[nodiscard]] std::optional<JointTestReason> why_not_tested(const control::JointSignal& signal,
                                                              StopLevel stop) const noexcept;
  /// rad, the reference of a hold.
  [[nodiscard]] const JointArray<double>& standing() const noexcept;
  void follow_test(double dt, EventList& events) noexcept;
  void finish_test() noexcept;
  /// Says it once.
  void break_test(JointTestReason reason, EventList& events) noexcept;
  /// Stands still for good at the present command.
  void park(EventList& events) noexcept;
  void begin_sleep(EventList& events) noexcept;
  /// The planned target through the gate; true when a new command shall go out.
  [[nodiscard]] bool pass_gate(EventList& events) noexcept;
  /// The gate refused a target: nothing is sent before the start, later the last safe one stands.
  void refuse(EventList& events) noexcept;

  CycleConfig config_;
  SpeedTable speed_;
  int num_joints_ = 0;
  bool streams_ = false;  ///< a target each tick; else poses that the boards interpolate
  JointArray<std::int8_t> board_{};
  std::vector<JointWiring> joints_;
  std::vector<motions::Player> players_;
  int motion_ = 0;  ///< of the list, from 0
  double speed_factor_ = 1.0;
  bool loop_ = false;
  bool paused_ = false;
  bool reversed_ = false;
  control::SafetyGate gate_;

  Supervisor supervisor_;
  Stage stage_ = Stage::kWaiting;
  Phase phase_ = Phase::kWaiting;
  StopLevel stop_ = StopLevel::kNone;
  bool started_ = false;            ///< the player was started
  bool begun_ = false;              ///< a first target passed the gate
  bool faulted_ = false;            ///< held by a fault: no sitting down afterwards
  bool sleep_pending_ = false;      ///< asked for, goes out with the next send
  JointArray<double> measured_{};   ///< rad, at the start
  double reference_dt_ = 0.0;       ///< s between the present reference and the one before
  double next_reference_dt_ = 0.0;  ///< and the one after
  motions::PlayCommand command_;
  drivers::ServoTargets targets_;

  struct BeforeTest {
    Stage stage = Stage::kParked;
    Phase phase = Phase::kHeld;
    bool streams = false;
  };
  JointTest test_;
  BeforeTest before_test_;
  bool test_is_broken_ = false;  ///< and was said to be

  JointArray<double> sit_from_{};                  ///< rad
  std::array<double, kMaxBoards> sit_duration_{};  ///< s
  double sit_time_ = 0.0;                          ///< s since the sit pose was sent
};

}  // namespace kagami::runtime
