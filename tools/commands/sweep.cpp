// kagami sweep FILE: a scenario over many values, a process per run, one table.
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/base/temporary_folder.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/robot_choice.hpp"
#include "tools/cli/stop_signals.hpp"
#include "tools/cli/subprogram.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/sweep_setup.hpp"
#include "tools/commands/sweep_slurm.hpp"
#include "tools/sweep/sweep_table.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kShownRuns = 10;
constexpr int kMaxJobs = 1024;
constexpr unsigned long long kMaxShards = 10'000;

struct SweepOptions {
  std::string file;
  std::string out;
  std::string data;
  std::string records;
  std::string shard;
  std::optional<int> jobs;
  std::optional<std::string> only;
  double timeout_s = 3600.0;
  bool list = false;
  bool dry_run = false;
  bool merge = false;
  bool restart = false;
  bool retry = false;
  bool slurm = false;
  SlurmOptions slurm_options;
};

/// "2/8"
void read_shard(const std::string& text, RunSelection& which) {
  if (text.empty()) return;
  unsigned long long shard = 0;
  unsigned long long shards = 0;
  int used = 0;
  const bool reads = std::sscanf(text.c_str(), "%llu/%llu%n", &shard, &shards, &used) == 2 &&
                     static_cast<std::size_t>(used) == text.size() && text.front() != '-';
  if (!reads || shard < 1 || shard > shards || shards > kMaxShards)
    throw ConfigError("--shard '" + text + "': expected I/N with 1 <= I <= N <= " +
                      std::to_string(kMaxShards) + ", as 2/8");
  which.shard = shard;
  which.shards = shards;
}

std::uint64_t read_run(const std::string& text, std::uint64_t runs) {
  const bool is_number = !text.empty() && text.size() < 12 &&
                         text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || std::stoull(text) >= runs)
    throw ConfigError("--only '" + text + "': expected the number of a run, 0.." +
                      std::to_string(runs - 1));
  return std::stoull(text);
}

// what was asked for twice
void check_options(const SweepOptions& opt) {
  const std::pair<bool, const char*> ways[] = {{opt.dry_run, "--dry-run"},
                                               {opt.only.has_value(), "--only"},
                                               {opt.merge, "--merge"},
                                               {!opt.shard.empty(), "--shard"},
                                               {opt.slurm, "--slurm"}};
  const char* first = nullptr;
  for (const auto& [is_given, name] : ways) {
    if (!is_given) continue;
    if (first != nullptr)
      throw ConfigError(std::string(name) + " and " + first + " are given, expected one of them");
    first = name;
  }
  if (opt.merge && (opt.restart || opt.retry))
    throw ConfigError("--merge runs nothing, expected it without --restart and --retry");
  if (!opt.slurm && (opt.slurm_options.tasks > 0 || !opt.slurm_options.options.empty() ||
                     opt.slurm_options.no_wait))
    throw ConfigError("--tasks, --slurm-option and --no-wait belong to --slurm");
}

json parameters_json(const SweepPlan& plan, std::uint64_t run) {
  json all = json::object();
  const std::vector<std::string> values = plan.values_of(run);
  for (std::size_t i = 0; i < values.size(); ++i)
    all[plan.parameters[i].name] = json::parse(values[i]);
  return all;
}

// one run by itself, without the journal
RunEnd run_alone(SweepJob job, std::uint64_t run, double timeout_s, double& seconds) {
  const TemporaryFolder folder;
  job.work = folder.path();
  const auto start = std::chrono::steady_clock::now();
  RunEnd kept;
  bool is_pending = true;
  ChildSettings settings;
  settings.timeout_s = timeout_s;
  settings.next = [&]() -> std::optional<ChildTask> {
    if (!std::exchange(is_pending, false)) return std::nullopt;
    return task_of(job, run);
  };
  settings.ended = [&](const ChildEnd& end) { kept = run_end_of(job, end); };
  settings.is_stopped = [] { return false; };
  run_children(settings);
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return kept;
}

