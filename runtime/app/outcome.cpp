#include "runtime/app/outcome.hpp"

#include <nlohmann/json.hpp>

#include "runtime/app/run_result.hpp"

namespace kagami::runtime {
const char* name(Outcome outcome) noexcept {
  // in the order of Outcome
  constexpr const char* kNames[] = {"completed", "completed_with_faults", "stopped", "fault"};
  return kNames[static_cast<std::size_t>(outcome)];
}

nlohmann::json robot_faults_json(const std::vector<RobotFaultResult>& faults) {
  using nlohmann::json;
  json rows = json::array();
  for (const RobotFaultResult& f : faults) {
    rows.push_back({{"fault", f.fault},
                    {"joint", f.joint.empty() ? json(nullptr) : json(f.joint)},
                    {"board", f.board ? json(*f.board) : json(nullptr)},
                    {"count", f.count},
                    {"seconds", f.seconds},
                    {"worst_deg", f.worst_deg},
                    {"active", f.is_active}});
  }
  return rows;
}

Outcome outcome_of(const RunResult& result) noexcept {
  switch (result.end) {
    case RunEnd::kCompleted:
      return result.faults.empty() ? Outcome::kCompleted : Outcome::kCompletedWithFaults;
    case RunEnd::kInterrupted:
      return Outcome::kStopped;
    case RunEnd::kLinkLost:
    case RunEnd::kSafetyStop:
      return Outcome::kFault;
  }
  return Outcome::kFault;
}

}  // namespace kagami::runtime
