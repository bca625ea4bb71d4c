#include "tools/cli/data_folders.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

class DataFoldersTest : public testing::Test {
 protected:
  DataFoldersTest() {
    fs::remove_all(root_);
    fs::create_directories(root_ / "share/kagami/robots/khr1");
    fs::create_directories(root_ / "share/kagami/motions");
    fs::create_directories(root_ / "tree/models/data/khr1");
    fs::create_directories(root_ / "tree/motions/data");
    std::ofstream(root_ / "share/kagami/motions/walk_forward.json") << "{}";
  }
  ~DataFoldersTest() override { fs::remove_all(root_); }

  DataFolders find(const std::string& named = "") {
    settings_.environment = [this](const std::string& name) {
      return name == "KAGAMI_DATA" ? variable_ : std::nullopt;
    };
    const Console io(in_, out_, out_, settings_);
    return find_data(io, named);
  }

  fs::path root_ = fs::path(testing::TempDir()) / "kagami_data_folders_test";
  std::istringstream in_;
  std::ostringstream out_;
  ConsoleSettings settings_;
  std::optional<std::string> variable_;
};

TEST_F(DataFoldersTest, OptionBeatsEnvironment) {
  variable_ = (root_ / "share/kagami").string();
  EXPECT_EQ(find((root_ / "tree").string()).robots, root_ / "tree/models/data");
  EXPECT_EQ(find().motions, root_ / "share/kagami/motions");
}

TEST_F(DataFoldersTest, InstalledDataIsFoundBesideTheProgram) {
  settings_.program = (root_ / "bin/kagami").string();
  fs::create_directories(root_ / "bin");
  EXPECT_TRUE(fs::equivalent(find().motions, root_ / "share/kagami/motions"));
}

TEST_F(DataFoldersTest, NamedFolderWithoutDataIsAnError) {
  EXPECT_THROW(find((root_ / "nowhere").string()), ConfigError);
  variable_ = (root_ / "nowhere").string();
  EXPECT_THROW(find(), ConfigError);
}

TEST_F(DataFoldersTest, ShippedMotionIsFoundByName) {
  const DataFolders data = find((root_ / "share/kagami").string());
  EXPECT_EQ(find_motion(data, "walk_forward"), data.motions / "walk_forward.json");
  EXPECT_EQ(shipped_motions(data), std::vector<std::string>{"walk_forward"});
}

TEST_F(DataFoldersTest, MistypedMotionSuggestsTheNearest) {
  const DataFolders data = find((root_ / "share/kagami").string());
  try {
    find_motion(data, "walk_foward");
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'walk_forward'?"), std::string::npos);
  }
}

TEST_F(DataFoldersTest, MissingMotionFileIsNamed) {
  const DataFolders data = find((root_ / "share/kagami").string());
  try {
    find_motion(data, "./gone.csv");
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "motion file './gone.csv' does not exist");
  }
}

TEST_F(DataFoldersTest, UnknownRobotListsTheShippedOnes) {
  const DataFolders data = find((root_ / "share/kagami").string());
  EXPECT_EQ(find_robot(data, "khr1"), data.robots / "khr1");
  try {
    find_robot(data, "khr9");
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("shipped: khr1"), std::string::npos) << error.what();
  }
}

TEST_F(DataFoldersTest, MistypedRobotSuggestsTheNearestAndChainsAreListedAsOne) {
  for (const char* name : {"chain_1", "chain_2", "chain_10", "planar_2r", "planar_3r", "pa10"})
    fs::create_directories(root_ / "share/kagami/robots" / name);
  const DataFolders data = find((root_ / "share/kagami").string());
  try {
    find_robot(data, "planar_3");
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "unknown robot 'planar_3', shipped: khr1, pa10, chain_1 to chain_10, planar_2r, "
                 "planar_3r; did you mean 'planar_3r'?; or name a folder");
  }
}

TEST_F(DataFoldersTest, SessionsFollowTheXdgRule) {
  std::map<std::string, std::string> variables = {{"HOME", "/home/me"}};
  settings_.environment = [&](const std::string& name) -> std::optional<std::string> {
    return variables.count(name) > 0 ? std::optional(variables[name]) : std::nullopt;
  };
  const Console io(in_, out_, out_, settings_);
  EXPECT_EQ(sessions_folder(io), "/home/me/.local/share/kagami/sessions");
  variables["XDG_DATA_HOME"] = "/data";
  EXPECT_EQ(sessions_folder(io), "/data/kagami/sessions");
  variables.clear();
  EXPECT_EQ(sessions_folder(io), "kagami-sessions");
}

}  // namespace
}  // namespace kagami::tools
