// kagami run: answers against closed forms, the same bits twice, files, and what goes wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/base/file_replacement.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"
#include "tools/trace/trace.hpp"

namespace kagami::tools {
namespace {

using RunCase = test::CommandCase<add_run>;

using nlohmann::json;

constexpr double kG = 9.81;

json answer(std::vector<std::string> args) {
  args.insert(args.begin(), "run");
  args.emplace_back("--json");
  RunCase cli;
  EXPECT_EQ(cli.run(args), 0) << cli.err;
  return cli.json();
}

std::vector<std::vector<std::string>> rows_of(const std::string& file) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

TEST(RunCommand, ASlidingBoxGetsAsFarAsByCoulomb) {
  const double slope = 20.0 * M_PI / 180.0;
  const double a = kG * (std::sin(slope) - 0.3 * std::cos(slope));
  const double friction = 0.3 * kG * std::cos(slope);  // N
  // m: first order of the step, a h t / 2 = 3e-4; the smoothed friction of `relaxed` is weaker
  // while the box gathers speed, worth at most friction / (k_w a) = 4.7e-3 m/s for 1 s
  const std::pair<const char*, double> methods[] = {{"relaxed", 5e-3}, {"multipoint", 1e-3}};
  for (const auto& [method, tolerance] : methods) {
    SCOPED_TRACE(method);
    const json r = answer({"incline_slide", "--method", method, "--duration", "1"});
    EXPECT_EQ(r.at("method"), method);
    const double way = r.at("contacts").at("slip_m").get<double>();
    EXPECT_NEAR(way, 0.5 * a, tolerance);
    // J: what friction took; contacts are seen where the last step began, v h friction = 1.6e-3
    const json& energy = r.at("energy");
    EXPECT_NEAR(energy.at("start_J").get<double>() - energy.at("end_J").get<double>(),
                friction * way, 2e-3);
  }
}

TEST(RunCommand, AHeldBoxHoldsAndCarriesItsWeight) {
  const json r = answer({"incline_stick", "--duration", "1"});
  EXPECT_EQ(r.at("schema"), "kagami.scene_run/1");
  EXPECT_LT(r.at("contacts").at("slip_m").get<double>(), 1e-7);
  EXPECT_NEAR(r.at("rest").at("load").get<double>(), std::cos(20.0 * M_PI / 180.0), 1e-6);
  EXPECT_LT(r.at("rest").at("chatter").get<double>(), 1e-6);
  EXPECT_EQ(r.at("rest").at("pressed"), json({4, 4}));
  EXPECT_EQ(r.at("energy").at("largest_rise_J"), 0.0);
  EXPECT_EQ(r.at("counters").at("failed"), 0);
}

TEST(RunCommand, ARobotStandsHeldOnEightCorners) {
  const json r = answer({"khr1_standing", "--duration", "1"});
  EXPECT_EQ(r.at("status"), "ok");
  EXPECT_NEAR(r.at("rest").at("load").get<double>(), 1.0, 1e-6);
  EXPECT_EQ(r.at("rest").at("pressed"), json({8, 8}));
  EXPECT_LT(r.at("contacts").at("penetration_m").get<double>(), 0.5e-6);
  EXPECT_LT(r.at("contacts").at("slip_m").get<double>(), 1e-6);
  EXPECT_NEAR(r.at("systems")[0].at("place_m")[2].get<double>(), 0.2519, 1e-4);
}

TEST(RunCommand, ARobotTakesASmallPushAndFallsByALargeOne) {
  for (const char* method : {"relaxed", "multipoint", "volumetric"}) {
    SCOPED_TRACE(method);
    const json fallen = answer({"khr1_pushed", "--method", method});
    EXPECT_LT(fallen.at("systems")[0].at("place_m")[2].get<double>(), 0.13);
    const test::TempFolder folder;
    std::ifstream file(KAGAMI_SOURCE_DIR "/models/data/scenes/khr1_pushed.json");
    json small = json::parse(file);
    small["disturbances"][0]["force"][0] = 1;  // N
    write_file_atomically(folder.file("small.json"), small.dump());
    const json result = answer({folder.file("small.json"), "--method", method});
    EXPECT_NEAR(result.at("systems")[0].at("place_m")[2].get<double>(), 0.2519, 1e-3);
  }
}

TEST(RunCommand, TheSameRunGivesTheSameBits) {
  json a = answer({"falling_box", "--duration", "0.5"});
  json b = answer({"falling_box", "--duration", "0.5"});
  EXPECT_GT(a.at("cpu").at("real_time_factor").get<double>(), 0.0);
  a.erase("cpu");
  b.erase("cpu");
  EXPECT_EQ(a, b);
  const json other = answer({"falling_box", "--duration", "0.5", "--step", "0.0005"});
  EXPECT_NE(a.at("state_hash"), other.at("state_hash"));
}

TEST(RunCommand, NoStepsAreNoMeasurements) {
  const json r = answer({"falling_box", "--duration", "0"});
  EXPECT_EQ(r.at("steps"), 0);
  EXPECT_TRUE(r.at("cpu").at("real_time_factor").is_null());
  EXPECT_TRUE(r.at("rest").at("load").is_null());
  EXPECT_EQ(r.at("energy").at("start_J"), r.at("energy").at("end_J"));
}

TEST(RunCommand, ContactRowsCarryTheWeight) {
  const test::TempFolder folder;
  static_cast<void>(answer({"khr1_standing", "--duration", "0.5", "--every", "100", "--contacts",
                            folder.file("c.csv"), "--states", folder.file("s.csv")}));
  const auto rows = rows_of(folder.file("c.csv"));
  ASSERT_EQ(rows.size(), 1u + 5u * 8u);
  ASSERT_EQ(rows[0].size(), 25u);
  EXPECT_EQ(rows[0][0], "t");
  EXPECT_EQ(rows[0][22], "iterations");
  double up = 0.0;
  for (std::size_t i = rows.size() - 8; i < rows.size(); ++i) {
    EXPECT_EQ(std::stod(rows[i][0]), 0.5);
    EXPECT_EQ(rows[i][1], "khr1");
    EXPECT_EQ(rows[i][4], "ground");
    EXPECT_EQ(rows[i][20], "stick");
    up += std::stod(rows[i][14]);
  }
  EXPECT_NEAR(up, 1.202 * kG, 1e-5);  // N; the masses of its robot.urdf
  const auto states = rows_of(folder.file("s.csv"));
  ASSERT_EQ(states.size(), 6u);
  ASSERT_EQ(states[0].size(), 1u + 24u + 23u + 1u + 4u);
  ASSERT_EQ(states[5].size(), states[0].size());
}

// by row: stored, drives, contact, the integrator's error; each since the start
TEST(RunCommand, EnergyColumnsAndSummaryAddUpForEveryMethod) {
  const test::TempFolder folder;
  for (const char* method : {"relaxed", "multipoint", "volumetric"}) {
    SCOPED_TRACE(method);
    const json r = answer({"khr1_pushed", "--method", method, "--duration", "1.5", "--every", "10",
                           "--states", folder.file("s.csv")});
    const json& e = r.at("energy");
    const auto sum = [&](double drive, double contact, double integrator) {
      return e.at("start_J").get<double>() + drive + contact + integrator;
    };
    const auto rows = rows_of(folder.file("s.csv"));
    ASSERT_EQ(rows.size(), 151u);
    const std::size_t first = rows[0].size() - 4;
    EXPECT_EQ(rows[0][first], "E");
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const auto at = [&](std::size_t k) { return std::stod(rows[i][first + k]); };
      ASSERT_NEAR(at(0), sum(at(1), at(2), at(3)), 1e-10) << i;  // J, rounding of 1500 steps
    }
    EXPECT_NEAR(e.at("end_J"), sum(e.at("drive_J"), e.at("contact_J"), e.at("integrator_J")),
                1e-10);
    EXPECT_LT(e.at("contact_J").get<double>(), -0.5);  // J, the fall's impacts
    const double mass = 1.202;
    const double taken_back = mass * kG * r.at("contacts").at("penetration_m").get<double>();
    EXPECT_LE(e.at("contact_gain_J").get<double>(), taken_back + 1e-12);
  }
}

TEST(RunCommand, WhatRestsSleepsWhereTheFileRequestsIt) {
  const test::TempFolder folder;
  json scene = json::parse(R"({"schema": "kagami.scenario/1", "duration": 0.5, "ground": {},
    "bodies": [{"name": "low", "box": [0.2, 0.2, 0.1], "mass": 1, "at": [0, 0, 0.05]},
               {"name": "high", "box": [0.2, 0.2, 0.1], "mass": 1, "at": [1, 0, 0.4]}],
    "robots": [{"name": "arm", "model": "planar_2r", "at": [9, 0, 3], "shapes": [],
                "hold": {"kp": 2000, "kd": 300}, "self_collision": false}],
    "sleep": {"time_s": 0.1}})");
  write_file_atomically(folder.file("s.json"), scene.dump());
  const json r = answer({folder.file("s.json"), "--states", folder.file("s.csv")});
  EXPECT_EQ(r.at("systems")[0].at("asleep"), true);
  EXPECT_EQ(r.at("systems")[1].at("asleep"), true);
  EXPECT_GT(r.at("counters").at("asleep"), 400);
  const auto rows = rows_of(folder.file("s.csv"));
  ASSERT_EQ(rows[0][14], "low.asleep");
  ASSERT_EQ(rows[0][28], "high.asleep");
  EXPECT_EQ(rows[90][14], "0");
  EXPECT_EQ(rows[120][14], "1");
  EXPECT_EQ(rows[120][28], "0");  // it has just fallen
  EXPECT_EQ(rows[500][28], "1");
  RunCase text;
  EXPECT_EQ(text.run({"run", folder.file("s.json")}), 0);
  EXPECT_NE(text.out.find("asleep       "), std::string::npos) << text.out;
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"time_s": 0})", "/sleep/time_s: 0 is outside"},
      {R"({"time_s": 1, "speed": -1})", "/sleep/speed: -1 is outside"},
      {R"({"speed": 1})", "/sleep/time_s: is missing"},
      {R"({"time_s": 1, "after": 1})", "/sleep: unknown key 'after'"}};
  for (const auto& [value, expected] : wrong) {
    scene["sleep"] = json::parse(value);
    write_file_atomically(folder.file("s.json"), scene.dump());
    RunCase cli;
    EXPECT_NE(cli.run({"run", folder.file("s.json")}), 0);
    EXPECT_NE(cli.err.find(std::string("s.json: ") + expected), std::string::npos) << cli.err;
  }
}

