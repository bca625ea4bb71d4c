// Programs in these tests are shell scripts that print what a benchmark program would.
#include "tools/bench/report/bench_run.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "tools/bench/report/groups.hpp"
#include "tools/cli/run_program.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

const char* const kOurs = "khr1/forward_dynamics/aba";
const char* const kPeers = "khr1/forward_dynamics";
const char* const kRow = "khr1/forward_dynamics/run_time";

class BenchRun : public testing::Test {
 protected:
  /// kagami-bench-NAME that runs `script`.
  fs::path program(const std::string& name, const std::string& script) {
    const fs::path file = folder_.path() / ("kagami-bench-" + name);
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }

  /// The same, which prints one row.
  fs::path answering(const std::string& engine, const std::string& row, double ns,
                     double checksum) {
    std::ostringstream script;
    script << "echo \"" << engine << " $@\" >>" << folder_.file("arguments")
           << "\ncat <<END\n{\"context\": {\"engine\": \"" << engine
           << "\", \"compiler\": \"g++ 12\"}, \"benchmarks\": [{\"name\": \"" << row
           << "/iterations:9/manual_time\", \"run_type\": \"iteration\", \"ns\": " << ns
           << ", \"checksum\": " << checksum << "}]}\nEND";
    return program(engine.substr(0, engine.find(' ')), script.str());
  }

  BenchReport run(const std::vector<BenchProgram>& peers) {
    BenchSettings settings;
    settings.rows = dynamics_rows();
    settings.ours = answering("kagami", kOurs, 1000, 5);
    settings.peers = peers;
    settings.repetitions = 2;
    return run_bench(settings);
  }

  static const BenchRow& row(const BenchReport& report, const std::string& name) {
    for (const BenchRow& each : report.rows)
      if (each.name == name) return each;
    throw std::out_of_range(name);
  }

  kagami::test::TempFolder folder_;
};

TEST_F(BenchRun, PutsPeersBesideOurs) {
  const fs::path mujoco = answering("mujoco 2.2.2", kPeers, 4000, 5);
  const BenchReport report =
      run({{"mujoco 2.2.2", mujoco, "libmujoco-dev"}, {"bullet 3.24", {}, "libbullet-dev"}});
  EXPECT_DOUBLE_EQ(row(report, kRow).ratio.at("mujoco 2.2.2").value(), 0.25);
  EXPECT_EQ(row(report, kRow).holds, true);
  EXPECT_FALSE(row(report, kRow).peers.at("bullet 3.24").has_value());
  EXPECT_FALSE(row(report, "chain3d/slope/ada").ours.has_value());
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_NE(report.notes[0].find("./kagami peers installs libbullet-dev"), std::string::npos);
  EXPECT_NE(report.machine, "");
  EXPECT_EQ(report.date.size(), 10U);
  EXPECT_GE(report.load[0], 0.0);
  EXPECT_GE(report.load[1], 0.0);
}

TEST_F(BenchRun, GoesRoundByRoundAndGroupByGroup) {
  BenchSettings settings;
  for (const RowSpec& spec : dynamics_rows())
    if (spec.name == kRow || spec.name == "four_bar/fourth_order") settings.rows.push_back(spec);
  settings.ours = answering("kagami", kOurs, 1000, 5);
  settings.peers = {{"mujoco 2.2.2", answering("mujoco 2.2.2", kPeers, 4000, 5), ""}};
  settings.repetitions = 2;
  run_bench(settings);
  std::ifstream arguments(folder_.file("arguments"));
  std::vector<std::string> calls;
  for (std::string line; std::getline(arguments, line);) {
    EXPECT_NE(line.find("--benchmark_repetitions=1"), std::string::npos) << line;
    const bool four_bar = line.find("four_bar") != std::string::npos;
    calls.push_back(line.substr(0, line.find(' ')) + (four_bar ? " four_bar" : ""));
  }
  const std::vector<std::string> round = {"kagami", "mujoco", "kagami four_bar", "mujoco four_bar"};
  std::vector<std::string> both = round;
  both.insert(both.end(), round.begin(), round.end());
  EXPECT_EQ(calls, both);
}

