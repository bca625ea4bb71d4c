// The papers' experiments at their own settings. Their claims carry the oracles: closed forms, and
// numbers of independent calculations at 40 digits.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "tools/cli/console.hpp"
#include "tools/experiments/box_stack.hpp"
#include "tools/experiments/figure.hpp"
#include "tools/experiments/ground_chain.hpp"
#include "tools/experiments/loop_run.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/experiments/test/experiment_runs.hpp"
#include "tools/experiments/tree_run.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using test::result_of;
using test::settings_of;
using test::shipped_data;

const Drift& drift(const ExperimentResult& result, const std::string& name) {
  for (const Drift& d : result.drifts)
    if (d.name == name) return d;
  throw std::runtime_error("no drift " + name);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

struct Bound {
  const char* name;
  double energy;  // J: ten times what fourth order at 1 ms showed with g++ 12 -O2
  bool free;
};

void PrintTo(const Bound& bound, std::ostream* out) {
  *out << bound.name;
}

class PaperExperiment : public testing::TestWithParam<Bound> {};

void expect_claims(const ExperimentResult& result) {
  for (const Claim& c : result.claims) {
    EXPECT_TRUE(c.was_measured()) << c.text;
    EXPECT_TRUE(c.holds()) << c.text << ": " << c.measured << ", expected " << c.expected << " +- "
                           << c.tolerance << " " << c.unit;
  }
  EXPECT_TRUE(all_hold(result));
}

TEST_P(PaperExperiment, GivesWhatMustComeOutAndKeepsEnergyAndMomentum) {
  const ExperimentSettings defaults = settings_of(GetParam().name);
  const ExperimentResult result = result_of(GetParam().name);
  expect_claims(result);
  EXPECT_EQ(result.trace.columns.front(), "t");
  EXPECT_EQ(result.trace.rows.size(),
            static_cast<std::size_t>(std::lround(defaults.duration / defaults.dt)) + 1);
  EXPECT_LE(drift(result, "energy").largest, GetParam().energy);
  // rounding of forces of at most 1e3 N
  EXPECT_LE(drift(result, "rate of linear momentum minus forces").largest, 1e-10);
  EXPECT_LE(drift(result, "rate of angular momentum minus moments").largest, 1e-10);
  if (!GetParam().free) return;
  // order 5 under step control at 1 ms: measured 3e-10 and 5e-10
  EXPECT_LE(drift(result, "linear momentum").largest, 5e-9);
  EXPECT_LE(drift(result, "angular momentum about the mass centre").largest, 5e-9);
}

INSTANTIATE_TEST_SUITE_P(
    Thesis, PaperExperiment,
    testing::Values(Bound{"planar-3r", 2.7e-6, false}, Bound{"branch-4", 2.3e-5, false},
                    Bound{"branch-5", 1.4e-4, false}, Bound{"planar-7r", 2.8e-6, false},
                    Bound{"pa10", 2.3e-7, false}, Bound{"four-bar", 1e-11, false},
                    Bound{"four-bar-singular", 3.4e-10, false}, Bound{"free-body", 1e-14, true},
                    Bound{"floating-6-link", 6e-10, true}));

TEST(Experiment, EveryAlgorithmGivesThePlanarChainsMotion) {
  for (const char* algorithm : {"crba", "aba", "dca", "ada", "hybrid"}) {
    ExperimentSettings settings = settings_of("planar-3r");
    settings.algorithm = algorithm;
    EXPECT_TRUE(all_hold(result_of("planar-3r", settings))) << algorithm;
  }
}

TEST(Experiment, EveryAlgorithmAndSchemeOfHigherOrderPassesTheSingularPoses) {
  for (const char* algorithm : {"crba", "ada"}) {
    for (const char* integrator : {"rk4", "rkg", "rkf45"}) {
      ExperimentSettings settings = settings_of("four-bar-singular");
      settings.algorithm = algorithm;
      settings.integrator = integrator;
      EXPECT_TRUE(all_hold(result_of("four-bar-singular", settings)))
          << algorithm << " " << integrator;
    }
  }
}

TEST(Experiment, FirstOrderAtTheSameStepFailsItsClaims) {
  ExperimentSettings settings = settings_of("planar-3r");
  settings.integrator = "semi-implicit-euler";
  const ExperimentResult result = result_of("planar-3r", settings);
  EXPECT_FALSE(all_hold(result));
  EXPECT_FALSE(result.claims.front().holds());                 // energy
  EXPECT_NEAR(drift(result, "energy").largest, 0.604, 0.302);  // J, as the method must, factor 1.5
}

TEST(Experiment, ClaimsAboutLaterTimesAreLeftOpenByAShortRun) {
  ExperimentSettings settings = settings_of("four-bar-singular");
  settings.duration = 0.5;
  const ExperimentResult result = result_of("four-bar-singular", settings);
  const Claim& count = result.claims[result.claims.size() - 2];
  EXPECT_EQ(count.text, "singular poses passed in 3 s");
  EXPECT_FALSE(count.was_measured());
  EXPECT_FALSE(count.holds());
  EXPECT_TRUE(all_hold(result));
}

TEST(Experiment, NothingHoldsThatIsNotANumber) {
  Claim claim{"x", "m", std::nan(""), 0.0, 1.0};
  EXPECT_FALSE(claim.holds());
  claim.measured = INFINITY;
  EXPECT_TRUE(claim.was_measured());
  EXPECT_FALSE(claim.holds());
}

TEST(Experiment, TimesEndAtTheDurationAlsoWhereTheStepDoesNotDivide) {
  ExperimentSettings settings{0.4, 1.0, "rk4", "ada"};
  EXPECT_EQ(times_of(settings), (std::vector<double>{0.0, 0.4, 0.8, 1.0}));
  settings.duration = 0.0;
  EXPECT_EQ(times_of(settings), (std::vector<double>{0.0}));
}

TEST(Experiment, ImpossibleSettingsAreRefusedWithWhatWasExpected) {
  const Experiments experiments = all_experiments();
  const ExperimentInfo& info = find_experiment(experiments, "planar-3r").info();
  const ExperimentSettings good = info.defaults;
  for (const double dt : {0.0, -1e-3, std::nan(""), 1e-9}) {
    ExperimentSettings bad = good;
    bad.dt = dt;
    EXPECT_NE(message_of([&] { check_settings(info, bad); }).find("at most a million steps"),
              std::string::npos);
  }
  ExperimentSettings bad = good;
  bad.duration = -1.0;
  EXPECT_THROW(check_settings(info, bad), ConfigError);
  bad = good;
  bad.integrator = "euler";
  EXPECT_EQ(message_of([&] { check_settings(info, bad); }),
            "--integrator 'euler': experiment planar-3r takes semi-implicit-euler, rk4, rkg, "
            "rkf45");
  bad = good;
  bad.algorithm = "magic";
  EXPECT_THROW(check_settings(info, bad), ConfigError);
}

TEST(Experiment, StepsThatLeadNowhereEndWithTheTimeAndKeepTheirRows) {
  for (const char* name : {"planar-3r", "four-bar"}) {
    SCOPED_TRACE(name);
    ExperimentSettings settings = settings_of(name);
    settings.dt = 1.0;
    settings.duration = 1000.0;
    const ExperimentResult result = result_of(name, settings);
    EXPECT_NE(result.problem.find("the simulation stopped at t = "), std::string::npos);
    EXPECT_GE(result.trace.rows.size(), 1u);
    EXPECT_LT(result.trace.rows.size(), 1000u);
  }
}

TEST(Experiment, AStartThatIsNoStateIsRefusedByBothRuns) {
  ExperimentSettings settings{1e-3, 0.0, "rk4", "ada"};
  ExperimentResult result;
  const models::Model tree = experiment_model("x", shipped_data(), "planar_3r", 3, 3, 0);
  models::State state = models::neutral_state(tree);
  state.v[1] = std::nan("");
  EXPECT_EQ(message_of([&] { run_tree(tree, state, settings, result); }),
            "the simulation stopped at t = 0 s: no acceleration");
  const models::Model bar = experiment_model("x", shipped_data(), "four_bar", 3, 3, 1);
  EXPECT_EQ(message_of([&] { run_loops(bar, state, settings, result); }),
            "the simulation stopped at t = 0 s: no acceleration (not finite)");
}

TEST(Experiment, ARobotOfAnotherShapeIsRefused) {
  const test::TempFolder folder;
  std::filesystem::create_directories(folder.path() / "planar_3r");
  write_file_atomically(folder.path() / "planar_3r/robot.model.json",
                        R"({"bodies": [{"name": "arm", "parent": -1, "mass": 1, "com": [0, 0, 0.5],
                 "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
                 "joint": {"name": "hinge", "type": "revolute", "axis": [0, 1, 0],
                           "xyz": [0, 0, 0]}}]})");
  const Experiments experiments = all_experiments();
  const Experiment& experiment = find_experiment(experiments, "planar-3r");
  EXPECT_EQ(message_of([&] {
              static_cast<void>(
                  experiment.run(experiment.info().defaults, {folder.path(), folder.path(), {}}));
            }),
            "robot planar_3r has 1 coordinates, 1 velocities and 0 loops; experiment planar-3r "
            "expects 3, 3 and 0");
  const Experiment& other = find_experiment(experiments, "pa10");
  EXPECT_THROW(
      static_cast<void>(other.run(other.info().defaults, {folder.path(), folder.path(), {}})),
      ConfigError);
}