TEST(RunCommand, AStackStandsByPatchesThatCarryWhatLiesOnThem) {
  const test::TempFolder folder;
  const json r = answer({"tower", "--duration", "0.4", "--contacts", folder.file("c.csv")});
  EXPECT_EQ(r.at("method"), "volumetric");
  EXPECT_EQ(r.at("rest").at("pressed"), json({5, 5}));
  EXPECT_NEAR(r.at("rest").at("load").get<double>(), 1.0, 1e-3);  // the issue's bound
  EXPECT_LT(r.at("contacts").at("penetration_m").get<double>(), 0.1e-3);
  const auto rows = rows_of(folder.file("c.csv"));
  ASSERT_GT(rows.size(), 5u);
  for (std::size_t i = rows.size() - 5; i < rows.size(); ++i) {
    const int box = std::stoi(rows[i][1].substr(3));  // "box1" is the lowest
    EXPECT_EQ(rows[i][3], "");
    if (rows[i][4] == "ground") {
      EXPECT_EQ(box, 1);
      EXPECT_NEAR(std::stod(rows[i][14]), 5.0 * kG, 0.05);  // N
      EXPECT_LT(std::stod(rows[i][11]), 0.0);               // m
    }
  }
}

TEST(RunCommand, EveryMethodWritesItsContactsWithTheirIds) {
  const test::TempFolder folder;
  for (const char* method : {"relaxed", "multipoint", "volumetric"}) {
    SCOPED_TRACE(method);
    static_cast<void>(answer({"incline_stick", "--method", method, "--duration", "0.2",
                              "--contacts", folder.file("c.csv")}));
    const auto rows = rows_of(folder.file("c.csv"));
    ASSERT_GT(rows.size(), 100u);
    std::map<std::string, int> steps;  // by id
    double up = 0.0;                   // N s, of all steps
    for (std::size_t i = 1; i < rows.size(); ++i) {
      ASSERT_EQ(rows[i].size(), 25u);
      ++steps[rows[i][24]];
      EXPECT_EQ(rows[i][23], "");  // the other is static
      const double length =
          std::hypot(std::stod(rows[i][8]), std::stod(rows[i][9]), std::stod(rows[i][10]));
      EXPECT_NEAR(length, 1.0, 1e-12);
      EXPECT_LT(std::stod(rows[i][21]), 1e-3);  // m/s
      EXPECT_GE(std::stoi(rows[i][22]), 1);
      up += 1e-3 * std::stod(rows[i][14]);
    }
    // one patch, or four corners, for the whole run
    EXPECT_EQ(steps.size(), method == std::string("volumetric") ? 1u : 4u);
    EXPECT_NEAR(up, kG * 0.2, 0.02 * kG * 0.2);  // 1 kg; the first steps settle
  }
}

