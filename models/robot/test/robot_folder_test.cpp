#include "models/robot/robot_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

const std::string kKhr1Folder = std::string(KAGAMI_SOURCE_DIR) + "/models/data/khr1";

TEST(RobotFolder, Khr1HasEighteenBodiesInTheOrderOfItsJointList) {
  const RobotDescription robot = read_robot_folder(kKhr1Folder, BaseKind::kFixed);
  EXPECT_EQ(robot.name, "khr1");
  EXPECT_EQ(robot.model.num_bodies(), 18);
  EXPECT_EQ(robot.model.num_v(), 17);
  ASSERT_EQ(robot.joint_names.size(), 17u);
  EXPECT_EQ(robot.joint_names.front(), "head_yaw");
  EXPECT_EQ(robot.joint_names[9], "left_knee");
  EXPECT_EQ(robot.joint_names.back(), "right_ankle_roll");
  EXPECT_EQ(robot.wiring.joints[9].channel, 15);
  EXPECT_TRUE(robot.notices.empty());
  EXPECT_NEAR(robot.model.total_mass(), 1.20, 0.005);  // kg, rounding of the published sum
}

TEST(RobotFolder, FloatingBaseAddsSixDegreesOfFreedomInFront) {
  const RobotDescription robot = read_robot_folder(kKhr1Folder, BaseKind::kFloating);
  EXPECT_EQ(robot.model.num_v(), 23);
  EXPECT_EQ(robot.model.num_q(), 24);
  EXPECT_EQ(robot.model.body(1).v_index, 6);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

class Khr1Texts : public ::testing::Test {
 protected:
  std::string urdf_ = read_text_file(kKhr1Folder + "/robot.urdf");
  std::string json_ = read_text_file(kKhr1Folder + "/robot.json");

  // what() of the error, "" when there is none
  static std::string refusal(const std::string& urdf, const std::string& json_text) {
    try {
      read_robot_texts(urdf, json_text, "bot", BaseKind::kFixed);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
  void expect_refusal(const std::string& urdf, const std::string& json_text,
                      const char* message) const {
    const std::string text = refusal(urdf, json_text);
    EXPECT_NE(text.find(message), std::string::npos) << text;
  }
};

TEST_F(Khr1Texts, JointMissingInTheUrdfIsNamedWithBothFiles) {
  expect_refusal(urdf_, replaced(json_, "\"left_knee\"", "\"left_knie\""),
                 "bot/robot.urdf: joint 'left_knie' is missing, bot/robot.json lists it");
}

TEST_F(Khr1Texts, JointMissingInTheJsonIsNamedWithBothFiles) {
  const std::size_t start = json_.find("{\"name\": \"head_yaw\"");
  const std::size_t end = json_.find('{', start + 1);
  std::string json_text = json_;
  json_text.erase(start, end - start);
  expect_refusal(urdf_, json_text,
                 "bot/robot.json: /joints: moving joint 'head_yaw' of bot/robot.urdf is missing");
}

TEST_F(Khr1Texts, UnknownKeysAreRefusedAtEveryLevel) {
  expect_refusal(urdf_, replaced(json_, "\"name\": \"khr1\"", "\"name\": \"khr1\", \"colour\": 1"),
                 "bot/robot.json: /: unknown key 'colour'");
  expect_refusal(urdf_, replaced(json_, "\"channel\": 6", "\"channel\": 6, \"chanel\": 6"),
                 "unknown key 'chanel'");
  expect_refusal(urdf_, replaced(json_, "\"kp\": 20", "\"kp\": 20, \"ki\": 2"), "unknown key 'ki'");
}

TEST_F(Khr1Texts, WrongValuesAreNamedByKeyAndRange) {
  expect_refusal(urdf_, replaced(json_, "\"channel\": 6", "\"channel\": 25"), "channel: 25");
  expect_refusal(urdf_, replaced(json_, "\"channel\": 6", "\"channel\": 1"),
                 "is already used by another");
  expect_refusal(urdf_, replaced(json_, "\"kp\": 20", "\"kp\": -20"), "kp: -20");
  expect_refusal(urdf_, replaced(json_, "kagami.robot/1", "kagami.robot/9"), "kagami.robot/9");
  expect_refusal(urdf_, json_.substr(0, json_.size() / 2), "parse error");
}

TEST_F(Khr1Texts, ImpossibleLinkIsNamed) {
  expect_refusal(replaced(urdf_, "mass value=\"0.11\"", "mass value=\"-0.11\""), json_,
                 "bot/robot.urdf: link 'left_thigh': mass -0.11 kg");
}

TEST_F(Khr1Texts, ReorderedJsonGivesTheOtherModelOrder) {
  // right arm before left arm in the list: the tree follows
  std::string json_text = json_;
  for (const char* joint : {"shoulder_pitch", "shoulder_roll", "elbow"}) {
    const std::string left = std::string("\"left_") + joint + "\"";
    const std::string right = std::string("\"right_") + joint + "\"";
    json_text = replaced(json_text, left, "\"swap\"");
    json_text = replaced(json_text, right, left);
    json_text = replaced(json_text, "\"swap\"", right);
  }
  const RobotDescription robot = read_robot_texts(urdf_, json_text, "bot", BaseKind::kFixed);
  EXPECT_EQ(robot.joint_names[1], "right_shoulder_pitch");
  EXPECT_EQ(robot.joint_names[4], "left_shoulder_pitch");
  for (std::size_t j = 0; j < 17; ++j)
    EXPECT_EQ(robot.wiring.joints[j].joint, robot.joint_names[j]);
}

TEST_F(Khr1Texts, MutatedBytesAreRefusedOrReadButNeverCrash) {
  test::Random random(23);
  int refused = 0;
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE(round);
    std::string urdf = urdf_;
    std::string json_text = json_;
    std::string& text = round % 2 == 0 ? urdf : json_text;
    for (int k = 0; k < 3; ++k) {
      text[static_cast<std::size_t>(random.index(static_cast<int>(text.size())))] =
          static_cast<char>(random.index(128));
    }
    refused += refusal(urdf, json_text).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 30);
}

TEST(RobotFolder, MissingFolderAndMissingFilesAreNamed) {
  const auto message = [](const std::filesystem::path& folder) -> std::string {
    try {
      read_robot_folder(folder, BaseKind::kFixed);
    } catch (const ConfigError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(message("/nowhere/bot").find("/nowhere/bot: no such robot folder"), std::string::npos);
  const std::string empty = std::string(KAGAMI_SOURCE_DIR) + "/models/test";
  EXPECT_NE(message(empty).find("robot.urdf: no such file"), std::string::npos);
}

}  // namespace
}  // namespace kagami::models
