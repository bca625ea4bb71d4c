/// A small motion on the KHR-1's wiring and its player, watched tick by tick.
#pragma once

#include <cstddef>
#include <vector>

#include "motions/file/motion.hpp"
#include "motions/play/player.hpp"

namespace kagami::test {

inline constexpr double kDt = 0.001;  ///< s
inline constexpr std::size_t kHead = 0;
inline constexpr std::size_t kHipPitch = 8;  ///< left
inline constexpr std::size_t kKnee = 9;      ///< left

/// Four poses a to d of head (board 0), left knee and left hip pitch (board 1); bound.
motions::Motion small_motion();

/// Every command of a run.
struct Recording {
  std::vector<motions::PlayCommand> ticks;
  std::vector<std::size_t> commands;  ///< ticks with a new target
  [[nodiscard]] double time_of(std::size_t command) const {
    return static_cast<double>(commands.at(command)) * kDt;
  }
};

/// Steps by kDt until the first tick of phase `last`.
Recording run_until(motions::Player& player, motions::PlayPhase last);

/// Player of small_motion(), settling 0.5 s, started from home.
motions::Player small_player(motions::PlayMode mode, double speed = 1.0, bool loop = false);

}  // namespace kagami::test