TEST(Experiment, CsvCarriesEveryBit) {
  const Trace trace{{"t", "a,b"}, {{0.0, 1.0 / 3.0}, {1e-3, -2.2250738585072014e-308}}};
  std::istringstream text(trace_csv(trace));
  std::string line;
  std::getline(text, line);
  EXPECT_EQ(line, "t,\"a,b\"");
  for (const std::vector<double>& row : trace.rows) {
    ASSERT_TRUE(std::getline(text, line));
    char* end = nullptr;
    EXPECT_EQ(std::strtod(line.c_str(), &end), row[0]);
    EXPECT_EQ(std::strtod(end + 1, nullptr), row[1]);
  }
  EXPECT_FALSE(std::getline(text, line));
}

TEST(Experiment, DriftOfAVectorIsTheLargestOfItsParts) {
  const Trace trace{{"t", "x", "y"}, {{0.0, 3.0, 4.0}, {1.0, 2.5, 4.25}}};
  const Drift one = drift_of(trace, "x", "m", {"x"});
  EXPECT_EQ(one.start, 3.0);
  EXPECT_EQ(one.largest, 0.5);
  EXPECT_EQ(drift_of(trace, "p", "m", {"x", "y"}).start, 5.0);
  EXPECT_EQ(drift_of(trace, "p", "m", {"x", "y"}, true).largest, 4.25);
}

