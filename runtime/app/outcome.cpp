#include "runtime/app/outcome.hpp"

#include <nlohmann/json.hpp>

#include "runtime/app/run_result.hpp"

namespace kagami::runtime {
const char* name(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::kCompleted:
      return "completed";
    case Outcome::kCompletedWithFaults:
      return "completed_with_faults";
    case Outcome::kStopped:
      return "stopped";
    case Outcome::kFault:
      return "fault";
  }
  return "unknown";
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