void show_only(const SweepOptions& opt, const SweepJob& job, Console& io) {
  const std::uint64_t run = read_run(*opt.only, job.head.runs);
  double seconds = 0.0;
  const RunEnd end = run_alone(job, run, opt.timeout_s, seconds);
  if (end.outcome != "ok") io.exit_with(ExitCode::kFailure);
  if (io.json) {
    json results = json::object();
    for (std::size_t i = 0; i < end.results.size(); ++i)
      results[job.plan.results[i].name] = json::parse(end.results[i]);
    return io.print_json({{"schema", "kagami.sweep_run/1"},
                          {"run", run},
                          {"parameters", parameters_json(job.plan, run)},
                          {"outcome", end.outcome},
                          {"results", std::move(results)},
                          {"message", end.message},
                          {"command", command_of(job, run)}});
  }
  io.print(table_row(table_format_of(opt.out), job.plan, end));
  io.say("The same run: " + command_of(job, run));
}

std::string time_text(double seconds) {
  if (seconds < 90.0) return fixed(seconds, seconds < 10.0 ? 1 : 0) + " s";
  if (seconds < 5400.0) return fixed(seconds / 60.0, 0) + " min";
  return fixed(seconds / 3600.0, 1) + " h";
}

void show_plan(const SweepOptions& opt, const SweepJob& job, int jobs, Console& io) {
  double seconds = 0.0;
  const RunEnd end = run_alone(job, 0, opt.timeout_s, seconds);
  const std::uint64_t runs = job.head.runs;
  const std::uint64_t shown = std::min(runs, kShownRuns);
  const double whole = seconds * static_cast<double>(runs) / jobs;
  if (io.json) {
    json first = json::array();
    for (std::uint64_t run = 0; run < shown; ++run)
      first.push_back({{"run", run},
                       {"parameters", parameters_json(job.plan, run)},
                       {"command", command_of(job, run)}});
    return io.print_json({{"schema", "kagami.sweep_plan/1"},
                          {"runs", runs},
                          {"jobs", jobs},
                          {"seconds_of_run_0", seconds},
                          {"outcome_of_run_0", end.outcome},
                          {"estimate_s", whole},
                          {"first", std::move(first)}});
  }
  std::vector<Table::Column> columns = {{"run"}};
  for (const SweepParameter& p : job.plan.parameters) columns.push_back({p.name});
  Table table(std::move(columns));
  for (std::uint64_t run = 0; run < shown; ++run) {
    std::vector<std::string> row = job.plan.values_of(run);
    row.insert(row.begin(), std::to_string(run));
    table.add_row(std::move(row));
  }
  std::string text = job.plan.name + ": " + std::to_string(runs) + " runs of " + job.scenario_name +
                     "\n\n" + table.text(io.out_width());
  if (shown < runs) text += "... and " + std::to_string(runs - shown) + " more\n";
  text += "\nRun 0 (" + end.outcome + ") took " + time_text(seconds) + ": all take about " +
          time_text(whole) + " with --jobs " + std::to_string(jobs) + ".\n";
  if (!end.message.empty()) text += end.message + "\n";
  io.print(text + "Run 0 alone: " + command_of(job, 0) + "\n");
}

void finish(const SweepOptions& opt, const SweepJob& job, Console& io) {
  const Journals journals(opt.out, job.head);
  if (journals.done() < job.head.runs)
    throw Error(
        "'" + opt.out + "' is not written: " + std::to_string(job.head.runs - journals.done()) +
        " of " + std::to_string(job.head.runs) + " runs are missing, the first is " +
        std::to_string(journals.first_missing()) + "; 'kagami sweep' without --merge runs them");
  const TableCounts counts = write_table(opt.out, job.plan, journals);
  const auto ok = counts.outcomes.count("ok") > 0 ? counts.outcomes.at("ok") : 0;
  if (ok < job.head.runs) io.exit_with(ExitCode::kFailure);
  if (io.json)
    return io.print_json({{"schema", "kagami.sweep_result/1"},
                          {"table", opt.out},
                          {"runs", job.head.runs},
                          {"outcomes", counts.outcomes}});
  std::string outcomes;
  for (const auto& [outcome, count] : counts.outcomes)
    outcomes += (outcomes.empty() ? "" : ", ") + std::to_string(count) + " " + outcome;
  io.print(opt.out + ": " + std::to_string(job.head.runs) + " runs, " + outcomes + "\n");
  if (const RunEnd& failed = counts.first_failure; !failed.outcome.empty())
    io.say("The first that failed is run " + std::to_string(failed.run) + " (" + failed.outcome +
           "): " + (failed.message.empty() ? "no message" : failed.message) +
           "\nThe same run: " + command_of(job, failed.run));
}

