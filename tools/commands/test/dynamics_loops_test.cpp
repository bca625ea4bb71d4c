// kagami dynamics on models with loops: the oracles (O03, O04, O10's loops), every algorithm and
// integrator by name, and its messages for bad input.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/test/cli_case.hpp"
#include "tools/test/json_numbers.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using DynamicsCase = test::CommandCase<add_dynamics>;

using nlohmann::json;
using test::TempFolder;

json read(const std::string& name) {
  std::ifstream in(test::kOracles + name);
  return json::parse(in);
}

using test::difference;
using test::largest;

// a row of rods along +z on +y hinges, as O03: lengths (m), masses (kg), the ground's hinge (m)
json four_bar(const json& o, const std::string& type = "revolute") {
  const char* kLengths[] = {"l1", "l2", "l3"};
  json bodies = json::array();
  double from = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double l = o.at("link_length").at(kLengths[i]);
    const double m = o.at("link_mass").at(i);
    const double I = m * l * l / 12.0;
    bodies.push_back({{"name", "rod" + std::to_string(i + 1)},
                      {"parent", static_cast<int>(i) - 1},
                      {"mass", m},
                      {"com", {0, 0, 0.5 * l}},
                      {"inertia", {{I, 0, 0}, {0, I, 0}, {0, 0, I}}},
                      {"joint",
                       {{"name", "joint" + std::to_string(i + 1)},
                        {"type", "revolute"},
                        {"axis", {0, 1, 0}},
                        {"xyz", {0, 0, from}}}}});
    from = l;
  }
  json loop = {{"type", type},
               {"name", "joint4"},
               {"body_a", "rod3"},
               {"body_b", "world"},
               {"point_a", {0, 0, from}},
               {"point_b", {o.at("link_length").at("ground"), 0, 0}}};
  if (type == "revolute") {
    loop["axis_a"] = {0, 1, 0};
    loop["axis_b"] = {0, 1, 0};
  }
  return {{"gravity", {0, 0, -9.81}}, {"bodies", bodies}, {"loops", {loop}}};
}

json columns(const json& row, std::size_t first) {
  return {row.at(first), row.at(first + 1), row.at(first + 2)};
}

class DynamicsOfLoops : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const json& content) {
    std::ofstream(folder_.file(name)) << content.dump();
    return folder_.file(name);
  }
  std::string states(const json& entry) { return write("states.json", {{"states", {entry}}}); }
  void expect_refused(std::vector<std::string> args, int code,
                      const std::vector<std::string>& expected) {
    DynamicsCase c;
    args.insert(args.begin(), "dynamics");
    EXPECT_EQ(c.run(args), code) << c.out;
    EXPECT_EQ(c.out, "");
    for (const std::string& part : expected) {
      EXPECT_NE(c.err.find(part), std::string::npos) << part << " in\n" << c.err;
    }
  }
  TempFolder folder_;
};

TEST_F(DynamicsOfLoops, AnswersO10sLoopsByBothAlgorithms) {
  const json oracle = read("o10_loops.json");
  ASSERT_EQ(oracle.at("cases").size(), 8u);
  for (const json& want : oracle.at("cases")) {
    const std::string id = want.at("id");
    for (const char* algorithm : {"crba", "ada"}) {
      SCOPED_TRACE(id + " " + algorithm);
      DynamicsCase c;
      ASSERT_EQ(c.run({"dynamics", test::kOracles + "o10_loops.json", "--case", id, "--algorithm",
                       algorithm, "--json"}),
                0)
          << c.err;
      const json got = c.json().at("states").at(0);
      // the tolerances that the oracle advises
      EXPECT_LE(difference(got.at("vdot"), want.at("vdot")), 1e-8 * largest(want.at("vdot")));
      EXPECT_LE(difference(got.at("loop_wrench_on_a"), want.at("loop_wrench_on_a")),
                1e-7 * largest(want.at("loop_wrench_on_a")));
      EXPECT_EQ(got.at("rank"), want.at("rank"));
      EXPECT_EQ(got.at("degrees_of_freedom"), want.at("degrees_of_freedom"));
      EXPECT_EQ(got.at("independent").size(), want.at("degrees_of_freedom"));
      EXPECT_LE(got.at("gap").get<double>(), 1e-12);
      EXPECT_NEAR(got.at("power").at("stored").get<double>(),
                  got.at("power").at("supplied").get<double>(), 1e-7 * largest(want.at("vdot")));
      // the oracle's vdot again, from the independent coordinates
      EXPECT_LE(difference(got.at("inverse").at("vdot"), want.at("vdot")),
                1e-8 * largest(want.at("vdot")));
      EXPECT_EQ(got.at("inverse").at("loop_wrench_on_a").size(), want.at("loops").size());
    }
  }
}

