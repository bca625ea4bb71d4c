#include "runtime/cycle/supervisor.hpp"

#include <algorithm>

#include "models/base/time.hpp"

namespace kagami::runtime {
namespace {

using S = SupervisorState;
using E = RunSignal;
using A = RunAction;

constexpr std::array<RunTransition, 35> kTable{{
    {S::kIdle, E::kReading, S::kHoming, A::kNone},
    {S::kIdle, E::kSlowDown, S::kHold, A::kHoldNow},
    {S::kIdle, E::kHoldNow, S::kHold, A::kHoldNow},
    {S::kIdle, E::kRelease, S::kReleased, A::kRelease},
    {S::kIdle, E::kFault, S::kIdle, A::kNone},  // nothing moves yet; it may still come

    {S::kHoming, E::kBegan, S::kRunning, A::kNone},
    {S::kHoming, E::kRefused, S::kFault, A::kNone},
    {S::kHoming, E::kSlowDown, S::kSoftStop, A::kSlowDown},
    {S::kHoming, E::kHoldNow, S::kSoftStop, A::kHoldNow},
    {S::kHoming, E::kRelease, S::kReleased, A::kRelease},
    {S::kHoming, E::kFault, S::kFault, A::kHoldNow},

    {S::kRunning, E::kEnded, S::kHold, A::kNone},
    {S::kRunning, E::kRefused, S::kFault, A::kNone},
    {S::kRunning, E::kSlowDown, S::kSoftStop, A::kSlowDown},
    {S::kRunning, E::kHoldNow, S::kSoftStop, A::kHoldNow},
    {S::kRunning, E::kRelease, S::kReleased, A::kRelease},
    {S::kRunning, E::kFault, S::kFault, A::kHoldNow},

    {S::kSoftStop, E::kHoldNow, S::kSoftStop, A::kHoldNow},
    {S::kSoftStop, E::kStill, S::kHold, A::kNone},
    {S::kSoftStop, E::kRelease, S::kReleased, A::kRelease},
    {S::kSoftStop, E::kRefused, S::kFault, A::kNone},
    {S::kSoftStop, E::kFault, S::kFault, A::kHoldNow},

    {S::kHold, E::kSlowDown, S::kSoftStop, A::kFinish},
    {S::kHold, E::kHoldNow, S::kHold, A::kFinish},
    {S::kHold, E::kRelease, S::kReleased, A::kRelease},
    {S::kHold, E::kRefused, S::kFault, A::kNone},
    {S::kHold, E::kFault, S::kFault, A::kHoldNow},
    {S::kHold, E::kPlay, S::kHoming, A::kPlay},
    {S::kHold, E::kTest, S::kRunning, A::kTest},

    {S::kFault, E::kSlowDown, S::kFault, A::kFinish},
    {S::kFault, E::kHoldNow, S::kFault, A::kFinish},
    {S::kFault, E::kRelease, S::kReleased, A::kRelease},
    {S::kFault, E::kFault, S::kFault, A::kNone},
    {S::kReleased, E::kFault, S::kReleased, A::kNone},
    {S::kReleased, E::kRelease, S::kReleased, A::kNone},
}};

}  // namespace

const char* name(RunSignal signal) noexcept {
  constexpr std::array<const char*, kNumRunSignals> kNames{
      "reading", "began", "ended",   "slow down", "hold now", "release",
      "still",   "fault", "refused", "play",      "test"};
  const auto index = static_cast<std::size_t>(signal);
  return index < kNames.size() ? kNames[index] : "?";
}

const char* name(RunAction action) noexcept {
  constexpr std::array<const char*, 7> kNames{
      "nothing", "slow down", "hold now", "as --on-stop says", "release", "play", "test"};
  const auto index = static_cast<std::size_t>(action);
  return index < kNames.size() ? kNames[index] : "?";
}

std::span<const RunTransition> run_transitions() noexcept {
  return kTable;
}

RunAction Supervisor::take(RunSignal signal) noexcept {
  for (const RunTransition& t : kTable) {
    if (t.from != state_ || t.signal != signal) continue;
    state_ = t.to;
    return t.action;
  }
  return RunAction::kNone;
}

void StopConfirmation::step(bool stands, std::uint32_t sequence, bool confirmed,
                            std::int64_t now_ns, EventList& events) noexcept {
  if (!stands || sequence == 0) {
    watching_ = false;
    return;
  }
  if (!watching_ || sequence != sequence_) {
    watching_ = true;
    told_ = false;
    sequence_ = sequence;
    since_ns_ = now_ns;
  }
  if (told_) return;
  const double waited = seconds(now_ns - since_ns_);
  if (confirmed) {
    events.add(EventCode::kStopConfirmed, waited);
    told_ = true;
  } else if (now_ns - since_ns_ >= kLimitNs) {
    events.add(EventCode::kStopUnconfirmed, waited);
    told_ = true;
  }
}

bool board_confirms(int board, const drivers::ServoTargets& targets,
                    const drivers::ServoSample& sample, std::int64_t now_ns) noexcept {
  constexpr std::int64_t kHeardNs = 200'000'000;
  const drivers::BoardCommand& command = sample.command[static_cast<std::size_t>(board)];
  const drivers::BoardReading& reading = sample.reading[static_cast<std::size_t>(board)];
  if (sample.port_gone || targets.sequence == 0) return false;
  if (command.sequence != targets.sequence || command.mode != targets.mode) return false;
  if (!command.complete) return false;
  return now_ns - std::max(command.effective_ns, reading.received_ns) <= kHeardNs;
}

bool all_boards_confirm(const drivers::ServoTargets& targets, const drivers::ServoSample& sample,
                        int num_boards, std::int64_t now_ns) noexcept {
  if (targets.mode == drivers::TargetMode::kSleep && !sample.sleep_confirmed) return false;
  for (int b = 0; b < num_boards; ++b) {
    if (!board_confirms(b, targets, sample, now_ns)) return false;
  }
  return true;
}

}  // namespace kagami::runtime
