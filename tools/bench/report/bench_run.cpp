#include "tools/bench/report/bench_run.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <set>
#include <thread>

#include "tools/bench/report/groups.hpp"
#include "tools/cli/run_program.hpp"

namespace kagami::tools {
namespace {

constexpr double kTimeout = 300.0;  // s, of one program for one group

/// Exactly these rows; Google Benchmark may append "/iterations:..." to a name.
std::string filter(const std::set<std::string>& rows) {
  std::string text;
  for (const std::string& row : rows) text += (text.empty() ? "" : "|") + row;
  return "^(" + text + ")(/iterations.*)?$";
}

/// One program through all rounds.
struct Runner {
  std::filesystem::path file;
  bool is_peer = false;
  ProgramResult result;
  std::set<std::size_t> silent = {};  ///< groups that it has no rows of

  void run(std::size_t group, const std::set<std::string>& rows, int repetitions, int round,
           int cpu) {
    if (!result.error.empty() || rows.empty() || silent.count(group) > 0) return;
    const ProgramOutput output =
        run_program(file,
                    {"--benchmark_format=json", "--benchmark_filter=" + filter(rows),
                     "--benchmark_repetitions=" + std::to_string(repetitions)},
                    cpu, kTimeout);
    // a program without any of the rows prints nothing and is content
    if (output.out.empty() && output.error.empty()) {
      silent.insert(group);
      return;
    }
    ProgramResult answer = read_program_output(output.out);
    if (!output.error.empty()) answer.error = file.filename().string() + ": " + output.error;
    add_round(result, answer, round);
  }
};

std::vector<Runner> runners_of(const BenchSettings& settings) {
  std::vector<Runner> runners;
  runners.push_back({settings.ours, false, {"kagami", "", {}, ""}});
  for (const BenchProgram& peer : settings.peers) {
    const std::string missing =
        peer.file.empty() ? "not built here (./kagami peers installs " + peer.package + ")" : "";
    runners.push_back({peer.file, true, {peer.expected, "", {}, missing}});
  }
  if (!settings.native.empty())
    runners.push_back({settings.native, false, {"kagami native", "", {}, ""}});
  return runners;
}

/// Every program, group by group, round after round.
void run_rounds(const BenchSettings& settings, std::vector<Runner>& runners) {
  const std::vector<RowGroup> groups = groups_of(settings.rows);
  const int cpu = last_core();
  const int rounds = std::clamp(settings.repetitions, 1, settings.rounds);
  const int each = (settings.repetitions + rounds - 1) / rounds;
  const std::size_t all = static_cast<std::size_t>(rounds) * groups.size();
  std::size_t done = 0;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t group = 0; group < groups.size(); ++group, ++done) {
      if (settings.progress)
        settings.progress(static_cast<double>(done) / static_cast<double>(all),
                          "round " + std::to_string(round + 1) + " of " + std::to_string(rounds));
      for (Runner& runner : runners)
        runner.run(group, runner.is_peer ? groups[group].peers : groups[group].ours, each, round,
                   groups[group].pinned ? cpu : -1);
    }
}

double load_average() {
  double load = -1.0;
  return getloadavg(&load, 1) == 1 ? load : -1.0;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm date{};
  gmtime_r(&now, &date);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d", &date);
  return text;
}

}  // namespace

BenchReport run_bench(const BenchSettings& settings) {
  std::vector<Runner> runners = runners_of(settings);
  const double load_before = load_average();
  run_rounds(settings, runners);

  std::vector<ProgramResult> peers;
  for (const Runner& runner : runners)
    if (runner.is_peer) peers.push_back(runner.result);
  const ProgramResult* native = settings.native.empty() ? nullptr : &runners.back().result;
  BenchReport report = merge(settings.rows, runners.front().result, peers, native);
  if (native && !native->error.empty()) report.notes.push_back("native: " + native->error);
  report.machine = machine_text();
  report.date = today();
  report.load = {load_before, load_average()};
  return report;
}

std::string machine_text() {
  std::string processor = "unknown processor";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) {
      processor = line.substr(std::min(line.find(':') + 2, line.size()));
      break;
    }
  utsname system{};
  uname(&system);
  return processor + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores, " +
         system.sysname + " " + system.release;
}

}  // namespace kagami::tools
