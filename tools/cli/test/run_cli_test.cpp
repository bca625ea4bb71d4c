#include "tools/cli/run_cli.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tools/cli/common_options.hpp"
#include "tools/test/cli_case.hpp"

namespace kagami::tools {
namespace {

using test::CliCase;

TEST(RunCli, ReportsItsVersion) {
  CliCase c;
  EXPECT_EQ(c.run({"--version"}), 0);
  EXPECT_EQ(c.out.rfind("kagami 0.", 0), 0u) << c.out;
  EXPECT_EQ(c.err, "");
}

TEST(RunCli, HelpGoesToStandardOutputAndEndsWithExamples) {
  CliCase c;
  EXPECT_EQ(c.run({"--help"}), 0);
  EXPECT_NE(c.out.find("Examples:\n  kagami "), std::string::npos) << c.out;
}

TEST(RunCli, WithoutACommandIsAUsageError) {
  CliCase c;
  EXPECT_EQ(c.run({}), 2);
  EXPECT_EQ(c.out, "");
  EXPECT_NE(c.err.find("no command given"), std::string::npos);
}

TEST(RunCli, UnknownOptionIsAUsageError) {
  CliCase c;
  EXPECT_EQ(c.run({"--verzion"}), 2);
  EXPECT_NE(c.err.find("unknown option '--verzion', did you mean '--version'?"), std::string::npos)
      << c.err;
}

TEST(NearestWord, FindsTheOneWithFewestEdits) {
  EXPECT_EQ(nearest_name("repaly", {"replay", "compare", "ports"}), "replay");
  EXPECT_EQ(nearest_name("prots", {"replay", "compare", "ports"}), "ports");
}

TEST(NearestWord, FindsNothingForSomethingElse) {
  EXPECT_EQ(nearest_name("teapot", {"replay", "compare"}), "");
}

TEST(RunCli, ResultsThatCannotBeWrittenAreAFailure) {
  std::istringstream in;
  std::ostringstream err;
  std::ofstream full("/dev/full");
  Console io(in, full, err, {});
  const std::vector<std::string> args = {"--version"};
  EXPECT_EQ(run_cli(args, io, add_main_commands), 1);
  EXPECT_NE(err.str().find("standard output"), std::string::npos) << err.str();
}

}  // namespace
}  // namespace kagami::tools
