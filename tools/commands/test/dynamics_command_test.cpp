// kagami dynamics against the oracle of random trees (O10), and its messages for bad input.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tools/test/cli_case.hpp"
#include "tools/test/json_numbers.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using DynamicsCase = test::CommandCase<add_dynamics>;

using nlohmann::json;
using test::TempFolder;

json oracle() {
  std::ifstream in(test::kOracles + "o10_trees.json");
  return json::parse(in);
}

void write(const std::string& file, const std::string& text) {
  std::ofstream(file) << text;
}

using test::difference;
using test::largest;

TEST(DynamicsCommand, AnswersTheRandomTreesOfO10) {
  const json trees = oracle();
  ASSERT_EQ(trees.at("cases").size(), 20u);
  for (const json& want : trees.at("cases")) {
    const std::string id = want.at("id");
    for (const char* algorithm : {"aba", "crba", "ada", "dca", "hybrid"}) {
      SCOPED_TRACE(id + " " + algorithm);
      DynamicsCase c;
      ASSERT_EQ(c.run({"dynamics", test::kOracles + "o10_trees.json", "--case", id, "--algorithm",
                       algorithm, "--json"}),
                0)
          << c.err;
      const json all = c.json();
      EXPECT_EQ(all.at("schema"), "kagami.dynamics/1");
      const json got = all.at("states").at(0);
      // tolerances of the oracle's README; sums of the others lose two digits at most
      EXPECT_LT(difference(got.at("vdot"), want.at("vdot")), 1e-9 * largest(want.at("vdot")));
      EXPECT_LT(difference(got.at("inverse").at("tau"), want.at("inverse").at("tau")), 1e-10);
      for (const char* key : {"H", "b", "Q_external", "kinetic_energy", "potential_energy", "com",
                              "linear_momentum", "angular_momentum_about_com"})
        EXPECT_LT(difference(got.at(key), want.at(key)), 1e-10) << key;
      EXPECT_LT(difference(got.at("joint_wrench_world_at_child_origin"),
                           want.at("joint_wrench_world_at_child_origin")),
                1e-8);
    }
  }
}

constexpr const char* kPendulum = R"({"gravity": [0, 0, -9.81], "bodies": [{"name": "rod",
  "parent": -1, "mass": 1, "com": [0, 0, -1], "inertia": [[0.1,0,0],[0,0.1,0],[0,0,0.1]],
  "joint": {"name": "pivot", "type": "revolute", "axis": [0, 1, 0], "xyz": [0, 0, 0]}}]})";

class DynamicsOfAPendulum : public ::testing::Test {
 protected:
  DynamicsOfAPendulum() { write(model_, kPendulum); }
  std::string states(const std::string& text) {
    write(folder_.file("states.json"), text);
    return folder_.file("states.json");
  }
  void expect_refused(std::vector<std::string> args, const std::string& expected) {
    DynamicsCase c;
    args.insert(args.begin(), {"dynamics", model_});
    EXPECT_EQ(c.run(args), 2) << c.out;
    EXPECT_EQ(c.out, "");
    EXPECT_NE(c.err.find(expected), std::string::npos) << c.err;
  }
  TempFolder folder_;
  std::string model_ = folder_.file("pendulum.json");
};

TEST_F(DynamicsOfAPendulum, CsvHasARowPerStateWithEveryBit) {
  const std::string file =
      states(R"({"states": [{"q": [0.5], "v": [0.1], "tau": [2]}, {"q": [-1.5]}]})");
  DynamicsCase c;
  ASSERT_EQ(c.run({"dynamics", model_, file, "--csv"}), 0) << c.err;
  std::istringstream lines(c.out);
  std::string header;
  std::string row;
  std::getline(lines, header);
  EXPECT_EQ(header.substr(0, 36), "q:pivot,v:pivot,tau:pivot,vdot:pivot");
  double q = 0.0;
  double vdot = 0.0;
  std::getline(lines, row);
  ASSERT_EQ(std::sscanf(row.c_str(), "%lf,%*f,%*f,%lf", &q, &vdot), 2) << row;
  EXPECT_EQ(q, 0.5);
  EXPECT_NEAR(vdot, (2.0 - 9.81 * std::sin(0.5)) / 1.1, 1e-14);  // rad/s^2, closed form
  std::getline(lines, row);
  ASSERT_EQ(std::sscanf(row.c_str(), "%lf,%*f,%*f,%lf", &q, &vdot), 2) << row;
  EXPECT_NEAR(vdot, 9.81 * std::sin(1.5) / 1.1, 1e-14);
}

