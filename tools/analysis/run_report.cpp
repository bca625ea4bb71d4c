#include "tools/analysis/run_report.hpp"

#include <nlohmann/json.hpp>

#include "tools/analysis/report.hpp"
#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

using runtime::Durations;
using runtime::RunResult;

std::string percent(double share) {
  return fixed(100.0 * share, 1) + " %";
}

std::string durations_text(const Durations& d) {
  return fixed(d.p50, 1) + " us median, " + fixed(d.p99, 1) + " at 99 %, " + fixed(d.max, 1) +
         " at most";
}

// where the boards' own latency is not known it cannot be distinguished from waiting for the
// scheduler
std::string shares_text(const runtime::LineShares& shares) {
  const std::string waiting = shares.boards ? ", boards " + percent(*shares.boards) + ", library " +
                                                  percent(shares.library) + ", waking " +
                                                  percent(shares.waking)
                                            : ", library " + percent(shares.library) +
                                                  ", boards and waking " + percent(shares.waking);
  return "bytes " + percent(shares.bytes) + waiting;
}

std::string line_text(const runtime::LineResult& line) {
  if (line.cycles == 0) return "line     not used";
  const std::string with_latency =
      line.shares.boards ? ", with the boards' latency " + fixed(line.limit_hz, 1) : "";
  const drivers::LineCounters& c = line.counters;
  return "line     " + fixed(line.cycle_hz, 1) + " rounds/s over both boards (bytes alone allow " +
         fixed(line.bytes_limit_hz, 1) + with_latency + "), utilisation " +
         percent(line.utilisation) + "\n         of its time: " + shares_text(line.shares) +
         "\n         sent " + std::to_string(c.sent) + ", answered " + std::to_string(c.answered) +
         ", late " + std::to_string(c.late) + ", bad sums " + std::to_string(c.bad_sum) +
         ", silent " + std::to_string(c.silent) + ", retried " + std::to_string(c.retried);
}

std::string cycle_text(const RunResult& result) {
  std::string text = "cycle    ";
  text += result.cycle_us ? durations_text(*result.cycle_us) : "not timed in virtual time";
  if (result.wake_us) text += "\nwake     " + durations_text(*result.wake_us);
  return text + "\nticks    " + std::to_string(result.ticks) + ", late " +
         std::to_string(result.late_ticks) + ", skipped " + std::to_string(result.skipped_ticks) +
         ", records lost " + std::to_string(result.lost_records);
}

std::string faults_text(const RunResult& result) {
  std::string text;
  for (const runtime::RobotFaultResult& f : result.faults) {
    const std::string place = f.board           ? "board " + std::to_string(*f.board)
                              : f.joint.empty() ? "model"
                                                : f.joint;
    text += "fault    " + place + ": " + f.fault + ", " + fixed(f.worst_deg, 1) + " deg, " +
            fixed(f.seconds, 2) + " s in " + std::to_string(f.count) +
            (f.count == 1 ? " episode" : " episodes") + (f.is_active ? ", also at the end" : "") +
            "\n";
  }
  return text;
}

std::string fell_text(const std::optional<bool>& fell) {
  return !fell ? "not known" : *fell ? "fell" : "stands";
}

std::string duration_text(const RunResult& result) {
  return fixed(result.duration_s, 2) + " s in " + fixed(result.wall_s, 2) + " s, state hash " +
         result.state_hash;
}

std::string realtime_text(const RunResult& result) {
  std::string text = result.realtime_granted ? "granted" : "not granted";
  if (!result.realtime_why.empty()) text += ": " + result.realtime_why;
  return text;
}

}  // namespace

ExitCode exit_code_of(const RunResult& result) {
  switch (runtime::outcome_of(result)) {
    case runtime::Outcome::kCompleted:
      return ExitCode::kOk;
    case runtime::Outcome::kCompletedWithFaults:
      return ExitCode::kRobotFault;
    case runtime::Outcome::kStopped:
      return ExitCode::kInterrupted;
    case runtime::Outcome::kFault:
      return result.end == runtime::RunEnd::kLinkLost ? ExitCode::kCommunication
                                                      : ExitCode::kSafetyStop;
  }
  return ExitCode::kFailure;
}

nlohmann::json run_json(const RunResult& result, const std::optional<Comparison>& comparison,
                        const std::filesystem::path& report) {
  nlohmann::json object = runtime::run_result_json(result);
  object["joints"] = comparison ? joints_json(*comparison) : nlohmann::json::array();
  object["rms_deg"] = comparison ? number_or_null(comparison->rms_deg) : nlohmann::json(nullptr);
  object["report"] = report.empty() ? nlohmann::json(nullptr) : nlohmann::json(report.string());
  return object;
}

std::string end_sentence(const RunResult& result) {
  std::string text = std::string("Outcome: ") + runtime::name(runtime::outcome_of(result));
  if (result.fell_shadow || result.fell_robot) {
    text += "; model " + fell_text(result.fell_shadow) + ", robot " + fell_text(result.fell_robot);
  }
  for (const runtime::RobotFaultResult& f : result.faults) {
    if (!f.joint.empty()) text += "; " + f.joint + ": " + f.fault;
  }
  return text + ".";
}

std::string run_text(const RunResult& result) {
  std::string text = line_text(result.line) + "\n" + cycle_text(result) + "\n";
  text += "real time " + realtime_text(result) + "\n";
  if (result.control) {
    const runtime::ControlResult& c = *result.control;
    text += "control  " + c.controller + " with " + c.gains + " (" + c.gains_hash + ") for " +
            fixed(c.led_s, 2) + " s, at its limit " + fixed(100.0 * c.saturation, 2) +
            " % of joints and cycles: " + c.status + "\n";
  }
  if (result.fell_shadow || result.fell_robot)
    text += "standing model " + fell_text(result.fell_shadow) + ", robot " +
            fell_text(result.fell_robot) + "\n";
  text += faults_text(result) + "outcome  " + runtime::name(runtime::outcome_of(result)) + "\n";
  return text + "run      " + duration_text(result) + "\n";
}

}  // namespace kagami::tools
