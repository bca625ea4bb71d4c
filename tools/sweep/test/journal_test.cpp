// The files of runs: what is read after every kind of end of the writer.
#include "tools/sweep/journal.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

const JournalHead kHead = {"0123456789abcdef", 6, {"x", "y"}};

RunEnd end_of_run(std::uint64_t run) {
  return {run, "ok", {std::to_string(run) + ".5", "\"a, \\\"b\\\"\""}, ""};
}

class JournalTest : public testing::Test {
 protected:
  void write(const std::vector<std::uint64_t>& runs, std::uint64_t shard = 1,
             std::uint64_t shards = 1, const JournalHead& head = kHead) {
    JournalWriter writer(table_, shard, shards);
    writer.begin(head);
    for (const std::uint64_t run : runs) writer.add(end_of_run(run));
  }
  void append(const std::string& text) {
    std::ofstream(table_.string() + ".runs", std::ios::app | std::ios::binary) << text;
  }
  [[nodiscard]] std::string refusal() const {
    try {
      const Journals journals(table_, kHead);
      return "";
    } catch (const ConfigError& error) {
      return error.what();
    }
  }

  test::TempFolder folder_;
  std::filesystem::path table_ = folder_.path() / "t.csv";
};

TEST_F(JournalTest, ReadsWhatAllShardsWrote) {
  write({4, 1});
  write({3}, 2, 3);
  const Journals journals(table_, kHead);
  EXPECT_EQ(journals.done(), 3u);
  EXPECT_EQ(journals.first_missing(), 0u);
  for (const std::uint64_t run : {1u, 3u, 4u}) EXPECT_EQ(journals.read(run), end_of_run(run));
  EXPECT_FALSE(journals.has(2));
}

TEST_F(JournalTest, GoesOnAfterEveryCutOfTheLastLine) {
  write({2});
  const std::string before = read_text_file(table_.string() + ".runs");
  write({5});
  const std::string whole = read_text_file(table_.string() + ".runs");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    std::ofstream(table_.string() + ".runs", std::ios::binary) << whole.substr(0, size);
    const Journals cut(table_, kHead);
    EXPECT_EQ(cut.has(2), size >= before.size());
    EXPECT_FALSE(cut.has(5));
    write({5});
    const Journals journals(table_, kHead);
    EXPECT_EQ(journals.done(), size >= before.size() ? 2u : 1u);
    EXPECT_EQ(journals.read(5), end_of_run(5));
  }
}

TEST_F(JournalTest, ADamagedLineCountsAsNotWritten) {
  write({2});
  append("{\"run\":1,\"outcome\":\n");
  append(std::string(100, '\0') + "\n");
  append("{\"run\":99,\"outcome\":\"ok\",\"results\":[1,2],\"message\":\"\"}\n");  // no such run
  append("{\"run\":3,\"outcome\":\"ok\",\"results\":[1],\"message\":\"\"}\n");     // one column
  append("{\"run\":-1,\"outcome\":\"ok\",\"results\":[1,2],\"message\":\"\"}\n");
  append("[]\n");
  write({4});
  const Journals journals(table_, kHead);
  EXPECT_EQ(journals.done(), 2u);
  EXPECT_EQ(journals.read(2), end_of_run(2));
  EXPECT_EQ(journals.read(4), end_of_run(4));
}

TEST_F(JournalTest, RefusesRunsOfAnotherSweep) {
  JournalHead other = kHead;
  other.hash = "fedcba9876543210";
  write({1}, 1, 1, other);
  EXPECT_NE(refusal().find("t.csv.runs: these runs are of another sweep"), std::string::npos)
      << refusal();
}

TEST_F(JournalTest, AHeadWithoutRunsGivesWay) {
  JournalHead other = kHead;
  other.results = {"z"};
  write({}, 1, 1, other);
  EXPECT_EQ(refusal(), "");
  write({1});
  EXPECT_EQ(Journals(table_, kHead).done(), 1u);
}

TEST_F(JournalTest, RefusesAFileThatIsNoJournal) {
  append("run,x\n1,2\n");
  EXPECT_NE(refusal().find("t.csv.runs: line 1: expected the head"), std::string::npos)
      << refusal();
}

TEST_F(JournalTest, TwoLastingEndsOfOneRunMustAgree) {
  write({1}, 1, 2);
  write({1}, 2, 2);
  EXPECT_EQ(refusal(), "");
  JournalWriter writer(table_, 2, 3);
  writer.begin(kHead);
  RunEnd other = end_of_run(1);
  other.results[0] = "7";
  writer.add(other);
  EXPECT_NE(refusal().find("run 1 ended differently in"), std::string::npos) << refusal();
}

TEST_F(JournalTest, ARunThatWasKilledGivesWayToItsRepetition) {
  {
    JournalWriter writer(table_, 2, 2);
    writer.begin(kHead);
    writer.add({1, "signal KILL", {}, ""});
    writer.add({3, "timeout", {}, ""});
    writer.add(end_of_run(3));  // in one file, the later line counts
  }
  write({1}, 1, 2);
  const Journals journals(table_, kHead);
  EXPECT_EQ(journals.done(), 2u);
  EXPECT_EQ(journals.read(1), end_of_run(1));
  EXPECT_EQ(journals.read(3), end_of_run(3));
}

TEST_F(JournalTest, OneProcessWritesAFile) {
  const JournalWriter first(table_, 1, 1);
  EXPECT_THROW(JournalWriter(table_, 1, 1), RecordError);
  EXPECT_NO_THROW(JournalWriter(table_, 1, 2));
}

TEST_F(JournalTest, AFullDiskLeavesWholeLines) {
  JournalWriter writer(table_, 1, 1);
  writer.begin(kHead);
  writer.add(end_of_run(0));
  const auto size = std::filesystem::file_size(table_.string() + ".runs");
  // a limit of the file's size within the next line acts as a disk that is full there
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = size + 10;
  setrlimit(RLIMIT_FSIZE, &small);
  std::string message;
  try {
    writer.add(end_of_run(1));
  } catch (const RecordError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_NE(message.find("t.csv.runs: cannot be written"), std::string::npos) << message;
  EXPECT_EQ(std::filesystem::file_size(table_.string() + ".runs"), size);
  writer.add(end_of_run(1));
  EXPECT_EQ(Journals(table_, kHead).done(), 2u);
}

TEST_F(JournalTest, OnlyFilesOfItsTableAreJournals) {
  for (const char* name : {"t.csv.runs-1-of-2", "t.csv.runs", "t.csv.runs-1-of-2.work", "t.csv",
                           "t.csv.runs-x-of-2", "u.csv.runs"})
    std::ofstream(folder_.path() / name) << "";
  EXPECT_EQ(journal_files(table_).size(), 2u);
}

}  // namespace
}  // namespace kagami::tools
