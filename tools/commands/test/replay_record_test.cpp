// Where the record of a replay goes, and what is refused before it begins.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "models/base/text_file.hpp"
#include "tools/commands/replay_options.hpp"
#include "tools/test/replay_case.hpp"

namespace kagami::tools {
namespace {

using test::ReplayCase;
using test::TempFolder;

/// No file of this process becomes larger, as on a disk that is full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit small = before_;
    small.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

/// Standard output that looks whether Ctrl-C would end the program while it is written.
class SignalProbe : public std::stringbuf {
 public:
  [[nodiscard]] bool would_end() const { return would_end_; }

 private:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    struct sigaction now {};
    sigaction(SIGINT, nullptr, &now);
    would_end_ = would_end_ || now.sa_handler == SIG_DFL;
    return std::stringbuf::xsputn(text, size);
  }

  bool would_end_ = false;
};

/// Another current folder for the life of this object.
class CurrentFolder {
 public:
  explicit CurrentFolder(const std::filesystem::path& folder) {
    std::filesystem::current_path(folder);
  }
  ~CurrentFolder() { std::filesystem::current_path(before_); }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

TEST(MakeSession, MakesASeparateFolderForEachRunOfOneSecond) {
  const TempFolder folder;
  std::set<std::filesystem::path> made;
  for (int k = 0; k < 20; ++k) made.insert(make_session(folder.path() / "sessions", "walk"));
  EXPECT_EQ(made.size(), 20u);
  for (const auto& session : made) EXPECT_TRUE(std::filesystem::is_directory(session));
}

TEST(MakeSession, KeepsToOneFolderWhateverTheMotionIsCalled) {
  const TempFolder folder;
  const auto session = make_session(folder.path(), "../a b\n");
  EXPECT_EQ(session.parent_path(), folder.path());
}

TEST(ReplayCommand, RefusesARecordThatExistsAndReplacesItOnlyByAFinishedOne) {
  ReplayCase c;
  ASSERT_EQ(c.replay("bow"), 0) << c.err;
  const std::string record = c.out_dir + "/run.mcap";
  const std::string before = read_text_file(record);
  c.force = false;
  EXPECT_EQ(c.replay("home"), 2);
  EXPECT_NE(c.err.find("a record exists"), std::string::npos) << c.err;
  EXPECT_NE(c.err.find("--force"), std::string::npos) << c.err;
  EXPECT_EQ(read_text_file(record), before);

  c.force = true;  // this run never begins
  EXPECT_NE(
      c.replay("home", {"--clock", "real", "--robot", "/nowhere/port", "--unproven", "--yes"}), 0);
  EXPECT_EQ(read_text_file(record), before);
  EXPECT_EQ(c.replay("home"), 0) << c.err;
  EXPECT_NE(read_text_file(record), before);
  EXPECT_EQ(c.run({"verify", record}), 0) << c.err;
}

TEST(ReplayCommand, ARunThatNeverBeginsLeavesNoRecordAndNoSession) {
  ReplayCase c;
  c.environment["XDG_DATA_HOME"] = c.folder.file("home");
  EXPECT_EQ(c.run({"replay", "bow", "--robot", "/nowhere/port", "--unproven", "--yes"}), 3);
  EXPECT_TRUE(std::filesystem::is_empty(c.folder.file("home") + "/kagami/sessions"));
}

TEST(ReplayCommand, ADiskThatRunsFullIsAFailureWithItsCauseAndAnIncompleteRecord) {
  ReplayCase c;
  {
    const FileSizeLimit limit(1 << 20);
    EXPECT_EQ(c.replay("bow", {"--no-report", "--json"}), 1);
  }
  const nlohmann::json run = c.json();
  EXPECT_EQ(run["record_complete"], false);
  EXPECT_NE(run["record_cause"].get<std::string>().find("File too large"), std::string::npos);
  EXPECT_GT(run["lost_records"].get<int>(), 0);
  EXPECT_NE(c.err.find("recording stopped at byte"), std::string::npos) << c.err;  // at once
  EXPECT_NE(c.err.find("the record is incomplete"), std::string::npos) << c.err;   // at the end

  const std::string record = run["record"];
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"verify", record, "--json"},
        {"compare", record, "--json"},
        {"log", "info", record, "--json"}}) {
    EXPECT_EQ(c.run(command), 1) << command[0] << c.err;
    EXPECT_EQ(c.json()["complete"], false) << command[0];
    EXPECT_NE(c.err.find("incomplete"), std::string::npos) << c.err;
  }
}

