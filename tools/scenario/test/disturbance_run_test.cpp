// Disturbances of a robot's run: on the robot behind its boards, on the model beside it, on both.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "models/base/file_replacement.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"
#include "tools/trace/trace.hpp"

namespace kagami::tools {
namespace {

using RunCase = test::CommandCase<add_run>;

using nlohmann::json;

// the KHR-1 on its stand or on the floor
class DisturbedRun : public ::testing::Test {
 protected:
  json play(const char* motion, const char* on, const json& disturbances) {
    const json scenario = {{"schema", "kagami.scenario/1"},
                           {"motion", motion},
                           {"on", on},
                           {"plant", "twin"},
                           {"disturbances", disturbances}};
    write_file_atomically(folder_.file("s.json"), scenario.dump());
    RunCase c;
    const int code =
        c.run({"run", folder_.file("s.json"), "--out", folder_.file("out"), "--force", "--json"});
    // a fall has its own exit code: the run did not succeed
    const json fell = c.json().at("fell");
    const bool any = fell.at("robot").get<bool>() || fell.at("shadow").get<bool>();
    EXPECT_EQ(code, any ? 8 : 0) << c.err;
    return c.json();
  }
  void refused(const json& scenario, const std::vector<std::string>& options,
               const std::string& expected) {
    write_file_atomically(folder_.file("s.json"), scenario.dump());
    std::vector<std::string> args = {"run", folder_.file("s.json"), "--out", folder_.file("no")};
    args.insert(args.end(), options.begin(), options.end());
    RunCase c;
    EXPECT_EQ(c.run(args), 2);
    EXPECT_NE(c.err.find(expected), std::string::npos) << c.err;
  }
  test::TempFolder folder_;
};

double bias(const json& run, const std::string& joint) {
  for (const json& j : run.at("joints")) {
    if (j.at("name") == joint) return j.at("bias_deg").get<double>();
  }
  ADD_FAILURE() << joint;
  return 0.0;
}

// N m: 2 degrees at 20 N m/rad, the servos' stiffness
json shoulder_torque(const char* on) {
  return json::array({{{"kind", "torque"},
                       {"on", on},
                       {"joint", "right_shoulder_pitch"},
                       {"torque", 0.7},
                       {"from", 0.0}}});
}

TEST_F(DisturbedRun, WhatActsOnTheRobotAloneShowsInTheResidualAndOnBothCancels) {
  constexpr const char* kJoint = "right_shoulder_pitch";
  const double alone = bias(play("bow", "stand", json::array()), kJoint);
  const double robot = bias(play("bow", "stand", shoulder_torque("robot")), kJoint) - alone;
  const double twin = bias(play("bow", "stand", shoulder_torque("twin")), kJoint) - alone;
  const double both = bias(play("bow", "stand", shoulder_torque("both")), kJoint) - alone;
  EXPECT_NEAR(robot, -2.0, 0.5);  // deg: model less robot
  // like signs on both sides: the residual is the difference of the two
  EXPECT_LT(robot * twin, 0.0);
  EXPECT_NEAR(robot, -twin, 0.25 * std::abs(twin));  // whole degrees are read
  EXPECT_LT(std::abs(both), 0.25 * std::abs(robot));
}

TEST_F(DisturbedRun, EveryKindRepeatsItsBitsAndItsRecordVerifies) {
  const json all = json::array(
      {{{"kind", "payload"}, {"body", "left_elbow"}, {"mass", 0.05}, {"from", 0.5}, {"for", 0.3}},
       {{"kind", "ground"}, {"slope", 0.03}, {"from", 0.2}, {"ramp", 0.5}},
       {{"kind", "friction"}, {"scale", 0.8}, {"from", 0.1}},
       {{"kind", "torque"}, {"joint", "head_yaw"}, {"torque", 0.05}, {"from", 0.4}, {"for", 0.4}},
       {{"kind", "wrench"},
        {"on", "twin"},
        {"body", "left_shoulder_pitch"},
        {"at", {0, 0, 0}},
        {"force", {0.5, 0, 0}},
        {"moment", {0, 0, 0.01}},
        {"from", 0.7},
        {"for", 0.2},
        {"ramp", 0.05}}});
  const json a = play("home", "floor", all);
  EXPECT_EQ(a.at("disturbances").size(), 5u);
  test::CliCase verify;
  EXPECT_EQ(verify.run({"verify", a.at("record").get<std::string>()}), 0) << verify.err;
  EXPECT_FALSE(a.at("fell").at("robot").get<bool>());
  EXPECT_FALSE(a.at("fell").at("shadow").get<bool>());
  EXPECT_EQ(a.at("state_hash"), play("home", "floor", all).at("state_hash"));
  EXPECT_NE(a.at("state_hash"), play("home", "floor", json::array()).at("state_hash"));
}

TEST_F(DisturbedRun, APushThatIsTooStrongMakesTheRobotFall) {
  const auto push = [](const char* on) {
    return json::array({{{"on", on}, {"force", {25, 0, 0}}, {"from", 0.3}, {"for", 0.2}}});
  };
  const json robot = play("home", "floor", push("robot"));
  EXPECT_TRUE(robot.at("fell").at("robot").get<bool>());
  EXPECT_FALSE(robot.at("fell").at("shadow").get<bool>());
  const json twin = play("home", "floor", push("twin"));
  EXPECT_FALSE(twin.at("fell").at("robot").get<bool>());
  EXPECT_TRUE(twin.at("fell").at("shadow").get<bool>());
}

TEST_F(DisturbedRun, ReportsDisturbancesAndThoseThatCameTooLate) {
  const json scenario = {
      {"schema", "kagami.scenario/1"},
      {"motion", "home"},
      {"disturbances",
       json::array({{{"on", "robot"}, {"force", {1, 0, 0}}, {"from", 0.5}, {"for", 0.1}},
                    {{"on", "twin"}, {"force", {1, 0, 0}}, {"from", 6}, {"for", 0.1}}})}};
  write_file_atomically(folder_.file("s.json"), scenario.dump());
  RunCase c;
  ASSERT_EQ(c.run({"run", folder_.file("s.json"), "--out", folder_.file("o")}), 0) << c.err;
  EXPECT_NE(c.out.find("force (1, 0, 0) N at the base, from 0.5 s to 0.6 s (robot alone)"),
            std::string::npos)
      << c.out;
  EXPECT_NE(c.err.find("from 6 s to 6.1 s: begins after the end of the run"), std::string::npos)
      << c.err;
}

TEST_F(DisturbedRun, RefusesWhatCannotActOnTheRobot) {
  const auto with = [](const json& d) {
    return json{{"schema", "kagami.scenario/1"},
                {"motion", "bow"},
                {"on", "stand"},
                {"disturbances", json::array({d})}};
  };
  const json push = {{"force", {1, 0, 0}}, {"from", 0.1}, {"for", 0.1}};
  json d = push;
  d["on"] = "everybody";
  refused(with(d), {}, "s.json: /disturbances/0/on");
  for (const char* on : {"twin", "robot"}) {
    SCOPED_TRACE(on);
    d = push;
    d.update({{"on", on}, {"body", "tail"}});
    refused(with(d), {}, "s.json: /disturbances/0/body: 'tail' is not a link");
    d["body"] = "base_link";
    refused(with(d), {}, "s.json: /disturbances/0/body: 'base_link'");
    refused(with({{"kind", "ground"}, {"on", on}, {"slope", 0.1}, {"from", 0}, {"ramp", 1}}), {},
            "s.json: /disturbances/0/kind: the robot is on its stand");
    refused(with({{"kind", "friction"}, {"on", on}, {"scale", 2}, {"from", 0}}), {},
            "s.json: /disturbances/0/kind: the robot is on its stand");
    refused(with({{"kind", "torque"}, {"on", on}, {"joint", "tail"}, {"torque", 1}, {"from", 0}}),
            {}, "s.json: /disturbances/0/joint: 'tail'");
  }
  d = push;
  d["from"] = 1000;
  refused(with(d), {}, "s.json: /disturbances/0/from: 1000 s is not before the end of the run");
  d = push;
  refused(with(d), {"--robot", "/dev/null", "--unproven", "--yes"},
          "s.json: /disturbances/0/on: the robot at /dev/null cannot be disturbed");
}

TEST(DisturbedReplay, ShippedScenariosRunToTheirEndWithTheirControllers) {
  const test::TempFolder folder;
  for (const char* name :
       {"khr1_pid_payload", "khr1_balance_tilt", "khr1_hands_pushed", "khr1_hands_payload"}) {
    SCOPED_TRACE(name);
    RunCase c;
    ASSERT_EQ(c.run({"run", name, "--out", folder.file(name), "--json"}), 0) << c.err;
    EXPECT_EQ(c.json().at("controller").at("status"), "ok");
    EXPECT_EQ(c.json().at("disturbances").size(), 1u);
    EXPECT_FALSE(c.json().at("fell").at("robot").get<bool>());
  }
}

TEST(DisturbedReplay, TakesThemFromAFile) {
  const test::TempFolder folder;
  write_file_atomically(folder.file("d.json"),
                        R"({"schema": "kagami.disturbances/1", "disturbances":
    [{"on": "robot", "kind": "torque", "joint": "head_yaw", "torque": 0.1, "from": 0.2}]})");
  test::CliCase c;
  ASSERT_EQ(c.run({"replay", "home", "--clock", "virtual", "--disturbances", folder.file("d.json"),
                   "--out", folder.file("o"), "--json"}),
            0)
      << c.err;
  EXPECT_EQ(c.json().at("disturbances").at(0).at("joint"), "head_yaw");
  write_file_atomically(folder.file("d.json"),
                        R"({"schema": "kagami.scenario/1", "disturbances": []})");
  EXPECT_EQ(c.run({"replay", "home", "--clock", "virtual", "--disturbances", folder.file("d.json"),
                   "--out", folder.file("o")}),
            2);
  EXPECT_NE(c.err.find("d.json: /schema"), std::string::npos) << c.err;
}

}  // namespace
}  // namespace kagami::tools
