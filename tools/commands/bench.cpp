// kagami bench dynamics|contact|cycle|dashboard: our own results, and other engines' beside them.
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>

#include "models/base/errors.hpp"
#include "tools/bench/report/bench_run.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/subprogram.hpp"
#include "tools/commands/commands.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

struct BenchOptions {
  std::string programs;
  std::string native;
  std::string peers = "auto";
  std::string only;
  int repetitions = 0;  ///< 0: the default of the benchmark
  bool require_bounds = false;
  bool markdown = false;
};

/// Where kagami-bench-* may lie: named, beside the program, or in the build tree.
std::vector<fs::path> program_folders(const BenchOptions& opt, const Console& io) {
  if (!opt.programs.empty()) return {opt.programs, fs::path(opt.programs) / "peers"};
  std::error_code ignored;
  const fs::path here = fs::weakly_canonical(io.program(), ignored).parent_path();
  return {here, here / "bench", here / "bench/peers"};
}

/// The program, or an empty path.
fs::path find_program(const BenchOptions& opt, const Console& io, const std::string& name) {
  std::error_code ignored;
  for (const fs::path& folder : program_folders(opt, io))
    if (fs::exists(folder / ("kagami-bench-" + name), ignored))
      return folder / ("kagami-bench-" + name);
  return {};
}

fs::path our_program(const BenchOptions& opt, const Console& io, const std::string& name) {
  const fs::path program = find_program(opt, io, name);
  if (program.empty())
    throw ConfigError(
        "kagami-bench-" + name + " is not beside this program; configure with " +
        "-DKAGAMI_BENCH=ON and build the target kagami_bench, or call ./kagami bench");
  return program;
}

std::vector<RowSpec> chosen_rows(std::vector<RowSpec> rows, const std::string& only) {
  if (only.empty()) return rows;
  std::vector<RowSpec> chosen;
  try {
    const std::regex wanted(only);
    for (RowSpec& row : rows)
      if (std::regex_search(row.name, wanted)) chosen.push_back(std::move(row));
  } catch (const std::regex_error&) {
    throw ConfigError("--only: '" + only + "' is not a regular expression");
  }
  if (chosen.empty()) throw ConfigError("--only: no row's name matches '" + only + "'");
  return chosen;
}

/// A wrong answer or a broken program is a failure; an exceeded bound only when requested.
ExitCode verdict(const BenchReport& report, bool require_bounds) {
  ExitCode code = ExitCode::kOk;
  for (const BenchRow& row : report.rows) {
    if (!row.error.empty()) return ExitCode::kFailure;
    const bool bounded = !row.bound.empty() || !row.not_below.empty();
    if (require_bounds && bounded && row.holds != true) code = ExitCode::kFinding;
  }
  return code;
}

void show(const BenchReport& report, const BenchOptions& opt, Console& io) {
  io.end_progress();
  if (io.json)
    io.print_json(bench_json(report));
  else
    io.print(opt.markdown ? bench_markdown(report) : bench_text(report));
  for (const BenchRow& row : report.rows)
    if (!row.error.empty()) io.error(row.name + ": " + row.error);
  io.exit_with(verdict(report, opt.require_bounds));
}

/// One program of ours and the same rows of other engines.
struct Comparison {
  const char* name;  ///< of the subcommand and of our program
  std::vector<RowSpec> (*rows)();
  bool with_ode;
  int repetitions;  ///< when none are given
};

std::vector<BenchProgram> peers_of(const BenchOptions& opt, const Console& io, bool with_ode) {
  std::vector<BenchProgram> peers = {
      {"mujoco 2.2.2", find_program(opt, io, "mujoco"), "libmujoco-dev"},
      {"dart 6.12.1", find_program(opt, io, "dart"), "libdart-dev"},
      {"bullet 3.24", find_program(opt, io, "bullet"), "libbullet-dev"},
  };
  if (with_ode)
    peers.insert(peers.begin() + 1, {"ode 0.16.2", find_program(opt, io, "ode"), "libode-dev"});
  return peers;
}

