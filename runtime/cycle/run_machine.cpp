#include "runtime/cycle/run_machine.hpp"

namespace kagami::runtime {
namespace {

using S = RunState;
using E = RunSignal;
using A = RunAction;

constexpr std::array kTable{
    RunTransition{S::kWaiting, E::kReading, S::kLeadIn, A::kNone},
    RunTransition{S::kWaiting, E::kSlowDown, S::kHeld, A::kPark},
    RunTransition{S::kWaiting, E::kHoldNow, S::kHeld, A::kPark},
    RunTransition{S::kWaiting, E::kRelease, S::kReleasing, A::kRelease},
    RunTransition{S::kWaiting, E::kFault, S::kWaiting, A::kNone},  // nothing moves yet

    RunTransition{S::kLeadIn, E::kBegan, S::kPlaying, A::kReportBegan},
    RunTransition{S::kLeadIn, E::kArrived, S::kSettling, A::kReportBegan},
    RunTransition{S::kLeadIn, E::kEnded, S::kDone, A::kNone},
    RunTransition{S::kLeadIn, E::kSlowDown, S::kStopping, A::kSlowDown},
    RunTransition{S::kLeadIn, E::kHoldNow, S::kStopping, A::kHoldNow},
    RunTransition{S::kLeadIn, E::kRelease, S::kReleasing, A::kRelease},
    RunTransition{S::kLeadIn, E::kFault, S::kFaultStopping, A::kHoldNow},
    RunTransition{S::kLeadIn, E::kRefused, S::kFault, A::kPark},
    RunTransition{S::kLeadIn, E::kStartRefused, S::kRefused, A::kNone},

    RunTransition{S::kPlaying, E::kArrived, S::kSettling, A::kReportEnded},
    RunTransition{S::kPlaying, E::kEnded, S::kDone, A::kReportEnded},
    RunTransition{S::kPlaying, E::kSlowDown, S::kStopping, A::kSlowDown},
    RunTransition{S::kPlaying, E::kHoldNow, S::kStopping, A::kHoldNow},
    RunTransition{S::kPlaying, E::kRelease, S::kReleasing, A::kRelease},
    RunTransition{S::kPlaying, E::kFault, S::kFaultStopping, A::kHoldNow},
    RunTransition{S::kPlaying, E::kRefused, S::kFault, A::kPark},

    RunTransition{S::kSettling, E::kEnded, S::kDone, A::kNone},
    RunTransition{S::kSettling, E::kSlowDown, S::kStopping, A::kSlowDown},
    RunTransition{S::kSettling, E::kHoldNow, S::kStopping, A::kHoldNow},
    RunTransition{S::kSettling, E::kRelease, S::kReleasing, A::kRelease},
    RunTransition{S::kSettling, E::kFault, S::kFaultStopping, A::kHoldNow},
    RunTransition{S::kSettling, E::kRefused, S::kFault, A::kPark},

    RunTransition{S::kDone, E::kSlowDown, S::kStopping, A::kFinish},
    RunTransition{S::kDone, E::kHoldNow, S::kStopping, A::kFinish},
    RunTransition{S::kDone, E::kRelease, S::kReleasing, A::kRelease},
    RunTransition{S::kDone, E::kFault, S::kFaultStopping, A::kHoldNow},
    RunTransition{S::kDone, E::kRefused, S::kFault, A::kPark},
    RunTransition{S::kDone, E::kPlay, S::kLeadIn, A::kPlay},
    RunTransition{S::kDone, E::kTest, S::kTesting, A::kTest},

    RunTransition{S::kTesting, E::kEnded, S::kDone, A::kNone},
    RunTransition{S::kTesting, E::kStill, S::kHeld, A::kNone},
    RunTransition{S::kTesting, E::kSlowDown, S::kTestStopping, A::kSlowDown},
    RunTransition{S::kTesting, E::kHoldNow, S::kTestStopping, A::kFinish},
    RunTransition{S::kTesting, E::kRelease, S::kReleasing, A::kRelease},
    RunTransition{S::kTesting, E::kFault, S::kFault, A::kPark},
    RunTransition{S::kTesting, E::kRefused, S::kFault, A::kPark},

    RunTransition{S::kStopping, E::kHoldNow, S::kStopping, A::kHoldNow},
    RunTransition{S::kStopping, E::kSit, S::kSitting, A::kSit},
    RunTransition{S::kStopping, E::kStill, S::kHeld, A::kPark},
    RunTransition{S::kStopping, E::kRelease, S::kReleasing, A::kRelease},
    RunTransition{S::kStopping, E::kFault, S::kFaultStopping, A::kHoldNow},
    RunTransition{S::kStopping, E::kRefused, S::kFault, A::kPark},

    RunTransition{S::kTestStopping, E::kHoldNow, S::kTestStopping, A::kFinish},
    RunTransition{S::kTestStopping, E::kSit, S::kSitting, A::kSit},
    RunTransition{S::kTestStopping, E::kStill, S::kHeld, A::kPark},
    RunTransition{S::kTestStopping, E::kRelease, S::kReleasing, A::kRelease},
    RunTransition{S::kTestStopping, E::kFault, S::kFault, A::kPark},
    RunTransition{S::kTestStopping, E::kRefused, S::kFault, A::kPark},

    RunTransition{S::kSitting, E::kHoldNow, S::kHeld, A::kHoldRamp},
    RunTransition{S::kSitting, E::kStill, S::kHeld, A::kPark},
    RunTransition{S::kSitting, E::kRelease, S::kReleasing, A::kRelease},
    RunTransition{S::kSitting, E::kFault, S::kFault, A::kHoldRamp},
    RunTransition{S::kSitting, E::kRefused, S::kFault, A::kPark},

    RunTransition{S::kHeld, E::kSlowDown, S::kStopping, A::kFinish},
    RunTransition{S::kHeld, E::kHoldNow, S::kHeld, A::kNone},
    RunTransition{S::kHeld, E::kRelease, S::kReleasing, A::kRelease},
    RunTransition{S::kHeld, E::kFault, S::kFault, A::kNone},
    RunTransition{S::kHeld, E::kRefused, S::kFault, A::kNone},
    RunTransition{S::kHeld, E::kPlay, S::kLeadIn, A::kPlay},
    RunTransition{S::kHeld, E::kTest, S::kTesting, A::kTest},

    RunTransition{S::kFaultStopping, E::kStill, S::kFault, A::kPark},
    RunTransition{S::kFaultStopping, E::kRelease, S::kReleasing, A::kRelease},
    RunTransition{S::kFaultStopping, E::kRefused, S::kFault, A::kPark},

    RunTransition{S::kFault, E::kSlowDown, S::kFault, A::kFinish},
    RunTransition{S::kFault, E::kHoldNow, S::kFault, A::kFinish},
    RunTransition{S::kFault, E::kRelease, S::kReleasing, A::kRelease},

    RunTransition{S::kRefused, E::kSlowDown, S::kRefused, A::kFinish},
    RunTransition{S::kRefused, E::kHoldNow, S::kRefused, A::kFinish},
    RunTransition{S::kRefused, E::kRelease, S::kReleasing, A::kRelease},

    RunTransition{S::kReleasing, E::kAsleep, S::kReleased, A::kNone},
};

struct StateView {
  const char* name;
  Phase phase;
  SupervisorState group;
};

constexpr std::array<StateView, kNumRunStates> kStates{{
    {"waiting", Phase::kWaiting, SupervisorState::kIdle},
    {"lead-in", Phase::kLeadIn, SupervisorState::kHoming},
    {"playing", Phase::kPlaying, SupervisorState::kRunning},
    {"settling", Phase::kSettling, SupervisorState::kRunning},
    {"done", Phase::kDone, SupervisorState::kHold},
    {"testing", Phase::kTesting, SupervisorState::kRunning},
    {"stopping", Phase::kStopping, SupervisorState::kSoftStop},
    {"test stopping", Phase::kTesting, SupervisorState::kSoftStop},
    {"sitting", Phase::kSitting, SupervisorState::kSoftStop},
    {"fault stopping", Phase::kStopping, SupervisorState::kFault},
    {"held", Phase::kHeld, SupervisorState::kHold},
    {"fault", Phase::kHeld, SupervisorState::kFault},
    {"refused", Phase::kRefused, SupervisorState::kFault},
    {"releasing", Phase::kReleasing, SupervisorState::kReleased},
    {"released", Phase::kReleased, SupervisorState::kReleased},
}};

const StateView& view_of(RunState state) noexcept {
  return kStates[static_cast<std::size_t>(state) % kStates.size()];
}

}  // namespace

const char* name(RunState state) noexcept {
  return view_of(state).name;
}

Phase phase_of(RunState state) noexcept {
  return view_of(state).phase;
}

SupervisorState group_of(RunState state) noexcept {
  return view_of(state).group;
}

const char* name(RunSignal signal) noexcept {
  constexpr std::array<const char*, kNumRunSignals> kNames{
      "reading", "began", "arrived", "ended",         "slow down", "hold now", "release", "sit",
      "still",   "fault", "refused", "start refused", "play",      "test",     "asleep"};
  const auto index = static_cast<std::size_t>(signal);
  return index < kNames.size() ? kNames[index] : "?";
}

const char* name(RunAction action) noexcept {
  constexpr std::array<const char*, kNumRunActions> kNames{
      "nothing",         "report the beginning", "report the end", "slow down", "hold now", "park",
      "stop the boards", "as set by --on-stop",  "sit down",       "release",   "play",     "test"};
  const auto index = static_cast<std::size_t>(action);
  return index < kNames.size() ? kNames[index] : "?";
}

std::span<const RunTransition> run_transitions() noexcept {
  return kTable;
}

std::optional<RunAction> RunMachine::take(RunSignal signal) noexcept {
  for (const RunTransition& t : kTable) {
    if (t.from != state_ || t.signal != signal) continue;
    state_ = t.to;
    return t.action;
  }
  return std::nullopt;
}

}  // namespace kagami::runtime