TEST_F(DynamicsOfLoops, FollowsO03ByEveryIntegratorAndBothAlgorithms) {
  const json oracle = read("o03_general.json");
  const std::string model = "four_bar_general";  // a shipped robot
  const json& rows = oracle.at("rows");
  const std::string start = states({{"q", columns(rows[0], 1)}, {"v", columns(rows[0], 5)}});
  for (const char* algorithm : {"crba", "ada"}) {
    for (const char* integrator : {"semi-implicit-euler", "rk4", "rkg", "rkf45"}) {
      SCOPED_TRACE(std::string(algorithm) + " " + integrator);
      DynamicsCase c;
      // to 1e-6 what --close leaves: the start is given with 15 digits
      ASSERT_EQ(c.run({"dynamics", model, start, "--close", "--simulate", "0.5", "--dt", "0.001",
                       "--algorithm", algorithm, "--integrator", integrator, "--json"}),
                0)
          << c.err;
      const json got = c.json();
      const json& names = got.at("columns");
      const auto column = [&](const std::string& name) {
        return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) -
                                        names.begin());
      };
      ASSERT_LT(column("gap"), names.size());
      const bool first_order = std::string(integrator) == "semi-implicit-euler";
      ASSERT_EQ(got.at("rows").size(), 501u);
      for (const std::size_t k : {100u, 500u}) {
        const json& row = got.at("rows").at(k);
        const json& want = rows.at(k / 100);
        ASSERT_NEAR(want.at(0).get<double>(), 1e-3 * static_cast<double>(k), 1e-12);
        EXPECT_LE(difference(columns(row, 1), columns(want, 1)), first_order ? 2e-2 : 1e-8);
        EXPECT_NEAR(row.at(column("E")).get<double>(), want.at(23).get<double>(),
                    first_order ? 5e-2 : 1e-7);  // J
        EXPECT_LE(row.at(column("gap")).get<double>(), 1e-10);
        EXPECT_GT(row.at(column("smallest_singular_value")).get<double>(), 0.1);
        if (first_order) continue;
        EXPECT_NEAR(row.at(column("loop:joint4.fx")).get<double>(), want.at(19).get<double>(),
                    1e-6);  // N
        EXPECT_NEAR(row.at(column("loop:joint4.fz")).get<double>(), want.at(20).get<double>(),
                    1e-6);
      }
    }
  }
}

// two crossings of the collinear pose, where the source's own simulation jumps
TEST_F(DynamicsOfLoops, KeepsTheEnergyOfO04OverItsSingularPoses) {
  const json oracle = read("o04_seed.json");
  const std::string model = "four_bar";  // a shipped robot
  const json& rows = oracle.at("rows");
  const std::string start = states({{"q", columns(rows[0], 1)}, {"v", columns(rows[0], 5)}});
  DynamicsCase c;
  ASSERT_EQ(c.run({"dynamics", model, start, "--simulate", "3", "--dt", "0.001", "--integrator",
                   "rk4", "--json"}),
            0)
      << c.err;
  const json got = c.json();
  const json& names = got.at("columns");
  const auto energy =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), "E") - names.begin());
  const double E0 = got.at("rows").at(0).at(energy);
  double least = 1.0;
  for (const json& row : got.at("rows")) {
    ASSERT_NEAR(row.at(energy).get<double>(), E0, 1e-8);  // J
    least = std::min(least, row.at(energy + 9 + 3).get<double>());
  }
  EXPECT_EQ(names.at(energy + 9 + 3), "smallest_singular_value");
  EXPECT_LE(least, 1e-2);
  EXPECT_LE(difference(columns(got.at("rows").at(3000), 1), columns(rows.at(30), 1)), 1e-8);
}