TEST_F(BenchRun, RunsAProgramOnlyOnceForRowsThatItDoesNotHave) {
  BenchSettings settings;
  settings.rows = {dynamics_rows().front()};
  settings.ours = answering("kagami", kOurs, 1000, 5);
  settings.peers = {{"mujoco 2.2.2", program("mujoco", "echo runs >>" + folder_.file("runs")), ""}};
  settings.repetitions = 3;
  const BenchReport report = run_bench(settings);
  EXPECT_TRUE(report.notes.empty());
  std::ifstream runs(folder_.file("runs"));
  int times = 0;
  for (std::string line; std::getline(runs, line);) ++times;
  EXPECT_EQ(times, 1);
}

TEST_F(BenchRun, ReportsWhichPeerFailedAndContinues) {
  const BenchReport report =
      run({{"dart 6.12.1", program("dart", "echo 'cannot find my library' >&2; exit 3"), ""},
           {"bullet 3.24", program("bullet", "kill -ABRT $$"), ""},
           {"mujoco 2.2.2", answering("mujoco 2.2.2", kPeers, 4000, 5), ""}});
  ASSERT_EQ(report.notes.size(), 2U);
  EXPECT_EQ(report.notes[0], "dart 6.12.1: kagami-bench-dart: exit code 3: cannot find my library");
  EXPECT_EQ(report.notes[1], "bullet 3.24: kagami-bench-bullet: ended by signal Aborted");
  EXPECT_EQ(row(report, kRow).holds, true);
}

TEST_F(BenchRun, WrongAnswersAreAnError) {
  const BenchReport report =
      run({{"mujoco 2.2.2", answering("mujoco 2.2.2", kPeers, 4000, 6), ""}});
  EXPECT_NE(row(report, kRow).error.find("checksums differ"), std::string::npos);
  EXPECT_EQ(row(report, kRow).holds, false);
}

TEST_F(BenchRun, WithoutPeersThereIsNoColumn) {
  EXPECT_TRUE(row(run({}), kRow).peers.empty());
}

TEST(RowGroups, RowsThatAreComparedStandTogether) {
  const std::vector<RowGroup> groups = groups_of(dynamics_rows());
  for (const RowSpec& spec : dynamics_rows()) {
    int homes = 0;
    for (const RowGroup& group : groups) {
      bool whole = spec.peers.empty() || group.peers.count(spec.peers) > 0;
      for (const std::string& row : spec.own_peers) whole = whole && group.ours.count(row) > 0;
      for (const std::string& row : spec.ours) whole = whole && group.ours.count(row) > 0;
      homes += whole ? 1 : 0;
    }
    EXPECT_EQ(homes, 1) << spec.name;
  }
  std::map<std::string, int> places;
  for (const RowGroup& group : groups)
    for (const std::string& row : group.ours) EXPECT_EQ(++places[row], 1) << row;
}

TEST(RowGroups, AThirdRowJoinsTwoGroups) {
  RowSpec a, b, both;
  a.ours = {"a"};
  b.ours = {"b"};
  both.ours = {"a", "b"};
  EXPECT_EQ(groups_of({a, b}).size(), 2U);
  EXPECT_EQ(groups_of({a, b, both}).size(), 1U);
}

TEST(RunProgram, KillsWhatTakesTooLong) {
  const ProgramOutput output = run_program("/bin/sleep", {"600"}, -1, 0.05);
  EXPECT_EQ(output.error, "stopped: out of time");
}

TEST(RunProgram, RunsOnOneCore) {
  const int cpu = last_core();
  ASSERT_GE(cpu, 0);
  const ProgramOutput output =
      run_program("/bin/grep", {"Cpus_allowed_list", "/proc/self/status"}, cpu, 60.0);
  EXPECT_EQ(output.error, "");
  EXPECT_EQ(output.out, "Cpus_allowed_list:\t" + std::to_string(cpu) + "\n");
}

TEST(RunProgram, ReportsAMissingProgram) {
  const ProgramOutput output = run_program("/no/such/program", {}, -1, 1.0);
  EXPECT_NE(output.error.find("cannot be started"), std::string::npos);
}

}  // namespace
}  // namespace kagami::tools
