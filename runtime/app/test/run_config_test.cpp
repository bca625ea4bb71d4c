#include "runtime/app/run_config.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "runtime/app/run_result.hpp"

namespace kagami::runtime {
namespace {

RunConfig parse(const nlohmann::json& values) {
  return read_run_config(ConfigDocument::parse(values.dump(), "run.json").root());
}

/// Every field differs from its default.
RunConfig unusual() {
  RunConfig c{};
  c.robot_folder = "/robots/mine";
  c.motion_file = "/motions/bow.json";
  c.robot = "/dev/ttyUSB3";
  c.port_library = "asio";
  c.clock = ClockKind::kVirtual;
  c.on = Scene::kFloor;
  c.friction = 0.7;
  c.contact = "multipoint";
  c.speed = 0.1 + 0.2;  // needs all 17 digits
  c.loop = true;
  c.mode = RunMode::kStream;
  c.read_every = 4;
  c.on_stop = OnStop::kRelease;
  c.out_dir = "/tmp/out";
  c.report = false;
  c.realtime = RealtimeRequest::kRequire;
  c.rate_hz = 500.0;
  c.late = LatePolicy::kCatchUp;
  c.twin_file = "twin.json";
  c.plant = "twin";
  c.board = "slow";
  c.answer_latency = 0.002;
  c.unproven = true;
  c.gains_file = "/gains/mine.json";
  return c;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "no error";
}

TEST(RunConfig, SurvivesTheWayThroughJsonUnchanged) {
  const nlohmann::json written = run_config_json(unusual());
  const nlohmann::json again = run_config_json(parse(nlohmann::json::parse(written.dump())));
  EXPECT_EQ(written, again);
  EXPECT_EQ(parse(written).speed, 0.1 + 0.2);
  // no field of `unusual` was left at its default
  RunConfig plain{};
  plain.answer_latency = 0.0;
  const nlohmann::json defaults = run_config_json(plain);
  for (const auto& [key, value] : written.items()) {
    if (key == "schema") continue;
    EXPECT_NE(value, defaults.at(key)) << key;
  }
}

TEST(RunConfig, NamesTheForwardDynamicsUnlessItIsArticulatedBodies) {
  RunConfig c{};
  c.robot_folder = "khr1";
  c.motion_file = "bow.json";
  EXPECT_FALSE(run_config_json(c).contains("dynamics"));  // as in records without a choice
  EXPECT_EQ(parse(run_config_json(c)).dynamics, models::Algorithm::kAba);
  for (const models::Algorithm algorithm : models::kAlgorithms) {
    c.dynamics = algorithm;
    EXPECT_EQ(parse(run_config_json(c)).dynamics, algorithm);
  }
  nlohmann::json wrong = run_config_json(c);
  wrong["dynamics"] = "newton";
  const std::string error = error_of([&] { (void)parse(wrong); });
  for (const char* algorithm : {"newton", "crba", "aba", "dca", "ada", "hybrid"})
    EXPECT_NE(error.find(algorithm), std::string::npos) << error;
}

TEST(RunConfig, KeepsFaultsOfTheVirtualRobotAndRefusesThemElsewhere) {
  RunConfig c{};
  c.robot_folder = "khr1";
  c.motion_file = "bow.json";
  c.board_faults = {"1:frozen, from 2, until 3", "*:neverfollow, from 5"};
  EXPECT_EQ(parse(run_config_json(c)).board_faults, c.board_faults);
  EXPECT_NO_THROW(check_run_config(c));
  c.robot = "/dev/ttyUSB0";
  c.unproven = true;
  EXPECT_NE(error_of([&] { check_run_config(c); }).find("--fault"), std::string::npos);
}

TEST(RunConfig, RefusesUnknownKeysNamesAndValuesOutOfRangeWithTheirPlace) {
  const std::vector<std::pair<std::string, nlohmann::json>> bad{{"sped", 1.0},
                                                                {"speed", 3.0},
                                                                {"clock", "wall"},
                                                                {"read_every", -1},
                                                                {"rate_hz", 50000},
                                                                {"on", "ceiling"},
                                                                {"friction", -1.0},
                                                                {"answer_latency_s", 0.5},
                                                                {"port_library", "boost"}};
  for (const auto& [key, value] : bad) {
    nlohmann::json changed = run_config_json(unusual());
    changed[key] = value;
    const std::string error = error_of([&] { parse(changed); });
    EXPECT_NE(error.find("run.json"), std::string::npos) << error;
    EXPECT_NE(error.find(key), std::string::npos) << error;
  }
  nlohmann::json changed = run_config_json(unusual());
  changed.erase("motion_file");
  EXPECT_NE(error_of([&] { parse(changed); }).find("motion_file"), std::string::npos);
}

TEST(RunConfig, AcceptsTheVirtualRobotOnTheStand) {
  RunConfig c{};
  EXPECT_NO_THROW(check_run_config(c));
  c.clock = ClockKind::kVirtual;
  EXPECT_NO_THROW(check_run_config(c));
}

TEST(RunConfig, RefusesARealRobotWithoutUnprovenWithTheReason) {
  RunConfig c{};
  c.robot = "/dev/ttyUSB0";
  const std::string error = error_of([&] { check_run_config(c); });
  EXPECT_NE(error.find("/dev/ttyUSB0"), std::string::npos) << error;
  EXPECT_NE(error.find("not finished"), std::string::npos) << error;
  EXPECT_NE(error.find("--unproven"), std::string::npos) << error;
  c.unproven = true;
  EXPECT_NO_THROW(check_run_config(c));
}

TEST(RunConfig, RefusesWhatDoesNotFitTogether) {
  RunConfig base{};
  RunConfig c = base;
  c.robot = "/dev/ttyUSB0";
  c.unproven = true;
  c.clock = ClockKind::kVirtual;
  EXPECT_NE(error_of([&] { check_run_config(c); }).find("--clock"), std::string::npos);
  c.clock = ClockKind::kReal;
  c.plant = "twin";
  EXPECT_NE(error_of([&] { check_run_config(c); }).find("plant"), std::string::npos);
  c = base;
  c.mode = RunMode::kStored;
  EXPECT_NO_THROW(check_run_config(c));
  c.loop = true;
  EXPECT_NE(error_of([&] { check_run_config(c); }).find("--loop"), std::string::npos);
}

TEST(RunResult, WritesNullForWhatWasNotMeasured) {
  const nlohmann::json j = run_result_json(RunResult{});
  EXPECT_EQ(j.at("schema"), "kagami.run/1");
  EXPECT_TRUE(j.at("cycle_us").at("p99").is_null());
  EXPECT_EQ(j.at("cycle_parts_us").size(), 7u);
  EXPECT_TRUE(j.at("cycle_parts_us").at("shadow").at("p99").is_null());
  EXPECT_TRUE(j.at("fell").at("robot").is_null());
  EXPECT_TRUE(j.at("base").at("robot").at("x_m").is_null());
  EXPECT_TRUE(j.at("memory_mib").is_null());
  EXPECT_EQ(j.at("ticks"), 0);
}

}  // namespace
}  // namespace kagami::runtime