TEST_F(DynamicsOfAPendulum, NamesTheAlgorithmThatRan) {
  DynamicsCase hybrid;
  ASSERT_EQ(hybrid.run({"dynamics", model_, "--algorithm", "hybrid", "--json"}), 0) << hybrid.err;
  EXPECT_EQ(json::parse(hybrid.out)["algorithm"], "ada");
  EXPECT_NE(hybrid.err.find("ada"), std::string::npos) << hybrid.err;
  const json light = json::parse(std::ifstream(test::kOracles + "light_links.json"));
  write(model_, light["dca_mg"].dump());
  const std::string file = states(json{{"states", {light["state"]}}}.dump());
  DynamicsCase dca;
  ASSERT_EQ(dca.run({"dynamics", model_, file, "--algorithm", "dca", "--json"}), 0) << dca.err;
  const json answer = json::parse(dca.out);
  EXPECT_EQ(answer["algorithm"], "ada");
  EXPECT_NEAR(answer["states"][0]["vdot"][1].get<double>(), 2.1573336258482, 1e-10);
}

TEST_F(DynamicsOfAPendulum, StopsAtJointLimitsAndKeepsTheRows) {
  json limited = json::parse(kPendulum);
  for (const char* type : {"revolute", "prismatic"}) {
    SCOPED_TRACE(type);
    limited["bodies"][0]["joint"]["type"] = type;
    limited["bodies"][0]["joint"]["axis"] = {0, std::string(type) == "revolute" ? 1 : 0,
                                             std::string(type) == "revolute" ? 0 : 1};
    limited["bodies"][0]["joint"]["limits"] = {{"lower", -0.5}, {"upper", 1.1}};
    write(model_, limited.dump());
    const std::string file = states(R"({"states": [{"q": [1.0]}]})");
    const std::vector<std::string> args = {"dynamics", model_, file,   "--simulate",
                                           "2",        "--dt", "0.01", "--json"};
    DynamicsCase c;
    EXPECT_EQ(c.run(args), 1) << c.out;
    EXPECT_NE(c.err.find("joint 'pivot'"), std::string::npos) << c.err;
    const json answer = json::parse(c.out);
    EXPECT_EQ(answer["complete"], false);
    ASSERT_GT(answer["rows"].size(), 10u);
    EXPECT_LT(answer["rows"].size(), 200u);
    EXPECT_LT(answer["rows"].back()[1].get<double>(), -0.5);
    DynamicsCase beyond;
    std::vector<std::string> free = args;
    free.push_back("--ignore-limits");
    EXPECT_EQ(beyond.run(free), 0) << beyond.err;
    EXPECT_EQ(json::parse(beyond.out)["rows"].size(), 201u);
  }
}

TEST_F(DynamicsOfAPendulum, SimulatesByEveryIntegrator) {
  const std::string file = states(R"({"states": [{"q": [1.0]}]})");
  for (const char* integrator : {"semi-implicit-euler", "rk4", "rkg", "rkf45"}) {
    SCOPED_TRACE(integrator);
    DynamicsCase c;
    ASSERT_EQ(c.run({"dynamics", model_, file, "--simulate", "0.25", "--dt", "0.1", "--integrator",
                     integrator, "--json"}),
              0)
        << c.err;
    const json got = c.json();
    ASSERT_EQ(got.at("columns").at(0), "t");
    ASSERT_EQ(got.at("columns").at(5), "E");
    ASSERT_EQ(got.at("rows").size(), 4u);
    EXPECT_EQ(got.at("rows").at(3).at(0), 0.25);
    const double E0 = got.at("rows").at(0).at(5);
    EXPECT_NEAR(E0, -9.81 * std::cos(1.0), 1e-12);  // J
    // J: Runge-Kutta at 0.1 s; Euler's energy swings by order h
    const double allowed = std::string(integrator) == "semi-implicit-euler" ? 1.0 : 1e-4;
    EXPECT_NEAR(got.at("rows").at(3).at(5).get<double>(), E0, allowed);
  }
}

