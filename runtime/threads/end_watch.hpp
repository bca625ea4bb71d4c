/// When a run is over, seen from the cycle's outputs.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/channels/cycle_types.hpp"

namespace kagami::runtime {

/// Monitors the phase, with a limit on the wait for the boards' answers. At rest means also that
/// the last tick had no new command: after a stop the safety gate may still be on its way to the
/// held pose, and the boards have not confirmed it yet. Cycle code.
class EndWatch {
 public:
  static constexpr std::int64_t kFirstReadingNs = 2'000'000'000;  ///< no complete reading by then
  static constexpr std::int64_t kReleaseNs = 1'000'000'000;  ///< sleep bits still not confirmed
  static constexpr std::int64_t kConfirmNs = 500'000'000;  ///< a hold's last command not confirmed

  /// A robot that a stop made hold is watched this long, so that a further press still reaches it.
  void wait_when_held(std::int64_t wait_ns) noexcept { held_wait_ns_ = wait_ns; }
  /// A run at rest waits to be played again until the flag is raised; null: it does not wait.
  void wait_for(const std::atomic<bool>* finished) noexcept { finished_ = finished; }
  /// A release does not end a run that waits for that flag, confirmed or not: its gains can still
  /// be saved.
  void stay_released() noexcept { stays_released_ = true; }
  /// Looks at the tick at `now_ns`. True from the tick on at which the run is over.
  bool is_over(const CycleOutput& out, std::int64_t now_ns) noexcept;
  /// The last phase was given up, not reached.
  [[nodiscard]] bool gave_up() const noexcept { return gave_up_; }

 private:
  Phase phase_ = Phase::kWaiting;
  std::uint32_t sequence_ = 0;  // of the newest command
  std::int64_t since_ns_ = -1;
  std::int64_t told_ns_ = 0;  // when the newest command went out
  std::int64_t held_wait_ns_ = 0;
  bool gave_up_ = false;
  bool stays_released_ = false;
  const std::atomic<bool>* finished_ = nullptr;
};

}  // namespace kagami::runtime
