// Programs in these tests are shell scripts that print what a benchmark program would.
#include "tools/bench/report/bench_run.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tools/bench/report/run_program.hpp"
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
    script << "echo \"$@\" >>" << folder_.file("words")
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
}

TEST_F(BenchRun, GoesRoundByRound) {
  run({{"mujoco 2.2.2", answering("mujoco 2.2.2", kPeers, 4000, 5), ""}});
  std::ifstream words(folder_.file("words"));
  std::vector<bool> peers;  // whether a line asked for the peers' rows
  for (std::string line; std::getline(words, line);) {
    EXPECT_NE(line.find("--benchmark_repetitions=1"), std::string::npos) << line;
    peers.push_back(line.find(std::string(kOurs) + "|") == std::string::npos);
  }
  EXPECT_EQ(peers, (std::vector<bool>{false, true, false, true}));
}

TEST_F(BenchRun, SaysWhichPeerFailedAndGoesOn) {
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

TEST(RunProgram, KillsWhatTakesTooLong) {
  const ProgramOutput said = run_program("/bin/sleep", {"600"}, -1, 0.05);
  EXPECT_EQ(said.error, "stopped: out of time");
}

TEST(RunProgram, RunsOnOneCore) {
  const int cpu = last_core();
  ASSERT_GE(cpu, 0);
  const ProgramOutput said =
      run_program("/bin/grep", {"Cpus_allowed_list", "/proc/self/status"}, cpu, 60.0);
  EXPECT_EQ(said.error, "");
  EXPECT_EQ(said.out, "Cpus_allowed_list:\t" + std::to_string(cpu) + "\n");
}

TEST(RunProgram, SaysThatThereIsNone) {
  const ProgramOutput said = run_program("/no/such/program", {}, -1, 1.0);
  EXPECT_NE(said.error.find("cannot be started"), std::string::npos);
}

}  // namespace
}  // namespace kagami::tools