TEST_F(DynamicsOfAPendulum, BadInputIsNamed) {
  expect_refused({"--algorithm", "magic"}, "crba, aba, dca, ada, hybrid");
  expect_refused({"--integrator", "leapfrog"}, "semi-implicit-euler, rk4, rkg, rkf45");
  expect_refused({"--csv", "--json"}, "exclude each other");
  expect_refused({"--simulate", "1", "--dt", "0"}, "--dt 0");
  expect_refused({"--simulate", "nan"}, "--simulate nan");
  expect_refused({"--case", "a"}, "--case");
  expect_refused({states(R"({"states": [{"q": [1, 2]}]})")}, "q");
  expect_refused({states(R"({"states": [{"v": [null]}]})")}, "v");
  expect_refused({states(R"({"states": [{"v": [NaN]}]})")}, "states.json");
  expect_refused({states(R"({"states": [{"speed": [1]}]})")}, "speed");
  expect_refused({states(R"({"states": []})")}, "at least one");
  expect_refused({folder_.file("absent.json")}, "absent.json");
}

TEST(DynamicsCommand, RefusesAQuaternionThatIsNone) {
  const TempFolder folder;
  write(folder.file("body.json"),
        R"({"bodies": [{"name": "b", "parent": -1, "mass": 1, "com": [0,0,0],
            "inertia": [[1,0,0],[0,1,0],[0,0,1]],
            "joint": {"name": "j", "type": "spherical", "xyz": [0,0,0]}}]})");
  write(folder.file("s.json"), R"({"states": [{"q": [0, 0, 0, 0]}]})");
  DynamicsCase c;
  EXPECT_EQ(c.run({"dynamics", folder.file("body.json"), folder.file("s.json")}), 2);
  EXPECT_NE(c.err.find("unit quaternion"), std::string::npos) << c.err;
}

TEST(DynamicsCommand, TakesAndGivesEulerAnglesAndReportsWhereTheyAreSingular) {
  const TempFolder folder;
  write(folder.file("body.json"),
        R"({"bodies": [{"name": "b", "parent": -1, "mass": 1, "com": [0,0,0],
            "inertia": [[1,0,0],[0,1,0],[0,0,1]],
            "joint": {"name": "j", "type": "floating", "xyz": [0,0,0]}}]})");
  write(folder.file("s.json"), R"({"states": [
      {"q_zyz": [1, 2, 3, 0.4, 1.5707963267948966, 0], "v": [0, 0, 1, 0, 0, 0]}, {}]})");
  DynamicsCase c;
  ASSERT_EQ(c.run({"dynamics", folder.file("body.json"), folder.file("s.json"), "--json"}), 0)
      << c.err;
  const json states = c.json().at("states");
  // 0.4 rad about z, then a quarter turn about y: halves of them in the quaternion
  EXPECT_NEAR(states.at(0).at("q").at(3).get<double>(), std::sqrt(0.5) * std::cos(0.2), 1e-15);
  const json& zyz = states.at(0).at("zyz");
  EXPECT_NEAR(zyz.at("q").at(3).get<double>(), 0.4, 1e-14);
  EXPECT_NEAR(zyz.at("rates").at(5).get<double>(), 1.0, 1e-14);  // about z of the body: q3 alone
  EXPECT_FALSE(zyz.at("singular").get<bool>());
  const json& upright = states.at(1).at("zyz");
  EXPECT_TRUE(upright.at("singular").get<bool>());
  EXPECT_TRUE(upright.at("rates").is_null());
  EXPECT_EQ(upright.at("sigma"), 0.0);
  write(folder.file("both.json"),
        R"({"states": [{"q_zyz": [0,0,0,0,1,0], "q": [0,0,0,1,0,0,0]}]})");
  EXPECT_EQ(c.run({"dynamics", folder.file("body.json"), folder.file("both.json")}), 2);
  EXPECT_NE(c.err.find("/states/0/q_zyz: is given together with q"), std::string::npos) << c.err;
}

TEST(DynamicsCommand, TakesAShippedRobot) {
  DynamicsCase c;
  ASSERT_EQ(c.run({"dynamics", "khr1", "--base", "floating", "--json"}), 0) << c.err;
  const json got = c.json();
  EXPECT_EQ(got.at("v_names").size(), 23u);
  EXPECT_NEAR(got.at("states").at(0).at("vdot").at(5).get<double>(), -9.81, 1e-9);  // free fall
}

TEST(DynamicsCommand, TakesTheRobotsThatHaveNoServos) {
  struct Case {
    const char* name;
    std::size_t dofs;
  };
  for (const Case& robot : {Case{"hoap2", 25}, Case{"hoap1", 20}, Case{"pa10", 7},
                            Case{"planar_7r", 7}, Case{"chain3d_12", 17}}) {
    DynamicsCase c;
    ASSERT_EQ(c.run({"dynamics", robot.name, "--json"}), 0) << c.err;
    EXPECT_EQ(c.json().at("v_names").size(), robot.dofs) << robot.name;
  }
}

}  // namespace
}  // namespace kagami::tools
