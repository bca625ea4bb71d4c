#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tools/analysis/sessions.hpp"
#include "tools/test/replay_case.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using test::CliCase;
using test::ReplayCase;

/// A folder of sessions that the program takes for its own.
struct Sessions : ReplayCase {
  fs::path all = fs::path(folder.file("kagami")) / "sessions";

  Sessions() {
    environment["XDG_DATA_HOME"] = folder.file("");
    fs::create_directories(all);
  }
  /// A recorded run of that name.
  void add(const std::string& name) {
    out_dir = (all / name).string();
    ASSERT_EQ(replay("home", {"--no-report"}), 0) << err;
  }
};

TEST(LogSessions, ListsDateMotionRobotLengthAndOutcome) {
  Sessions s;
  s.add("first");
  ASSERT_EQ(s.run({"log", "list", "--json"}), 0) << s.err;
  const nlohmann::json rows = s.json()["sessions"];
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["motion"], "home");
  EXPECT_EQ(rows[0]["robot"], "khr1");
  EXPECT_EQ(rows[0]["outcome"], "completed");
  EXPECT_GT(rows[0]["duration_s"].get<double>(), 0.5);
  EXPECT_GT(rows[0]["rms_deg"].get<double>(), 0.0);
  EXPECT_GT(rows[0]["bytes"].get<double>(), 1e4);
  ASSERT_EQ(s.run({"log", "list"}), 0);
  EXPECT_NE(s.out.find("completed"), std::string::npos) << s.out;
}

TEST(LogSessions, LatestAndAFolderStandForTheirRecord) {
  Sessions s;
  s.add("first");
  s.add("second");
  fs::last_write_time(s.all / "first/run.mcap",
                      fs::last_write_time(s.all / "second/run.mcap") - std::chrono::hours(1));
  ASSERT_EQ(s.run({"verify", "latest", "--json"}), 0) << s.err;
  EXPECT_EQ(s.json()["record"], (s.all / "second/run.mcap").string());
  ASSERT_EQ(s.run({"compare", (s.all / "first").string(), "--json"}), 0) << s.err;
  EXPECT_EQ(s.json()["record"], (s.all / "first/run.mcap").string());
}

TEST(LogSessions, NamesThatLeadToNoRecordAreExplained) {
  Sessions s;
  EXPECT_EQ(s.run({"compare", "latest"}), 2);
  EXPECT_NE(s.err.find("no session with a record"), std::string::npos) << s.err;
  EXPECT_EQ(s.run({"log", "info", s.all.string()}), 2);
  EXPECT_NE(s.err.find("has no run.mcap"), std::string::npos) << s.err;
  EXPECT_EQ(s.run({"log", "list", "--folder", "/nowhere"}), 2);
  EXPECT_NE(s.err.find("'/nowhere' is not a folder"), std::string::npos) << s.err;
}

TEST(LogSessions, TagsAreKeptListedAndRemoved) {
  Sessions s;
  s.add("first");
  ASSERT_EQ(s.run({"log", "tag", "latest", "keep", "before-repair"}), 0) << s.err;
  EXPECT_NE(s.out.find("before-repair keep"), std::string::npos) << s.out;
  ASSERT_EQ(s.run({"log", "list", "--tag", "keep", "--json"}), 0);
  EXPECT_EQ(s.json()["sessions"].size(), 1u);
  ASSERT_EQ(s.run({"log", "tag", "latest", "keep", "--remove"}), 0);
  ASSERT_EQ(s.run({"log", "list", "--tag", "keep", "--json"}), 0);
  EXPECT_EQ(s.json()["sessions"].size(), 0u);
  EXPECT_EQ(s.run({"log", "tag", "latest", "two words"}), 2);
  EXPECT_NE(s.err.find("expected letters"), std::string::npos) << s.err;
}

TEST(LogChanges, GainsAreNamedAndTheirValuesAtTheStartPrinted) {
  ReplayCase c;
  ASSERT_EQ(c.replay("bow", {"--controller", "pid", "--at", "1:pid/left_knee/kp=4.25"}), 0)
      << c.err;
  ASSERT_EQ(c.run({"log", "changes", c.out_dir, "--json"}), 0) << c.err;
  const nlohmann::json answer = c.json();
  const double start = answer["start"]["pid/left_knee/kp"];
  const nlohmann::json difference = answer["changes"].back()["differences"][0];
  EXPECT_EQ(difference["name"], "pid/left_knee/kp");
  EXPECT_EQ(difference["from"], start);
  EXPECT_EQ(difference["to"], 4.25);
  ASSERT_EQ(c.run({"log", "changes", c.out_dir}), 0) << c.err;
  EXPECT_EQ(c.out.rfind("at the start: ", 0), 0u) << c.out;
  EXPECT_NE(c.out.find("-> 4.25"), std::string::npos) << c.out;
}