TEST(ReplayCommand, ACtrlCWhileTheAnswerIsWrittenDoesNotTakeItAway) {
  const TempFolder folder;
  SignalProbe probe;
  std::istringstream in;
  std::ostream out(&probe);
  std::ostringstream err;
  Console io(in, out, err, {});
  const std::vector<std::string> args = {
      "replay", "home", "--clock", "virtual", "--json", "--out", folder.file("session")};
  EXPECT_EQ(run_cli(args, io, add_main_commands), 0) << err.str();
  EXPECT_FALSE(probe.str().empty());
  EXPECT_FALSE(probe.would_end());
}

TEST(ReplayCommand, NamesThatAreUnknownAreRefusedBeforeTheStart) {
  ReplayCase c;
  const std::vector<std::string> pid = {"--controller", "pid", "--gains", "awa_2009"};
  for (const auto& [options, expected] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--at", "1:controller=lqr"}, "pid"},
           {{"--at", "1:play=no_such_motion"}, "bow"},
           {{"--at", "1:test=step:left_kne:10:1"}, "left_knee"},
           {{"--at", "1:pid/left_knee/kq=4"}, "pid/left_knee/kq"},
           {{"--at", "1:pid/left_knee/kp=-1e9"}, "pid/left_knee/kp"},
           {{"--at", "1:speed=50"}, "speed"},
           {{"--at", "1:step=0"}, "step"},
           {{"--at", "1:add=/nowhere/gains.json"}, "/nowhere/gains.json"},
           {{"--at", "1:halt"}, "pause"},
           {{"--at", "pause"}, "SECONDS:REQUEST"},
           {{"--switch", "1:pid_2"}, "pid"},
           {{"--switch", "pid"}, "SECONDS:CONTROLLER"},
           {{"--more-gains", "none_such"}, "awa_2009"},
           {{"--more-motion", "bwo"}, "bow"}}) {
    std::vector<std::string> more = pid;
    more.insert(more.end(), options.begin(), options.end());
    EXPECT_EQ(c.replay("bow", more), 2) << options[1];
    EXPECT_NE(c.err.find(expected), std::string::npos) << options[1] << ": " << c.err;
    EXPECT_FALSE(std::filesystem::exists(c.out_dir + "/run.mcap")) << options[1];
  }
}

TEST(ReplayCommand, TheExampleOfTheDocumentationIsNotRefused) {
  ReplayCase c;
  EXPECT_EQ(c.replay("bow", {"--controller", "pid", "--more-gains", "awa_2009", "--at", "2:pause",
                             "--at", "3:play", "--switch", "4:pid_2", "--no-report", "--json"}),
            0)
      << c.err;
  EXPECT_TRUE(c.json()["refused"].empty());
}

TEST(ReplayCommand, WhatTheRunRefusesIsAFailureAndInTheAnswer) {
  ReplayCase c;  // nothing is there to be undone
  EXPECT_EQ(c.replay("bow", {"--at", "2:undo", "--no-report", "--json"}), 1) << c.err;
  ASSERT_EQ(c.json()["refused"].size(), 1u);
  EXPECT_NE(c.json()["refused"][0].get<std::string>().find("undo"), std::string::npos);
  EXPECT_NE(c.err.find("refused"), std::string::npos) << c.err;
}

TEST(ReplayCommand, FindsTheGainsThatTuneSavedByTheirName) {
  ReplayCase c;
  c.out_dir = c.folder.file("session");
  const CurrentFolder current(c.folder.path());
  test::CommandCase<add_tune> tune;
  ASSERT_EQ(tune.run({"tune", "--set", "all/kp=4.5", "--save", "mine"}), 0) << tune.err;
  ASSERT_EQ(c.replay("bow", {"--controller", "pid", "--gains", "mine", "--no-report", "--json"}), 0)
      << c.err;
  EXPECT_EQ(c.json()["controller"]["gains"], "mine");
  // a name that --gains would find elsewhere
  EXPECT_EQ(tune.run({"tune", "--set", "all/kp=4.5", "--save", "awa_2009"}), 2);
  EXPECT_NE(tune.err.find("shipped"), std::string::npos) << tune.err;
}

TEST(FindGains, TakesWhatThePageSaved) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() / "saved");
  std::ofstream(folder.path() / "saved/mine.json") << "{}";
  DataFolders data;
  data.saved_gains = folder.path() / "saved";
  EXPECT_EQ(find_gains(data, "mine"), folder.path() / "saved/mine.json");
}

}  // namespace
}  // namespace kagami::tools
