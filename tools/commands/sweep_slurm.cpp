#include "tools/commands/sweep_slurm.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "tools/cli/stop_signals.hpp"
#include "tools/sweep/slurm.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

constexpr int kLooks = 10;             // for a stop between two questions to Slurm
constexpr double kLongestPause = 5.0;  // s
constexpr int kMaxSilence = 60;        // questions without an answer
constexpr std::uint64_t kNamedTasks = 5;

SlurmJob slurm_job(const SweepJob& job, const fs::path& table, const SlurmOptions& options,
                   const SlurmPrograms& slurm, const Console& io) {
  SlurmJob array;
  array.name = job.plan.name;
  const std::uint64_t wanted =
      options.tasks > 0 ? static_cast<std::uint64_t>(options.tasks) : slurm_cores(slurm);
  array.tasks = std::min({wanted, kMaxSlurmTasks, job.head.runs});
  const fs::path absolute = fs::absolute(table).lexically_normal();
  array.folder = absolute.string() + ".slurm";
  array.command = {fs::absolute(io.program()).string(),
                   "sweep",
                   fs::absolute(job.plan.file).lexically_normal().string(),
                   "--out",
                   absolute.string(),
                   "--timeout",
                   number_text(options.timeout_s),
                   "-q"};
  if (options.retry) array.command.emplace_back("--retry");
  if (!job.data.empty()) array.command.insert(array.command.end(), {"--data", job.data});
  if (!job.records.empty())
    array.command.insert(array.command.end(), {"--records", job.records.string()});
  array.options = options.options;
  return array;
}

// false after a stop
bool wait_for(const SlurmPrograms& slurm, const SlurmJob& array, const std::string& number,
              const runtime::StopRequest& stop, Console& io) {
  double pause = 0.2;  // s
  for (int silence = 0;;) {
    const auto left = tasks_left(slurm, number);
    if (left == 0) return true;
    silence = left ? 0 : silence + 1;
    if (silence > kMaxSilence)
      throw Error("Slurm does not answer; when job " + number +
                  " has ended, the same command with --merge makes the table");
    if (left) {
      const double share = 1.0 - static_cast<double>(*left) / static_cast<double>(array.tasks);
      io.progress(share, "job " + number + ": " + std::to_string(*left) + " of " +
                             std::to_string(array.tasks) + " tasks left");
    }
    for (int i = 0; i < kLooks; ++i) {
      if (stop.level() != runtime::StopLevel::kNone) return false;
      std::this_thread::sleep_for(std::chrono::duration<double>(pause / kLooks));
    }
    pause = std::min(1.5 * pause, kLongestPause);
  }
}

// every task whose runs are not complete, with the reason
std::string missing_text(const SweepJob& job, const Journals& journals, const SlurmPrograms& slurm,
                         const SlurmJob& array, const std::string& number) {
  std::string text;
  std::uint64_t incomplete = 0;
  for (std::uint64_t task = 1; task <= array.tasks; ++task) {
    if (missing_runs(journals, job, {task, array.tasks}) == 0) continue;
    if (++incomplete <= kNamedTasks) text += "\n  " + task_end(slurm, array, number, task);
  }
  if (incomplete > kNamedTasks)
    text += "\n  and " + std::to_string(incomplete - kNamedTasks) + " further tasks";
  return text;
}

}  // namespace

bool run_on_slurm(const SweepJob& job, const fs::path& table, const SlurmOptions& options,
                  Console& io) {
  const SlurmPrograms slurm = find_slurm(io.environment("PATH").value_or("/usr/bin:/bin"));
  const SlurmJob array = slurm_job(job, table, options, slurm, io);
  const std::string number = submit(slurm, array);
  io.say("job " + number + " of Slurm: " + std::to_string(array.tasks) + " tasks; logs in '" +
         array.folder.string() + "'");
  const std::string later =
      "when it has ended, the same command with --merge makes the table; 'scancel " + number +
      "' ends it";
  if (options.no_wait) {
    io.say(later);
    return false;
  }
  runtime::StopRequest stop;
  const StopSignals signals(stop);
  const bool ended = wait_for(slurm, array, number, stop, io);
  io.end_progress();
  if (!ended) {
    io.say("job " + number + " continues without this program; " + later);
    io.exit_with(ExitCode::kInterrupted);
    return false;
  }
  const Journals journals(table, job.head);
  if (journals.done() == job.head.runs) return true;
  throw Error(std::to_string(job.head.runs - journals.done()) + " of " +
              std::to_string(job.head.runs) + " runs are missing, since tasks of job " + number +
              " did not end well:" + missing_text(job, journals, slurm, array, number) +
              "\nThe same command runs what is missing.");
}

}  // namespace kagami::tools