TEST(FigureScript, NamesColumnsByNumberAndKeepsQuotes) {
  const Trace trace{{"t", "x", "y"}, {{0.0, 1.0, 2.0}}};
  const Figure figure{"it's", "Bob's_run", {{"(a) y", "m", {{"y", "up", 2.0}}}}};
  const std::string script = gnuplot_script(figure, trace, "it's.csv", "below");
  EXPECT_NE(script.find("'it''s.csv' every 1 using 1:($3*2)"), std::string::npos);
  EXPECT_NE(script.find("set output 'it''s.svg'"), std::string::npos);
  EXPECT_NE(script.find("'Bob''s\\_run'"), std::string::npos);
}

TEST(FigureScript, ShowsPartOfATraceAndCutsSpikes) {
  Trace trace{{"n", "x"}, {}};
  for (int i = 0; i < 9000; ++i) trace.rows.push_back({0.001 * i, 1.0});
  Figure figure{
      "f", "f", {{"a", "N", {{"x", "x", 2.0}}, false, 0.1, 0.5}, {"b", "N", {{"x", "x"}}}}};
  figure.across = "boxes";
  figure.points = true;
  figure.from = 1.0;
  figure.to = 1.5;
  const std::string script = gnuplot_script(figure, trace, "f.csv", "");
  for (const char* line : {"set logscale y\nset xrange [1:1.5]\nset yrange [0.1:0.5]\n",
                           "every 1 using 1:($2*2<0.1 ? 0.1 : $2*2) with",
                           "unset logscale y\nset xrange [1:1.5]\nset yrange [*:*]\n",
                           "with linespoints", "set xlabel 'boxes'"})
    EXPECT_NE(script.find(line), std::string::npos) << line << script;
}

TEST(Experiment, FewerBoxesThanAHeapNeedsAreRefused) {
  EXPECT_NE(message_of([] {
              static_cast<void>(stack_of(shipped_data(), "seven_boxes", 8));
            }).find("expected 8 bodies above a ground"),
            std::string::npos);
}

TEST(Experiment, AStackThatFliesApartEndsAndReportsIt) {
  Scenario stack = stack_of(shipped_data(), "seven_boxes", 1);
  stack.scene.systems.front().start.v[3] = 1e5;  // m/s
  const StackRun run = run_stack(stack, StackStepping{});
  EXPECT_FALSE(run.stable);
  EXPECT_EQ(run.E.size(), 1u);
}

TEST(Experiment, ATreeThatIsNoChainIsNotLengthened) {
  const Scenario boxes = stack_of(shipped_data(), "seven_boxes", 1);
  EXPECT_NE(message_of([&] { static_cast<void>(chain_of(boxes, 3)); }).find("expected a chain"),
            std::string::npos);
}

TEST(FigureScript, ACurveWithoutColumnIsOurMistake) {
  const Trace trace{{"t"}, {{0.0}}};
  const Figure figure{"f", "f", {{"p", "m", {{"nothing", "n"}}}}};
  EXPECT_THROW(gnuplot_script(figure, trace, "f.csv", ""), std::logic_error);
}

}  // namespace
}  // namespace kagami::tools
