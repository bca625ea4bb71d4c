#include "tools/bench/report/merge.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace kagami::tools {
namespace {

/// One repetition as Google Benchmark prints it.
nlohmann::json entry(const std::string& row, double ns, double checksum) {
  return {{"name", row + "/iterations:9/manual_time"},
          {"run_type", "iteration"},
          {"real_time", 1.0},
          {"ns", ns},
          {"min_ns", ns - 1.0},
          {"checksum", checksum}};
}

ProgramResult program(const std::string& engine, const std::vector<nlohmann::json>& entries) {
  const nlohmann::json text = {{"context", {{"engine", engine}, {"compiler", "g++ 12"}}},
                               {"benchmarks", entries}};
  ProgramResult all;
  add_round(all, read_program_output(text.dump()), 0);
  return all;
}

RowSpec row_spec() {
  RowSpec spec;
  spec.name = "khr1/forward_dynamics/run_time";
  spec.ours = {"khr1/forward_dynamics/aba", "khr1/forward_dynamics/ada"};
  spec.peers = "khr1/forward_dynamics";
  spec.bound = {{"mujoco 2.2.2", 0.5}};
  return spec;
}

ProgramResult ours() {
  return program(
      "kagami",
      {entry("khr1/forward_dynamics/aba", 40, 7.0), entry("khr1/forward_dynamics/aba", 30, 7.0),
       entry("khr1/forward_dynamics/aba", 20, 7.0), entry("khr1/forward_dynamics/ada", 50, 7.0)});
}

ProgramResult mujoco(double checksum) {
  return program("mujoco 2.2.2", {entry("khr1/forward_dynamics", 100, checksum)});
}

BenchRow merged(const RowSpec& spec, const ProgramResult& our,
                const std::vector<ProgramResult>& peers) {
  return merge({spec}, our, peers, nullptr).rows.at(0);
}

TEST(BenchMerge, TakesTheMedianOfTheFastestAndItsRatio) {
  const BenchRow row = merged(row_spec(), ours(), {mujoco(7.0)});
  EXPECT_EQ(row.by, "khr1/forward_dynamics/aba");
  EXPECT_DOUBLE_EQ(row.ours.value(), 30.0);
  EXPECT_DOUBLE_EQ(row.quartiles.value()[0], 25.0);
  EXPECT_DOUBLE_EQ(row.quartiles.value()[1], 35.0);
  EXPECT_DOUBLE_EQ(row.ratio.at("mujoco 2.2.2").value(), 0.3);
  EXPECT_EQ(row.holds, true);
  EXPECT_DOUBLE_EQ(row.also.at("min_ns"), 19.0);
}

TEST(BenchMerge, RoundsAddUpAndKeepTheSmallestMinimum) {
  ProgramResult all;
  add_round(all, program("kagami", {entry("r", 10, 1.0)}), 0);
  add_round(all, program("kagami", {entry("r", 14, 1.0)}), 1);
  EXPECT_EQ(all.rows.at("r").ns.size(), 2U);
  EXPECT_DOUBLE_EQ(all.rows.at("r").counters.at("min_ns"), 9.0);
  EXPECT_EQ(all.engine, "kagami");
}

/// Three rounds of `ns`, one repetition each.
ProgramResult rounds(const std::string& engine, const std::string& row,
                     const std::vector<double>& ns) {
  ProgramResult all;
  for (std::size_t i = 0; i < ns.size(); ++i)
    add_round(all, program(engine, {entry(row, ns[i], 7.0)}), static_cast<int>(i));
  return all;
}

TEST(BenchMerge, ARatioIsTakenRoundByRound) {
  // the machine is twice as slow in the last two rounds: the ratio of the medians would be 0.75
  const ProgramResult our = rounds("kagami", "khr1/forward_dynamics/aba", {31, 60, 60});
  const ProgramResult peer = rounds("mujoco 2.2.2", "khr1/forward_dynamics", {101, 201, 80});
  const BenchRow row = merged(row_spec(), our, {peer});
  EXPECT_DOUBLE_EQ(row.ratio.at("mujoco 2.2.2").value(), 31.0 / 101.0);
  EXPECT_DOUBLE_EQ(row.ratio_quartiles.at("mujoco 2.2.2")[1], (31.0 / 101.0 + 0.75) / 2);
  EXPECT_DOUBLE_EQ(row.ratio_of_minima.at("mujoco 2.2.2"), 30.0 / 79.0);
}

TEST(BenchMerge, ARoundThatOneSideMissedIsNotCompared) {
  ProgramResult peer;
  add_round(peer, program("mujoco 2.2.2", {entry("khr1/forward_dynamics", 100, 7.0)}), 1);
  const ProgramResult our = rounds("kagami", "khr1/forward_dynamics/aba", {90, 50, 90});
  EXPECT_DOUBLE_EQ(merged(row_spec(), our, {peer}).ratio.at("mujoco 2.2.2").value(), 0.5);
  peer.rows.clear();
  add_round(peer, program("mujoco 2.2.2", {entry("khr1/forward_dynamics", 100, 7.0)}), 9);
  const BenchRow none = merged(row_spec(), our, {peer});
  EXPECT_FALSE(none.ratio.at("mujoco 2.2.2").has_value());
  EXPECT_FALSE(none.holds.has_value());
}

TEST(BenchMerge, AYardstickNeedNotComputeTheSame) {
  RowSpec spec = row_spec();
  spec.same_work = false;
  EXPECT_EQ(merged(spec, ours(), {mujoco(8.0)}).error, "");
}

TEST(BenchMerge, TheNativeBuildMustAnswerTheSame) {
  const ProgramResult native = program("kagami", {entry("khr1/forward_dynamics/ada", 11, 7.1)});
  const BenchRow row = merge({row_spec()}, ours(), {}, &native).rows.at(0);
  EXPECT_NE(row.error.find("native khr1/forward_dynamics/ada 7.1"), std::string::npos) << row.error;
}

TEST(BenchMerge, APeersAccuracyIsNoted) {
  nlohmann::json step = entry("four_bar/semi_implicit", 10, 0);
  step.erase("checksum");
  step["gap_m"] = 1.1e-6;
  step["energy"] = 3.7e-4;
  RowSpec spec;
  spec.name = spec.peers = "four_bar/semi_implicit";
  spec.ours = {spec.name};
  spec.quality = {"gap_m", "energy"};
  const BenchRow row = merged(spec, ours(), {program("mujoco 2.2.2", {step})});
  EXPECT_NE(row.note.find("mujoco 2.2.2: gap_m 1.1e-06, energy 0.00037"), std::string::npos)
      << row.note;
}

TEST(BenchMerge, ABoundIsHeldUpToItself) {
  RowSpec spec = row_spec();
  spec.bound = {{"mujoco 2.2.2", 0.3}};
  EXPECT_EQ(merged(spec, ours(), {mujoco(7.0)}).holds, true);
  spec.bound = {{"mujoco 2.2.2", 0.299}};
  EXPECT_EQ(merged(spec, ours(), {mujoco(7.0)}).holds, false);
}

TEST(BenchMerge, DifferentAnswersAreAnError) {
  EXPECT_EQ(merged(row_spec(), ours(), {mujoco(7.0 * (1 + 5e-10))}).error, "");
  const BenchRow row = merged(row_spec(), ours(), {mujoco(7.0 * (1 + 2e-9))});
  EXPECT_NE(row.error.find("checksums differ"), std::string::npos);
  EXPECT_NE(row.error.find("mujoco 2.2.2"), std::string::npos);
  EXPECT_EQ(row.holds, false);
}

TEST(BenchMerge, DifferentAnswersOfOurOwnAreAnErrorWithoutPeersToo) {
  const ProgramResult our = program("kagami", {entry("khr1/forward_dynamics/aba", 40, 7.0),
                                               entry("khr1/forward_dynamics/ada", 50, 7.1)});
  EXPECT_NE(merged(row_spec(), our, {}).error, "");
}

TEST(BenchMerge, AMissingPeerIsNullWithANote) {
  ProgramResult missing;
  missing.engine = "mujoco 2.2.2";
  missing.error = "not built here";
  const BenchReport report = merge({row_spec()}, ours(), {missing}, nullptr);
  const nlohmann::json json = bench_json(report);
  const nlohmann::json& row = json.at("rows").at(0);
  EXPECT_TRUE(row.at("peers").at("mujoco 2.2.2").is_null());
  EXPECT_TRUE(row.at("ratio").at("mujoco 2.2.2").is_null());
  EXPECT_TRUE(row.at("holds").is_null());
  EXPECT_DOUBLE_EQ(row.at("ours").get<double>(), 30.0);
  EXPECT_EQ(json.at("notes").at(0), "mujoco 2.2.2: not built here");
}

TEST(BenchMerge, AFailingPeerHidesNothingOfTheOthers) {
  ProgramResult dart;
  dart.engine = "dart 6.12.1";
  dart.error = "ended by signal Aborted";
  const BenchReport report = merge({row_spec()}, ours(), {dart, mujoco(7.0)}, nullptr);
  EXPECT_EQ(report.rows.at(0).holds, true);
  EXPECT_FALSE(report.rows.at(0).peers.at("dart 6.12.1").has_value());
  EXPECT_EQ(report.notes.at(0), "dart 6.12.1: ended by signal Aborted");
}

TEST(BenchMerge, ARowThatDoesNotExistYetIsNull) {
  RowSpec spec = row_spec();
  spec.ours = {"khr1/forward_dynamics/hybrid"};
  const BenchReport report = merge({spec}, ours(), {mujoco(7.0)}, nullptr);
  const nlohmann::json row = bench_json(report).at("rows").at(0);
  EXPECT_TRUE(row.at("ours").is_null());
  EXPECT_TRUE(row.at("quartiles").is_null());
  EXPECT_TRUE(row.at("holds").is_null());
  EXPECT_EQ(row.at("note"), "not in this build");
  EXPECT_DOUBLE_EQ(row.at("peers").at("mujoco 2.2.2").get<double>(), 100.0);
}

TEST(BenchMerge, ARowThatFailedReportsWhy) {
  const ProgramResult our =
      program("kagami", {{{"name", "khr1/forward_dynamics/aba/iterations:9/manual_time"},
                          {"run_type", "iteration"},
                          {"error_occurred", true},
                          {"error_message", "no such model"}}});
  EXPECT_EQ(merged(row_spec(), our, {}).note, "khr1/forward_dynamics/aba: no such model");
}

TEST(BenchMerge, OurOwnReferenceStandsBeside) {
  RowSpec spec = row_spec();
  spec.ours = {"khr1/forward_dynamics/aba"};
  spec.own_peers = {"khr1/forward_dynamics/ada"};
  spec.own_column = "kagami ada";
  spec.bound = {{"kagami ada", 0.5}};
  const BenchRow row = merged(spec, ours(), {});
  EXPECT_DOUBLE_EQ(row.ratio.at("kagami ada").value(), 0.6);
  EXPECT_EQ(row.holds, false);
  spec.own_peers = {"khr1/forward_dynamics/ada",
                    "khr1/forward_dynamics/aba"};  // the fastest counts
  EXPECT_DOUBLE_EQ(merged(spec, ours(), {}).ratio.at("kagami ada").value(), 1.0);
  spec.own_peers = {"khr1/forward_dynamics/no_such_row"};
  EXPECT_FALSE(merged(spec, ours(), {}).ratio.at("kagami ada").has_value());
}

TEST(BenchMerge, BoundsReachWhatStandsBesideTheTime) {
  nlohmann::json step = entry("four_bar/fourth_order", 10, 0);
  step.erase("checksum");
  step["gap_m"] = 2e-10;
  RowSpec spec;
  spec.name = spec.peers = "four_bar/fourth_order";
  spec.ours = {spec.name};
  spec.bound = {{"gap_m", 1e-10}};
  const BenchRow row = merged(spec, program("kagami", {step}), {});
  EXPECT_DOUBLE_EQ(row.also.at("gap_m"), 2e-10);
  EXPECT_EQ(row.holds, false);
}

TEST(BenchMerge, TheSlopeOfASquareIsTwo) {
  RowSpec spec;
  spec.name = "slope";
  spec.ours = {"a", "b", "c"};
  spec.sizes = {2, 4, 8};
  spec.bound = {{"slope", 1.1}};
  const ProgramResult our =
      program("kagami", {entry("a", 12, 1), entry("b", 48, 2), entry("c", 192, 3)});
  const BenchRow row = merged(spec, our, {});
  EXPECT_NEAR(row.ours.value(), 2.0, 1e-12);  // 1; exact but for rounding
  EXPECT_EQ(row.holds, false);
  spec.ours[1] = "no_such_row";
  EXPECT_FALSE(merged(spec, our, {}).ours.has_value());
}

TEST(BenchMerge, TheNativeBuildStandsBeside) {
  const ProgramResult native = program("kagami", {entry("khr1/forward_dynamics/ada", 11, 7.0)});
  const BenchReport report = merge({row_spec()}, ours(), {}, &native);
  EXPECT_DOUBLE_EQ(report.rows.at(0).native.value(), 11.0);
}

TEST(BenchMerge, TheReportHasEveryFieldOfItsSchema) {
  const nlohmann::json json = bench_json(merge({row_spec()}, ours(), {mujoco(7.0)}, nullptr));
  EXPECT_EQ(json.at("schema"), "kagami.bench/1");
  EXPECT_EQ(json.at("compiler"), "g++ 12");
  EXPECT_TRUE(json.contains("date"));
  EXPECT_EQ(json.at("load").size(), 2U);
  const nlohmann::json& row = json.at("rows").at(0);
  for (const char* key : {"name", "unit", "ours", "quartiles", "peers", "ratio", "ratio_quartiles",
                          "ratio_of_minima", "bound", "holds", "also", "native"})
    EXPECT_TRUE(row.contains(key)) << key;
  EXPECT_TRUE(row.at("native").is_null());
}

TEST(BenchMerge, TheTableNamesRowBoundAndVerdict) {
  const std::string text = bench_text(merge({row_spec()}, ours(), {mujoco(7.0)}, nullptr));
  EXPECT_NE(text.find("khr1/forward_dynamics/run_time"), std::string::npos);
  EXPECT_NE(text.find("mujoco 2.2.2 0.300 of 0.500 (minima 0.192)"), std::string::npos) << text;
  EXPECT_NE(text.find("100 (0.300)"), std::string::npos) << text;
  EXPECT_NE(text.find("yes"), std::string::npos);
}

TEST(BenchMerge, ColumnsStandInTheOrderOfThePeers) {
  RowSpec spec = row_spec();
  spec.own_peers = {"khr1/forward_dynamics/ada"};
  spec.own_column = "kagami ada";
  const ProgramResult bullet = program("bullet 3.24", {entry("khr1/forward_dynamics", 90, 7.0)});
  const ProgramResult idle = program("dart 6.12.1", {entry("somewhere/else", 90, 7.0)});
  const BenchReport report =
      merge({spec, row_spec()}, ours(), {mujoco(7.0), idle, bullet}, nullptr);
  EXPECT_EQ(report.columns,
            (std::vector<std::string>{"mujoco 2.2.2", "bullet 3.24", "kagami ada"}));
}

TEST(BenchMerge, ARowWithoutBoundsShowsWhatStandsBesideIt) {
  nlohmann::json step = entry("khr1/cycle/step", 10, 0);
  step.erase("checksum");
  step["p99_us"] = 3.25;
  RowSpec spec;
  spec.name = "khr1/cycle/step";
  spec.ours = {spec.name};
  const std::string text = bench_text(merge({spec}, program("kagami", {step}), {}, nullptr));
  EXPECT_NE(text.find("p99_us 3.25\n"), std::string::npos) << text;
}

TEST(BenchMerge, TheMarkdownTableHasARowPerRow) {
  BenchReport report = merge({row_spec()}, ours(), {mujoco(7.0)}, nullptr);
  report.machine = "some processor";
  report.date = "2026-11-28";
  report.load = {0.25, 0.5};
  const std::string text = bench_markdown(report);
  EXPECT_NE(text.find("some processor; g++ 12; 2026-11-28; load average 0.25 at the start, 0.50 at "
                      "the end\n\n| row | unit | ours |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n| --- | --- | ---: |"), std::string::npos) << text;
  EXPECT_NE(text.find("\n| khr1/forward_dynamics/run_time | ns | 30.00 |"), std::string::npos)
      << text;
}

TEST(BenchMerge, TheMarkdownOfALongNoteFitsAPage) {
  BenchReport report = merge({row_spec()}, ours(), {mujoco(7.0)}, nullptr);
  std::string note;
  for (int i = 0; i < 60; ++i) note += "pen_um 0.0015, ";
  report.notes = {note};
  std::istringstream lines(bench_markdown(report));
  int continued = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("|")) continue;
    EXPECT_LE(line.size(), 119U) << line;
    if (line.starts_with("  ")) ++continued;
  }
  EXPECT_GT(continued, 5);
}

TEST(ProgramOutput, WhatIsNotGoogleBenchmarksIsRefused) {
  for (const char* text : {"", "{", "[]", "{}", R"({"context": {}, "benchmarks": [{}]})",
                           R"({"context": 3, "benchmarks": []})", "null", "terminate called"}) {
    SCOPED_TRACE(text);
    EXPECT_NE(read_program_output(text).error, "");
  }
}

TEST(DynamicsRows, HaveNamesOfTheirOwnAndBounds) {
  std::map<std::string, int> names;
  int bounded = 0;
  for (const RowSpec& spec : dynamics_rows()) {
    EXPECT_EQ(++names[spec.name], 1) << spec.name;
    EXPECT_TRUE(spec.sizes.empty() || spec.sizes.size() == spec.ours.size());
    bounded += spec.bound.empty() ? 0 : 1;
  }
  EXPECT_EQ(bounded, 20);
}

}  // namespace
}  // namespace kagami::tools