// A controller that came during the run brings its names with it; the others keep theirs.
TEST(LogChanges, ControllersThatWereAddedAreNamedToo) {
  ReplayCase c;
  const std::string gains = KAGAMI_SOURCE_DIR "/control/data/gains/khr1_walk.json";
  ASSERT_EQ(c.replay("bow", {"--controller", "pid", "--at", "1:pid/left_knee/kp=4.25", "--at",
                             "1.5:add=" + gains, "--at", "2.5:pid_2/left_knee/kp=0.75", "--at",
                             "3:pid/left_knee/kp=4.5"}),
            0)
      << c.err;
  ASSERT_EQ(c.run({"log", "changes", c.out_dir, "--json"}), 0) << c.err;
  const nlohmann::json answer = c.json();
  ASSERT_EQ(answer["added"].size(), 1u);
  EXPECT_EQ(answer["added"][0]["controller"], "pid_2");
  EXPECT_EQ(answer["added"][0]["replaced"], nullptr);
  const nlohmann::json& changes = answer["changes"];
  const nlohmann::json added = changes[changes.size() - 2]["differences"];
  ASSERT_EQ(added.size(), 1u) << added;
  EXPECT_EQ(added[0]["name"], "pid_2/left_knee/kp");
  EXPECT_TRUE(added[0]["from"].is_number());
  EXPECT_EQ(added[0]["to"], 0.75);
  const nlohmann::json last = changes.back()["differences"];
  ASSERT_EQ(last.size(), 1u) << last;
  EXPECT_EQ(last[0]["name"], "pid/left_knee/kp");
  EXPECT_EQ(last[0]["from"], 4.25);
  ASSERT_EQ(c.run({"log", "changes", c.out_dir}), 0) << c.err;
  EXPECT_NE(c.out.find("pid_2 was added"), std::string::npos) << c.out;

  // the table has a column of it, empty until it came
  const std::string csv = c.folder.file("run.csv");
  ASSERT_EQ(c.run({"log", "export", c.out_dir, "--out", csv}), 0) << c.err;
  std::ifstream table(csv);
  std::string header;
  std::getline(table, header);
  EXPECT_NE(header.find(",gain/pid_2/left_knee/kp"), std::string::npos);
  std::ifstream key(c.folder.file("run.key.csv"));
  const std::string text((std::istreambuf_iterator<char>(key)), {});
  EXPECT_NE(text.find("gain/pid_2/left_knee/kp"), std::string::npos);
  EXPECT_NE(text.find("controller,,1,pid_2"), std::string::npos);
}

TEST(LogSessions, PruneListsFirstAndRemovesWithYesButNoTaggedSession) {
  Sessions s;
  s.add("first");
  s.add("second");
  ASSERT_EQ(s.run({"log", "tag", (s.all / "first").string(), "keep"}), 0) << s.err;
  ASSERT_EQ(s.run({"log", "prune", "--keep", "0"}), 0) << s.err;
  EXPECT_TRUE(fs::exists(s.all / "second"));
  EXPECT_NE(s.err.find("would be removed"), std::string::npos) << s.err;
  ASSERT_EQ(s.run({"log", "prune", "--keep", "0", "--yes"}), 0) << s.err;
  EXPECT_FALSE(fs::exists(s.all / "second"));
  EXPECT_TRUE(fs::exists(s.all / "first"));
  EXPECT_EQ(s.run({"log", "prune"}), 2);
}

TEST(LogSessions, PruneLeavesFilesThatAreNotKagamis) {
  Sessions s;
  s.add("first");
  std::ofstream(s.all / "first/notes.txt") << "mine";
  ASSERT_EQ(s.run({"log", "prune", "--keep", "0", "--yes"}), 0) << s.err;
  EXPECT_FALSE(fs::exists(s.all / "first/run.mcap"));
  EXPECT_TRUE(fs::exists(s.all / "first/notes.txt"));
  EXPECT_NE(s.err.find("holds other files"), std::string::npos) << s.err;
}

TEST(LogSessions, TagsThatCannotBeReadKeepTheSession) {
  Sessions s;
  s.add("first");
  std::ofstream(s.all / "first/tags.json") << "{";
  ASSERT_EQ(s.run({"log", "prune", "--keep", "0", "--yes"}), 0) << s.err;
  EXPECT_TRUE(fs::exists(s.all / "first/run.mcap"));
  EXPECT_EQ(s.run({"log", "tag", "latest", "keep"}), 2);
  EXPECT_NE(s.err.find("tags.json' cannot be read"), std::string::npos) << s.err;
}

TEST(LogSessions, ADamagedRecordIsListedAsSuch) {
  Sessions s;
  fs::create_directories(s.all / "broken");
  std::ofstream(s.all / "broken/run.mcap") << "hello";
  ASSERT_EQ(s.run({"log", "list"}), 0) << s.err;
  EXPECT_NE(s.out.find("damaged"), std::string::npos) << s.out;
}

TEST(Prunable, TheOldestGoUntilTheRestFits) {
  const auto session = [](std::int64_t age_days, std::uintmax_t bytes, bool is_tagged) {
    Session s;
    s.started_unix_ns = 1'000 * 86'400'000'000'000 - age_days * 86'400'000'000'000;
    s.bytes = bytes;
    if (is_tagged) s.tags = {"keep"};
    return s;
  };
  const std::int64_t now = 1'000 * std::int64_t{86'400'000'000'000};
  const std::vector<Session> all = {session(1, 100, false), session(5, 100, true),
                                    session(9, 100, false)};
  EXPECT_EQ(prunable(all, {.oldest_days = 8.0, .most_bytes = {}}, now).size(), 1u);
  EXPECT_EQ(prunable(all, {.oldest_days = 0.5, .most_bytes = {}}, now).size(), 2u);
  EXPECT_EQ(prunable(all, {.oldest_days = {}, .most_bytes = 250.0}, now).size(), 1u);
  EXPECT_EQ(prunable(all, {.oldest_days = {}, .most_bytes = 300.0}, now).size(), 0u);
}

}  // namespace
}  // namespace kagami::tools