// what an earlier call left out, by the machine's fault
void forget_unlasting(const SweepJob& job, Journals& journals) {
  for (std::uint64_t run = 0; run < job.head.runs; ++run)
    if (journals.has(run) && !journals.read(run).is_lasting()) journals.forget(run);
}

// the runs of earlier calls, but for the file that this process writes
void remove_journals(const fs::path& table, const fs::path& own) {
  for (const fs::path& file : journal_files(table)) {
    std::error_code error;
    if (file != own) fs::remove(file, error);
    if (error) throw RecordError(file.string() + ": cannot be removed: " + error.message());
  }
}

// false: stopped
bool run_here(const SweepOptions& opt, SweepJob& job, const RunSelection& which, Console& io) {
  const fs::path own = journal_file(opt.out, which.shard, which.shards);
  JournalWriter writer(opt.out, which.shard, which.shards);
  if (opt.restart) {
    remove_journals(opt.out, own);
    writer.clear();
  }
  Journals journals(opt.out, job.head);
  if (opt.retry) forget_unlasting(job, journals);
  writer.begin(job.head);
  job.work = fs::absolute(own).string() + ".work";
  const std::uint64_t missing = missing_runs(journals, job, which);
  if (journals.done() > 0 && missing > 0)
    io.say(std::to_string(journals.done()) + " of " + std::to_string(job.head.runs) +
           " runs are done already");
  runtime::StopRequest stop;
  const StopSignals signals(stop);
  std::uint64_t done = 0;
  const auto how_to_go_on = [&] {
    io.end_progress();
    if (done == 0) return;
    io.say(std::to_string(done) + " of " + std::to_string(missing) +
           " runs ended; the same command runs the others");
  };
  try {
    const bool finished = run_missing(
        job, which, journals, writer, [&] { return stop.level() != runtime::StopLevel::kNone; },
        [&](std::uint64_t ended) {
          done = ended;
          io.progress(static_cast<double>(ended) / static_cast<double>(missing),
                      "run " + std::to_string(ended) + " of " + std::to_string(missing));
        });
    if (!finished && done < missing) {
      how_to_go_on();
      io.exit_with(ExitCode::kInterrupted);
      return false;
    }
  } catch (const Error&) {
    how_to_go_on();
    throw;
  }
  io.end_progress();
  return true;
}

void list_sweeps(const SweepOptions& opt, Console& io) {
  const DataFolders data = find_data(io, opt.data);
  json rows = json::array();
  Table table(
      {{"sweep", Align::kLeft}, {"runs"}, {"scenario", Align::kLeft}, {"note", Align::kLeft}});
  for (const std::string& name : shipped_sweeps(data)) {
    const SweepPlan plan = read_sweep(find_sweep(data, name));
    table.add_row({name, std::to_string(plan.runs()), plan.scenario, plan.note});
    rows.push_back({{"name", name},
                    {"file", plan.file.string()},
                    {"runs", plan.runs()},
                    {"scenario", plan.scenario},
                    {"note", plan.note}});
  }
  if (io.json)
    return io.print_json({{"schema", "kagami.sweep_list/1"}, {"sweeps", std::move(rows)}});
  io.print(table.text(io.out_width()));
}