// the energy after half a second of contact, by every algorithm
TEST(RunCommand, SceneIsTheSameByEveryAlgorithm) {
  const json reference = answer({"khr1_standing", "--duration", "0.5"});
  EXPECT_EQ(reference.at("dynamics"), "aba");
  for (const char* name : {"aba", "crba", "ada", "dca", "hybrid"}) {
    SCOPED_TRACE(name);
    const json r = answer({"khr1_standing", "--duration", "0.5", "--dynamics", name});
    EXPECT_EQ(r.at("dynamics"), name);
    if (std::string(name) == "aba") {
      EXPECT_EQ(r.at("state_hash"), reference.at("state_hash"));
    }
    const double end = r.at("energy").at("end_J").get<double>();
    EXPECT_NEAR(end, reference.at("energy").at("end_J").get<double>(), 1e-6);  // J, of 2.2
  }
  RunCase c;
  EXPECT_EQ(c.run({"run", "khr1_standing", "--dynamics", "newton"}), 2);
  EXPECT_NE(c.err.find("expected one of crba, aba, dca, ada, hybrid"), std::string::npos) << c.err;
}

TEST(RunCommand, ListNamesTheShippedScenarios) {
  RunCase cli;
  ASSERT_EQ(cli.run({"run", "--list"}), 0);
  EXPECT_NE(cli.out.find("khr1_standing"), std::string::npos);
  const json r = answer({"--list"});
  EXPECT_EQ(r.at("schema"), "kagami.scenario_list/1");
  EXPECT_GE(r.at("scenarios").size(), 8u);
}

