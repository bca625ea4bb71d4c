// kagami sweep: the same bytes in every order and after every interruption, and runs that fail.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <random>
#include <set>
#include <thread>

#include "tools/test/sweep_case.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class SweepCommandTest : public test::SweepCase {
 protected:
  SweepCommandTest() : SweepCase(KAGAMI_PROGRAM) {}

  // the program as a process of its own
  [[nodiscard]] pid_t start(const std::string& out) const {
    const pid_t child = fork();
    if (child != 0) return child;
    const std::string program = std::string(KAGAMI_PROGRAM) + "-sweep";
    const std::string file = folder_.file("s.json");
    const std::string table = folder_.file(out);
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execl(program.c_str(), program.c_str(), file.c_str(), "--out", table.c_str(), nullptr);
    _exit(99);
  }
  // lines of a journal, its head left out
  [[nodiscard]] std::size_t runs_in(const std::string& table) const {
    std::ifstream in(folder_.file(table + ".runs"));
    std::size_t lines = 0;
    for (std::string line; std::getline(in, line);) ++lines;
    return lines == 0 ? 0 : lines - 1;
  }
};

TEST_F(SweepCommandTest, TheTableHasTheSameBytesForAnyJobsAndShards) {
  ASSERT_EQ(sweep("one.csv", {"--jobs", "1"}), 0) << cli_.err;
  const std::string whole = text("one.csv");
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 13);
  EXPECT_EQ(whole.find("run,mass,speed,outcome,status,end_J"), 0u) << whole;
  ASSERT_EQ(sweep("many.csv", {"--jobs", "5"}), 0);
  EXPECT_EQ(text("many.csv"), whole);
  for (const char* shard : {"3/5", "1/5", "5/5", "2/5"})
    ASSERT_EQ(sweep("parts.csv", {"--shard", shard}), 0) << cli_.err;
  EXPECT_EQ(sweep("parts.csv", {"--merge"}), 1);
  expect_said("2 of 12 runs are missing, the first is 3");
  EXPECT_FALSE(fs::exists(folder_.file("parts.csv")));
  ASSERT_EQ(sweep("parts.csv", {"--shard", "4/5"}), 0);
  ASSERT_EQ(sweep("parts.csv", {"--merge"}), 0) << cli_.err;
  EXPECT_EQ(text("parts.csv"), whole);
}

TEST_F(SweepCommandTest, OneRunAloneHasTheResultsOfItsRow) {
  ASSERT_EQ(sweep("t.jsonl"), 0) << cli_.err;
  std::ifstream rows(folder_.file("t.jsonl"));
  int run = 0;
  for (std::string line; std::getline(rows, line); ++run) {
    SCOPED_TRACE(run);
    const json row = json::parse(line);
    EXPECT_EQ(row.at("run"), run);
    // by kagami run itself, with the values of the table
    test::CommandCase<add_run> alone;
    const json& values = row.at("parameters");
    ASSERT_EQ(alone.run({"run", folder_.file("box.json"), "--json", "-q", "--set",
                         "/bodies/0/mass=" + values.at("mass").dump(), "--set",
                         "/bodies/0/velocity/0=" + values.at("speed").dump()}),
              0)
        << alone.err;
    EXPECT_EQ(alone.json().at("state_hash"), row.at("results").at("state_hash"));
    EXPECT_EQ(alone.json().at("energy").at("end_J"), row.at("results").at("end_J"));
    if (run % 5 != 0) continue;
    ASSERT_EQ(sweep("t.jsonl", {"--only", std::to_string(run)}), 0);
    EXPECT_EQ(cli_.out, line + "\n");
  }
  EXPECT_EQ(run, 12);
}

TEST_F(SweepCommandTest, GoesOnAfterBeingKilledAtAnyPoint) {
  ASSERT_EQ(sweep("whole.csv"), 0);
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  int status = 0;
  int kills = 0;
  std::size_t before = 0;
  do {
    const pid_t child = start("killed.csv");
    ASSERT_GT(child, 0);
    // some runs further, or some time after
    const std::size_t until = before + random() % 4;
    while (waitpid(child, &status, WNOHANG) == 0) {
      if (kills < 5 && runs_in("killed.csv") >= until) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 10000));
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        ++kills;
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const std::size_t now = runs_in("killed.csv");
    EXPECT_GE(now, before);  // what was done is kept
    before = now;
  } while (WIFSIGNALED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(text("killed.csv"), text("whole.csv"));
  EXPECT_EQ(runs_in("killed.csv"), 12u);  // none was repeated
}

