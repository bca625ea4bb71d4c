/// Systems at rest that are left out of the steps until something moves them. Systems whose boxes,
/// widened by the motion of a step, overlap, directly or over others, sleep and wake together: what
/// could touch a sleeper in this step is awake, for every contact method.
#pragma once

#include <span>
#include <vector>

#include "models/contact/method/contact_method.hpp"
#include "models/contact/world/islands.hpp"
#include "models/contact/world/near_pairs.hpp"

namespace kagami::models {

/// Decides which systems sleep (WorldSystem::asleep). Memory is taken at construction; all else is
/// cycle code.
class Sleepers {
 public:
  static constexpr int kAllGroups = -1;

  Sleepers(std::span<const WorldSystem> systems, const SleepSettings& settings);

  /// Wakes a group, named by its first system, or all; true when any slept.
  bool wake(std::span<WorldSystem> systems, int group = kAllGroups) noexcept;
  /// Before a step: wakes sleepers whose state or drive was changed from outside, with all that
  /// sleeps with them.
  void wake_disturbed(std::span<WorldSystem> systems) noexcept;
  /// In a step whose systems are begun: wakes sleepers whose boxes overlap with that of a system
  /// that is awake. True when it woke any: begin these, find the pairs again (the boxes of systems
  /// that are awake are wider) and repeat the call.
  bool wake_touched(std::span<WorldSystem> systems, const NearPairs& pairs) noexcept;
  /// After a step of h (s): puts groups to sleep that have been at rest for SleepSettings::time.
  /// `complete`: contacts and pairs of the step are all known; otherwise the groups are not, and
  /// nothing is put to sleep.
  void settle(std::span<WorldSystem> systems, const NearPairs& pairs, bool complete,
              double h) noexcept;

 private:
  // of one system
  struct Rest {
    double quiet = 0.0;       // s, for how long it has been at rest
    int group = 0;            // first system of those that fell asleep together
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
