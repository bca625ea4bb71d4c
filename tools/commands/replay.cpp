// kagami replay MOTION: plays a motion on the robot and on its model, and says how far apart they
// were.
#include <memory>
#include <nlohmann/json.hpp>

#include "runtime/app/run.hpp"
#include "tools/analysis/run_record.hpp"
#include "tools/analysis/run_report.hpp"
#include "tools/cli/remarks.hpp"
#include "tools/cli/stop_signals.hpp"
#include "tools/cli/table.hpp"
#include "tools/cli/words.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/replay_words.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using runtime::RunConfig;
using runtime::RunResult;

const char* phase_words(runtime::Phase phase) {
  switch (phase) {
    case runtime::Phase::kWaiting:
      return "waiting for the first reading";
    case runtime::Phase::kLeadIn:
      return "to the first pose";
    case runtime::Phase::kPlaying:
      return "playing";
    case runtime::Phase::kSettling:
      return "settling";
    case runtime::Phase::kDone:
      return "done";
    case runtime::Phase::kStopping:
      return "slowing down";
    case runtime::Phase::kHeld:
      return "held";
    case runtime::Phase::kReleasing:
      return "releasing";
    case runtime::Phase::kReleased:
      return "released";
    case runtime::Phase::kSitting:
      return "sitting down";
    case runtime::Phase::kRefused:
      return "refused";
  }
  return "";
}

/// True when the run may begin: always with the virtual robot, else by --yes or an answer.
bool is_agreed(const ReplayOptions& opt, const RunConfig& config, Console& io) {
  if (config.robot == "virtual" || opt.yes) return true;
  io.say("This moves the robot at " + config.robot +
         ": from its present pose to the first pose of " + config.motion_file.stem().string() +
         ", then the motion at speed " + fixed(config.speed, 2) +
         (config.loop ? ", in a loop" : "") +
         ". Ctrl-C slows down and holds, a second one stops at once, a third lets it go limp.");
  return io.confirm("Move the robot?");
}

RunResult run_with_progress(const RunConfig& config, Console& io) {
  runtime::StopRequest stop;
  const StopSignals signals(stop);
  runtime::RunHooks hooks;
  hooks.progress = [&io](const runtime::Progress& progress) {
    std::string words = phase_words(progress.phase);
    if (progress.motion_time > 0.0) words += " " + fixed(progress.motion_time, 1) + " s";
    if (progress.rms_deg >= 0.0) words += ", " + fixed(progress.rms_deg, 2) + " deg RMS";
    io.progress(progress.fraction, words);
  };
  Remarks remarks(io);
  hooks.log = [&remarks](std::string_view sentence) { remarks.add(sentence); };
  hooks.stop = &stop;
  RunResult result = runtime::run(config, hooks);
  io.end_progress();
  remarks.finish();
  return result;
}

/// Comparison and report of a finished run; what cannot be made is said and left out.
struct Aftermath {
  std::optional<Comparison> comparison;
  fs::path report;
};

Aftermath look_back(const RunConfig& config, const RunResult& result, Console& io) {
  Aftermath after;
  try {
    const RunSeries series = RunRecord(result.record).series();
    after.comparison = compare(series);
    if (!config.report) return after;
    const fs::path page = config.out_dir / "report.html";
    write_text_file(page, comparison_page("Kagami: " + result.motion, run_facts(result),
                                          *after.comparison, series));
    after.report = page;
  } catch (const Error& error) {
    io.warn(error.what());  // the robot has moved: its numbers are still worth printing
  }
  return after;
}

void print_run(const RunResult& result, const Aftermath& after, Console& io) {
  if (io.json) return io.print_json(run_json(result, after.comparison, after.report));
  std::string text;
  if (after.comparison)
    text += after.comparison->samples > 0 ? comparison_text(*after.comparison) + "\n"
                                          : "no readings during the motion: nothing to compare\n\n";
  text += run_text(result);
  text += "record   " + result.record.string() + "\n";
  if (!after.report.empty()) text += "report   " + after.report.string() + "\n";
  io.print(text);
}

/// The code of the run's end; a run to the end may still miss what was asked of it.
ExitCode judged(const ReplayOptions& opt, const RunResult& result, Console& io) {
  const ExitCode code = exit_code_of(result.end);
  if (result.lost_records > 0)
    io.warn(std::to_string(result.lost_records) + " rows of the record were lost");
  if (code != ExitCode::kOk) {
    if (code == ExitCode::kInterrupted)
      io.say(result.end_text);  // somebody asked for it
    else
      io.error(result.end_text);
    return code;
  }
  if (!result.record_cause.empty()) {
    io.error(result.record_cause);
    return ExitCode::kFailure;
  }
  if (!opt.expect_standing) return code;
  if (!result.fell_robot && !result.fell_shadow)
    io.warn("--expect-standing: on the stand nothing can fall");
  return result.fell_robot.value_or(false) || result.fell_shadow.value_or(false)
             ? ExitCode::kFinding
             : code;
}

}  // namespace

void replay(const ReplayOptions& opt, Console& io) {
  const RunConfig config = run_config_of(opt, io);
  runtime::check_run_config(config);
  if (!is_agreed(opt, config, io)) {
    io.error("the robot was not moved: it takes --yes, or 'y' typed at a terminal");
    return io.exit_with(ExitCode::kUsage);
  }
  const RunResult result = run_with_progress(config, io);
  const Aftermath after = look_back(config, result, io);
  print_run(result, after, io);
  io.exit_with(judged(opt, result, io));
}

void add_replay(CLI::App& app, Console& io) {
  auto opt = std::make_shared<ReplayOptions>();
  CLI::App* cmd = app.add_subcommand(
      "replay", "Plays a motion on the robot and its model, and compares them joint by joint");
  add_replay_words(*cmd, *opt);
  add_json_word(*cmd, io);
  add_common_words(*cmd, io, "replay walk_forward",
                   "replay walk_forward --clock virtual --plant twin --json");
  cmd->callback([opt, &io] { replay(*opt, io); });
}

}  // namespace kagami::tools