TEST_F(SweepCommandTest, AStopKeepsWhatIsDoneAndSaysHowToGoOn) {
  // the fourth run stops the sweep and does not end
  use_program(
      "n=$(ls " + folder_.path().string() + " | grep -c begun); touch " + folder_.file("begun-") +
      "$n; [ $n -lt 3 ] || { kill -INT $PPID; sleep 1000; }; " +
      R"(echo '{"status":"ok","energy":{"end_J":1},"contacts":{"penetration_m":0,"slip_m":0},)" +
      R"("systems":[{"place_m":[1,2,3]}],"state_hash":"a"}')");
  EXPECT_EQ(sweep("t.csv", {"--jobs", "1"}), 130);
  expect_said("3 of 12 runs ended; the same command runs the others");
  EXPECT_EQ(runs_in("t.csv"), 3u);
  EXPECT_FALSE(fs::exists(folder_.file("t.csv")));
}

TEST_F(SweepCommandTest, RunsOfAnotherFileScenarioOrParameterAreRefused) {
  ASSERT_EQ(sweep("t.csv"), 0);
  const std::string whole = text("t.csv");
  for (const char* name : {"s.json", "box.json"}) {
    const std::string before = text(name);
    write(name, before + "\n");
    EXPECT_EQ(sweep("t.csv"), 2) << name;
    expect_said("t.csv.runs: these runs are of another sweep");
    EXPECT_EQ(text("t.csv"), whole);
    write(name, before);
  }
  EXPECT_EQ(sweep("t.csv"), 0) << cli_.err;  // as it was: all runs are there
  const std::string file = text("s.json");
  write("s.json", file + "\n");
  EXPECT_EQ(sweep("t.csv", {"--restart"}), 0) << cli_.err;
  EXPECT_EQ(text("t.csv"), whole);
}

TEST_F(SweepCommandTest, AModelBesideTheScenarioBelongsToTheSweep) {
  fs::copy(fs::path(KAGAMI_SOURCE_DIR) / "models/data/planar_3r", folder_.path() / "robot");
  write("arm.json", R"({"schema": "kagami.scenario/1", "duration": 0.01,
    "robots": [{"name": "arm", "model": "./robot", "shapes": []}]})");
  write("s.json", R"({"schema": "kagami.sweep/1", "scenario": "./arm.json",
    "parameters": [{"name": "step", "at": "/step", "values": [0.001, 0.002]}]})");
  ASSERT_EQ(sweep("t.csv"), 0) << cli_.err;
  for (const auto& entry : fs::directory_iterator(folder_.path() / "robot"))
    if (entry.path().extension() == ".json") std::ofstream(entry.path(), std::ios::app) << "\n";
  EXPECT_EQ(sweep("t.csv"), 2);
  expect_said("another sweep");
}

TEST_F(SweepCommandTest, ARunThatFailsIsARow) {
  // kinetic above static friction is refused, which no value alone is
  write("s.json", R"({"schema": "kagami.sweep/1", "scenario": "./box.json", "parameters": [
    {"name": "mu_static", "at": "/surface/mu_static", "values": [0.5, 0.1]},
    {"name": "mu_kinetic", "at": "/surface/mu_kinetic", "values": [0.05, 0.3]}],
    "results": [{"name": "status", "at": "/status"}]})");
  EXPECT_EQ(sweep("t.csv"), 1);
  expect_said("4 runs, 1 exit 2, 3 ok");
  expect_said("The first that failed is run 3 (exit 2): error: ");
  const std::string table = text("t.csv");
  EXPECT_NE(table.find("\n3,0.1,0.3,exit 2,,"), std::string::npos) << table;
  EXPECT_NE(table.find("mu_kinetic"), std::string::npos) << table;
  EXPECT_EQ(sweep("t.csv", {"--retry"}), 1);  // it would fail again
  EXPECT_EQ(runs_in("t.csv"), 4u);
}

