// The rows of `kagami bench contact`: which there are, their bounds, their notes.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/bench/report/groups.hpp"
#include "tools/bench/report/merge.hpp"

namespace kagami::tools {
namespace {

using Numbers = std::map<std::string, double>;

/// A program with one row of output.
ProgramResult program(const std::string& engine, const std::string& row, const Numbers& numbers) {
  nlohmann::json entry = {{"name", row + "/iterations:9/manual_time"}, {"real_time", 1.0}};
  for (const auto& [key, value] : numbers) entry[key] = value;
  const nlohmann::json text = {{"context", {{"engine", engine}}}, {"benchmarks", {entry}}};
  ProgramResult all;
  add_round(all, read_program_output(text.dump()), 0);
  return all;
}

RowSpec spec_of(const std::string& name) {
  for (const RowSpec& spec : contact_rows())
    if (spec.name == name) return spec;
  ADD_FAILURE() << "no row " << name;
  return {};
}

BenchRow merged(const std::string& name, const Numbers& ours, const Numbers& mujoco) {
  const RowSpec spec = spec_of(name);
  return merge({spec}, program("kagami", spec.ours.at(0), ours),
               {program("mujoco 2.2.2", spec.peers, mujoco)}, nullptr)
      .rows.at(0);
}

const Numbers kCalm = {{"ns", 360}, {"pen_um", 0.5}, {"slip_um", 1.0}, {"std_W", 0},
                       {"dF_W", 0}, {"lost", 0},     {"mean_W", 1},    {"energy_uJ", 0}};

TEST(ContactRows, EveryMethodHasEveryScene) {
  std::set<std::string> names;
  for (const RowSpec& spec : contact_rows()) EXPECT_TRUE(names.insert(spec.name).second);
  for (const char* method : {"/relaxed", "/multipoint", "/volumetric"})
    for (const char* scene : {"khr1/stand", "khr1/squat", "khr1/tail", "khr1/rollouts",
                              "pendulum/1ms", "pendulum/2ms", "pendulum/5ms", "pendulum/10ms"})
      EXPECT_EQ(names.count(std::string(scene) + method), 1U) << scene << method;
}

TEST(ContactRows, AStackIsComparedWithBulletAndMayGrowByFiveAndAHalf) {
  EXPECT_DOUBLE_EQ(spec_of("boxes/50/volumetric").bound.at("bullet 3.24"), 1.0);
  const RowSpec slope = spec_of("boxes/slope/volumetric");
  const auto holds = [&](double growth) {  // t(50) / t(10), the others between
    ProgramResult all;
    for (std::size_t i = 0; i < slope.ours.size(); ++i) {
      const double exponent = std::log(growth) / std::log(5.0);
      add_round(all, program("kagami", slope.ours[i], {{"ns", std::pow(slope.sizes[i], exponent)}}),
                0);
    }
    return merge({slope}, all, {}, nullptr).rows.at(0).holds;
  };
  EXPECT_EQ(holds(5.49), true);
  EXPECT_EQ(holds(5.51), false);
}

TEST(ContactRows, SpeedAloneDoesNotHold) {
  EXPECT_EQ(merged("khr1/stand/relaxed", kCalm, {{"ns", 1000}}).holds, true);
  for (const char* spoilt : {"pen_um", "slip_um", "std_W", "dF_W", "lost"}) {
    Numbers ours = kCalm;
    ours[spoilt] += 1e-3;
    EXPECT_EQ(merged("khr1/stand/relaxed", ours, {{"ns", 1000}}).holds, false) << spoilt;
  }
  EXPECT_EQ(merged("khr1/stand/relaxed", kCalm, {{"ns", 900}}).holds, false);  // 0.40 of 0.37
}

TEST(ContactRows, AResultThatWasNotMeasuredHoldsNothing) {
  Numbers ours = kCalm;
  ours.erase("slip_um");
  EXPECT_FALSE(merged("khr1/stand/relaxed", ours, {{"ns", 1000}}).holds.has_value());
  ours["pen_um"] = 2.0;  // what was measured still can fail
  EXPECT_EQ(merged("khr1/stand/relaxed", ours, {{"ns", 1000}}).holds, false);
}

TEST(ContactRows, QualityIsShownBesideEveryTime) {
  const BenchRow row =
      merged("khr1/stand/relaxed", kCalm, {{"ns", 1000}, {"pen_um", 0.53}, {"slip_um", 1.6}});
  EXPECT_NE(row.note.find("kagami: pen_um 0.5, slip_um 1"), std::string::npos) << row.note;
  EXPECT_NE(row.note.find("mujoco 2.2.2: pen_um 0.53, slip_um 1.6"), std::string::npos) << row.note;
  EXPECT_DOUBLE_EQ(row.peers_also.at("mujoco 2.2.2").at("pen_um"), 0.53);
}

TEST(ContactRows, TheSpeedUpOfThePeerIsTheLeast) {
  const auto holds = [](double ours, double peers) {
    return merged("khr1/rollouts/relaxed", {{"ns", 400}, {"speed_up", ours}},
                  {{"ns", 1000}, {"speed_up", peers}})
        .holds;
  };
  EXPECT_EQ(holds(1.7, 1.7), true);
  EXPECT_EQ(holds(1.69, 1.7), false);
  EXPECT_FALSE(merged("khr1/rollouts/relaxed", {{"ns", 400}, {"speed_up", 1.9}}, {{"ns", 1000}})
                   .holds.has_value());
}

TEST(ContactRows, TablesShowWhatMayNotBeBelow) {
  BenchReport report;
  report.rows = {merged("khr1/rollouts/relaxed", {{"ns", 400}, {"speed_up", 1.8}},
                        {{"ns", 1000}, {"speed_up", 1.7}})};
  EXPECT_NE(bench_text(report).find("speed_up 1.80, not below 1.70 of mujoco 2.2.2"),
            std::string::npos)
      << bench_text(report);
  const nlohmann::json row = bench_json(report).at("rows").at(0);
  EXPECT_EQ(row.at("not_below").at("speed_up"), "mujoco 2.2.2");
  EXPECT_DOUBLE_EQ(row.at("peers_also").at("mujoco 2.2.2").at("speed_up").get<double>(), 1.7);
}

TEST(ContactRows, ARowOfThreadsLetsItsGroupRunOnAllCores) {
  const std::vector<RowGroup> groups =
      groups_of({spec_of("khr1/stand/relaxed"), spec_of("khr1/rollouts/relaxed"),
                 spec_of("khr1/rollouts/multipoint")});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_TRUE(groups[0].pinned);
  EXPECT_FALSE(groups[1].pinned);
  RowSpec both = spec_of("khr1/stand/relaxed");
  both.ours.push_back("khr1/rollouts/relaxed");
  EXPECT_FALSE(groups_of({both, spec_of("khr1/rollouts/relaxed")}).at(0).pinned);
  EXPECT_FALSE(groups_of({spec_of("khr1/rollouts/relaxed"), both}).at(0).pinned);
}

TEST(ProgramResult, CountersOfAnyNameAreRead) {
  const ProgramResult all =
      program("x", "r", {{"ns", 1}, {"depth_of_something", 3}, {"cpu_time", 7}, {"threads", 1}});
  EXPECT_EQ(all.rows.at("r").counters, (Numbers{{"depth_of_something", 3}}));
}

}  // namespace
}  // namespace kagami::tools
