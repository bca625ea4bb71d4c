#include "models/base/file_replacement.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "models/base/errors.hpp"
#include "models/base/temporary_folder.hpp"

namespace kagami {
namespace {

namespace fs = std::filesystem;

/// An empty folder, removed at the end.
class FileReplacementTest : public ::testing::Test {
 protected:
  static std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::size_t num_files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
};

TEST_F(FileReplacementTest, ReplacesTheWholeTextAndKeepsThePermissions) {
  const fs::path file = folder_ / "gains.json";
  write_file_atomically(file, "a longer first text");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  write_file_atomically(file, "second");
  EXPECT_EQ(text_of(file), "second");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(num_files(), 1u);
}

TEST_F(FileReplacementTest, LeavesTheOldFileAndNothingElseWithoutACommit) {
  const fs::path file = folder_ / "gains.json";
  write_file_atomically(file, "old");
  {
    const FileReplacement replacement(file);
    std::ofstream(replacement.beside()) << "half";
  }
  EXPECT_EQ(text_of(file), "old");
  EXPECT_EQ(num_files(), 1u);
}

TEST_F(FileReplacementTest, WritesThroughNoLinkThatStandsInItsPlace) {
  const fs::path victim = folder_ / "victim";
  std::ofstream(victim) << "untouched";
  const fs::path file = folder_ / "gains.json";
  fs::create_symlink(victim, file);
  fs::create_symlink(victim, folder_ / "gains.json.new");  // a name that can be guessed
  write_file_atomically(file, "text");
  EXPECT_EQ(text_of(victim), "untouched");
  EXPECT_EQ(text_of(file), "text");
  EXPECT_FALSE(fs::is_symlink(file));
}

TEST_F(FileReplacementTest, NamesFileAndCauseAndLeavesNoHalfFile) {
  try {
    write_file_atomically("/nowhere/gains.json", "text");
    FAIL();
  } catch (const RecordError& error) {
    EXPECT_STREQ(error.what(),
                 "'/nowhere/gains.json' cannot be written: No such file or directory");
  }
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 100;
  std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(write_file_atomically(folder_ / "large", std::string(1000, 'x')), RecordError);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(num_files(), 0u);
}

TEST_F(FileReplacementTest, WritesToAnOpenFileByItsName) {
  const fs::path file = folder_ / "out";
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_GE(fd, 0);
  const fs::path name = "/proc/self/fd/" + std::to_string(fd);
  write_file_atomically(name, "text");
  EXPECT_EQ(text_of(file), "text");
  EXPECT_EQ(FileReplacement(name).beside(), name);
  ::close(fd);
}

TEST_F(FileReplacementTest, WritesToADeviceInsteadOfReplacingIt) {
  EXPECT_NO_THROW(write_file_atomically("/dev/null", "text"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THROW(write_file_atomically("/dev/full", "text"), RecordError);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace kagami