void run_comparison(const Comparison& what, const BenchOptions& opt, Console& io) {
  BenchSettings settings;
  settings.rows = chosen_rows(what.rows(), opt.only);
  settings.ours = our_program(opt, io, what.name);
  settings.native = opt.native;
  settings.repetitions = opt.repetitions > 0 ? opt.repetitions : what.repetitions;
  if (opt.peers == "auto") settings.peers = peers_of(opt, io, what.with_ode);
  settings.progress = [&io](double share, const std::string& text) { io.progress(share, text); };
  show(run_bench(settings), opt, io);
}

void run_cycle(const BenchOptions& opt, Console& io) {
  BenchSettings settings;
  settings.rows = chosen_rows(cycle_rows(), opt.only);
  settings.ours = our_program(opt, io, "cycle");
  settings.repetitions = opt.repetitions > 0 ? opt.repetitions : 15;
  settings.rounds = 1;  // nothing to compare with, and each start replays the walk
  show(run_bench(settings), opt, io);
}

void run_dashboard(const BenchOptions& opt, Console& io) {
  BenchSettings settings;
  settings.rows = chosen_rows(dashboard_rows(), opt.only);
  settings.ours = our_program(opt, io, "dashboard");
  settings.repetitions = opt.repetitions > 0 ? opt.repetitions : 5;
  settings.rounds = 1;  // each repetition takes its seconds
  show(run_bench(settings), opt, io);
}

void add_bench_options(Command& cmd, BenchOptions& opt, Console& io) {
  cmd.add_option("--repetitions", opt.repetitions,
                 "Number of measurements of each row. Default: depends on the benchmark.")
      .value("N")
      .range(1, 1000);
  cmd.add_option("--programs", opt.programs, "Folder of the kagami-bench-* programs.")
      .existing_folder();
  cmd.add_flag("--markdown", opt.markdown, "Print the table in Markdown.");
  add_json_option(cmd, io);
}

void add_comparison(Command& bench, const Comparison& what,
                    const std::shared_ptr<BenchOptions>& opt, Console& io,
                    const char* description) {
  Command cmd = bench.add_command(what.name, description);
  add_bench_options(cmd, *opt, io);
  cmd.add_option("--peers", opt->peers,
                 "Measure other engines too. auto: those that are installed.")
      .one_of({"auto", "none"})
      .with_default();
  cmd.add_option("--only", opt->only, "Measure the rows whose names match this regular expression.")
      .value("REGEX");
  cmd.add_option("--native", opt->native,
                 "Kagami's benchmark program, compiled for this processor.")
      .existing_file();
  cmd.add_flag("--require-bounds", opt->require_bounds,
               "Exit with code 6 if a row is above its bound.");
  const std::string call = std::string("bench ") + what.name;
  add_common_options(cmd, io, call + " --only khr1", call + " --json --repetitions 30");
  cmd.on_run([what, opt, &io] { run_comparison(what, *opt, io); });
}

}  // namespace

void add_bench(Command& app, Console& io) {
  auto opt = std::make_shared<BenchOptions>();
  Command cmd = add_subprogram(app, "bench");
  cmd.require_command();
  add_common_options(cmd, io, "bench dynamics", "bench cycle --json");

  add_comparison(cmd, {"dynamics", dynamics_rows, false, 15}, opt, io,
                 "Measure multibody dynamics, beside MuJoCo, DART and Bullet if installed.");
  add_comparison(cmd, {"contact", contact_rows, true, 5}, opt, io,
                 "Measure contact, beside MuJoCo, ODE, DART and Bullet if installed.");

  Command dashboard =
      cmd.add_command("dashboard", "Measure the load of the dashboard and its response time.");
  add_bench_options(dashboard, *opt, io);
  add_common_options(dashboard, io, "bench dashboard", "bench dashboard --json");
  dashboard.on_run([opt, &io] { run_dashboard(*opt, io); });

  Command cycle =
      cmd.add_command("cycle", "Measure one control cycle, and one update of each controller.");
  add_bench_options(cycle, *opt, io);
  add_common_options(cycle, io, "bench cycle", "bench cycle --json");
  cycle.on_run([opt, &io] { run_cycle(*opt, io); });
}

}  // namespace kagami::tools