TEST_F(SweepCommandTest, RunsThatCrashHangOrSayNothingAreRowsAndRetryRepeatsThem) {
  const std::string answer =
      R"(echo '{"status":"ok","energy":{"end_J":1},"contacts":{"penetration_m":0,"slip_m":0},)"
      R"("systems":[{"place_m":[1,2,3]}],"state_hash":"a,b"}')";
  write("s.json", R"({"schema": "kagami.sweep/1", "scenario": "./box.json", "parameters": [
    {"name": "m", "at": "/bodies/0/mass", "values": [1, 2, 3, 4, 5]}],
    "results": [{"name": "hash", "at": "/state_hash"}]})");
  const std::string cases = R"(case "$*" in
    *mass=1*) )" + answer + R"(;;
    *mass=2*) kill -SEGV $$ ;;
    *mass=3*) exec sleep 1000 ;;
    *mass=4*) echo no JSON ;;
    *mass=5*) )" + answer + R"(; echo fell >&2; exit 8 ;;
  esac)";
  use_program(cases);
  EXPECT_EQ(sweep("t.csv", {"--timeout", "3"}), 1);
  EXPECT_EQ(text("t.csv"),
            "run,m,outcome,hash,message\n0,1,ok,\"a,b\",\n1,2,signal SEGV,,\n2,3,timeout,,\n"
            "3,4,no answer,,\n4,5,exit 8,\"a,b\",fell\n");
  use_program(answer);
  EXPECT_EQ(sweep("t.csv"), 1);  // nothing to do
  EXPECT_EQ(sweep("t.csv", {"--retry"}), 1);
  EXPECT_EQ(text("t.csv"),
            "run,m,outcome,hash,message\n0,1,ok,\"a,b\",\n1,2,ok,\"a,b\",\n2,3,ok,\"a,b\",\n"
            "3,4,ok,\"a,b\",\n4,5,exit 8,\"a,b\",fell\n");
}

TEST_F(SweepCommandTest, RunsOfAMotionLeaveNoRecordsUnlessKept) {
  write("m.json", R"({"schema": "kagami.scenario/1", "motion": "home", "on": "stand"})");
  write("s.json", R"({"schema": "kagami.sweep/1", "scenario": "./m.json",
    "parameters": [{"name": "speed", "at": "/speed", "values": [1, 1.5]}]})");
  ASSERT_EQ(sweep("t.csv"), 0) << cli_.err
                               << (fs::exists(folder_.file("t.csv")) ? text("t.csv") : "");
  EXPECT_EQ(text("t.csv").find("run,speed,outcome,run_outcome,rms_deg"), 0u);
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    names.insert(entry.path().filename().string());
  EXPECT_EQ(names, (std::set<std::string>{"box.json", "m.json", "s.json", "t.csv", "t.csv.runs"}));
  ASSERT_EQ(sweep("kept.csv", {"--records", folder_.file("kept")}), 0) << cli_.err;
  EXPECT_TRUE(fs::exists(folder_.file("kept/run-1/run.mcap")));
  EXPECT_EQ(text("kept.csv"), text("t.csv"));
  write("m.json", R"({"schema": "kagami.scenario/1", "motion": "home", "clock": "real"})");
  EXPECT_EQ(sweep("real.csv"), 2);
  expect_said("expected 'virtual' in a sweep");
}

TEST_F(SweepCommandTest, FilesOfAScenarioDoNotMeet) {
  write("s.json", R"({"schema": "kagami.sweep/1", "scenario": "./box.json", "parameters": [
    {"name": "m", "at": "/bodies/0/mass", "values": [1, 2]},
    {"name": "file", "at": "/write/states", "values": ["states.csv"]}]})");
  ASSERT_EQ(sweep("t.csv", {"--records", folder_.file("kept")}), 0) << cli_.err;
  for (const char* run : {"kept/run-0/states.csv", "kept/run-1/states.csv"})
    EXPECT_TRUE(fs::exists(folder_.file(run))) << run;
}

}  // namespace
}  // namespace kagami::tools
