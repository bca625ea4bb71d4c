/// How the threads of a run agree on its end.
#pragma once

#include <atomic>
#include <cstdint>

namespace kagami::runtime {

enum class RunStage : std::uint8_t {
  kMoves,
  kAtRest,    ///< cycle: no further target moves the robot
  kLineDone,  ///< serial: a whole round has passed since then; nothing is sent any more
};

struct RunState {
  std::atomic<RunStage> stage{RunStage::kMoves};
  std::atomic<bool> cycle_is_done{false};  ///< cycle: has taken that round's sample
  /// cycle: raised when a stop's command was published; serial: lowered before it fetches that
  std::atomic<bool> stop_waits{false};

  /// Cycle: what stands may stay.
  void rest() noexcept { static_cast<void>(pass(RunStage::kMoves, RunStage::kAtRest)); }
  /// Cycle: there is something to send again; false when the line has ended already.
  [[nodiscard]] bool move_on() noexcept {
    return stage.load() == RunStage::kMoves || pass(RunStage::kAtRest, RunStage::kMoves);
  }
  /// Serial, after a whole round at rest; nothing when the cycle has moved on meanwhile.
  void end_line() noexcept { static_cast<void>(pass(RunStage::kAtRest, RunStage::kLineDone)); }
  [[nodiscard]] bool is_at_rest() const noexcept { return stage.load() == RunStage::kAtRest; }
  [[nodiscard]] bool line_is_done() const noexcept { return stage.load() == RunStage::kLineDone; }

 private:
  bool pass(RunStage from, RunStage to) noexcept { return stage.compare_exchange_strong(from, to); }
};

}  // namespace kagami::runtime