void sweep(SweepOptions& opt, Console& io) {
  if (opt.list) return list_sweeps(opt, io);
  if (opt.file.empty())
    throw ConfigError("no sweep file named; 'kagami sweep --list' shows what is shipped");
  check_options(opt);
  RunSelection which;
  read_shard(opt.shard, which);
  which.jobs = opt.jobs.value_or(usable_cores());
  which.timeout_s = opt.timeout_s;
  SweepJob job = make_sweep_job(opt.file, opt.data, io);
  if (opt.out.empty()) opt.out = job.plan.name + ".csv";
  static_cast<void>(table_format_of(opt.out));
  if (fs::weakly_canonical(opt.out) == fs::weakly_canonical(job.plan.file))
    throw ConfigError("--out '" + opt.out + "' is the sweep file itself, expected another file");
  if (!opt.records.empty()) job.records = fs::absolute(opt.records).lexically_normal();
  if (opt.dry_run) return show_plan(opt, job, which.jobs, io);
  if (opt.only) return show_only(opt, job, io);
  if (opt.slurm) {
    if (opt.restart) remove_journals(opt.out, {});
    opt.slurm_options.timeout_s = opt.timeout_s;
    opt.slurm_options.retry = opt.retry;
    if (!run_on_slurm(job, opt.out, opt.slurm_options, io)) return;
  } else if (!opt.merge && !run_here(opt, job, which, io)) {
    return;
  }
  if (which.shards > 1) {
    if (io.json)
      return io.print_json({{"schema", "kagami.sweep_shard/1"},
                            {"shard", which.shard},
                            {"shards", which.shards},
                            {"runs_file", journal_file(opt.out, which.shard, which.shards)}});
    return io.say("shard " + opt.shard +
                  " is complete: " + journal_file(opt.out, which.shard, which.shards).string() +
                  "; --merge makes the table of all");
  }
  finish(opt, job, io);
}

void add_slurm_options(Command& command, SweepOptions& opt) {
  command.start_group("Slurm");
  command.add_flag("--slurm", opt.slurm,
                   "Run on a Slurm cluster: submit an array job, wait, make the table.");
  command
      .add_option("--tasks", opt.slurm_options.tasks,
                  "Tasks of the array. Default: the cluster's processors.")
      .value("N")
      .range(1, 1000);
  command
      .add_option("--slurm-option", opt.slurm_options.options,
                  "Option for sbatch, as partition=short or mem=1G. May be repeated.")
      .value("OPTION")
      .repeatable();
  command.add_flag("--no-wait", opt.slurm_options.no_wait,
                   "End after the submission; --merge makes the table later.");
}

void add_part_options(Command& command, SweepOptions& opt) {
  command.start_group("Parts");
  command.add_flag("--dry-run", opt.dry_run,
                   "Check everything, time run 0, and print the first runs. Writes nothing.");
  command.add_option("--only", opt.only, "Repeat one run by itself and print its row.")
      .value("RUN");
  command
      .add_option("--shard", opt.shard,
                  "Run the I-th of N parts, here or on any machine; --merge makes the table.")
      .value("I/N");
  command.add_flag("--merge", opt.merge, "Run nothing; make the table of the parts.");
}

}  // namespace

void add_sweep(Command& app, Console& io) {
  auto opt = std::make_shared<SweepOptions>();
  Command cmd = add_subprogram(app, "sweep");
  cmd.add_option("file", opt->file,
                 "A sweep file: a scenario and the values its runs differ in. Or the name of a "
                 "shipped one.")
      .value("NAME|FILE");
  cmd.add_flag("--list", opt->list, "List the shipped sweeps.");
  cmd.add_option("--out", opt->out,
                 "The table, .csv or .jsonl. Default: the file's name with .csv, here.")
      .value("TABLE");
  cmd.add_option("--jobs", opt->jobs, "Runs at a time. Default: one per processor.")
      .value("N")
      .range(1, kMaxJobs);
  cmd.add_option("--timeout", opt->timeout_s, "Kill a run after this time.")
      .value("SECONDS")
      .range(1e-3, 1e7)
      .with_default();
  cmd.add_flag("--retry", opt->retry, "Repeat runs that were killed or ran out of time.");
  cmd.add_flag("--restart", opt->restart, "Forget the runs of earlier calls.");
  cmd.add_option("--records", opt->records,
                 "Keep what the runs write (records, CSV files) in this folder.")
      .value("DIR");
  add_part_options(cmd, *opt);
  add_slurm_options(cmd, *opt);
  cmd.start_group("General");
  add_data_option(cmd, opt->data);
  add_json_option(cmd, io);
  add_common_options(cmd, io, "sweep khr1_push --dry-run",
                     "sweep my_sweep.json --out table.csv --jobs 4");
  cmd.on_run([opt, &io] { sweep(*opt, io); });
}

}  // namespace kagami::tools
