#include "runtime/cycle/robot_fault.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/time.hpp"

namespace kagami::runtime {
namespace {

struct FaultText {
  const char* name;
  EventCode start;
  EventCode end;
};

// in the order of RobotFault
constexpr std::array<FaultText, kNumRobotFaults> kTexts{{
    {"does_not_follow", EventCode::kDoesNotFollow, EventCode::kFollowsAgain},
    {"frozen", EventCode::kFrozen, EventCode::kFrozenEnded},
    {"board_frozen", EventCode::kBoardFrozen, EventCode::kBoardFrozenEnded},
    {"implausible_joint", EventCode::kImplausibleJoint, EventCode::kImplausibleEnded},
    {"board_restarted", EventCode::kBoardRestarted, EventCode::kBoardRestartEnded},
    {"gate_shortfall", EventCode::kGateShortfall, EventCode::kGateShortfallEnded},
    {"model_fell", EventCode::kModelFell, EventCode::kModelStands},
}};

std::size_t index(RobotFault fault) noexcept {
  return static_cast<std::size_t>(fault);
}

}  // namespace

const char* name(RobotFault fault) noexcept {
  return index(fault) < kTexts.size() ? kTexts[index(fault)].name : "unknown";
}

bool is_of_board(RobotFault fault) noexcept {
  return fault == RobotFault::kBoardFrozen || fault == RobotFault::kBoardRestarted;
}

bool makes_hold(RobotFault fault) noexcept {
  return fault == RobotFault::kFrozen || fault == RobotFault::kImplausibleJoint ||
         is_of_board(fault);
}

void FaultLedger::begin_tick(std::int64_t now_ns) noexcept {
  now_ns_ = now_ns;
  starts_ = 0;
}

bool FaultLedger::start(RobotFault fault, int place, double difference,
                        EventList& events) noexcept {
  FaultEpisodes& e = episodes_[index(fault)][static_cast<std::size_t>(place)];
  if (e.is_active) return true;
  if (starts_ == kMaxStartsPerTick) return false;
  ++starts_;
  ++e.count;
  e.is_active = true;
  e.since_ns = now_ns_;
  e.worst = std::max(e.worst, std::abs(difference));
  events.add(kTexts[index(fault)].start, difference, place);
  return true;
}

void FaultLedger::end(RobotFault fault, int place, EventList& events) noexcept {
  FaultEpisodes& e = episodes_[index(fault)][static_cast<std::size_t>(place)];
  if (!e.is_active) return;
  const double length = seconds(now_ns_ - e.since_ns);
  e.is_active = false;
  e.seconds += length;
  events.add(kTexts[index(fault)].end, length, place);
}

void FaultLedger::worsen(RobotFault fault, int place, double difference) noexcept {
  FaultEpisodes& e = episodes_[index(fault)][static_cast<std::size_t>(place)];
  if (e.is_active) e.worst = std::max(e.worst, std::abs(difference));
}

const FaultEpisodes& FaultLedger::at(RobotFault fault, int place) const noexcept {
  return episodes_[index(fault)][static_cast<std::size_t>(place)];
}

}  // namespace kagami::runtime
