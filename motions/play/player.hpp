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
  kStream,    ///< C2 interpolation of ours, a new command at every tick
  kRamp,      ///< straight from pose to pose, all joints of both boards together; streamed
  kStored,    ///< lead-in as kKeyframe, then the boards play the motion from their memories
};

struct PlayOptions {
  PlayMode mode = PlayMode::kKeyframe;
  double speed = 1.0;          ///< 0.1..2, of the motion; the lead-in always runs at 1
  bool loop = false;           ///< repeat the whole motion, from its last pose to its first
  double lead_in_speed = 1.0;  ///< rad/s, fastest joint of the lead-in in stream mode
  double settle = 1.0;         ///< s of holding after the last pose, 0..60
};

/// Keyframe where every pose has a speed code, as the owner's program did; else stream.
PlayMode default_mode(const Motion& motion);

enum class PlayPhase : std::uint8_t { kLeadIn, kPlaying, kSettling, kDone, kStopping, kHeld };

/// Output of the player at this tick. Angles in rad, model order; unused places are 0.
struct PlayCommand {
  JointArray<double> q_ref{};   ///< where a perfect robot would be now
  JointArray<double> qd_ref{};  ///< rad/s, derivative of q_ref
  JointArray<double> target{};  ///< what shall be sent to the boards
  bool target_is_new = false;   ///< a new command goes out at this tick
  bool plays_stored = false;    ///< that command: the boards play; `target` is where they are
  std::uint8_t speed_code = 0;  ///< with the target
  PlayPhase phase = PlayPhase::kLeadIn;
  double motion_time = 0.0;  ///< s of the motion's own time, 0 during the lead-in
  double progress = 0.0;     ///< 0..1 of lead-in, motion and settling; of one pass when looping
};

/// Built at set-up (allocates); everything else is cycle code: noexcept, no heap.
///
/// Keyframe mode: the present pose and the first pose go out with code 7; then one command per
/// pose, and q_ref is the boards' linear ramp. At another speed the command carries the slowest
/// code that arrives in the scaled time; the motion runs no faster than code 0 allows.
/// Stream mode: quintic pieces (interpolate.hpp), sent with code 0.
/// Ramp mode: the poses' own times and straight lines, but no board arrives before the other; the
/// lead-in and the sending are the stream mode's.
/// Stored mode: one command starts the boards, q_ref is where StoredProgram has them. They take no
/// other speed, no pause and no loop; a stop sends positions again.
class Player {
 public:
  /// `motion` must be bound to `wiring` (`bind_motion`). Throws ConfigError for one that is not,
  /// for keyframe mode without speed codes and for options out of range.
  Player(const Motion& motion, const RobotWiring& wiring, const PlayOptions& options);
  ~Player();
  Player(Player&&) noexcept;
  Player& operator=(Player&&) noexcept;

  /// Plans the lead-in from the present pose (rad). The first command equals that pose; an angle
  /// that is not finite is taken as the first pose's.
  void start(const JointArray<double>& present) noexcept;
  /// Writes the command of this tick, then advances by dt seconds (> 0, else not at all).
  void step(double dt, PlayCommand& command) noexcept;
  /// Changes the speed factor (clamped to 0.1..2) without a jump in q_ref or qd_ref: ramped over
  /// 0.2 s.
  void set_speed(double factor) noexcept;
  /// The motion's time stops, or resumes, over 0.2 s; the lead-in and the settling take no notice.
  /// A motion that is paused before it begins waits in its first pose. In keyframe mode the boards
  /// first finish the pose that they are on the way to.
  void set_paused(bool paused) noexcept;
  /// While paused: `length` s (> 0) of the motion's own time further, at most as fast as the speed
  /// last set, not in keyframe mode.
  void advance_paused(double length) noexcept;
  /// The motion's time runs backwards, or forwards again, turned round within 0.4 s without a jump;
  /// at the motion's beginning it is at rest, at speed 0 whatever is left of the turning round. The
  /// lead-in, the settling and keyframe mode take no notice; a loop's way from the last pose to the
  /// first is gone back too.
  void set_reversed(bool reversed) noexcept;
  /// Repeat the motion from its end on, or not; as PlayOptions::loop.
  void set_loop(bool loop) noexcept;
  /// Slows down along the path by half a cosine, streaming q_ref, and holds within `within`
  /// seconds. A later call can only shorten.
  void slow_down(double within) noexcept;
  /// Holds the q_ref of the last step at once.
  void hold_now() noexcept;
  /// Seconds the whole run takes from `start`, with the lead-in planned there, at the speed last
  /// set; infinite when looping.
  [[nodiscard]] double total_duration() const noexcept;

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace kagami::motions
