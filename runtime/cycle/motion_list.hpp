/// The motions of a run, one of which plays, and what the user sets for all of them.
#pragma once

#include <span>
#include <vector>

#include "models/base/wiring.hpp"
#include "motions/play/player.hpp"

namespace kagami::runtime {

/// Built at set-up; everything else is cycle code.
class MotionList {
 public:
  /// At least one motion; the first plays first. Throws ConfigError.
  MotionList(const RobotWiring& wiring, std::span<const motions::Motion> motions,
             const motions::PlayOptions& options);

  /// Plays that motion (`has` it) from its lead-in at `from` (rad), with the user's settings.
  void start(int motion, const JointArray<double>& from) noexcept;
  [[nodiscard]] bool has(int motion) const noexcept {
    return motion >= 0 && motion < static_cast<int>(players_.size());
  }
  [[nodiscard]] int chosen() const noexcept { return chosen_; }
  [[nodiscard]] motions::Player& player() noexcept {
    return players_[static_cast<std::size_t>(chosen_)];
  }
  [[nodiscard]] const motions::Player& player() const noexcept {
    return players_[static_cast<std::size_t>(chosen_)];
  }

  void set_speed(double factor) noexcept;
  void set_loop(bool loop) noexcept;
  /// True: this changes something.
  [[nodiscard]] bool set_paused(bool paused) noexcept;
  /// The motion's time backwards or forwards; not where the boards ramp. True: this changes
  /// something.
  [[nodiscard]] bool set_reversed(bool reversed) noexcept;
  [[nodiscard]] bool is_paused() const noexcept { return paused_; }
  [[nodiscard]] bool is_reversed() const noexcept { return reversed_; }
  /// The boards interpolate: each pose is sent once, or the boards have stored them all.
  [[nodiscard]] bool boards_ramp() const noexcept {
    return mode_ == motions::PlayMode::kKeyframe || mode_ == motions::PlayMode::kStored;
  }

 private:
  std::vector<motions::Player> players_;
  motions::PlayMode mode_ = motions::PlayMode::kKeyframe;
  int chosen_ = 0;
  double speed_ = 1.0;
  bool loop_ = false;
  bool paused_ = false;
  bool reversed_ = false;
};

}  // namespace kagami::runtime