// the pose itself: two singular values of the five, of which one is 0 here
TEST_F(DynamicsOfLoops, TheSmallestSingularValueIsZeroAtASingularPose) {
  const std::string model = write("four_bar.json", four_bar(read("o04_seed.json")));
  DynamicsCase c;
  const double quarter = 1.57079632679489662;
  ASSERT_EQ(c.run({"dynamics", model, states({{"q", {quarter, 0, 2 * quarter}}}), "--json"}), 0)
      << c.err;
  const json got = c.json().at("states").at(0);
  EXPECT_EQ(got.at("rank"), 1);
  EXPECT_EQ(got.at("constraints"), 5);
  EXPECT_EQ(got.at("singular_values").size(), 5u);
  EXPECT_LE(got.at("smallest_singular_value").get<double>(), 1e-12);
  EXPECT_NE(c.err.find("4 of the 5 loop equations are redundant"), std::string::npos) << c.err;
  // a velocity along neither branch
  expect_refused({model, states({{"q", {quarter, 0, 2 * quarter}}, {"v", {3, 0, 3}}}), "--json"}, 1,
                 {"states.json", "/states/0", "over-constrained"});
}

TEST_F(DynamicsOfLoops, CsvHasTheLoopsInEveryRow) {
  const json oracle = read("o03_seed.json");
  const std::string model = write("four_bar.json", four_bar(oracle, "spherical"));
  DynamicsCase c;
  ASSERT_EQ(c.run({"dynamics", model, states({{"q", columns(oracle.at("rows")[0], 1)}}), "--csv"}),
            0)
      << c.err;
  std::istringstream lines(c.out);
  std::string header;
  std::string row;
  std::getline(lines, header);
  std::getline(lines, row);
  EXPECT_NE(header.find(",gap,rank,smallest_singular_value,loop:joint4.nx"), std::string::npos);
  EXPECT_EQ(std::count(header.begin(), header.end(), ','), std::count(row.begin(), row.end(), ','));
  const double fz = std::stod(row.substr(row.rfind(',') + 1));
  EXPECT_NEAR(fz, oracle.at("rows")[0].at(20).get<double>(), 1e-8);  // N, F4z
  // people get the same
  DynamicsCase text;
  ASSERT_EQ(text.run({"dynamics", model, states({{"q", columns(oracle.at("rows")[0], 1)}})}), 0);
  EXPECT_NE(text.out.find("loop joint4.fz"), std::string::npos) << text.out;
}

// the shipped slider-crank, whose slider is a loop: closed from a guess, both algorithms the same
TEST_F(DynamicsOfLoops, ClosesTheShippedSliderCrank) {
  const std::string guess = states({{"q", {0.5, 1.5, 1.1}}, {"v", {3, 0, 0}}, {"tau", {1, 0, 0}}});
  json vdot[2];
  for (const int i : {0, 1}) {
    DynamicsCase c;
    ASSERT_EQ(c.run({"dynamics", "slider_crank", guess, "--close", "--algorithm",
                     i == 0 ? "crba" : "ada", "--json"}),
              0)
        << c.err;
    const json got = c.json().at("states").at(0);
    vdot[i] = got.at("vdot");
    EXPECT_EQ(got.at("rank"), 2);
    EXPECT_EQ(got.at("independent").size(), 1u);
    EXPECT_LE(got.at("gap").get<double>(), 1e-11);
    EXPECT_LE(got.at("gap_rate").get<double>(), 1e-12);
    EXPECT_NEAR(got.at("power").at("stored").get<double>(),
                got.at("power").at("supplied").get<double>(), 1e-10);  // W
    // the slider slides: no force along x, no moment but the pin's
    EXPECT_NEAR(got.at("loop_wrench_on_a").at(0).at(3).get<double>(), 0.0, 1e-10);
  }
  EXPECT_LE(difference(vdot[0], vdot[1]), 1e-10);
}

