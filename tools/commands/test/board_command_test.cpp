#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "drivers/port/open_port.hpp"
#include "drivers/rcb1/khr1_link.hpp"
#include "drivers/rcb1/probe.hpp"
#include "runtime/clock/clock.hpp"
#include "tools/cli/robot_choice.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using test::CliCase;
using test::TempFolder;

/// What a foreign program would do: open the terminal and greet both boards.
drivers::ProbeReport greet(const std::string& path) {
  const runtime::SteadyClock clock;
  drivers::OpenedPort opened = drivers::open_port(path, drivers::PortLibrary::kLibserial, clock);
  const RobotWiring wiring =
      wiring_of(std::filesystem::path(KAGAMI_SOURCE_DIR) / "models/data/khr1");
  drivers::Khr1Link link(*opened.port, clock, wiring);
  return drivers::probe(link, path);
}

TEST(BoardCommand, AnswersOnItsTerminalUntilInterrupted) {
  const TempFolder folder;
  const std::string pty = folder.file("khr1");
  CliCase c;
  std::vector<int> ids;
  int calls = 0;
  c.settings.seconds = [&] {  // called while the board serves: the moment to send requests
    if (++calls == 2) {
      for (const auto& board : greet(pty).boards) ids.push_back(board.id);
      std::raise(SIGINT);
    }
    return 0.0;
  };
  ASSERT_EQ(c.run({"board", "--pty", pty}), 0) << c.err;
  EXPECT_EQ(ids, (std::vector<int>{0, 1}));
  EXPECT_EQ(c.out, pty + "\n");
  EXPECT_NE(c.err.find("0 bad frames"), std::string::npos) << c.err;
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(pty))) << "the link is gone";
}

TEST(BoardCommand, ReportsItsTerminalAsJson) {
  CliCase c;
  ASSERT_EQ(c.run({"board", "--seconds", "0", "--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["schema"], "kagami.board/1");
  EXPECT_EQ(c.json()["pty"].get<std::string>().rfind("/dev/pts/", 0), 0u);
}

TEST(BoardCommand, UnknownPresetIsAUsageError) {
  CliCase c;
  EXPECT_EQ(c.run({"board", "--board", "quick"}), 2);
  EXPECT_NE(c.err.find("--board"), std::string::npos) << c.err;
}

TEST(BoardCommand, DoesNotReplaceAFileByItsLink) {
  const TempFolder folder;
  std::ofstream(folder.file("precious")) << "x";
  CliCase c;
  EXPECT_EQ(c.run({"board", "--pty", folder.file("precious"), "--seconds", "0"}), 3);
  EXPECT_NE(c.err.find("precious"), std::string::npos) << c.err;
}

TEST(BoardCommand, MissingPlantFileIsABadInputFile) {
  CliCase c;
  EXPECT_EQ(c.run({"board", "--plant", "/nowhere/plant.json", "--seconds", "0"}), 2);
  EXPECT_NE(c.err.find("/nowhere/plant.json"), std::string::npos) << c.err;
}

TEST(PortsCommand, ListsPortsAsJson) {
  CliCase c;
  ASSERT_EQ(c.run({"ports", "--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["schema"], "kagami.ports/1");
  EXPECT_TRUE(c.json()["ports"].is_array());
}

TEST(PortsCommand, PrintsText) {
  CliCase c;
  ASSERT_EQ(c.run({"ports"}), 0) << c.err;
  EXPECT_NE(c.out, "");
}

}  // namespace
}  // namespace kagami::tools
