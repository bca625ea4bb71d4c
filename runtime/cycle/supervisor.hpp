/// The run's state machine: seven states, what moves between them and what is done then, as one
/// table (docs/supervision.md shows it).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "drivers/link/samples.hpp"
#include "runtime/channels/supervisor_state.hpp"
#include "runtime/cycle/event_list.hpp"

namespace kagami::runtime {

/// What happens to a run.
enum class RunSignal : std::uint8_t {
  kReading,   ///< the first complete reading
  kBegan,     ///< the lead-in is over
  kEnded,     ///< the motion is over, its last pose stands
  kSlowDown,  ///< stop ladder, first step: Ctrl-C once, SIGTERM
  kHoldNow,   ///< second step
  kRelease,   ///< third step, STOP held, or --on-stop release after a stop
  kStill,     ///< what was slowing down or sitting down stands still
  kFault,     ///< stale readings, lost port, a controller that gave up, a broken reference
  kRefused,   ///< the first target was refused
  kPlay,      ///< the user explicitly plays (again), and nobody asks for a stop
  kTest,      ///< the user tests one joint, and nobody asks for a stop
};
inline constexpr int kNumRunSignals = 11;
/// "reading", "began", ...
const char* name(RunSignal signal) noexcept;

/// What is done at a transition.
enum class RunAction : std::uint8_t {
  kNone,
  kSlowDown,  ///< along the path to a standstill
  kHoldNow,   ///< at the present command, at once
  kFinish,    ///< stands still: what --on-stop says
  kRelease,   ///< sleep bit to all boards
  kPlay,      ///< from the present command to the motion's first pose, then the motion
  kTest,      ///< a signal on the reference of one joint
};
/// "nothing", "slow down", ...
const char* name(RunAction action) noexcept;

struct RunTransition {
  SupervisorState from = SupervisorState::kIdle;
  RunSignal signal = RunSignal::kReading;
  SupervisorState to = SupervisorState::kIdle;
  RunAction action = RunAction::kNone;
};
/// All of them; what is not in it changes nothing.
std::span<const RunTransition> run_transitions() noexcept;

/// Walks the table. Cycle code.
class Supervisor {
 public:
  /// Changes the state and says what is to be done.
  RunAction take(RunSignal signal) noexcept;
  [[nodiscard]] SupervisorState state() const noexcept { return state_; }

 private:
  SupervisorState state_ = SupervisorState::kIdle;
};

/// Follows a stop or a fault until the boards have answered for it. Cycle code.
class StopConfirmation {
 public:
  /// So long an answer may take before the stop is called not confirmed.
  static constexpr std::int64_t kLimitNs = 400'000'000;

  /// `stands`: a stop or a fault has come to its last command; `sequence`: of that command. One
  /// event when all boards confirmed it, or one when they did not in time.
  void step(bool stands, std::uint32_t sequence, bool confirmed, std::int64_t now_ns,
            EventList& events) noexcept;

 private:
  bool watching_ = false;
  bool told_ = false;
  std::uint32_t sequence_ = 0;
  std::int64_t since_ns_ = 0;
};

/// Whether the board acknowledged the newest command in full, was not silent since and answered
/// something within the last 200 ms. Cycle code.
bool board_confirms(int board, const drivers::ServoTargets& targets,
                    const drivers::ServoSample& sample, std::int64_t now_ns) noexcept;
/// The same for all boards; where the sleep bit was asked for, their switch bits say so too.
bool all_boards_confirm(const drivers::ServoTargets& targets, const drivers::ServoSample& sample,
                        int num_boards, std::int64_t now_ns) noexcept;

}  // namespace kagami::runtime