// a robot folder with its feet welded, by name of the frames
TEST_F(DynamicsOfLoops, TakesARobotFolderWithLoops) {
  std::filesystem::copy(std::string(KAGAMI_SOURCE_DIR) + "/models/data/khr1",
                        folder_.file("welded"), std::filesystem::copy_options::recursive);
  const std::string file = folder_.file("welded") + "/robot.json";
  std::ifstream in(file);
  json content = json::parse(in);
  in.close();
  for (const char* sole : {"l_sole", "r_sole"}) {
    content["loops"].push_back({{"type", "spherical"},
                                {"name", sole},
                                {"body_a", sole},
                                {"body_b", "world"},
                                {"point_a", {0, 0, 0}},
                                {"point_b", {0, sole[0] == 'l' ? 0.05 : -0.05, -0.2}}});
  }
  std::ofstream(file) << content.dump();
  DynamicsCase open;
  EXPECT_EQ(open.run({"dynamics", folder_.file("welded"), "--base", "floating", "--json"}), 2);
  EXPECT_NE(open.err.find("is open by"), std::string::npos) << open.err;
  EXPECT_NE(open.err.find("all joints at zero"), std::string::npos) << open.err;
  for (const char* algorithm : {"crba", "ada"}) {
    DynamicsCase c;
    ASSERT_EQ(c.run({"dynamics", folder_.file("welded"), "--base", "floating", "--close",
                     "--algorithm", algorithm, "--json"}),
              0)
        << c.err;
    const json got = c.json();
    const json& state = got.at("states").at(0);
    EXPECT_EQ(got.at("loops"), json({"l_sole", "r_sole"}));
    EXPECT_EQ(state.at("rank"), 6);
    EXPECT_LE(state.at("gap").get<double>(), 1e-9);
    // 23 degrees of freedom, 6 equations: the 17 joints move all
    EXPECT_EQ(state.at("independent").size(), 17u);
    EXPECT_EQ(state.at("inverse").at("forces_on"), "joints");
    // the loops carry the ground force that follows from the zero-moment point
    double fz = 0.0;
    for (const json& w : state.at("loop_wrench_on_a")) fz += w.at(5).get<double>();
    ASSERT_FALSE(state.at("zmp").is_null()) << state.at("zmp_status");
    EXPECT_NEAR(state.at("zmp").at("force").at(2).get<double>(), fz, 1e-7);  // N
  }
  // on one point it would turn as a whole; no joint can keep it from that
  content["loops"].erase(1);
  std::ofstream(file) << content.dump();
  const std::string still = states({{"vdot", std::vector<double>(23, 0.0)}});
  DynamicsCase one;
  ASSERT_EQ(one.run({"dynamics", folder_.file("welded"), still, "--base", "floating", "--close",
                     "--json"}),
            0)
      << one.err;
  const json inverse = one.json().at("states").at(0).at("inverse");
  EXPECT_EQ(inverse.at("forces_on"), "joints and base");
  EXPECT_LE(largest(inverse.at("vdot")), 1.0);  // 0 where it was requested
}

TEST_F(DynamicsOfLoops, BadInputIsNamed) {
  const json oracle = read("o03_seed.json");
  const std::string model = write("four_bar.json", four_bar(oracle));
  const json q = columns(oracle.at("rows")[0], 1);
  const std::string good = states({{"q", q}});
  for (const char* algorithm : {"aba", "dca", "hybrid"}) {
    expect_refused({model, good, "--algorithm", algorithm}, 2, {algorithm, "crba", "ada"});
    expect_refused({model, good, "--algorithm", algorithm, "--simulate", "1"}, 2, {"crba", "ada"});
  }
  expect_refused({model, write("gaping.json", {{"states", {{{"q", {0.1, 0.2, 0.3}}}}}})}, 2,
                 {"gaping.json", "/states/0/", "loop 'joint4' is open by", "--close"});
  expect_refused({model, write("opening.json", {{"states", {{{"q", q}, {"v", {1, 1, 1}}}}}})}, 2,
                 {"opening.json", "/states/0/", "v", "loop 'joint4' opens at"});
  // the ground is longer than the three rods
  json apart = oracle;
  apart["link_length"]["ground"] = 4.0;
  expect_refused({write("apart.json", four_bar(apart)), good, "--close"}, 2,
                 {"states.json", "cannot be closed", "joint4"});
  // no states: the file is named
  expect_refused({model}, 2, {"four_bar.json", "/q", "joint4"});
}

TEST_F(DynamicsOfLoops, AJointThatTheLoopsHoldIsReported) {
  json model = four_bar(read("o03_seed.json"));
  model["loops"][0] = {{"type", "fixed"},
                       {"body_a", "rod1"},
                       {"body_b", "world"},
                       {"point_a", {0, 0, 1}},
                       {"point_b", {0, 0, 1}}};
  DynamicsCase c;
  ASSERT_EQ(c.run({"dynamics", write("held.json", model), "--json"}), 0) << c.err;
  EXPECT_NE(c.err.find("joint joint1 cannot move here"), std::string::npos) << c.err;
  const json got = c.json().at("states").at(0);
  EXPECT_EQ(got.at("held"), json({"joint1"}));
  EXPECT_EQ(got.at("vdot").at(0), 0.0);
}

}  // namespace
}  // namespace kagami::tools
