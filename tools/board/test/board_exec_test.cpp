// kagami board --exec: programs that are not ours, at the terminal of the virtual robot.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "tools/board/modem_lines.hpp"
#include "tools/cli/subprogram.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using test::CliCase;
using test::TempFolder;

struct ExecCase : CliCase {
  ExecCase() { settings.program = KAGAMI_PROGRAM; }
};

bool has_pyserial() {
  return std::system("/usr/bin/python3 -c 'import serial' 2>/dev/null") == 0;  // NOLINT
}

TEST(BoardExec, ReturnsTheCodeOfTheProgramAndNamesTheTerminal) {
  const TempFolder folder;
  ExecCase c;
  const std::string script = "echo $KAGAMI_PORT {port} > " + folder.file("seen") + "; exit 7";
  EXPECT_EQ(c.run({"board", "--pty", folder.file("khr1"), "--exec", "sh", "-c", script}), 7)
      << c.err;
  std::string variable;
  std::string argument;
  std::ifstream(folder.file("seen")) >> variable >> argument;
  EXPECT_EQ(variable, folder.file("khr1"));
  EXPECT_EQ(argument, folder.file("khr1"));
  EXPECT_EQ(c.out, "") << "standard output is the program's";
  EXPECT_NE(c.err.find("exit code: 7"), std::string::npos) << c.err;
}

TEST(BoardExec, OptionsBehindTheProgramAreItsOwn) {
  ExecCase c;
  // sh takes $0 and two arguments
  EXPECT_EQ(c.run({"board", "--json", "--exec", "sh", "-c", R"(test "$0 $*" = "-q --json --help")",
                   "-q", "--json", "--help"}),
            0)
      << c.err;
  EXPECT_EQ(c.json()["program"]["exit_code"], 0);
  EXPECT_EQ(c.json()["end"], "the program has ended");
}

TEST(BoardExec, ASignalOfTheProgramIsItsCode) {
  ExecCase c;
  EXPECT_EQ(c.run({"board", "--exec", "sh", "-c", "kill -9 $$"}), 128 + SIGKILL);
  EXPECT_NE(c.err.find("signal 9"), std::string::npos) << c.err;
}

TEST(BoardExec, TheEndOfTheBoardStopsTheProgram) {
  ExecCase c;
  // without a stop this program would outlast every patience
  EXPECT_EQ(c.run({"board", "--seconds", "0.2", "--exec", "sleep", "10000"}), 128 + SIGTERM);
}

TEST(BoardExec, AfterASignalTheProgramHasTimeForAnEndOfItsOwn) {
  ExecCase c;
  c.settings.seconds = [calls = 0]() mutable {
    if (++calls == 2) std::raise(SIGINT);
    return 0.0;
  };
  EXPECT_EQ(c.run({"board", "--exec", "sh", "-c", "sleep 0.1; exit 9"}), 9) << c.err;
}

TEST(BoardExec, TheLastRequestOfAProgramIsStillAnswered) {
  ExecCase c;
  const std::string script = R"(printf '\360\001\161' > $KAGAMI_PORT)";
  EXPECT_EQ(c.run({"board", "--latency", "20", "--exec", "sh", "-c", script}), 0) << c.err;
  EXPECT_NE(c.err.find("1 requests, 1 answers"), std::string::npos) << c.err;
}

TEST(BoardExec, APortWithoutAProgramOrTheReverseIsAUsageError) {
  ExecCase c;
  EXPECT_EQ(c.run({"board", "--exec"}), 2);
  EXPECT_NE(c.err.find("--exec"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"board", "walk"}), 2);
  EXPECT_NE(c.err.find("walk"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"board", "--exec", "/nowhere/program"}), 2);
  EXPECT_NE(c.err.find("/nowhere/program"), std::string::npos) << c.err;
}

