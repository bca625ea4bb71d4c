// Sweep files: which values a run has, and what is refused.
#include "tools/sweep/sweep_plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using Values = std::vector<std::string>;

// a sweep with these keys beside schema and scenario
SweepPlan plan_of(const std::string& keys) {
  const test::TempFolder folder;
  write_file_atomically(folder.file("s.json"),
                        R"({"schema": "kagami.sweep/1", "scenario": "x", )" + keys + "}");
  return read_sweep(folder.file("s.json"));
}

SweepPlan with_parameters(const std::string& parameters, const std::string& keys = "") {
  return plan_of("\"parameters\": [" + parameters + "]" + keys);
}

// the values of one parameter
Values grid(const std::string& keys) {
  return with_parameters(R"({"name": "p", "at": "/p", )" + keys + "}").parameters[0].values;
}

TEST(SweepPlan, TheLastParameterVariesFastestAndDrawsFasterStill) {
  const SweepPlan plan = with_parameters(
      R"({"name": "a", "at": "/a", "values": [1, "two"]},
         {"name": "r", "at": "/r", "uniform": [0, 1]},
         {"name": "b", "at": "/b", "values": [true, null, [3]]})",
      R"(, "draws": 2, "seed": 1)");
  ASSERT_EQ(plan.runs(), 12u);
  const Values first = plan.values_of(0);
  EXPECT_EQ(first[0], "1");
  EXPECT_EQ(first[2], "true");
  EXPECT_EQ(plan.values_of(1)[2], "true");
  EXPECT_NE(plan.values_of(1)[1], first[1]);
  EXPECT_EQ(plan.values_of(2)[2], "null");
  EXPECT_EQ(plan.values_of(2)[1], first[1]);  // all points have the same draws
  EXPECT_EQ(plan.values_of(11), (Values{"\"two\"", plan.values_of(1)[1], "[3]"}));
}

TEST(SweepPlan, AnotherParameterDoesNotChangeTheDrawsOfOne) {
  const std::string keys = R"(, "draws": 5, "seed": 9)";
  const std::string r = R"({"name": "r", "at": "/r", "normal": [1, 0.5]})";
  const SweepPlan alone = with_parameters(r, keys);
  const SweepPlan both =
      with_parameters(R"({"name": "s", "at": "/s", "uniform": [0, 1]},)" + r, keys);
  for (std::uint64_t run = 0; run < 5; ++run)
    EXPECT_EQ(alone.values_of(run)[0], both.values_of(run)[1]);
}

TEST(SweepPlan, RangesHaveBothEndsAndShortNumbers) {
  EXPECT_EQ(grid(R"("from": 0, "to": 0.3, "step": 0.1)"), (Values{"0", "0.1", "0.2", "0.3"}));
  EXPECT_EQ(grid(R"("from": 3, "to": 1, "step": -1)"), (Values{"3", "2", "1"}));
  EXPECT_EQ(grid(R"("from": 0, "to": 1, "count": 5)"), (Values{"0", "0.25", "0.5", "0.75", "1"}));
  EXPECT_EQ(grid(R"("from": 0.01, "to": 100, "count": 5, "log": true)"),
            (Values{"0.01", "0.1", "1", "10", "100"}));
  EXPECT_EQ(grid(R"("from": 0, "to": 2000000, "count": 2, "integer": true)"),
            (Values{"0", "2000000"}));  // not 2e+06, which is no integer
  EXPECT_EQ(grid(R"("from": 2, "to": 2, "count": 1)"), (Values{"2"}));
}

TEST(SweepPlan, DrawsStayWithinTheirEnds) {
  const SweepPlan plan = with_parameters(
      R"({"name": "u", "at": "/u", "uniform": [2, 3]},
         {"name": "l", "at": "/l", "log_uniform": [0.001, 1000]},
         {"name": "n", "at": "/n", "normal": [0, 1], "within": [0.5, 0.6]},
         {"name": "i", "at": "/i", "uniform": [1, 3], "integer": true})",
      R"(, "draws": 2000, "seed": 4)");
  int below_one = 0;
  std::set<std::string> integers;
  for (std::uint64_t run = 0; run < plan.runs(); ++run) {
    const Values values = plan.values_of(run);
    EXPECT_TRUE(std::stod(values[0]) >= 2.0 && std::stod(values[0]) <= 3.0) << values[0];
    EXPECT_TRUE(std::stod(values[1]) >= 1e-3 && std::stod(values[1]) <= 1e3) << values[1];
    EXPECT_TRUE(std::stod(values[2]) >= 0.5 && std::stod(values[2]) <= 0.6) << values[2];
    below_one += std::stod(values[1]) < 1.0 ? 1 : 0;
    integers.insert(values[3]);
  }
  EXPECT_NEAR(below_one, 1000, 100);  // half of the decades: 1000 +- 4.5 deviations of 22
  EXPECT_EQ(integers, (std::set<std::string>{"1", "2", "3"}));
}

