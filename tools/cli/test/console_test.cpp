#include "tools/cli/console.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace kagami::tools {
namespace {

struct ConsoleCase {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  double now = 0.0;  // s
  ConsoleSettings settings;

  ConsoleCase() {
    settings.seconds = [this] { return now; };
  }
  Console console() { return Console(in, out, err, settings); }
};

TEST(Console, KeepsResultsAndTalkApart) {
  ConsoleCase c;
  Console io = c.console();
  io.print("result\n");
  io.say("talk");
  EXPECT_EQ(c.out.str(), "result\n");
  EXPECT_EQ(c.err.str(), "talk\n");
}

TEST(Console, QuietSuppressesProgressButNotWarningsAndErrors) {
  ConsoleCase c;
  Console io = c.console();
  io.quiet = true;
  io.say("talk");
  io.progress(0.5, "half");
  io.warn("hot");
  io.error("broken");
  EXPECT_EQ(c.err.str(), "warning: hot\nerror: broken\n");
}

TEST(Console, ShowsDetailsOnlyWhenVerbose) {
  ConsoleCase c;
  Console io = c.console();
  io.detail("one");
  io.verbose = true;
  io.detail("two");
  EXPECT_EQ(c.err.str(), "two\n");
}

TEST(Console, PaintsOnTerminalsAlone) {
  ConsoleCase c;
  Console plain = c.console();
  plain.error("x");
  EXPECT_EQ(c.err.str().find('\033'), std::string::npos);
  c.settings.err_is_terminal = true;
  Console painted = c.console();
  painted.error("x");
  EXPECT_NE(c.err.str().find('\033'), std::string::npos);
}

TEST(Console, NoColorVariableTurnsColoursOff) {
  ConsoleCase c;
  c.settings.err_is_terminal = true;
  c.settings.environment = [](const std::string& name) {
    return name == "NO_COLOR" ? std::optional<std::string>("1") : std::nullopt;
  };
  Console io = c.console();
  io.error("x");
  EXPECT_EQ(c.err.str(), "error: x\n");
}

TEST(Console, BarIsDrawnAtMostTenTimesASecond) {
  ConsoleCase c;
  c.settings.err_is_terminal = true;
  Console io = c.console();
  for (int i = 0; i < 1000; ++i) {
    c.now = i * 0.001;
    io.progress(i * 0.0005, "x");
  }
  const std::string text = c.err.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 10);
}

TEST(Console, BarEndsWithALineBeforeOtherText) {
  ConsoleCase c;
  c.settings.err_is_terminal = true;
  Console io = c.console();
  io.progress(0.5, "half");
  io.say("next");
  EXPECT_NE(c.err.str().find(" half\nnext\n"), std::string::npos);
}

TEST(Console, BarFitsTheTerminal) {
  ConsoleCase c;
  c.settings.err_is_terminal = true;
  c.settings.width = 40;
  Console io = c.console();
  io.progress(0.5, std::string(200, 'x'));
  EXPECT_LE(c.err.str().size(), 39u + 4u);  // the line and the code that erases the one before
}

TEST(Console, WithoutTerminalAFewPlainLinesTellTheProgress) {
  ConsoleCase c;
  Console io = c.console();
  for (int i = 0; i <= 1000; ++i) {
    c.now = i * 0.02;  // 20 s in all: a line at 0, 5, 10, 15, 20 s
    io.progress(i / 1000.0, "x");
  }
  const std::string text = c.err.str();
  EXPECT_EQ(text, "  0 % x\n 25 % x\n 50 % x\n 75 % x\n100 % x\n");
}

TEST(Console, PromptsOnlyAtATerminal) {
  ConsoleCase c;
  c.in.str("y\n");
  Console blind = c.console();
  EXPECT_FALSE(blind.confirm("Move?"));
  EXPECT_EQ(c.err.str(), "");
  c.settings.in_is_terminal = true;
  Console seeing = c.console();
  EXPECT_TRUE(seeing.confirm("Move?"));
  EXPECT_FALSE(seeing.confirm("Move?")) << "end of input is no";
}

TEST(Console, PrintsJsonWithBytesThatAreNoUtf8) {
  ConsoleCase c;
  Console io = c.console();
  io.print_json(nlohmann::json{{"name", "\xFF"}});
  EXPECT_TRUE(nlohmann::json::accept(c.out.str()));
}

}  // namespace
}  // namespace kagami::tools