TEST(ModemLines, LibserialWorksWithTheLibraryAndFailsWithout) {
  ExecCase without;
  EXPECT_EQ(without.run({"board", "--exec", "env", "-u", "LD_PRELOAD", MODEM_PROGRAM, "{port}",
                         "libserial"}),
            1)
      << "the terminal has modem lines now: is the library still needed?";
  ExecCase with;
  EXPECT_EQ(with.run({"board", "--exec", MODEM_PROGRAM, "{port}", "libserial"}), 0) << with.err;
  EXPECT_NE(with.err.find("1 requests, 1 answers"), std::string::npos) << with.err;
  EXPECT_EQ(with.err.find("DTR high"), std::string::npos) << with.err;
}

TEST(ModemLines, OnlyTheTerminalOfTheBoardIsAnswered) {
  ExecCase c;
  EXPECT_EQ(c.run({"board", "--json", "--exec", MODEM_PROGRAM, "{port}", "system"}), 0) << c.err;
  // 2 threads x 2000 x 4, TIOCMGET, TIOCGSERIAL, TIOCSSERIAL; a null pointer is not counted
  EXPECT_EQ(c.json()["program"]["modem_requests"], 16'003);
}

TEST(ModemLines, HighDtrIsReportedAndObeyedOnRequest) {
  ExecCase reported;
  EXPECT_EQ(reported.run({"board", "--exec", MODEM_PROGRAM, "{port}", "dtr-high"}), 0);
  EXPECT_NE(reported.err.find("DTR high"), std::string::npos) << reported.err;
  ExecCase obeyed;
  constexpr int kNoAnswer = 3;
  EXPECT_EQ(obeyed.run({"board", "--obey-dtr", "--exec", MODEM_PROGRAM, "{port}", "dtr-high"}),
            kNoAnswer)
      << obeyed.err;
  ExecCase low;
  EXPECT_EQ(low.run({"board", "--obey-dtr", "--exec", MODEM_PROGRAM, "{port}", "libserial"}), 0);
}

TEST(ModemLines, PyserialWorks) {
  if (!has_pyserial()) GTEST_SKIP() << "without python3-serial";
  const TempFolder folder;
  std::ofstream(folder.file("host.py")) << R"(import serial, sys
port = serial.Serial(sys.argv[1], 115200, timeout=2)
port.dtr = False
port.rts = True
if port.dtr or not port.rts or not port.cts:
    sys.exit(4)
port.write(bytes([0xF0, 0x01, 0x71]))
sys.exit(0 if port.read(3) == bytes([1, 0, 1]) else 5)
)";
  ExecCase c;
  EXPECT_EQ(c.run({"board", "--exec", "/usr/bin/python3", folder.file("host.py"), "{port}"}), 0)
      << c.err;
}

TEST(ModemLines, TheLibraryIsFoundBesideTheProgramAndInstalled) {
  const TempFolder folder;
  const std::string name = "libkagami-modem-lines.so";
  std::filesystem::create_directories(folder.path() / "bin");
  std::filesystem::create_directories(folder.path() / "libexec/kagami");
  const std::string program = (folder.path() / "bin/kagami").string();
  EXPECT_TRUE(modem_preload_file(program).empty());
  std::ofstream(folder.path() / "libexec/kagami" / name) << "x";
  EXPECT_EQ(modem_preload_file(program),
            std::filesystem::canonical(folder.path() / "libexec/kagami" / name));
  EXPECT_FALSE(modem_preload_file(KAGAMI_PROGRAM).empty());
}

TEST(ModemLines, OnlyBoardWithViewNeedsAnotherProgram) {
  EXPECT_EQ(needed_subprogram({"board", "--view"}), "board");
  EXPECT_EQ(needed_subprogram({"board", "--exec", "x", "--view"}), "");
  EXPECT_EQ(needed_subprogram({"replay", "--view"}), "");
  EXPECT_EQ(needed_subprogram({"run"}), "run");
}

}  // namespace
}  // namespace kagami::tools
