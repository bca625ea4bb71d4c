#include "tools/commands/replay_end.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "tools/analysis/report.hpp"
#include "tools/analysis/run_record.hpp"
#include "tools/analysis/run_report.hpp"
#include "tools/cli/table.hpp"
#include "tools/gap/gap_report.hpp"
#include "tools/gap/run_analysis.hpp"
#include "tools/report/report.hpp"
#include "tools/report/report_run.hpp"

namespace kagami::tools {

namespace fs = std::filesystem;
using runtime::RunConfig;
using runtime::RunResult;

namespace {

const char* side_text(DisturbanceSide side) {
  if (side == DisturbanceSide::kBoth) return " (robot and model)";
  return side == DisturbanceSide::kRobot ? " (robot alone)" : " (model alone)";
}

// what happened, how far apart, where, why, what to do
std::vector<std::string> conclusion_of(const RunResult& result, const PostRunAnalysis& after) {
  std::vector<std::string> sentences = {end_sentence(result)};
  for (std::string& sentence :
       conclusion(after.explanation, happenings_sentence(after.happenings))) {
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

nlohmann::json answer_of(const RunResult& result, const PostRunAnalysis& after) {
  nlohmann::json object = run_json(result, after.comparison, after.report);
  object["disturbances"] = disturbances_json(after.disturbances);
  object["explanation"] = explanation_json(after.explanation);
  return object;
}

}  // namespace

PostRunAnalysis analyse_run(const RunConfig& config, const RunResult& result, Console& io) {
  PostRunAnalysis after;
  after.disturbances = config.disturbances;
  for (const Disturbance& d : config.disturbances)
    if (d.when.from >= result.duration_s)
      io.warn(disturbance_text(d) + ": begins after the end of the run and was not applied");
  try {
    const RunRecord record(result.record);
    std::optional<RunWatch> watch;
    if (config.report) watch.emplace(record);
    const RunAnalysis run = analyse_record(record, [&](const runtime::CycleRecord& row) {
      if (watch) watch->add(row);
    });
    after.comparison = compare(run.series);
    after.explanation = explain_gap(run.history);
    after.happenings = run.happenings;
    const std::size_t joints =
        std::min(after.comparison->joints.size(), result.gate_shortfall_deg.size());
    for (std::size_t i = 0; i < joints; ++i)
      after.comparison->joints[i].gate_shortfall_deg = result.gate_shortfall_deg[i];
    if (!watch) return after;
    ReportRun shown = report_run(record, run.series, *after.comparison, after.explanation, *watch);
    after.report = config.out_dir / "report.html";
    write_file_atomically(
        after.report,
        report_page({conclusion_of(result, after), std::move(shown), std::nullopt, {}}));
    write_file_atomically(config.out_dir / "result.json", answer_of(result, after).dump(1) + "\n");
  } catch (const Error& error) {
    io.warn(error.what());  // the robot has moved: its numbers are still worth printing
  }
  return after;
}

void print_run(const RunResult& result, const PostRunAnalysis& after, const nlohmann::json& stored,
               Console& io) {
  if (io.json) {
    nlohmann::json object = answer_of(result, after);
    if (!stored.is_null()) object["stored"] = stored;
    return io.print_json(object);
  }
  std::string text;
  for (const std::string& sentence : conclusion_of(result, after)) text += sentence + "\n";
  text += "\n";
  const std::size_t before_disturbances = text.size();
  for (const Disturbance& d : after.disturbances)
    text += "applied  " + disturbance_text(d) + side_text(d.side) + "\n";
  if (text.size() > before_disturbances) text += "\n";
  if (after.comparison)
    text += after.comparison->samples > 0 ? comparison_text(*after.comparison) + "\n"
                                          : "no readings during the motion: nothing to compare\n\n";
  text += run_text(result);
  text += "record   " + result.record.string() + "\n";
  if (!after.report.empty()) text += "report   " + after.report.string() + "\n";
  io.print(text);
}

ExitCode exit_code_for(const ReplayOptions& opt, const RunResult& result, Console& io) {
  if (result.lost_records > 0)
    io.warn(std::to_string(result.lost_records) + " samples of the record were lost");
  if (!result.record_complete) io.error("the record is incomplete: " + result.record_cause);
  const ExitCode code = exit_code_of(result);
  if (result.end != runtime::RunEnd::kCompleted && code != ExitCode::kInterrupted) {
    io.error(result.end_text);
    return code;
  }
  if (code == ExitCode::kInterrupted) io.say(result.end_text);  // no error: a stop was requested
  if (!result.record_complete) return ExitCode::kFailure;
  if (code == ExitCode::kInterrupted) return code;
  if (!result.refused.empty()) {
    io.error(std::to_string(result.refused.size()) +
             " requests of --at or --switch were refused; " + result.refused.front());
    return ExitCode::kFailure;
  }
  if (opt.expect_standing) {
    if (!result.fell_robot && !result.fell_shadow)
      io.warn("--expect-standing: on the stand nothing can fall");
    if (result.fell_robot.value_or(false) || result.fell_shadow.value_or(false))
      return ExitCode::kFinding;
  }
  if (code == ExitCode::kRobotFault)
    io.error(result.end_text + ", with faults of the robot: see the lines 'fault' and 'standing'");
  return code;
}

}  // namespace kagami::tools
