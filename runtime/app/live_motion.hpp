/// The motion of a run: which one, and how its time runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "control/core/tunable.hpp"
#include "runtime/app/live_answer.hpp"
#include "runtime/app/live_shared.hpp"
#include "runtime/app/live_status.hpp"
#include "runtime/app/live_tuning.hpp"

namespace kagami::runtime {

/// A motion that a run can play.
struct MotionSummary {
  std::string name;
  double duration = 0.0;          ///< s, first pose to last, at speed 1
  std::vector<double> keyframes;  ///< s, of every pose, the first at 0
};

/// Any thread, at any time. After a stop only play and play_again move the robot again, after a
/// release or a fault nothing does.
class LiveMotion {
 public:
  LiveMotion(LiveShared& shared, LiveTuning& tuning) : shared_(shared), tuning_(tuning) {}

  /// Those of the run, the one of its start first; kept after its end.
  [[nodiscard]] std::vector<MotionSummary> list() const;
  LiveAnswer pause();
  /// Goes on where it was paused; where the robot holds, like play_again. Refused in every other
  /// state, in a sentence that states when it will work. No request is kept for later: the robot
  /// never moves by one that was made some time ago.
  LiveAnswer play();
  /// Another motion of the run's list, from a hold.
  LiveAnswer play(std::string_view motion);
  /// From a hold back through homing to the motion's beginning.
  LiveAnswer play_again();
  /// While paused: `ms` of the motion's own time further, whole ones, at the present speed.
  LiveAnswer step(double ms);
  [[nodiscard]] static control::Tunable step_range();
  /// 0.1..2
  LiveAnswer set_speed(double factor);
  LiveAnswer set_loop(bool loop);
  /// The motion's time backwards, at the present speed, down to the motion's beginning, where it
  /// rests until it is turned forwards again or stopped. A play turns it forwards. Not in keyframe
  /// mode: the boards cannot play backwards.
  LiveAnswer set_reverse(bool reverse);

  // --- LiveControl, with the mutex of LiveShared held
  void open(const RunSetup& setup);
  void describe(LiveStatus& status) const;

 private:
  LiveAnswer start_again(std::int32_t chosen, std::uint32_t stop_seen);

  LiveShared& shared_;
  LiveTuning& tuning_;
  std::vector<MotionSummary> motions_;
};

}  // namespace kagami::runtime
