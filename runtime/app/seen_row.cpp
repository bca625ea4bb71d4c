#include "runtime/app/seen_row.hpp"

namespace kagami::runtime {
namespace {

/// It makes a run hold in a fault.
bool event_is_fault(EventCode code) {
  switch (code) {
    case EventCode::kTargetRefused:
    case EventCode::kJumpRefused:
    case EventCode::kSampleStale:
    case EventCode::kPortGone:
    case EventCode::kControlNotFinite:
    case EventCode::kControlOld:
    case EventCode::kControlBadOutput:
    case EventCode::kControlSaturated:
    case EventCode::kControlLoopOpen:
    case EventCode::kControlFootInAir:
    case EventCode::kControlFailed:
    case EventCode::kReferenceLost:
    case EventCode::kReferenceBounds:
      return true;
    default:
      return false;
  }
}

/// It brings a run to a fault, a stop or a release.
bool is_cause(EventCode code) {
  return code == EventCode::kStopRequested || event_is_fault(code);
}

}  // namespace

void SeenRow::see(const CycleRecord& row, const std::vector<std::string>& joint_names) {
  const CycleOutput& out = row.out;
  state = out.state;
  phase = out.phase;
  tick = row.in.tick;
  now_ns = row.in.now_ns;
  version = out.tuning_version;
  paused = out.paused;
  reverse = out.reverse;
  testing = out.test != JointTestStage::kNone;
  leads = out.controller;
  standing = out.phase == Phase::kDone ? out.q_ref : out.targets.angle;
  for (int k = 0; k < out.num_events; ++k) {
    note_cause(out.events[static_cast<std::size_t>(k)], joint_names);
  }
  const bool moves = state == SupervisorState::kHoming || state == SupervisorState::kRunning;
  if (moves) reason.clear();
}

void SeenRow::note_cause(const Event& event, const std::vector<std::string>& joint_names) {
  if (!is_cause(event.code)) return;
  // what follows a fault is no cause of it; a release is one of its own
  if (state == SupervisorState::kFault && !event_is_fault(event.code)) return;
  reason = event_sentence(event, joint_names);
}

}  // namespace kagami::runtime
