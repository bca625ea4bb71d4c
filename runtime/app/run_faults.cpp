// What the cycle found about the robot, as the run's result shows it.
#include "models/base/angle.hpp"
#include "models/base/time.hpp"
#include "runtime/app/outcome.hpp"
#include "runtime/cycle/obedience.hpp"

namespace kagami::runtime {
namespace {

RobotFaultResult result_of(RobotFault fault, int place, const FaultLedger& ledger,
                           const std::vector<std::string>& joint_names) {
  const FaultEpisodes& e = ledger.at(fault, place);
  RobotFaultResult r{.fault = name(fault),
                     .joint = {},
                     .board = {},
                     .count = e.count,
                     .seconds = e.seconds,
                     .worst_deg = to_deg(e.worst),
                     .is_active = e.is_active,
                     .holds = makes_hold(fault)};
  if (e.is_active) r.seconds += seconds(ledger.now_ns() - e.since_ns);
  if (is_of_board(fault)) {
    r.board = place;
  } else if (fault != RobotFault::kModelFell) {
    r.joint = joint_names.at(static_cast<std::size_t>(place));
  }
  return r;
}

}  // namespace

std::vector<RobotFaultResult> robot_faults(const Obedience& obedience,
                                           const std::vector<std::string>& joint_names) {
  std::vector<RobotFaultResult> found;
  const FaultLedger& ledger = obedience.ledger();
  for (int f = 0; f < kNumRobotFaults; ++f) {
    const auto fault = static_cast<RobotFault>(f);
    for (int place = 0; place < kMaxJoints; ++place) {
      if (ledger.at(fault, place).count > 0) {
        found.push_back(result_of(fault, place, ledger, joint_names));
      }
    }
  }
  return found;
}

RobotFaultResult robot_fell() {
  RobotFaultResult r;
  r.fault = "robot_fell";
  r.count = 1;
  r.is_active = true;
  return r;
}

std::optional<std::string> holding_fault(const std::vector<RobotFaultResult>& faults) {
  int not_following = 0;
  for (const RobotFaultResult& f : faults) {
    // also where it is over: the hold was for good
    if (f.holds) return (f.board ? "board " + std::to_string(*f.board) : f.joint) + ": " + f.fault;
    if (f.is_active && f.fault == name(RobotFault::kDoesNotFollow)) ++not_following;
  }
  if (not_following < Obedience::kManyJoints) return std::nullopt;
  return std::to_string(not_following) + " joints: " + name(RobotFault::kDoesNotFollow);
}

}  // namespace kagami::runtime
