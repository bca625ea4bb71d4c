// Which events begin something and which end it.
#include <algorithm>
#include <array>

#include "tools/report/run_course.hpp"

namespace kagami::tools {
namespace {

using runtime::EventCode;

struct Pair {
  EventCode begin;
  EventCode end;
};
constexpr std::array kPairs = {Pair{EventCode::kLimitClamped, EventCode::kLimitCleared},
                               Pair{EventCode::kRateClamped, EventCode::kRateCleared},
                               Pair{EventCode::kTargetRefused, EventCode::kTargetBack},
                               Pair{EventCode::kSampleStale, EventCode::kSampleBack},
                               Pair{EventCode::kPortGone, EventCode::kPortBack},
                               Pair{EventCode::kShadowReset, EventCode::kShadowRestored},
                               Pair{EventCode::kTwinReset, EventCode::kTwinRestored},
                               Pair{EventCode::kCommandGap, EventCode::kCommandGapEnded},
                               Pair{EventCode::kComputerLate, EventCode::kComputerBack},
                               Pair{EventCode::kDoesNotFollow, EventCode::kFollowsAgain},
                               Pair{EventCode::kFrozen, EventCode::kFrozenEnded},
                               Pair{EventCode::kBoardFrozen, EventCode::kBoardFrozenEnded},
                               Pair{EventCode::kImplausibleJoint, EventCode::kImplausibleEnded},
                               Pair{EventCode::kBoardRestarted, EventCode::kBoardRestartEnded},
                               Pair{EventCode::kGateShortfall, EventCode::kGateShortfallEnded},
                               Pair{EventCode::kModelFell, EventCode::kModelStands}};

const Pair* begun_by(EventCode code) {
  const auto* pair =
      std::find_if(kPairs.begin(), kPairs.end(), [&](const Pair& p) { return p.begin == code; });
  return pair == kPairs.end() ? nullptr : pair;
}

}  // namespace

std::vector<RunSpan> episodes(const std::vector<RunEvent>& events, double end) {
  std::vector<RunSpan> spans;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const RunEvent& begin = events[i];
    const Pair* pair = begun_by(begin.event.code);
    if (pair == nullptr) continue;
    const auto is_end = [&](const RunEvent& e) {
      return e.event.code == pair->end && e.event.joint == begin.event.joint;
    };
    const auto over =
        std::find_if(events.begin() + static_cast<std::ptrdiff_t>(i) + 1, events.end(), is_end);
    spans.push_back({begin.time, over == events.end() ? end : over->time, begin.sentence,
                     runtime::event_level(begin.event.code)});
  }
  return spans;
}

}  // namespace kagami::tools
