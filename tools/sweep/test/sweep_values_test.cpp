// kagami sweep: values, columns and options, checked before the first run.
#include <gtest/gtest.h>

#include "tools/test/sweep_case.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class SweepValuesTest : public test::SweepCase {
 protected:
  SweepValuesTest() : SweepCase(KAGAMI_PROGRAM) {}
};

TEST_F(SweepValuesTest, RefusesWrongValuesBeforeTheFirstRun) {
  use_program("touch " + folder_.file("ran") + "; echo '{}'");
  const std::pair<const char*, const char*> cases[] = {
      {R"({"name": "m", "at": "/bodies/0/mass", "values": [1, -1]})",
       "s.json: /parameters/0: 'm' = -1: "},
      {R"({"name": "m", "at": "/bodies/0/mass", "values": [1, -1]})", "/mass: -1 is outside"},
      {R"({"name": "m", "at": "/bodies/0/mass", "values": [1, "x"]})", "\"x\" is not a number"},
      {R"({"name": "m", "at": "/bodies/0/mas", "values": [1]})", "unknown key 'mas'"},
      {R"({"name": "m", "at": "/bodies/1/mass", "values": [1]})", "/bodies has 1 elements"},
      {R"({"name": "m", "at": "/duration/x", "values": [1]})",
       "/duration is 0.2, expected an object"},
      {R"({"name": "m", "at": "/bodies/0/mass", "from": 1, "to": 2000000, "count": 100000})",
       "is outside"},
      {R"({"name": "m", "at": "/bodies/0/mass", "normal": [1, 1], "within": [-1, 2]})",
       "'m' = -1: "},
      {R"({"name": "f", "at": "/friction", "values": [1]})", "unknown key 'friction'"},
  };
  for (const auto& [parameter, expected] : cases) {
    SCOPED_TRACE(parameter);
    const std::string draws = std::string(parameter).find("normal") == std::string::npos
                                  ? ""
                                  : R"("draws": 3, "seed": 1, )";
    write("s.json", R"({"schema": "kagami.sweep/1", "scenario": "./box.json", )" + draws +
                        R"("parameters": [)" + parameter + "]}");
    EXPECT_EQ(sweep("t.csv"), 2);
    expect_said(expected);
  }
  write("s.json", R"({"schema": "kagami.sweep/1", "scenario": "khr1_pushd", "parameters": []})");
  EXPECT_EQ(sweep("t.csv"), 2);
  EXPECT_FALSE(fs::exists(folder_.file("ran")));
  EXPECT_FALSE(fs::exists(folder_.file("t.csv.runs")));
}

TEST_F(SweepValuesTest, AColumnThatRunsDoNotPrintStopsTheSweep) {
  const std::string begin = R"({"schema": "kagami.sweep/1", "scenario": "./box.json",
    "parameters": [{"name": "m", "at": "/bodies/0/mass", "values": [1, 2]}], "results": [)";
  write("s.json", begin + R"({"name": "e", "at": "/energy/end"}]})");
  EXPECT_EQ(sweep("t.csv", {"--jobs", "1"}), 2);
  expect_said("results 'e': run 0 printed no /energy/end: /energy has the keys contact_J");
  // corrected: the head of the first call is no obstacle
  write("s.json", begin + R"({"name": "e", "at": "/energy/end_J"},
                             {"name": "stop", "at": "/stops/0/steps", "optional": true}]})");
  EXPECT_EQ(sweep("t.csv", {"--json"}), 0) << cli_.err;
  EXPECT_EQ(cli_.json().at("runs"), 2);
  EXPECT_EQ(cli_.json().at("outcomes"), json({{"ok", 2}}));
}

TEST_F(SweepValuesTest, GainsAndServosOfAMotionAreChangedInPlace) {
  write("m.json", R"({"schema": "kagami.scenario/1", "motion": "home", "on": "stand",
    "controller": "pid", "gains": "awa_2009"})");
  write("s.json", R"({"schema": "kagami.sweep/1", "scenario": "./m.json", "parameters": [
    {"name": "kp", "at": "/gains/all/kp", "values": [3]},
    {"name": "lag", "at": ["/twin/default/filter_1_s", "/plant/default/delay_s"],
     "values": [0.05]}], "results": [{"name": "hash", "at": "/state_hash"}]})");
  ASSERT_EQ(sweep("t.csv"), 0) << cli_.err;
  // the same by files that were changed by hand
  const fs::path source = KAGAMI_SOURCE_DIR;
  json gains = json::parse(read_text_file(source / "control/data/gains/awa_2009.json"));
  gains["all"]["kp"] = 3;
  write("gains.json", gains.dump());
  json twin = json::parse(read_text_file(source / "models/data/khr1/robot.json")).at("servos");
  twin["schema"] = "kagami.servos/1";
  twin["default"]["filter_1_s"] = 0.05;
  write("twin.json", twin.dump());
  json plant = json::parse(read_text_file(source / "models/data/khr1/plant.json"));
  plant["default"]["delay_s"] = 0.05;
  write("plant.json", plant.dump());
  test::CliCase replay;
  ASSERT_EQ(replay.run({"replay", "home", "--on", "stand", "--clock", "virtual", "--json", "-q",
                        "--gains", folder_.file("gains.json"), "--twin", folder_.file("twin.json"),
                        "--plant", folder_.file("plant.json"), "--out", folder_.file("run")}),
            0)
      << replay.err;
  const std::string hash = replay.json().at("state_hash");
  EXPECT_EQ(text("t.csv"), "run,kp,lag,outcome,hash,message\n0,3,0.05,ok," + hash + ",\n");
}

