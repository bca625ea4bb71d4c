/// What a player is in the middle of; for player.cpp and player_plan.cpp alone.
#pragma once

#include <vector>

#include "motions/play/move.hpp"
#include "motions/play/pause.hpp"
#include "motions/play/player.hpp"
#include "motions/play/stored_program.hpp"
#include "motions/play/time_scale.hpp"

namespace kagami::motions {

struct Player::Plan {
  enum class Stage : std::uint8_t { kPresent, kApproach, kMotion, kSettling, kDone };

  Plan(const Motion& motion, const RobotWiring& wiring, const PlayOptions& play_options);

  void start(const JointArray<double>& present) noexcept;
  void begin_approach() noexcept;
  void begin_stored() noexcept;
  void begin_move(std::size_t goal) noexcept;
  void finish_leg() noexcept;
  void advance(double dt) noexcept;
  void pass_time(double dt) noexcept;
  void go_back() noexcept;
  [[nodiscard]] double direction() const noexcept;
  [[nodiscard]] bool is_at_beginning() const noexcept;
  [[nodiscard]] bool waits_at_pose() const noexcept;
  void freeze(const JointArray<double>& q) noexcept;
  [[nodiscard]] bool is_moving() const noexcept { return stage <= Stage::kMotion; }
  [[nodiscard]] bool is_keyframe() const noexcept { return options.mode == PlayMode::kKeyframe; }
  [[nodiscard]] bool is_stored() const noexcept { return options.mode == PlayMode::kStored; }
  /// The boards interpolate between the poses.
  [[nodiscard]] bool boards_ramp() const noexcept { return is_keyframe() || is_stored(); }
  [[nodiscard]] bool boards_play() const noexcept {
    return is_stored() && stage >= Stage::kMotion && !is_held && !scale.is_braking();
  }
  [[nodiscard]] double rate() const noexcept;
  void evaluate(PlayCommand& command) noexcept;
  void write_target(PlayCommand& command) noexcept;
  [[nodiscard]] PlayPhase phase() const noexcept;
  [[nodiscard]] double motion_time() const noexcept;
  [[nodiscard]] double progress() const noexcept;

  // set-up
  PlayOptions options;
  BoardLayout layout;
  std::vector<JointArray<double>> poses;     // rad
  std::vector<JointArray<double>> velocity;  // rad/s, stream mode
  std::vector<PoseTiming> timing;
  StoredProgram program;  // stored mode
  double duration = 0.0;  // s, first pose to last

  // state
  Stage stage = Stage::kPresent;
  Move move;
  double t = 0.0;             // s, own time within the leg; time while settling
  std::size_t goal = 0;       // pose that the leg leads to
  double leg_start = 0.0;     // s, motion time at the start of the leg
  double lead_in = 0.0;       // s, planned
  double lead_in_done = 0.0;  // s, before this leg
  TimeScale scale;
  Pause pause;
  bool is_reversed = false;
  double turned = 0.0;  // 0: forwards .. 1: backwards
  bool command_is_due = false;
  bool is_held = false;
  JointArray<double> held{};  // rad
  MovePoint point;            // where the last step was
};

}  // namespace kagami::motions