TEST(RunCommand, WrongOptionsAreUsageErrors) {
  const test::TempFolder folder;
  const auto refused = [](const std::vector<std::string>& args, const std::string& expected) {
    RunCase cli;
    EXPECT_EQ(cli.run(args), 2) << args.back();
    EXPECT_NE(cli.err.find(expected), std::string::npos) << cli.err;
    EXPECT_EQ(cli.out, "");
  };
  refused({"run"}, "--list");
  refused({"run", "khr1_standin"}, "did you mean 'khr1_standing'?");
  refused({"run", "./none.json"}, "does not exist");
  refused({"run", "falling_box", "--method", "penalty"}, "relaxed, multipoint");
  refused({"run", "falling_box", "--step", "1"}, "--/step: 1 is outside");
  refused({"run", "falling_box", "--duration", "1e5", "--step", "1e-6"}, "more than 1e+08 steps");
  refused({"run", "falling_box", "--every", "0"}, "--every");
  refused({"run", "falling_box", "--method", ""}, "relaxed, multipoint");
  refused({"run", "falling_box", "--duration", "nan"}, "--/duration: nan is outside");
  refused({"run", "falling_box", "--duration", "soon"}, "--duration");
  refused({"run", "falling_box", "--contacts", folder.file("x"), "--states", folder.file("./x")},
          "is given for contacts and for states");
  // what only the world can see is reported with the scenario's file
  write_file_atomically(folder.file("deep.json"),
                        R"({"schema": "kagami.scenario/1", "duration": 1, "ground": {},
                 "bodies": [{"name": "b", "box": [1, 1, 1], "mass": 1, "at": [0, 0, -3]}]})");
  refused({"run", folder.file("deep.json")}, "deep.json: scene: b");
  refused({"run", folder.file("deep.json"), "--states", folder.file("deep.json")}, "itself");
  write_file_atomically(
      folder.file("inside.json"),
      R"({"schema": "kagami.scenario/1", "duration": 1, "contact": {"method": "volumetric"},
                 "bodies": [{"name": "a", "box": [1, 1, 1], "mass": 1},
                            {"name": "b", "box": [1, 1, 2], "mass": 1, "at": [0.4, 0, 0.4]}]})");
  refused({"run", folder.file("inside.json")}, "inside.json: scene: b: b starts inside a of a");
}