TEST_F(SweepValuesTest, WrongGainsAndServosAreRefusedBeforeTheFirstRun) {
  write("m.json", R"({"schema": "kagami.scenario/1", "motion": "home", "on": "stand",
    "controller": "pid", "gains": "awa_2009"})");
  const std::pair<const char*, const char*> cases[] = {
      {R"("at": "/gains/all/kp", "values": [3, -1])", "/all/kp: -1 is outside"},
      {R"("at": "/gains/all/k_p", "values": [3])", "'k_p'"},
      {R"("at": "/twin/default/filter_1_s", "values": [-1])",
       "m.json: /twin: /default/filter_1_s: -1 is outside"},
      {R"("at": "/plant/default/delay_s", "values": [0.01, -1])",
       "m.json: /plant: /default/delay_s: -1 is outside"},
      {R"("at": "/gains", "values": ["awa_2009", "awa_209"])", "unknown gain set 'awa_209'"},
      {R"("at": "/motion", "values": ["hom"])", "unknown motion 'hom'"},
      {R"("at": "/controller", "values": ["balance"])", "is for 'pid'"},
      {R"("at": "/speed", "values": [9])", "/speed: 9 is outside"},
  };
  for (const auto& [parameter, expected] : cases) {
    SCOPED_TRACE(parameter);
    write("s.json", R"({"schema": "kagami.sweep/1", "scenario": "./m.json",
      "parameters": [{"name": "p", )" +
                        std::string(parameter) + "}]}");
    EXPECT_EQ(sweep("t.csv"), 2);
    expect_said(expected);
    EXPECT_FALSE(fs::exists(folder_.file("t.csv.runs")));
  }
}

TEST_F(SweepValuesTest, ADryRunWritesNothingAndShowsTheFirstRuns) {
  EXPECT_EQ(sweep("t.csv", {"--dry-run"}), 0) << cli_.err;
  expect_said("12 runs of ");
  expect_said("... and 2 more");
  expect_said("--set /bodies/0/velocity/0=0.5");
  EXPECT_EQ(sweep("t.csv", {"--dry-run", "--json"}), 0);
  EXPECT_EQ(cli_.json().at("schema"), "kagami.sweep_plan/1");
  EXPECT_EQ(cli_.json().at("runs"), 12);
  EXPECT_EQ(cli_.json().at("outcome_of_run_0"), "ok");
  for (const char* name : {"t.csv", "t.csv.runs"}) EXPECT_FALSE(fs::exists(folder_.file(name)));
}

TEST_F(SweepValuesTest, ShippedSweepsAreReady) {
  EXPECT_EQ(cli_.run({"sweep", "--list", "--json"}), 0);
  const json sweeps = cli_.json().at("sweeps");
  EXPECT_GE(sweeps.size(), 2u);
  for (const json& shipped : sweeps) {
    EXPECT_EQ(cli_.run({"sweep", shipped.at("name"), "--dry-run", "--json"}), 0) << cli_.err;
    EXPECT_EQ(cli_.json().at("outcome_of_run_0"), "ok");
  }
  EXPECT_EQ(cli_.run({"sweep", "khr1_pus"}), 2);
  expect_said("did you mean 'khr1_push'?");
}

TEST_F(SweepValuesTest, OptionsThatDoNotFitAreRefused) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"--shard", "0/3"}, "expected I/N"},
      {{"--shard", "4/3"}, "expected I/N"},
      {{"--shard", "1/3x"}, "expected I/N"},
      {{"--shard", "-1/3"}, "expected I/N"},
      {{"--only", "12"}, "0..11"},
      {{"--only", "x"}, "0..11"},
      {{"--only", "1", "--merge"}, "--merge and --only are given"},
      {{"--tasks", "3"}, "belong to --slurm"},
      {{"--merge", "--retry"}, "runs nothing"},
      {{"--jobs", "0"}, "--jobs"},
      {{"--timeout", "-1"}, "--timeout"},
  };
  for (const auto& [args, expected] : cases) {
    SCOPED_TRACE(expected);
    EXPECT_EQ(sweep("t.csv", args), 2);
    expect_said(expected);
  }
  EXPECT_EQ(sweep("t.txt"), 2);
  expect_said("ends in .csv");
  cli_.environment["PATH"] = folder_.path().string();
  EXPECT_EQ(sweep("t.csv", {"--slurm"}), 1);
  expect_said("the package slurm-client");
}

}  // namespace
}  // namespace kagami::tools
