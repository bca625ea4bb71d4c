/// Turns a motion into a reference q_ref(t) and into commands for the boards, tick by tick.
#pragma once

#include <cstdint>
#include <memory>

#include "models/base/types.hpp"
#include "models/base/wiring.hpp"
#include "motions/file/motion.hpp"

namespace kagami::motions {

enum class PlayMode : std::uint8_t {
  kKeyframe,  ///< one command per pose with its speed code; the board interpolates
  kStream,    ///< C2 interpolation of ours, one command per line round
};

struct PlayOptions {
  PlayMode mode = PlayMode::kKeyframe;
  double speed = 1.0;  ///< 0.1..2
  bool loop = false;
  double lead_in_speed = 1.0;  ///< rad/s, fastest joint of the lead-in
  double settle = 1.0;         ///< s of holding after the last pose
};

enum class PlayPhase : std::uint8_t { kLeadIn, kPlaying, kSettling, kDone, kStopping, kHeld };

/// What the player wants at this tick. Angles in rad, model order.
struct PlayCommand {
  JointArray<double> q_ref{};   ///< where a perfect robot would be now
  JointArray<double> qd_ref{};  ///< rad/s
  JointArray<double> target{};  ///< what the boards shall be told
  bool target_is_new = false;   ///< a new command goes out at this tick
  std::uint8_t speed_code = 0;  ///< with the target
  PlayPhase phase = PlayPhase::kLeadIn;
  double motion_time = 0.0;  ///< s of the motion's own time, 0 during the lead-in
  double progress = 0.0;     ///< 0..1
};

/// Built at set-up (allocates); everything else is cycle code: noexcept, no heap.
class Player {
 public:
  /// `motion` must be bound: its joints are the robot's, in model order (`bind_motion`).
  Player(const Motion& motion, const RobotWiring& wiring, const PlayOptions& options);
  ~Player();
  Player(Player&&) noexcept;

  /// Plans the lead-in from the present pose. The first command equals that pose.
  void start(const JointArray<double>& present) noexcept;
  /// Advances by dt seconds (> 0) and writes the command of this tick.
  void step(double dt, PlayCommand& command) noexcept;
  /// Changes the speed factor without a jump in q_ref or qd_ref (ramped over 0.2 s).
  void set_speed(double factor) noexcept;
  /// Slows down along the path and holds, within `within` seconds.
  void slow_down(double within) noexcept;
  /// Holds the present command.
  void hold_now() noexcept;
  /// Seconds the whole run takes from `start` at the present speed; infinite when looping.
  [[nodiscard]] double total_duration() const noexcept;

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace kagami::motions
