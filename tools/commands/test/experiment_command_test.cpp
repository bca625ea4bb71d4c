// kagami experiment: options, files, answers, and what goes wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/base/file_replacement.hpp"
#include "models/base/text_file.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"
#include "tools/trace/trace.hpp"

namespace kagami::tools {
namespace {

using ExperimentCase = test::CommandCase<add_experiment>;

namespace fs = std::filesystem;

// a program named gnuplot that runs `script`
void fake_gnuplot(const fs::path& folder, const std::string& script) {
  write_file_atomically(folder / "gnuplot", "#!/bin/sh\n" + script + "\n");
  fs::permissions(folder / "gnuplot", fs::perms::owner_all);
}

TEST(ExperimentCommand, ListNamesEveryExperimentWithItsSource) {
  ExperimentCase cli;
  ASSERT_EQ(cli.run({"experiment", "list"}), 0);
  for (const char* expected : {"planar-3r",          "branch-4",          "branch-5",
                               "four-bar",           "four-bar-singular", "free-body",
                               "planar-7r",          "floating-6-link",   "pa10",
                               "hoap1-walk",         "hoap1-fall",        "hoap1-jump",
                               "pendulum-on-ground", "falling-box",       "falling-boxes-7",
                               "falling-boxes",      "Fig. 3.17",         "balance-combined",
                               "virtual-four-bar",   "Figs. 7.21, 7.22"})
    EXPECT_NE(cli.out.find(expected), std::string::npos) << expected;
  ASSERT_EQ(cli.run({"experiment", "list", "--json"}), 0);
  EXPECT_EQ(cli.json().at("schema"), "kagami.experiment_list/1");
  EXPECT_EQ(cli.json().at("experiments").size(), 33u);
}

TEST(ExperimentCommand, RunWritesTheCsvAndWithoutGnuplotTheScript) {
  const test::TempFolder folder;
  ExperimentCase cli;
  cli.environment["PATH"] = folder.file("nowhere") + "::relative";
  ASSERT_EQ(cli.run({"experiment", "run", "planar-3r", "--duration", "0.1", "--dt", "0.01", "--out",
                     folder.file("made/here")}),
            0);
  const std::string csv = read_text_file(folder.path() / "made/here/planar-3r.csv");
  EXPECT_EQ(csv.rfind("t,q:joint1,q:joint2,q:joint3,v:joint1", 0), 0u);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 12);  // header, 0, 0.01, ..., 0.1
  EXPECT_TRUE(fs::exists(folder.path() / "made/here/planar-3r.gp"));
  EXPECT_FALSE(fs::exists(folder.path() / "made/here/planar-3r.svg"));
  EXPECT_NE(cli.err.find("no gnuplot on PATH (Debian package gnuplot-nox)"), std::string::npos);
  EXPECT_EQ(cli.err.find("no gnuplot"), cli.err.rfind("no gnuplot"));
  EXPECT_NE(cli.out.find("energy"), std::string::npos);
  EXPECT_NE(cli.out.find("planar-3r.gp"), std::string::npos);
}

TEST(ExperimentCommand, TheSameRunWritesTheSameBytes) {
  const test::TempFolder folder;
  for (const char* out : {"a", "b"}) {
    ExperimentCase cli;
    ASSERT_EQ(
        cli.run({"experiment", "run", "four-bar", "--duration", "0.2", "--out", folder.file(out)}),
        0);
  }
  EXPECT_EQ(read_text_file(folder.path() / "a/four-bar.csv"),
            read_text_file(folder.path() / "b/four-bar.csv"));
}

TEST(ExperimentCommand, GnuplotDrawsAnSvgFile) {
  const fs::path gnuplot = "/usr/bin/gnuplot";
  if (!fs::exists(gnuplot)) GTEST_SKIP() << "no " << gnuplot;
  const test::TempFolder folder;
  ExperimentCase cli;
  cli.environment["PATH"] = "/usr/bin";
  ASSERT_EQ(cli.run({"experiment", "run", "free-body", "--duration", "0.5", "--dt", "0.01", "--out",
                     folder.file("it's"), "--json"}),
            0);
  EXPECT_EQ(cli.err, "");
  const nlohmann::json files = cli.json().at("files");
  ASSERT_EQ(files.at("figures").size(), 2u);
  for (const std::string figure : files.at("figures")) {
    const std::string svg = read_text_file(figure);
    EXPECT_NE(svg.find("<svg"), std::string::npos);
    EXPECT_NE(svg.find("</svg>"), std::string::npos);
    EXPECT_NE(svg.find("Takahashi 2012"), std::string::npos);
  }
}

TEST(ExperimentCommand, AGnuplotThatFailsIsAFailureWithItsLastOutput) {
  const test::TempFolder folder;
  fake_gnuplot(folder.path(), "echo no fonts >&2; exit 3");
  ExperimentCase cli;
  cli.environment["PATH"] = folder.path().string();
  EXPECT_EQ(
      cli.run({"experiment", "run", "planar-3r", "--duration", "0.1", "--out", folder.file("out")}),
      1);
  EXPECT_NE(cli.err.find("planar-3r.gp': exit code 3: no fonts"), std::string::npos) << cli.err;
  EXPECT_TRUE(fs::exists(folder.path() / "out/planar-3r.csv"));
}

TEST(ExperimentCommand, JsonHasDriftsClaimsAndFiles) {
  const test::TempFolder folder;
  ExperimentCase cli;
  ASSERT_EQ(
      cli.run({"experiment", "run", "planar-3r", "--duration", "0.5", "--out",
               folder.path().string(), "--algorithm", "aba", "--integrator", "rkf45", "--json"}),
      0);
  const nlohmann::json answer = cli.json();
  EXPECT_EQ(answer.at("schema"), "kagami.experiment/1");
  EXPECT_EQ(answer.at("settings").at("algorithm"), "aba");
  EXPECT_EQ(answer.at("settings").at("integrator"), "rkf45");
  EXPECT_EQ(answer.at("rows"), 501);
  EXPECT_EQ(answer.at("drifts").at(0).at("name"), "energy");
  EXPECT_LT(answer.at("drifts").at(0).at("largest_change"), 1e-6);  // J
  const nlohmann::json& claims = answer.at("claims");
  EXPECT_EQ(claims.at(0).at("pass"), true);
  EXPECT_TRUE(claims.back().at("measured").is_null());  // angles at 3 s
  EXPECT_TRUE(claims.back().at("pass").is_null());
  EXPECT_EQ(answer.at("files").at("csv"), folder.file("planar-3r.csv"));
  EXPECT_EQ(answer.at("files").at("figures").size(), 0u);
}

TEST(ExperimentCommand, RunAllAnswersWithEveryExperiment) {
  const test::TempFolder folder;
  ExperimentCase cli;
  ASSERT_EQ(cli.run({"experiment", "run", "all", "--duration", "0.01", "--out",
                     folder.path().string(), "--json"}),
            0);
  EXPECT_EQ(cli.json().at("schema"), "kagami.experiments/1");
  EXPECT_EQ(cli.json().at("experiments").size(), 33u);
  EXPECT_TRUE(fs::exists(folder.path() / "pa10.csv"));
}

TEST(ExperimentCommand, AChainOnTheGroundRestsAsItMustAndReportsItsTimes) {
  const test::TempFolder folder;
  for (const char* integrator : {"rkg", "semi-implicit-euler"}) {
    SCOPED_TRACE(integrator);
    ExperimentCase cli;
    ASSERT_EQ(cli.run({"experiment", "run", "pendulum-on-ground", "--integrator", integrator,
                       "--out", folder.path().string(), "--json"}),
              0)
        << cli.out;
    const nlohmann::json result = cli.json();
    for (const nlohmann::json& claim : result.at("claims"))
      EXPECT_TRUE(claim.at("measured").is_number()) << claim;  // a whole run leaves none open
    ASSERT_EQ(result.at("sheets").size(), 2u);
    for (const nlohmann::json& sheet : result.at("sheets")) {
      ASSERT_EQ(sheet.at("rows").size(), 3u);
      for (const nlohmann::json& row : sheet.at("rows"))
        EXPECT_EQ(row.at("values").size(), sheet.at("columns").size());
    }
    EXPECT_EQ(result.at("sheets").at(0).at("rows").at(2).at("name"), "spring-damper");
    EXPECT_EQ(result.at("settings").at("links"), 3);
  }
}

TEST(ExperimentCommand, AChainMayHaveMoreLinksAndAShortRunLeavesItsClaimsOpen) {
  const test::TempFolder folder;
  ExperimentCase cli;
  ASSERT_EQ(cli.run({"experiment", "run", "pendulum-on-ground", "--links", "5", "--duration", "0.3",
                     "--out", folder.path().string(), "--json"}),
            0)
      << cli.out;
  const nlohmann::json result = cli.json();
  // five masses of 0.3 kg, pivot at 0.4 m, 60 deg away from hanging
  EXPECT_NEAR(result.at("drifts").at(0).at("start"), 1.5 * 9.81 * (0.4 - 0.25 * std::cos(M_PI / 3)),
              1e-12);
  for (const nlohmann::json& claim : result.at("claims"))
    EXPECT_TRUE(claim.at("pass").is_null()) << claim;
  EXPECT_EQ(cli.run({"experiment", "run", "pendulum-on-ground", "--links", "2"}), 2);
  EXPECT_NE(cli.err.find("--links 2: experiment pendulum-on-ground takes 3 to 12"),
            std::string::npos);
  EXPECT_EQ(cli.run({"experiment", "run", "planar-3r", "--links", "4"}), 2);
  EXPECT_NE(cli.err.find("--links 4: experiment planar-3r takes none"), std::string::npos);
}

// steps of 1 ms, a tenth of the paper's time
TEST(ExperimentCommand, ABoxFallsAndLiesAsItMust) {
  const test::TempFolder folder;
  ExperimentCase cli;
  ASSERT_EQ(cli.run({"experiment", "run", "falling-box", "--dt", "1e-3", "--out",
                     folder.path().string(), "--json"}),
            0)
      << cli.out;
  const nlohmann::json result = cli.json();
  EXPECT_EQ(result.at("sheets").at(0).at("rows").size(), 5u);
  for (const nlohmann::json& claim : result.at("claims"))
    EXPECT_EQ(claim.at("pass"), true) << claim;
}

TEST(ExperimentCommand, SevenBoxesWeighOnTheGroundWithoutAGap) {
  const test::TempFolder folder;
  ExperimentCase cli;
  cli.run({"experiment", "run", "falling-boxes-7", "--dt", "1e-3", "--out", folder.path().string(),
           "--json"});
  const nlohmann::json result = cli.json();
  int reported = 0;
  for (const nlohmann::json& claim : result.at("claims")) {
    EXPECT_TRUE(claim.at("measured").is_number()) << claim;
    const std::string text = claim.at("text");
    // how calm a heap gets depends on how it fell
    for (const char* part : {"lost", "load off the weight", "carries nothing"}) {
      if (text.find(part) == std::string::npos) continue;
      ++reported;
      EXPECT_EQ(claim.at("pass"), true) << claim;
    }
  }
  EXPECT_EQ(reported, 6);
}

TEST(ExperimentCommand, TimeByTheNumberOfBoxesIsARowForEach) {
  const test::TempFolder folder;
  std::string numbers[2];  // all but times
  for (std::string& text : numbers) {
    ExperimentCase cli;
    ASSERT_EQ(cli.run({"experiment", "run", "falling-boxes", "--duration", "0.2", "--out",
                       folder.path().string()}),
              0)
        << cli.out;
    std::istringstream csv(read_text_file(folder.path() / "falling-boxes.csv"));
    for (std::string line; std::getline(csv, line);) {
      std::istringstream cells(line);
      std::string cell;
      for (int i = 0; std::getline(cells, cell, ','); ++i)
        if (i != 1 && i != 9) text += cell + ",";
      text += "\n";
    }
  }
  EXPECT_EQ(
      numbers[0].rfind("boxes,10:sweeps,10:load,10:std,10:zeros,10:depth,10:E,10:rise,50:sw", 0),
      0u)
      << numbers[0];
  EXPECT_EQ(std::count(numbers[0].begin(), numbers[0].end(), '\n'), 6);  // header, 10, ..., 50
  EXPECT_EQ(numbers[0], numbers[1]);
  EXPECT_NE(read_text_file(folder.path() / "falling-boxes.gp").find("set xlabel 'boxes'"),
            std::string::npos);
}

TEST(ExperimentCommand, WhatDoesNotComeOutIsExitCode6) {
  const test::TempFolder folder;
  ExperimentCase cli;
  EXPECT_EQ(cli.run({"experiment", "run", "planar-3r", "--integrator", "semi-implicit-euler",
                     "--duration", "1", "--dt", "0.01", "--out", folder.path().string()}),
            6);
  EXPECT_NE(cli.out.find("NO  total energy stays constant"), std::string::npos) << cli.out;
}

TEST(ExperimentCommand, AnUnknownNameGetsTheNearestAndTheList) {
  ExperimentCase cli;
  EXPECT_EQ(cli.run({"experiment", "run", "planar-3l"}), 2);
  EXPECT_NE(cli.err.find("unknown experiment 'planar-3l', did you mean 'planar-3r'?"),
            std::string::npos);
  EXPECT_NE(cli.err.find("falling-boxes, or all"), std::string::npos);
}

TEST(ExperimentCommand, OptionsThatAnExperimentDoesNotTakeAreRefused) {
  ExperimentCase cli;
  EXPECT_EQ(cli.run({"experiment", "run", "planar-3r", "--algorithm", "magic"}), 2);
  EXPECT_NE(cli.err.find("takes crba, aba, dca, ada, hybrid"), std::string::npos);
  EXPECT_EQ(cli.run({"experiment", "run", "planar-3r", "--dt", "0"}), 2);
  EXPECT_NE(cli.err.find("steps above 0"), std::string::npos);
  EXPECT_EQ(cli.run({"experiment", "run"}), 2);
  EXPECT_EQ(cli.run({"experiment"}), 2);
}

TEST(ExperimentCommand, AFolderThatCannotBeMadeIsNamed) {
  const test::TempFolder folder;
  write_file_atomically(folder.path() / "file", "");
  ExperimentCase cli;
  EXPECT_EQ(cli.run({"experiment", "run", "planar-3r", "--out", folder.file("file/below")}), 1);
  EXPECT_NE(cli.err.find("file/below' cannot be created: Not a directory"), std::string::npos);
}

TEST(ExperimentCommand, AFileThatCannotBeWrittenIsNamed) {
  const test::TempFolder folder;
  fs::create_directories(folder.path() / "planar-3r.csv");
  ExperimentCase cli;
  EXPECT_EQ(cli.run({"experiment", "run", "planar-3r", "--duration", "0.01", "--out",
                     folder.path().string()}),
            1);
  EXPECT_NE(cli.err.find("planar-3r.csv' cannot be written: Is a directory"), std::string::npos)
      << cli.err;
}

TEST(ExperimentCommand, WithoutOutFilesGoToTheUsersDataFolder) {
  const test::TempFolder folder;
  ExperimentCase cli;
  cli.environment["XDG_DATA_HOME"] = folder.path().string();
  ASSERT_EQ(cli.run({"experiment", "run", "planar-3r", "--duration", "0.01"}), 0);
  EXPECT_TRUE(fs::exists(folder.path() / "kagami/experiments/planar-3r.csv"));
}

}  // namespace
}  // namespace kagami::tools
