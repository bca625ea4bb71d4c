#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "tools/commands/replay_options.hpp"
#include "tools/test/replay_case.hpp"

namespace kagami::tools {
namespace {

using test::ReplayCase;
using test::TempFolder;

TEST(ReplayCommand, AnswersWithAllFieldsOfTheDesign) {
  ReplayCase c;
  ASSERT_EQ(c.replay("bow", {"--json"}), 0) << c.err;
  const nlohmann::json run = c.json();
  EXPECT_EQ(run["schema"], "kagami.run/1");
  for (const char* key : {"motion",  "robot",        "clock",         "on",         "duration_s",
                          "ticks",   "late_ticks",   "skipped_ticks", "state_hash", "fell",
                          "base",    "cycle_us",     "wake_us",       "line",       "joints",
                          "rms_deg", "lost_records", "realtime",      "record",     "report"})
    EXPECT_TRUE(run.contains(key)) << key;
  for (const char* key : {"cycles", "cycle_hz", "utilisation", "sent", "answered", "late",
                          "bad_sum", "silent", "retried"})
    EXPECT_TRUE(run["line"].contains(key)) << key;
  ASSERT_EQ(run["joints"].size(), 17u);
  for (const char* key :
       {"name", "channel", "samples", "rms_deg", "max_deg", "bias_deg", "lag_ms", "floor_deg"})
    EXPECT_TRUE(run["joints"][0].contains(key)) << key;
  EXPECT_EQ(run["motion"], "bow");
  EXPECT_EQ(run["clock"], "virtual");
  EXPECT_EQ(run["lost_records"], 0);
  EXPECT_TRUE(std::filesystem::is_regular_file(run["record"].get<std::string>()));
  EXPECT_TRUE(std::filesystem::is_regular_file(run["report"].get<std::string>()));
}

TEST(ReplayCommand, MessagesNameTheUsersFile) {
  ReplayCase c;
  const TempFolder folder;
  const std::string file = folder.file("mine.json");
  std::ofstream(file) << R"({"schema": "kagami.motion/1", "name": "mine", "joints": ["left_knee"],
    "poses": [{"speed": 4, "angles_deg": [0]}, {"speed": 4, "angles_deg": [170]}]})";
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, std::vector<std::string>{"--more-motion", file}}) {
    EXPECT_EQ(c.replay(arguments.empty() ? file : "bow", arguments), 2);
    EXPECT_NE(c.err.find(file + ": pose 1, left_knee: 170 deg"), std::string::npos) << c.err;
    EXPECT_EQ(c.err.find("motion.json"), std::string::npos) << c.err;
  }
  const std::string gains = folder.file("gains.json");
  std::ofstream(gains) << R"({"schema": "kagami.gains/1", "controller": "pid", "name": "x"})";
  EXPECT_EQ(c.replay("bow", {"--controller", "pid", "--gains", gains}), 2);
  EXPECT_NE(c.err.find(gains + ": "), std::string::npos) << c.err;
}

TEST(ReplayCommand, BeginsWithTheConclusion) {
  ReplayCase c;
  ASSERT_EQ(c.replay("bow"), 0) << c.err;
  EXPECT_EQ(
      c.out.rfind("Outcome: completed; model stands, robot stands.\nRobot and model were ", 0), 0u)
      << c.out;
  const std::string page = read_text_file(c.out_dir + "/report.html");
  EXPECT_NE(page.find("<li>Robot and model were "), std::string::npos);
  ASSERT_EQ(c.replay("bow", {"--json"}), 0) << c.err;
  const nlohmann::json explanation = c.json()["explanation"];
  EXPECT_EQ(nlohmann::json::parse(read_text_file(c.out_dir + "/result.json")), c.json());
  EXPECT_EQ(explanation["joints"].size(), 17u);
  EXPECT_EQ(explanation["conclusion"].size(), 7u) << "apart, where, why, three proposals, the rest";
}

