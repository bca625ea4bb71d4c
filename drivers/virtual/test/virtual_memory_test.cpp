#include "drivers/virtual/board_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <random>

#include "drivers/virtual/test/virtual_host.hpp"
#include "models/base/errors.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

using test::Bytes;
using test::VirtualHost;
using test::with_sum;
namespace fs = std::filesystem;

class MemoryFile : public ::testing::Test {
 protected:
  MemoryFile() {
    folder_ = fs::temp_directory_path() / ("kagami_memory_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  ~MemoryFile() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path file() const { return folder_ / "boards.json"; }
  [[nodiscard]] drivers::virtual_robot::VirtualRobotConfig config() const {
    auto config = test::quick_config();
    config.memory_file = file();
    return config;
  }
  void write(const std::string& text) const { std::ofstream(file()) << text; }
  [[nodiscard]] std::string message() const {
    try {
      VirtualRobot robot(config());
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

BoardMemory random_memory(std::mt19937& random) {
  BoardMemory memory;
  memory.id = static_cast<std::uint8_t>(random() % 32);
  for (auto& home : memory.home) home = static_cast<std::uint8_t>(random() % 181);
  for (auto& trim : memory.trim_deg) {
    trim = static_cast<std::int8_t>(static_cast<int>(random() % 40) - 20);
  }
  for (auto& key : memory.keys) {
    if (random() % 2 == 0) key = {1, 2, static_cast<std::uint8_t>(random() % 232)};
  }
  for (auto& motion : memory.motions) {
    motion.count = static_cast<std::uint8_t>(random() % 101);
    for (auto& pose : motion.poses) {
      if (random() % 3 == 0) continue;
      pose.speed = static_cast<std::uint8_t>(random() % 8);
      for (auto& count : pose.counts) count = static_cast<std::uint8_t>(random() % 227);
    }
  }
  for (auto& scenario : memory.scenarios) {
    scenario.count = static_cast<std::uint8_t>(random() % 201);
    for (auto& motion : scenario.motions) motion = static_cast<std::uint8_t>(random() % 40);
  }
  return memory;
}

TEST_F(MemoryFile, FullMemoriesComeBackEqual) {
  std::mt19937 random(3);
  const std::vector<BoardMemory> boards = {random_memory(random), random_memory(random)};
  EXPECT_EQ(parse_memory(memory_text(boards), "test", 2), boards);
}

TEST_F(MemoryFile, EmptyMemoriesComeBackEqual) {
  const std::vector<BoardMemory> boards(2);
  EXPECT_EQ(parse_memory(memory_text(boards), "test", 2), boards);
}

TEST_F(MemoryFile, SurvivesARestart) {
  {
    VirtualHost host(config());
    host.exchange(with_sum({0xF7, 0x01, 3, 29}), 2);
    host.exchange(with_sum({0xF9, 0x01, 3, 0, 2, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90}),
                  2);
  }
  VirtualHost host(config());
  EXPECT_EQ(host.exchange(with_sum({0xF6, 0x01, 3}), 3), with_sum({0x01, 29}));
  EXPECT_EQ(host.exchange(with_sum({0xF8, 0x01, 3, 0}), 15)[1], 2);
}

TEST_F(MemoryFile, RestartedRobotStandsAtTheStoredHome) {
  {
    VirtualHost host(config());
    host.set(0, {90, 90, 90, 225, 225, 90, 90, 90, 90, 225, 225, 225});
    host.wait(1.5);
    host.exchange(with_sum({0xFB, 0x00}), 2);
  }
  VirtualHost host(config());
  EXPECT_NEAR(host.counts(0)[6], 90, 1);
}

TEST_F(MemoryFile, IsWrittenOnceTheLineIsQuiet) {
  VirtualHost host(config());
  host.exchange(with_sum({0xF7, 0x01, 3, 29}), 2);
  EXPECT_FALSE(fs::exists(file()));
  host.wait(0.25);
  EXPECT_TRUE(fs::exists(file()));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  EXPECT_EQ(host.robot.memory_error(), "");
}

TEST_F(MemoryFile, FolderThatIsGoneIsReported) {
  VirtualHost host(config());
  fs::remove_all(folder_);
  host.exchange(with_sum({0xF7, 0x01, 3, 29}), 2);
  host.wait(0.25);
  EXPECT_NE(host.robot.memory_error().find("boards.json' cannot be written: No such file"),
            std::string::npos);
}

TEST_F(MemoryFile, DamageIsNamedByPlace) {
  write("{");
  EXPECT_NE(message().find("boards.json"), std::string::npos);
  write(R"({"schema": "kagami.board_memory/2", "boards": []})");
  EXPECT_NE(message().find("/schema"), std::string::npos);
  write(R"({"schema": "kagami.board_memory/1", "boards": []})");
  EXPECT_NE(message().find("/boards: has 0 entries, expected 2"), std::string::npos);
  std::string text = memory_text(std::vector<BoardMemory>(2));
  const std::size_t id = text.find("\"id\": 0");
  write(text.replace(id, 7, "\"id\": 32"));
  EXPECT_NE(message().find("/boards/0/id: 32 is outside [0, 31]"), std::string::npos);
}

TEST_F(MemoryFile, DamagedTextsAreReadOrRefusedButNeverBelievedInPart) {
  std::mt19937 random(5);
  std::vector<BoardMemory> boards(2);
  boards[0].motions[3].count = 29;
  boards[0].motions[3].poses[7].counts.fill(90);
  boards[1].scenarios[2].motions[5] = 9;
  boards[1].keys[4] = {1, 2, 3};
  const std::string good = memory_text(boards);
  int refused = 0;
  for (int k = 0; k < 2000; ++k) {
    std::string text = good;
    text[random() % text.size()] = static_cast<char>(random() % 128);
    if (random() % 4 == 0) text.resize(random() % text.size());
    try {
      const auto read = parse_memory(text, "test", 2);
      EXPECT_LE(read[0].motions[3].count, 100);
    } catch (const ConfigError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST_F(MemoryFile, BrokenNumbersAreRefused) {
  const std::string good = memory_text(std::vector<BoardMemory>(2));
  const auto with = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string motions : {
           R"("motions": {"40": {"count": 1, "poses": []}})",
           R"("motions": {"x": {"count": 1, "poses": []}})",
           R"("motions": {"3": {"count": 101, "poses": []}})",
           R"("motions": {"3": {"count": 1, "poses": [{"pose": 100, "speed": 0, "counts": []}]}})",
           R"("motions": {"3": {"count": 1, "poses": [], "note": 1}})",
       }) {
    EXPECT_THROW(parse_memory(with("\"motions\": {}", motions), "test", 2), ConfigError) << motions;
  }
  std::string zeros = "0";
  for (int k = 0; k < 200; ++k) zeros += ",0";
  const std::string long_list = R"("scenarios": {"0": {"count": 1, "motions": [)" + zeros + "]}}";
  EXPECT_THROW(parse_memory(with("\"scenarios\": {}", long_list), "test", 2), ConfigError);
  EXPECT_THROW(parse_memory(with("\"keys\": {}", R"("keys": {"1": [1, 2.5, 3]})"), "test", 2),
               ConfigError);
}

}  // namespace
}  // namespace kagami::drivers::virtual_robot
