#include "tools/bench/report/bench_run.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <thread>

#include "tools/bench/report/run_program.hpp"

namespace kagami::tools {
namespace {

constexpr int kRounds = 5;
constexpr double kTimeout = 600.0;  // s, of one program in one round

/// Exactly these rows; Google Benchmark may append "/iterations:..." to a name.
std::string filter(const std::set<std::string>& rows) {
  std::string text;
  for (const std::string& row : rows) text += (text.empty() ? "" : "|") + row;
  return "^(" + text + ")(/iterations.*)?$";
}

std::set<std::string> our_rows(const std::vector<RowSpec>& specs) {
  std::set<std::string> rows;
  for (const RowSpec& spec : specs) {
    rows.insert(spec.ours.begin(), spec.ours.end());
    if (!spec.own_peer.empty()) rows.insert(spec.own_peer);
  }
  return rows;
}

std::set<std::string> peer_rows(const std::vector<RowSpec>& specs) {
  std::set<std::string> rows;
  for (const RowSpec& spec : specs)
    if (!spec.peers.empty()) rows.insert(spec.peers);
  return rows;
}

/// One program through all rounds.
struct Runner {
  std::filesystem::path file;
  std::set<std::string> rows;
  ProgramResult result;

  void run_round(int repetitions, int cpu) {
    if (!result.error.empty() || rows.empty()) return;
    const ProgramOutput said =
        run_program(file,
                    {"--benchmark_format=json", "--benchmark_filter=" + filter(rows),
                     "--benchmark_repetitions=" + std::to_string(repetitions)},
                    cpu, kTimeout);
    // a program without any of the rows prints nothing and is content
    if (said.out.empty() && said.error.empty()) return;
    ProgramResult round = read_program_output(said.out);
    if (!said.error.empty()) round.error = file.filename().string() + ": " + said.error;
    add_round(result, round);
  }
};

std::vector<Runner> runners_of(const BenchSettings& settings) {
  std::vector<Runner> runners;
  runners.push_back({settings.ours, our_rows(settings.rows), {"kagami", "", {}, ""}});
  for (const BenchProgram& peer : settings.peers) {
    const std::string missing =
        peer.file.empty() ? "not built here (./kagami peers installs " + peer.package + ")" : "";
    runners.push_back({peer.file, peer_rows(settings.rows), {peer.expected, "", {}, missing}});
  }
  if (!settings.native.empty())
    runners.push_back({settings.native, our_rows(settings.rows), {"kagami native", "", {}, ""}});
  return runners;
}

}  // namespace

BenchReport run_bench(const BenchSettings& settings) {
  std::vector<Runner> runners = runners_of(settings);
  const int cpu = last_core();
  const int rounds = std::clamp(settings.repetitions, 1, kRounds);
  const int each = (settings.repetitions + rounds - 1) / rounds;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < runners.size(); ++i) {
      const auto done = static_cast<double>(static_cast<std::size_t>(round) * runners.size() + i);
      if (settings.progress)
        settings.progress(
            done / static_cast<double>(runners.size() * static_cast<std::size_t>(rounds)),
            "round " + std::to_string(round + 1) + ", " + runners[i].result.engine);
      runners[i].run_round(each, cpu);
    }

  std::vector<ProgramResult> peers;
  for (std::size_t i = 1; i <= settings.peers.size(); ++i) peers.push_back(runners[i].result);
  const ProgramResult* native = settings.native.empty() ? nullptr : &runners.back().result;
  BenchReport report = merge(settings.rows, runners.front().result, peers, native);
  if (native && !native->error.empty()) report.notes.push_back("native: " + native->error);
  report.machine = machine_text();
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
