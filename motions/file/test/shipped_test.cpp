#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/channel_table.hpp"
#include "motions/file/library.hpp"
#include "motions/file/motion_json.hpp"
#include "motions/play/player.hpp"
#include "motions/test/khr1_wiring.hpp"
#include "motions/test/messages.hpp"

namespace kagami::motions {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const fs::path kShipped = fs::path(KAGAMI_SOURCE_DIR) / "motions/data";
const fs::path kSamples = fs::path(KAGAMI_SOURCE_DIR) / "motions/test/data/khr1_kondo_samples";

RobotWiring robot_wiring() {
  return read_wiring(
      ConfigDocument::read(fs::path(KAGAMI_SOURCE_DIR) / "models/data/khr1/robot.json").root());
}

// the folder may hold a user's own motions too
const std::vector<std::string> kNames = {"back_laydown", "bow",   "front_laydown", "getup_back",
                                         "getup_front",  "home",  "push_up",       "side_left",
                                         "side_right",   "squat", "walk_backward", "walk_forward",
                                         "wave"};

Motion shipped(const std::string& name) {
  return load_motion(kShipped / (name + ".json"), robot_wiring());
}

TEST(ShippedMotions, FixtureAgreesWithTheRobotFolder) {
  const RobotWiring robot = robot_wiring();
  const RobotWiring fixture = test::khr1_wiring();
  ASSERT_EQ(robot.joints.size(), fixture.joints.size());
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    EXPECT_EQ(robot.joints[j].joint, fixture.joints[j].joint);
    EXPECT_EQ(robot.joints[j].channel, fixture.joints[j].channel);
    EXPECT_EQ(robot.joints[j].sign, fixture.joints[j].sign);
    EXPECT_EQ(robot.joints[j].home_deg, fixture.joints[j].home_deg);
  }
  EXPECT_EQ(robot.speed.seconds_per_degree, fixture.speed.seconds_per_degree);
}

TEST(ShippedMotions, AllArePlayableOnTheKhr1InBothModes) {
  const RobotWiring wiring = robot_wiring();
  std::vector<std::string> names;
  for (const MotionEntry& entry : list_motions(kShipped, wiring)) {
    if (!std::ranges::count(kNames, entry.name)) continue;
    names.push_back(entry.name);
    EXPECT_EQ(entry.problem, "") << entry.name;
    EXPECT_TRUE(entry.has_speed_codes) << entry.name;
    const Motion motion = shipped(entry.name);
    EXPECT_THAT(motion.warnings, ElementsAre()) << entry.name;
    EXPECT_EQ(motion.name, entry.name);
    EXPECT_FALSE(motion.note.empty());
    EXPECT_FALSE(motion.source.empty());
    for (const PlayMode mode : {PlayMode::kKeyframe, PlayMode::kStream}) {
      PlayOptions options;
      options.mode = mode;
      EXPECT_GE(Player(motion, wiring, options).total_duration(), motion.duration());
    }
  }
  EXPECT_EQ(names, kNames);  // in this order
}

TEST(ShippedMotions, FilesAreAsTheWriterWritesThem) {
  for (const std::string& name : kNames) {
    const std::string text = read_text_file(kShipped / (name + ".json"));
    EXPECT_EQ(motion_json_text(parse_motion_json(text, name)), text) << name;
  }
}

TEST(ShippedMotions, TimesAreThoseOfTheSpeedTable) {
  // poses and times of the table in docs/motion_files.md, one decimal
  const std::map<std::string, std::pair<std::size_t, double>> table = {
      {"walk_forward", {29, 6.2}}, {"walk_backward", {29, 9.6}}, {"side_left", {22, 3.7}},
      {"side_right", {20, 5.4}},   {"front_laydown", {10, 3.9}}, {"back_laydown", {13, 5.5}}};
  for (const auto& [name, expected] : table) {
    const Motion motion = shipped(name);
    EXPECT_EQ(motion.poses.size(), expected.first) << name;
    EXPECT_NEAR(motion.duration(), expected.second, 0.05) << name;
  }
  EXPECT_NEAR(shipped("walk_forward").duration(), 6.16, 0.005);  // s, by docs/rcb1.md, "Time"
}

TEST(ShippedMotions, SpeedCodesAreCountedAsInKondosFiles) {
  const auto codes = [](const std::string& name) {
    std::map<int, int> count;
    for (const Pose& pose : shipped(name).poses) ++count[pose.speed.value()];
    return count;
  };
  EXPECT_EQ(codes("walk_forward"), (std::map<int, int>{{3, 18}, {4, 1}, {5, 1}, {6, 9}}));
  EXPECT_EQ(codes("walk_backward"), (std::map<int, int>{{3, 18}, {4, 1}, {6, 10}}));
  EXPECT_EQ(codes("side_left"), (std::map<int, int>{{4, 13}, {5, 9}}));
  EXPECT_EQ(codes("side_right"), (std::map<int, int>{{4, 13}, {6, 7}}));
  EXPECT_EQ(codes("front_laydown"), (std::map<int, int>{{5, 9}, {6, 1}}));
  EXPECT_EQ(codes("back_laydown"), (std::map<int, int>{{5, 11}, {6, 2}}));
}