TEST(RunCommand, AFileThatCannotBeWrittenIsAFailure) {
  const test::TempFolder folder;
  for (const char* option : {"--contacts", "--states"}) {
    RunCase cli;
    EXPECT_EQ(cli.run({"run", "falling_box", "--duration", "0.01", option,
                       folder.file("no/such/folder.csv")}),
              1);
    EXPECT_NE(cli.err.find("folder.csv' cannot be written"), std::string::npos) << cli.err;
  }
}

TEST(RunCommand, PlaysShippedMotionsWithTheirControllers) {
  for (const auto& [name, controller] :
       {std::pair("khr1_pid_walk_stand", "pid"), std::pair("khr1_pid_walk_floor", "pid"),
        std::pair("khr1_balance_hold", "balance"), std::pair("khr1_hands", "virtual-loop")}) {
    SCOPED_TRACE(name);
    RunCase c;
    const test::TempFolder folder;
    ASSERT_EQ(c.run({"run", name, "--robot", "virtual", "--out", folder.file("s"), "--json"}), 0)
        << c.err;
    EXPECT_EQ(c.json()["schema"], "kagami.run/1");
    EXPECT_EQ(c.json()["controller"]["name"], controller);
    EXPECT_EQ(c.json()["controller"]["status"], "ok");
    EXPECT_FALSE(c.json()["fell"]["robot"].get<bool>());
  }
}

TEST(RunCommand, DistinguishesAMotionFromAWorld) {
  RunCase c;
  const test::TempFolder folder;
  EXPECT_EQ(c.run({"run", "khr1_hands", "--method", "relaxed"}), 2);
  EXPECT_NE(c.err.find("plays a motion"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"run", "falling_box", "--robot", "virtual"}), 2);
  EXPECT_NE(c.err.find("is a world of bodies"), std::string::npos) << c.err;
  const std::string file = folder.file("bad.json");
  std::ofstream(file) << R"({"schema": "kagami.scenario/1", "motion": "bow", "on": "moon"})";
  EXPECT_EQ(c.run({"run", file}), 2);
  EXPECT_NE(c.err.find("bad.json: /on"), std::string::npos) << c.err;
  ASSERT_EQ(c.run({"run", "--list", "--json"}), 0) << c.err;
  EXPECT_NE(c.out.find("khr1_pid_walk_floor"), std::string::npos);
}

}  // namespace
}  // namespace kagami::tools
