/// Systems at rest that are left out of the steps until something moves them. Those that sleep and
/// wake together are systems whose boxes, widened by the way of a step, overlap, directly or over
/// others: whatever could touch a sleeper in this step is awake beside it, whichever method solves.
#pragma once

#include <span>
#include <vector>

#include "models/contact/method/contact_method.hpp"
#include "models/contact/world/islands.hpp"
#include "models/contact/world/near_pairs.hpp"

namespace kagami::models {

/// Decides who sleeps (WorldSystem::asleep). Memory is taken at construction; all else is cycle
/// code.
class Sleepers {
 public:
  static constexpr int kEverybody = -1;  ///< no group

  Sleepers(std::span<const WorldSystem> systems, const SleepSettings& settings);

  /// Wakes a group, known by the first that fell asleep in it; true when any slept.
  bool wake(std::span<WorldSystem> systems, int group = kEverybody) noexcept;
  /// Before a step: wakes sleepers whose state or drive was changed from outside, with all that
  /// sleeps with them.
  void wake_disturbed(std::span<WorldSystem> systems) noexcept;
  /// Of a step whose systems are begun: wakes sleepers that something awake comes near to. True
  /// when it woke any: begin those, find the pairs anew (who is awake has farther to go), and ask
  /// again.
  bool wake_touched(std::span<WorldSystem> systems, const NearPairs& pairs) noexcept;
  /// After a step of h (s): puts to sleep who has been at rest for long, with all that is near.
  /// Nobody unless `complete`: else who holds whom is not known.
  void settle(std::span<WorldSystem> systems, const NearPairs& pairs, bool complete,
              double h) noexcept;

 private:
  // of one system
  struct Rest {
    double quiet = 0.0;       // s, for how long it has been at rest
    int group = 0;            // first of those that fell asleep together
    bool group_rests = true;  // scratch, of the group's first
    State state;              // as it fell asleep
    Drive drive;              // when `quiet` began, or as it fell asleep
  };

  bool watch(const WorldSystem& system, Rest& rest, double h) const noexcept;
  static void fall_asleep(WorldSystem& system, Rest& rest, int group, double h) noexcept;

  SleepSettings settings_;
  std::vector<Rest> rests_;  // per system
  SystemGroups groups_;
};

}  // namespace kagami::models