// an oracle of its own: counts straight from the table's fields, clipped
std::vector<std::vector<int>> table_rows(const std::string& text) {
  std::vector<std::vector<int>> rows;
  std::size_t at = text.find('\n') + 1;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    std::vector<int> row;
    while (at < end) {
      std::size_t used = 0;
      row.push_back(std::stoi(text.substr(at, end - at), &used));
      at += used + 1;
    }
    at = end + 1;
    rows.push_back(row);
  }
  return rows;
}

TEST(ShippedMotions, SamplesEqualTheirTablesInEveryCount) {
  struct Sample {
    const char* name;
    const char* table;
    std::size_t first, last;
  };
  const RobotWiring wiring = test::khr1_wiring();
  for (const Sample& sample : {Sample{"walk_forward", "walk_forward", 0, 28},
                               {"walk_backward", "walk_backward", 0, 28},
                               {"side_left", "side_left", 0, 21},
                               {"side_right", "side_right", 0, 19},
                               {"front_laydown", "front_laydown", 0, 9},
                               {"back_laydown", "back_laydown", 0, 12},
                               {"getup_front", "front_laydown", 5, 9},
                               {"getup_back", "back_laydown", 6, 12}}) {
    SCOPED_TRACE(sample.name);
    const std::string text = read_text_file(kSamples / (std::string(sample.table) + "_abs.csv"));
    const auto rows = table_rows(text);
    const Motion motion = shipped(sample.name);
    const Motion imported = parse_channel_table(text, sample.table, wiring);
    ASSERT_EQ(motion.poses.size(), sample.last - sample.first + 1);
    ASSERT_EQ(rows.size(), imported.poses.size());
    for (std::size_t p = 0; p < motion.poses.size(); ++p) {
      const std::vector<int>& row = rows[p + sample.first];
      EXPECT_EQ(motion.poses[p].speed, row[1]);
      EXPECT_EQ(motion.poses[p].angle, imported.poses[p + sample.first].angle);
      for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
        const int count = row[static_cast<std::size_t>(wiring.joints[j].channel) + 1];
        EXPECT_EQ(count_of(wiring.joints[j], motion.poses[p].angle[j].value()),
                  std::clamp(count, 0, 180))
            << "pose " << p << " " << wiring.joints[j].joint;
      }
    }
  }
}

TEST(ShippedMotions, OursAreSymmetricalAndKeepTheSolesLevel) {
  const Motion order = shipped("home");
  const auto at = [&](const Pose& pose, const std::string& joint) {
    const auto found = std::find(order.joints.begin(), order.joints.end(), joint);
    return to_deg(pose.angle.at(static_cast<std::size_t>(found - order.joints.begin())).value());
  };
  for (const std::string name : {"home", "bow", "squat", "push_up"}) {
    for (const Pose& pose : shipped(name).poses) {
      for (const char* joint : {"shoulder_pitch", "hip_pitch", "knee", "ankle_pitch"}) {
        EXPECT_NEAR(at(pose, std::string("left_") + joint), at(pose, std::string("right_") + joint),
                    1e-9);
      }
      for (const char* joint : {"shoulder_roll", "elbow", "hip_roll", "ankle_roll"}) {
        EXPECT_NEAR(at(pose, std::string("left_") + joint),
                    -at(pose, std::string("right_") + joint), 1e-9);
      }
    }
  }
  // trunk pitch that the level soles ask for, deg
  for (const Pose& pose : shipped("squat").poses) {
    EXPECT_NEAR(at(pose, "left_hip_pitch") + at(pose, "left_knee") + at(pose, "left_ankle_pitch"),
                0.0, 1e-9);
  }
  EXPECT_NEAR(at(shipped("bow").poses[1], "left_hip_pitch") +
                  at(shipped("bow").poses[1], "left_ankle_pitch"),
              -28.0, 1e-9);
}

TEST(Library, ReportsTheProblemWithAFileOrADirectory) {
  const RobotWiring wiring = robot_wiring();
  EXPECT_THAT(test::error_of<ConfigError>([&] { load_motion("gone.json", wiring); }),
              HasSubstr("gone.json: no such file"));
  EXPECT_THAT(test::error_of<ConfigError>(
                  [&] { read_motion(fs::path(KAGAMI_SOURCE_DIR) / "CMakeLists.txt", wiring); }),
              HasSubstr("CMakeLists.txt: is another text file; motions are"));
  EXPECT_THAT(test::error_of<ConfigError>([&] { list_motions("/nonexistent", wiring); }),
              HasSubstr("/nonexistent: cannot be listed"));
}

TEST(Library, ListsAMotionThatThisRobotCannotPlayWithTheReason) {
  RobotWiring wiring = robot_wiring();
  wiring.joints.erase(wiring.joints.begin());
  const std::vector<MotionEntry> entries = list_motions(kShipped, wiring);
  const auto entry = std::ranges::find(entries, "back_laydown", &MotionEntry::name);
  ASSERT_NE(entry, entries.end());
  EXPECT_THAT(entry->problem, HasSubstr("'head_yaw' is unknown"));
  EXPECT_EQ(entry->num_poses, 13);
}

}  // namespace
}  // namespace kagami::motions