TEST(SweepPlan, SamplesStandForAllValues) {
  const SweepPlan plan = with_parameters(
      R"({"name": "a", "at": "/a", "values": [3, "x", 1, 2.5, 2, true, 9, 8.5]},
         {"name": "b", "at": "/b", "from": 1, "to": 100000, "count": 100000},
         {"name": "u", "at": "/u", "uniform": [2, 3]},
         {"name": "n", "at": "/n", "normal": [0, 1], "within": [-1, 2]})",
      R"(, "draws": 2, "seed": 4)");
  EXPECT_EQ(plan.samples_of(plan.parameters[0]), (Values{"\"x\"", "true", "1", "9", "2.5"}));
  EXPECT_EQ(plan.samples_of(plan.parameters[1]), (Values{"1", "100000"}));
  EXPECT_EQ(plan.samples_of(plan.parameters[2]), (Values{"2", "3"}));
  EXPECT_EQ(plan.samples_of(plan.parameters[3]), (Values{"0", "-1", "2"}));
}

TEST(SweepPlan, RefusesWhatIsWrongByItsPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("parameters": [])", "/parameters: is empty"},
      {R"("parameters": {})", "/parameters"},
      {R"("parameters": [{"name": "a", "at": "/a", "values": [1]}], "grid": 1)", "'grid'"},
      {R"("parameters": [{"name": "run", "at": "/a", "values": [1]}])",
       "'run' is a column already"},
      {R"("parameters": [{"name": "a,b", "at": "/a", "values": [1]}])", "without quotation marks"},
      {R"("parameters": [{"name": "a", "at": "", "values": [1]}])", "begins with '/'"},
      {R"("parameters": [{"name": "a", "at": "/a~2", "values": [1]}])", "~0 for '~'"},
      {R"("parameters": [{"name": "a", "at": [], "values": [1]}])", "at least one place"},
      {R"("parameters": [{"name": "a", "at": ["/a", 1], "values": [1]}])", "a list of texts"},
      {R"("parameters": [{"name": "a", "at": "/a"}])", "expected one of values, from and to"},
      {R"("parameters": [{"name": "a", "at": "/a", "values": []}])", "at least one value"},
      {R"("parameters": [{"name": "a", "at": "/a", "values": [1], "uniform": [0, 1]}])",
       "expected one of values, from and to"},
      {R"("parameters": [{"name": "a", "at": "/a", "values": [1], "step": 1}])",
       "does not belong to values"},
      {R"("parameters": [{"name": "a", "at": "/a", "values": [1], "vlaues": 1}])", "is unknown"},
      {R"("parameters": [{"name": "a", "at": "/a", "from": 0, "to": 1, "step": -1}])",
       "-1 does not lead from 0 to 1"},
      {R"("parameters": [{"name": "a", "at": "/a", "from": 0, "to": 1, "step": 1e-9}])",
       "expected at most 1e+06"},
      {R"("parameters": [{"name": "a", "at": "/a", "from": 0, "to": 1, "count": 3, "log": true}])",
       "above 0"},
      {R"("parameters": [{"name": "a", "at": "/a", "uniform": [1, 0]}], "draws": 1, "seed": 1)",
       "a lower and a higher end"},
      {R"("parameters": [{"name": "a", "at": "/a", "uniform": [0, 1]}], "seed": 1)", "/draws"},
      {R"("parameters": [{"name": "a", "at": "/a", "uniform": [0, 1]}], "draws": 1)", "/seed"},
      {R"("parameters": [{"name": "a", "at": "/a", "values": [1]}], "draws": 5)", "'draws'"},
      {R"("parameters": [{"name": "a", "at": "/a", "normal": [0, 1], "within": [4, 5]}],
          "draws": 1, "seed": 1)",
       "3 deviations"},
      {R"("parameters": [{"name": "a", "at": "/a", "values": [1]},
                         {"name": "b", "at": "/a/0", "values": [1]}])",
       "'a' and 'b' both set /a"},
      {R"("parameters": [{"name": "a", "at": "/a", "from": 0, "to": 1, "count": 4000},
                         {"name": "b", "at": "/b", "from": 0, "to": 1, "count": 4000}])",
       "1.6e+07 runs, expected at most 10000000"},
      {R"("parameters": [{"name": "a", "at": "/a", "values": [1]}],
          "results": [{"name": "a", "at": "/x"}])",
       "'a' is a column already"},
      {R"("parameters": [{"name": "a", "at": "/a", "values": [1]}],
          "results": [{"name": "b", "at": "x"}])",
       "begins with '/'"},
  };
  for (const auto& [keys, expected] : cases) {
    SCOPED_TRACE(keys);
    try {
      static_cast<void>(plan_of(keys));
      ADD_FAILURE() << "accepted";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("s.json"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace kagami::tools
