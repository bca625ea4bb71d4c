#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::test {
namespace {

using BenchCase = test::CommandCase<tools::add_bench>;

namespace fs = std::filesystem;

/// A folder with a kagami-bench-dynamics that answers for the peers and for us: 3000 ns and 4000.
class BenchCommand : public testing::Test {
 protected:
  BenchCommand() {
    answering("dynamics", "kagami", "khr1/forward_dynamics/aba", "3000");
    answering("mujoco", "mujoco 2.2.2", "khr1/forward_dynamics", "4000");
  }

  void answering(const std::string& name, const std::string& engine, const std::string& row,
                 const std::string& ns) {
    const fs::path file = folder_.path() / ("kagami-bench-" + name);
    std::ofstream(file) << R"(#!/bin/sh
echo '{"context": {"engine": ")"
                        << engine << R"("}, "benchmarks": [{"name": ")" << row << R"(", "ns": )"
                        << ns << "}]}'\n";
    fs::permissions(file, fs::perms::owner_all);
  }

  int run(const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {"bench", "dynamics", "--json", "--repetitions", "1"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return cli_.run(all);
  }

  TempFolder folder_;
  BenchCase cli_;
};

TEST_F(BenchCommand, PrintsOneObject) {
  EXPECT_EQ(run({"--programs", folder_.path().string()}), 0) << cli_.err;
  EXPECT_EQ(cli_.json().at("schema"), "kagami.bench/1");
  EXPECT_DOUBLE_EQ(cli_.json().at("rows").at(0).at("ratio").at("mujoco 2.2.2").get<double>(), 0.75);
}

TEST_F(BenchCommand, PrintsMarkdownWhenRequested) {
  EXPECT_EQ(cli_.run({"bench", "dynamics", "--markdown", "--repetitions", "1", "--programs",
                      folder_.path().string()}),
            0)
      << cli_.err;
  EXPECT_NE(cli_.out.find("\n| khr1/forward_dynamics/run_time | ns | 3000 |"), std::string::npos)
      << cli_.out;
}

TEST_F(BenchCommand, AWrongAnswerIsAFailure) {
  answering("dynamics", "kagami", "khr1/forward_dynamics/aba", "3000, \"checksum\": 1");
  answering("mujoco", "mujoco 2.2.2", "khr1/forward_dynamics", "4000, \"checksum\": 2");
  EXPECT_EQ(run({"--programs", folder_.path().string()}), 1);
  EXPECT_NE(cli_.err.find("checksums differ"), std::string::npos) << cli_.err;
}

TEST_F(BenchCommand, BoundsCountWhenRequested) {
  const std::vector<std::string> arguments = {"--programs", folder_.path().string(), "--only",
                                              "khr1/forward_dynamics/run_time", "--require-bounds"};
  EXPECT_EQ(run(arguments), 6);
}

TEST_F(BenchCommand, RefusesRowsThatDoNotExist) {
  EXPECT_EQ(run({"--programs", folder_.path().string(), "--only", "nothing_like_it"}), 2);
  EXPECT_EQ(run({"--programs", folder_.path().string(), "--only", "("}), 2);
}

TEST_F(BenchCommand, ReportsHowToGetItsPrograms) {
  cli_.settings.program = folder_.file("elsewhere/kagami");
  EXPECT_EQ(run({}), 2);
  EXPECT_NE(cli_.err.find("KAGAMI_BENCH=ON"), std::string::npos);
}

}  // namespace
}  // namespace kagami::test
