// kagami compare RECORD: how far the robot was from its model, joint by joint.
#include "tools/analysis/compare.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/base/file_replacement.hpp"
#include "tools/analysis/record_answers.hpp"
#include "tools/analysis/report.hpp"
#include "tools/analysis/run_record.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/commands.hpp"

namespace kagami::tools {
namespace {

struct CompareOptions {
  std::string record;
  std::string baseline;
  std::string html;
  std::optional<double> tolerance_deg;
};

nlohmann::json answer_json(const CompareOptions& opt, const NamedComparison& run,
                           const std::optional<NamedComparison>& baseline) {
  nlohmann::json object = comparison_json(run, baseline);
  if (opt.tolerance_deg) {
    object["tolerance_deg"] = *opt.tolerance_deg;
    object["within_tolerance"] = is_within(run.comparison, *opt.tolerance_deg);
  }
  return object;
}

/// A comparison of what the file holds; what it lacks is a warning and a failure.
NamedComparison compared(const std::string& file, RunSeries& series, Console& io) {
  const RunRecord record{file};
  const runtime::Completeness state = record.completeness();
  if (!state.complete) {
    io.warn(file + ": incomplete: " + state.why);
    io.exit_with(ExitCode::kFailure);
  }
  series = record.series();
  return {file, compare(series), state.complete};
}

void write_page(const CompareOptions& opt, const Comparison& comparison, const RunSeries& run) {
  const PageFacts facts = {{"Motion", comparison.motion}, {"Record", opt.record}};
  write_file_atomically(opt.html,
                        comparison_page("Kagami: " + comparison.motion, facts, comparison, run));
}

void judge(const CompareOptions& opt, const Comparison& comparison, Console& io) {
  if (!opt.tolerance_deg || is_within(comparison, *opt.tolerance_deg)) return;
  io.exit_with(ExitCode::kFinding);
  if (comparison.samples == 0) return io.say("no readings: nothing is within a tolerance");
  std::string joints;
  for (const JointComparison& joint : comparison.joints)
    if (joint.samples > 0 && *joint.rms_deg > *opt.tolerance_deg)
      joints += (joints.empty() ? "" : ", ") + joint.name + " " + fixed(joint.rms_deg, 2);
  io.say("above the tolerance of " + fixed(opt.tolerance_deg, 2) + " deg RMS: " + joints);
}

void run_compare(const CompareOptions& opt, Console& io) {
  RunSeries run;
  const NamedComparison named = compared(opt.record, run, io);
  const Comparison& comparison = named.comparison;
  std::optional<NamedComparison> baseline;
  RunSeries of_baseline;
  if (!opt.baseline.empty()) baseline = compared(opt.baseline, of_baseline, io);
  if (io.json) {
    io.print_json(answer_json(opt, named, baseline));
  } else {
    io.print(comparison_text(comparison));
    if (baseline) io.print("\n" + changes_text(comparison, baseline->comparison));
  }
  if (!opt.html.empty()) {
    write_page(opt, comparison, run);
    io.say("page: " + opt.html);
  }
  judge(opt, comparison, io);
}

}  // namespace

void add_compare(Command& app, Console& io) {
  auto opt = std::make_shared<CompareOptions>();
  Command cmd =
      app.add_command("compare", "Compare the simulated and measured joint angles of a record.");
  add_record_argument(cmd, opt->record);
  cmd.add_option("--baseline", opt->baseline, "A second record. The differences are printed too.")
      .existing_file();
  cmd.add_option("--tolerance", opt->tolerance_deg,
                 "Largest RMS of a joint, deg. Exit with code 6 if a joint is above it.")
      .value("DEG")
      .range(0.0, 30.0);
  cmd.add_option("--html", opt->html, "Write the table and the curves to one HTML page.")
      .value("FILE");
  add_json_option(cmd, io);
  add_common_options(cmd, io, "compare run.mcap --html run.html",
                     "compare today.mcap --baseline last_week.mcap --tolerance 2");
  cmd.on_run([opt, &io] { run_compare(*opt, io); });
}

}  // namespace kagami::tools
