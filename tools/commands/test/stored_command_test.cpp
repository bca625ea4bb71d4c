// kagami replay and check with --mode stored, as an owner runs them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using test::CliCase;
using test::TempFolder;

TEST(StoredCommand, ReplayPlaysFromTheSlotAndSaysWhatItWrote) {
  CliCase c;
  const TempFolder out;
  ASSERT_EQ(c.run({"replay", "walk_forward", "--clock", "virtual", "--mode", "stored", "--slot",
                   "3", "--slot-restore", "--json", "--out", out.file("run")}),
            0)
      << c.err;
  const auto answer = nlohmann::json::parse(c.out);
  EXPECT_EQ(answer.at("outcome"), "completed");
  EXPECT_EQ(answer.at("stored").dump(),
            R"({"problem":null,"restored":true,"slot":3,"written":true})");
  EXPECT_NE(c.err.find("29 poses are in motion 3 of every board, written and read back"),
            std::string::npos)
      << c.err;
  EXPECT_EQ(c.run({"verify", out.file("run/run.mcap")}), 0) << c.err;
}

TEST(StoredCommand, WithoutAConfirmedStopTheMemoryStaysAsItIs) {
  CliCase c;
  const TempFolder out;
  EXPECT_EQ(
      c.run({"replay", "walk_forward", "--clock", "virtual", "--mode", "stored", "--slot-restore",
             "--fault", "1:mute, from 5", "--json", "--out", out.file("run")}),
      4);
  EXPECT_EQ(nlohmann::json::parse(c.out).at("stored").at("restored"), false);
  EXPECT_NE(c.err.find("NOT put back: the stop is not confirmed"), std::string::npos) << c.err;
}

TEST(StoredCommand, SlotsWithoutStoredModeAreRefused) {
  CliCase c;
  for (const char* option : {"--slot=3", "--slot-overwrite", "--slot-restore"}) {
    EXPECT_EQ(c.run({"replay", "walk_forward", "--clock", "virtual", option}), 2);
    EXPECT_NE(c.err.find("expected --mode stored"), std::string::npos) << c.err;
  }
}

TEST(StoredCommand, ACheckPlaysTheBoardsMemoryToo) {
  CliCase c;
  EXPECT_EQ(c.run({"check", "walk_forward", "--mode", "stored", "--json"}), 0) << c.err << c.out;
  const auto answer = nlohmann::json::parse(c.out);
  EXPECT_NE(c.out.find("\"mode\": \"stored\""), std::string::npos) << c.out;
  EXPECT_EQ(c.run({"check", "bow", "--mode", "stored", "--json"}), 6);
  EXPECT_NE(c.out.find("no waits"), std::string::npos) << c.out;
}

}  // namespace
}  // namespace kagami::tools
