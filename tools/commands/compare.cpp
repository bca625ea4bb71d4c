// kagami compare RECORD: how far the robot was from its model, joint by joint.
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "tools/analysis/compare.hpp"
#include "tools/analysis/record_answers.hpp"
#include "tools/analysis/record_checks.hpp"
#include "tools/analysis/report.hpp"
#include "tools/analysis/run_record.hpp"
#include "tools/analysis/verdict.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/compare_history.hpp"
#include "tools/gap/explain.hpp"
#include "tools/gap/gap_report.hpp"
#include "tools/gap/run_analysis.hpp"
#include "tools/report/health_section.hpp"
#include "tools/report/report.hpp"
#include "tools/report/report_run.hpp"

namespace kagami::tools {
namespace {

struct CompareOptions {
  std::string record;
  std::string baseline;
  std::vector<std::string> repeats;
  std::string html;
  std::string figures;
  std::string junit;
  std::optional<double> tolerance_deg;
  bool explain = false;
  HistoryOptions history;
};

/// A record that was read: its comparison, its curves, and where the gap comes from.
struct Compared {
  NamedComparison named;
  std::vector<JointExplanation> explanation;
  std::vector<Happening> happenings;
  std::optional<ReportRun> report;  ///< where one is written
};

/// The curves of further records of the same motion.
std::vector<RunSeries> series_of(const std::vector<std::string>& names, Console& io) {
  std::vector<RunSeries> all;
  for (const std::string& name : names) all.push_back(RunRecord(record_file(name, io)).series());
  return all;
}

/// What the file lacks is a warning and a failure.
Compared compared(const std::string& name, const std::vector<RunSeries>& repeats, bool with_report,
                  Console& io) {
  const std::string file = record_file(name, io);
  const RunRecord record{file};
  const runtime::Completeness state = record.completeness();
  if (!state.complete) {
    io.warn(file + ": incomplete: " + state.why);
    io.exit_with(ExitCode::kFailure);
  }
  std::optional<RunWatch> watch;
  if (with_report) watch.emplace(record);
  RunAnalysis run = analyse_record(record, [&](const runtime::CycleRecord& row) {
    if (watch) watch->add(row);
  });
  for (const std::string& finding : run.findings) io.warn(file + ": " + finding);
  if (!run.not_explained.empty()) io.warn("no causes: " + run.not_explained);
  for (const RunSeries& repeat : repeats) {
    if (repeat.motion != run.series.motion) {
      throw ConfigError(file + ": plays '" + run.series.motion + "', a repeat '" + repeat.motion +
                        "'; expected runs of the same motion");
    }
  }
  Compared all = {{file, compare(run.series, repeats), state.complete},
                  explain_gap(run.history),
                  std::move(run.happenings),
                  {}};
  if (watch)
    all.report = report_run(record, run.series, all.named.comparison, all.explanation, *watch);
  return all;
}

/// How far, where, why, what happened, what to do.
std::vector<std::string> sentences(const Compared& run) {
  std::vector<std::string> all = conclusion(run.explanation, happenings_sentence(run.happenings));
  const bool is_explained = all.size() > 1;
  if (!is_explained) all.insert(all.begin(), distance_sentence(run.named.comparison));
  return all;
}

/// The page, and the figures with the answer as `result.json`. Takes the runs' data away.
void write_report(const CompareOptions& opt, Compared& run, std::optional<Compared>& baseline,
                  const nlohmann::json& answer, Console& io) {
  ReportData data{sentences(run), std::move(*run.report), std::nullopt, {}};
  if (!opt.history.folder.empty()) data.more = health_sections(history_of(opt.history, io));
  if (baseline) data.baseline = std::move(baseline->report);
  if (!opt.html.empty()) {
    write_file_atomically(opt.html, report_page(data));
    io.say("page: " + opt.html);
  }
  if (opt.figures.empty()) return;
  write_figures(opt.figures, data);
  write_file_atomically(std::filesystem::path(opt.figures) / "result.json", answer.dump(1) + "\n");
  io.say("figures: " + opt.figures);
}

std::vector<JointVerdict> verdicts_of(const CompareOptions& opt, const Comparison& run,
                                      const std::optional<Compared>& baseline) {
  const double tolerance = *opt.tolerance_deg;
  return baseline ? verdicts(run, baseline->named.comparison, tolerance) : verdicts(run, tolerance);
}

void judge(const CompareOptions& opt, const Comparison& run,
           const std::optional<Compared>& baseline, Console& io) {
  if (!opt.tolerance_deg) return;
  const std::vector<JointVerdict> all = verdicts_of(opt, run, baseline);
  if (!opt.junit.empty()) {
    write_file_atomically(opt.junit, junit_text("kagami compare " + opt.record, all));
    io.say("JUnit: " + opt.junit);
  }
  if (all_passed(all)) return;
  io.exit_with(ExitCode::kFinding);
  if (all.empty()) return io.say("no readings: nothing is within a tolerance");
  io.say("above the tolerance of " + fixed(opt.tolerance_deg, 2) +
         (baseline ? " deg of change: " : " deg RMS: ") + failures_text(all));
}

nlohmann::json answer_json(const CompareOptions& opt, const Compared& run,
                           const std::optional<Compared>& baseline) {
  std::optional<NamedComparison> other;
  if (baseline) other = baseline->named;
  nlohmann::json object = comparison_json(run.named, other);
  object["explanation"] = explanation_json(run.explanation);
  object["explanation"]["conclusion"] = sentences(run);
  object["happened"] = happenings_json(run.happenings);
  if (baseline) object["equal"] = are_equal(run.named.comparison, other->comparison);
  if (opt.tolerance_deg) {
    object["tolerance_deg"] = *opt.tolerance_deg;
    object["within_tolerance"] = all_passed(verdicts_of(opt, run.named.comparison, baseline));
  }
  return object;
}

std::string sentences_text(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text.empty() ? text : text + "\n";
}

void print_comparison(const CompareOptions& opt, const Compared& run,
                      const std::optional<Compared>& baseline, Console& io) {
  if (io.json) return io.print_json(answer_json(opt, run, baseline));
  const Comparison& comparison = run.named.comparison;
  io.print(sentences_text(sentences(run)) + comparison_text(comparison));
  const std::string responses = responses_text(comparison);
  if (!responses.empty()) io.print("\n" + responses);
  if (!run.explanation.empty()) io.print("\n" + causes_text(run.explanation, io.help_width()));
  if (opt.explain) io.print("\n" + explanation_glossary());
  if (!baseline) return;
  const Comparison& other = baseline->named.comparison;
  io.print("\n" + (are_equal(comparison, other) ? "Both records have equal readings and curves.\n"
                                                : changes_text(comparison, other)));
}

/// Throws ConfigError unless a record, --history, or both of them for a report are given.
void check_what_is_compared(const CompareOptions& opt) {
  if (opt.history.folder.empty() && opt.record.empty()) {
    throw ConfigError("no record named; expected a file, a folder, latest, or --history DIR");
  }
  const bool has_report = !opt.html.empty() || !opt.figures.empty();
  if (opt.history.folder.empty() || (!opt.record.empty() && has_report)) return;
  const bool is_of_one = !opt.record.empty() || !opt.baseline.empty() || !opt.repeats.empty() ||
                         has_report || opt.tolerance_deg || opt.explain;
  if (is_of_one) {
    throw ConfigError(
        "--history goes with --csv and --json alone, or with a record and --html or --figures; "
        "--baseline, --repeat, --tolerance and --explain are for one run");
  }
}

void run_compare(const CompareOptions& opt, Console& io) {
  check_what_is_compared(opt);
  if (opt.record.empty()) return print_history(opt.history, io);
  const bool with_report = !opt.html.empty() || !opt.figures.empty();
  const std::vector<RunSeries> repeats = series_of(opt.repeats, io);
  Compared run = compared(opt.record, repeats, with_report, io);
  std::optional<Compared> baseline;
  if (!opt.baseline.empty()) {
    baseline = compared(opt.baseline, repeats, with_report, io);
    const auto pair = pair_findings(RunRecord(run.named.record), RunRecord(baseline->named.record));
    for (const std::string& finding : pair) io.warn(finding);
  }
  print_comparison(opt, run, baseline, io);
  if (with_report) write_report(opt, run, baseline, answer_json(opt, run, baseline), io);
  judge(opt, run.named.comparison, baseline, io);
}

}  // namespace

void add_compare(Command& app, Console& io) {
  auto opt = std::make_shared<CompareOptions>();
  Command cmd =
      app.add_command("compare", "Compare the simulated and measured joint angles of a record.");
  cmd.add_option("record", opt->record,
                 "Record of a run: an .mcap file, the folder of a session, or latest.")
      .value("FILE|DIR|latest");
  cmd.add_option(
         "--baseline", opt->baseline,
         "A second record. The changes from it are printed, and a report has its curves too.")
      .value("FILE|DIR|latest");
  cmd.add_option("--repeat", opt->repeats,
                 "A further record of the same motion by the same robot. What differs between the "
                 "runs is noise. May be repeated.")
      .value("FILE|DIR|latest")
      .repeatable();
  cmd.add_flag("--explain", opt->explain, "Print what each number means.");
  const Option tolerance =
      cmd.add_option(
             "--tolerance", opt->tolerance_deg,
             "Largest RMS of a joint, deg; with --baseline, largest change of RMS or bias. Exit "
             "with code 6 if a joint is above it.")
          .value("DEG")
          .range(0.0, 30.0);
  cmd.add_option("--html", opt->html,
                 "Write a report to one HTML page: conclusion, events, causes, curves, timing.")
      .value("FILE");
  cmd.add_option("--figures", opt->figures,
                 "Write the report's figures to a folder as SVG and CSV, and the answer of --json "
                 "as result.json.")
      .value("DIR");
  cmd.add_option("--junit", opt->junit, "With --tolerance: write one test case a joint as XML.")
      .value("FILE")
      .needs(tolerance);
  add_history_options(cmd, opt->history);
  add_json_option(cmd, io);
  add_common_options(cmd, io, "compare run.mcap --html run.html",
                     "compare today.mcap --baseline last_week.mcap --tolerance 2");
  cmd.on_run([opt, &io] { run_compare(*opt, io); });
}

}  // namespace kagami::tools