TEST(ReplayCommand, PrintsTableMetricsAndPaths) {
  ReplayCase c;
  ASSERT_EQ(c.replay("bow"), 0) << c.err;
  for (const char* expected : {"left_hip_pitch", "right_ankle_roll", "All joints: ", "rounds/s",
                               "waking", "state hash", "/run.mcap", "/report.html"})
    EXPECT_NE(c.out.find(expected), std::string::npos) << expected << "\n" << c.out;
}

TEST(ReplayCommand, SameOptionsGiveTheSameHash) {
  ReplayCase a;
  ReplayCase b;
  ASSERT_EQ(a.replay("bow", {"--json"}), 0) << a.err;
  ASSERT_EQ(b.replay("bow", {"--json"}), 0) << b.err;
  EXPECT_EQ(a.json()["state_hash"], b.json()["state_hash"]);
  EXPECT_EQ(a.json()["joints"], b.json()["joints"]);
}

TEST(ReplayCommand, ComparisonAgreesWithTheRecordedOne) {
  ReplayCase c;
  ASSERT_EQ(c.replay("bow", {"--json"}), 0) << c.err;
  nlohmann::json joints = c.json()["joints"];
  // the run's own knowledge of the gate is no part of the comparison
  for (nlohmann::json& joint : joints) joint["gate_shortfall_deg"] = nullptr;
  ASSERT_EQ(c.run({"compare", c.json()["record"].get<std::string>(), "--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["joints"], joints);
}

TEST(ReplayCommand, WithoutReadingsTheMetricsAreNull) {
  ReplayCase c;
  ASSERT_EQ(c.replay("bow", {"--read", "off", "--json"}), 0) << c.err;
  EXPECT_TRUE(c.json()["rms_deg"].is_null());
  const nlohmann::json joints = c.json()["joints"];
  for (const nlohmann::json& joint : joints) {
    EXPECT_EQ(joint["samples"], 0);
    EXPECT_TRUE(joint["rms_deg"].is_null());
  }
}

TEST(ReplayCommand, NoReportLeavesThePageOut) {
  ReplayCase c;
  ASSERT_EQ(c.replay("bow", {"--no-report", "--json"}), 0) << c.err;
  EXPECT_TRUE(c.json()["report"].is_null());
  EXPECT_FALSE(std::filesystem::exists(c.out_dir + "/report.html"));
  EXPECT_FALSE(std::filesystem::exists(c.out_dir + "/result.json"));
}

TEST(ReplayCommand, SessionsGoToTheUsersDataFolder) {
  ReplayCase c;
  c.environment["XDG_DATA_HOME"] = c.folder.path().string();
  ASSERT_EQ(c.run({"replay", "home", "--on", "stand", "--clock", "virtual", "--json"}), 0) << c.err;
  const std::string record = c.json()["record"];
  EXPECT_EQ(record.rfind(c.folder.file("kagami/sessions/"), 0), 0u) << record;
  EXPECT_NE(record.find("-home/run.mcap"), std::string::npos) << record;
}

TEST(ReplayCommand, FirstSignalSlowsDownAndEndsWith130) {
  ReplayCase c;
  int calls = 0;
  c.settings.seconds = [&calls] {  // called at each step of the progress: ten times a second
    if (++calls == 15) std::raise(SIGINT);
    return 0.0;
  };
  EXPECT_EQ(c.replay("walk_forward", {"--json"}), 130) << c.err;
  const nlohmann::json run = c.json();
  EXPECT_EQ(run["end"], "interrupted");
  EXPECT_LT(run["duration_s"].get<double>(), 5.0);  // s; the whole takes over 8
  EXPECT_TRUE(std::filesystem::is_regular_file(run["record"].get<std::string>()));
}

TEST(ReplayCommand, VerifyFindsTheRecordIdentical) {
  ReplayCase c;
  ASSERT_EQ(c.replay("bow", {"--json"}), 0) << c.err;
  const nlohmann::json run = c.json();
  ASSERT_EQ(c.run({"verify", run["record"].get<std::string>(), "--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["identical"], true);
  EXPECT_EQ(c.json()["ticks"], run["ticks"]);
  EXPECT_EQ(c.json()["state_hash"], run["state_hash"]);
}

TEST(ReplayCommand, FloorIsTheDefaultAndReportsWhetherRobotAndModelStand) {
  ReplayCase c;
  ASSERT_EQ(c.run({"replay", "bow", "--clock", "virtual", "--out", c.out_dir, "--no-report",
                   "--expect-standing", "--json"}),
            0)
      << c.err;
  const nlohmann::json run = c.json();
  EXPECT_EQ(run["on"], "floor");
  for (const char* who : {"shadow", "robot"}) {
    EXPECT_EQ(run["fell"][who], false) << who;
    EXPECT_LT(std::abs(run["base"][who]["x_m"].get<double>()), 0.01) << who;  // m: it only bows
    EXPECT_LT(std::abs(run["base"][who]["heading_deg"].get<double>()), 2.0) << who;
  }
}

TEST(ReplayCommand, FallenRobotIsAFindingWhereStandingIsExpected) {
  ReplayCase c;
  // no friction: the first shift of the weight takes the feet away
  const std::vector<std::string> slippery = {"--on", "floor", "--friction", "0", "--no-report"};
  std::vector<std::string> expecting = slippery;
  expecting.push_back("--expect-standing");
  EXPECT_EQ(c.replay("front_laydown", expecting), 6) << c.err;
  // played to its end, but the robot does not stand: not the exit code of a good run
  EXPECT_EQ(c.replay("front_laydown", slippery), 8) << c.err;
}

TEST(ReplayCommand, ARobotThatDoesNotObeyHasItsOwnExitCodeRowsAndMessages) {
  ReplayCase c;
  EXPECT_EQ(c.replay("walk_forward", {"--on", "stand", "--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["outcome"], "completed");
  EXPECT_TRUE(c.json()["faults"].empty());
  const nlohmann::json joints = c.json()["joints"];
  for (const nlohmann::json& joint : joints) EXPECT_LT(joint["gate_shortfall_deg"], 1.0);

  EXPECT_EQ(c.replay("walk_forward", {"--on", "stand", "--json", "--fault", "1:stuck 2"}), 8)
      << c.err;
  EXPECT_EQ(c.json()["outcome"], "completed_with_faults");
  EXPECT_EQ(c.json()["faults"][0]["fault"], "does_not_follow");
  EXPECT_EQ(c.json()["faults"][0]["joint"], "left_knee");
  EXPECT_NE(c.err.find("left_knee does not follow"), std::string::npos) << c.err;

  EXPECT_EQ(c.replay("walk_forward", {"--on", "stand", "--fault", "1:frozen, from 3"}), 5) << c.err;
  EXPECT_NE(c.out.find("outcome  fault"), std::string::npos) << c.out;
  EXPECT_NE(c.out.find("board 1: board_frozen"), std::string::npos) << c.out;
  EXPECT_NE(c.out.find("gate cut deg"), std::string::npos) << c.out;
}

TEST(ReplayCommand, UnknownContactMethodListsTheOthers) {
  ReplayCase c;
  EXPECT_EQ(c.replay("bow", {"--contact", "soft"}), 2);
  EXPECT_NE(c.err.find("relaxed"), std::string::npos) << c.err;
}

TEST(ReplayCommand, DynamicsIsChosenByName) {
  ReplayCase c;
  ASSERT_EQ(c.replay("home", {"--dynamics", "ada", "--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["dynamics"], "ada");
  ASSERT_EQ(c.replay("home", {"--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["dynamics"], "aba");
}

TEST(ReplayCommand, UnknownDynamicsListsTheFive) {
  ReplayCase c;
  EXPECT_EQ(c.replay("home", {"--dynamics", "newton"}), 2);
  for (const char* expected : {"--dynamics", "newton", "crba", "aba", "dca", "ada", "hybrid"})
    EXPECT_NE(c.err.find(expected), std::string::npos) << expected << "\n" << c.err;
}

TEST(ReplayCommand, RealRobotRequiresUnproven) {
  ReplayCase c;
  EXPECT_EQ(c.run({"replay", "bow", "--robot", "/nowhere/ttyUSB0", "--yes"}), 2);
  EXPECT_NE(c.err.find("--unproven"), std::string::npos) << c.err;
}

TEST(ReplayCommand, RealRobotIsNotMovedWithoutConfirmation) {
  ReplayCase c;
  EXPECT_EQ(c.run({"replay", "bow", "--robot", "/nowhere/ttyUSB0", "--unproven"}), 2);
  EXPECT_NE(c.err.find("This moves the robot at /nowhere/ttyUSB0"), std::string::npos) << c.err;
  EXPECT_NE(c.err.find("--yes"), std::string::npos) << c.err;
  c.settings.in_is_terminal = true;
  c.input = "n\n";
  EXPECT_EQ(c.run({"replay", "bow", "--robot", "/nowhere/ttyUSB0", "--unproven"}), 2);
  EXPECT_EQ(c.err.find("No such file"), std::string::npos) << "the port was not even opened";
}

TEST(ReplayCommand, MissingPortIsADeviceError) {
  ReplayCase c;
  c.settings.in_is_terminal = true;
  c.input = "y\n";
  EXPECT_EQ(
      c.run({"replay", "bow", "--robot", "/nowhere/ttyUSB0", "--unproven", "--out", c.out_dir}), 3);
  EXPECT_NE(c.err.find("/nowhere/ttyUSB0"), std::string::npos) << c.err;
}

TEST(ReplayCommand, RealPortInVirtualTimeIsAUsageError) {
  ReplayCase c;
  EXPECT_EQ(c.replay("bow", {"--robot", "/nowhere/ttyUSB0", "--unproven", "--yes"}), 2);
  EXPECT_NE(c.err.find("--clock"), std::string::npos) << c.err;
}

TEST(ReplayCommand, OptionsOutOfRangeAreUsageErrors) {
  ReplayCase c;
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--speed", "5"},
                                                  {"--rate", "9"},
                                                  {"--on", "ice"},
                                                  {"--friction", "-0.1"},
                                                  {"--clock", "wall"},
                                                  {"--mode", "fast"},
                                                  {"--read", "every:0"},
                                                  {"--read", "sometimes"},
                                                  {"--latency", "-1"},
                                                  {"--board", "slower"},
                                                  {"--twin", "/nowhere/twin.json"},
                                                  {"--realtime", "maybe"}}) {
    EXPECT_EQ(c.replay("bow", options), 2) << options[0] << " " << options[1];
    EXPECT_NE(c.err.find(options[0]), std::string::npos) << c.err;
    EXPECT_EQ(c.out, "");
  }
}

TEST(ReplayCommand, UnknownMotionSuggestsTheNearest) {
  ReplayCase c;
  EXPECT_EQ(c.replay("bwo"), 2);
  EXPECT_NE(c.err.find("did you mean 'bow'?"), std::string::npos) << c.err;
  EXPECT_FALSE(std::filesystem::exists(c.out_dir)) << "nothing is written for a wrong option";
}

TEST(ReplayCommand, RecordThatCannotBeWrittenIsAFailure) {
  ReplayCase c;
  std::ofstream(c.folder.file("file")) << "x";
  c.out_dir = c.folder.file("file/session");
  EXPECT_EQ(c.replay("bow"), 1);
  EXPECT_NE(c.err.find("file/session"), std::string::npos) << c.err;
}

TEST(ReplayCommand, BadRobotFolderNamesLinkAndValue) {
  ReplayCase c;
  const std::filesystem::path robot = c.folder.path() / "robot";
  std::filesystem::copy(std::filesystem::path(KAGAMI_SOURCE_DIR) / "models/data/khr1", robot);
  std::string urdf = read_text_file(robot / "robot.urdf");
  const std::size_t mass = urdf.find("<mass value=\"");
  ASSERT_NE(mass, std::string::npos);
  urdf.insert(mass + 13, "-");
  std::ofstream(robot / "robot.urdf") << urdf;
  EXPECT_EQ(c.replay("bow", {"--model", robot.string()}), 2);
  EXPECT_NE(c.err.find("mass"), std::string::npos) << c.err;
  EXPECT_NE(c.err.find("robot.urdf"), std::string::npos) << c.err;
}

TEST(ReplayCommand, ExpectStandingIsMetOnTheStand) {
  ReplayCase c;
  EXPECT_EQ(c.replay("home", {"--expect-standing"}), 0) << c.err;
}

TEST(ReadEvery, TakesAllItsForms) {
  EXPECT_EQ(read_every_of("off"), 0);
  EXPECT_EQ(read_every_of("every:1"), 1);
  EXPECT_EQ(read_every_of("every 12"), 12);
  EXPECT_EQ(read_every_of("3"), 3);
  for (const char* options : {"", "every:", "every:0", "every:1001", "every:-1", "2x", "on"})
    EXPECT_THROW(read_every_of(options), ConfigError) << options;
}

TEST(ReplayCommand, TheAnswerNamesTheActiveController) {
  ReplayCase c;
  ASSERT_EQ(c.replay("bow", {"--controller", "pid", "--gains", "awa_2009", "--json"}), 0) << c.err;
  const nlohmann::json controller = c.json()["controller"];
  EXPECT_EQ(controller["name"], "pid");
  EXPECT_EQ(controller["gains"], "awa_2009");
  EXPECT_EQ(controller["gains_hash"].get<std::string>().size(), 16u);
  EXPECT_EQ(controller["status"], "ok");
  EXPECT_GT(controller["led_s"], 2.0);
  EXPECT_GE(controller["saturation"], 0.0);
  EXPECT_LE(controller["saturation"], 1.0);
  const std::string record = c.json()["record"];
  const std::string hash = c.json()["state_hash"];
  EXPECT_EQ(c.run({"verify", record}), 0) << c.err;

  ReplayCase alone;
  ASSERT_EQ(alone.replay("bow", {"--json"}), 0) << alone.err;
  EXPECT_TRUE(alone.json()["controller"].is_null());
  EXPECT_NE(alone.json()["state_hash"], hash);
}

TEST(ReplayCommand, TakesTheRobotsOwnGainSetAndListsWhatIsShipped) {
  ReplayCase c;
  ASSERT_EQ(c.replay("bow", {"--controller", "pid"}), 0) << c.err;
  EXPECT_NE(c.err.find("Controller pid (khr1_walk) leads now."), std::string::npos) << c.err;
  EXPECT_NE(c.out.find("pid with khr1_walk"), std::string::npos) << c.out;
  ASSERT_EQ(c.replay("bow", {"--controller", "virtual-loop"}), 0) << c.err;  // on the stand
  EXPECT_NE(c.out.find("virtual-loop with khr1_hands"), std::string::npos) << c.out;
  EXPECT_EQ(c.replay("bow", {"--gains", "none_such"}), 2);
  EXPECT_NE(c.err.find("khr1_hands (virtual-loop, khr1)"), std::string::npos) << c.err;
  EXPECT_EQ(c.replay("bow", {"--controller", "lqr"}), 2);
  EXPECT_NE(c.err.find("awa_2009 (pid)"), std::string::npos) << c.err;
  EXPECT_EQ(c.replay("bow", {"--controller", "pid", "--gains", "khr1_hands"}), 2);
  EXPECT_NE(c.err.find("is for 'virtual-loop'"), std::string::npos) << c.err;
  EXPECT_EQ(c.replay("bow", {"--controller", "pid", "--mode", "keyframe"}), 2);
  EXPECT_EQ(c.replay("bow", {"--controller", "balance"}), 2);  // on the stand
  EXPECT_NE(c.err.find("expected --on floor"), std::string::npos) << c.err;
}

}  // namespace
}  // namespace kagami::tools
