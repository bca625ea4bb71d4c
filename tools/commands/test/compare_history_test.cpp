// kagami compare --history: sessions of a virtual robot whose servos change from run to run.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/text_file.hpp"
#include "models/robot/robot_folder.hpp"
#include "runtime/app/assemble.hpp"
#include "tools/test/replay_case.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

struct AgeingRobot : test::ReplayCase {
  const models::RobotDescription model = models::read_robot_folder(
      fs::path(KAGAMI_SOURCE_DIR) / "models/data/khr1", models::BaseKind::kFixed);
  models::RobotDescription robot = model;
  fs::path sessions = folder.file("sessions");

  ServoParameters& servo(const std::string& joint) {
    const auto& names = robot.joint_names;
    const auto found = std::find(names.begin(), names.end(), joint);
    return robot.servos.joints[static_cast<std::size_t>(found - names.begin())];
  }
  std::string servo_file(const models::RobotDescription& of, const std::string& name) const {
    const std::string file = folder.file(name);
    std::ofstream(file) << runtime::servo_set_text(of.servos, of.joint_names);
    return file;
  }
  /// A session with the servos as they are now.
  void play(const std::string& name, const std::vector<std::string>& more = {}) {
    out_dir = (sessions / name).string();
    std::vector<std::string> args = {"--plant", servo_file(robot, "plant.json"), "--no-report"};
    args.insert(args.end(), more.begin(), more.end());
    ASSERT_EQ(replay("squat", args), 0) << err;
  }
  nlohmann::json history(int expected = 0) {
    EXPECT_EQ(run({"compare", "--history", sessions.string(), "--json"}), expected) << err;
    return json();
  }
};

const nlohmann::json& values_of(const nlohmann::json& answer, const std::string& joint,
                                std::size_t value) {
  for (const auto& row : answer["joints"]) {
    if (row["name"] == joint) return row["values"][value];
  }
  throw std::out_of_range(joint);
}

TEST(CompareHistory, NamesTheTrimThatDriftsAndTheFrictionThatGrows) {
  AgeingRobot c;
  for (int k = 0; k < 4; ++k) {
    c.servo("left_knee").trim = to_rad(0.8 * k);
    c.servo("right_knee").coulomb_friction = 0.05 * k;  // N m
    c.play("session_" + std::to_string(k));
  }
  const nlohmann::json answer = c.history();
  ASSERT_EQ(answer["runs"].size(), 4u);
  EXPECT_TRUE(answer["left_out"].empty());
  const nlohmann::json& trim = values_of(answer, "left_knee", 0);
  EXPECT_EQ(trim["name"], "trim");
  EXPECT_TRUE(trim["changes"]) << trim;
  EXPECT_NEAR(trim["per_run"].get<double>(), 0.8, 0.1) << trim;  // deg; readings are whole degrees
  EXPECT_NEAR(trim["change"].get<double>(), 2.4, 0.3) << trim;
  const nlohmann::json& friction = values_of(answer, "right_knee", 2);
  EXPECT_EQ(friction["name"], "friction");
  EXPECT_TRUE(friction["changes"]) << friction;
  EXPECT_NEAR(friction["per_run"].get<double>(), 0.05, 0.02) << friction;
  for (const char* joint : {"left_elbow", "right_shoulder_pitch"}) {
    EXPECT_FALSE(values_of(answer, joint, 0)["changes"]) << joint;
  }
  ASSERT_EQ(c.run({"compare", "--history", c.sessions.string()}), 0) << c.err;
  EXPECT_NE(c.out.find("left_knee: trim 0.0"), std::string::npos) << c.out;
  EXPECT_NE(c.out.find("right_knee: friction 0.0"), std::string::npos) << c.out;
  const std::string page = c.folder.file("page.html");
  const std::string last = (c.sessions / "session_3").string();
  ASSERT_EQ(c.run({"compare", last, "--history", c.sessions.string(), "--html", page}), 0) << c.err;
  const std::string html = read_text_file(page);
  EXPECT_NE(html.find("Over the runs: trim"), std::string::npos);
  EXPECT_NE(html.find("Over the runs: friction"), std::string::npos);
  EXPECT_NE(html.find("changes by 0.79 deg per run"), std::string::npos);
  EXPECT_EQ(c.run({"compare", last, "--history", c.sessions.string()}), 2) << "without a report";

  const std::string csv = c.folder.file("health.csv");
  ASSERT_EQ(c.run({"compare", "--history", c.sessions.string(), "--csv", csv, "-q"}), 0) << c.err;
  const std::string text = read_text_file(csv);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 4 * 17);
}

TEST(CompareHistory, WhatCannotBeUsedIsLeftOutWithTheReason) {
  AgeingRobot c;
  c.play("a");
  c.play("b");
  models::RobotDescription other = c.model;
  other.servos.joints[0].delay += 0.01;
  c.play("0_other_model", {"--twin", c.servo_file(other, "twin.json")});
  c.play("z");
  const std::string whole = read_text_file(c.sessions / "a/run.mcap");
  const auto write = [&](const std::string& name, const std::string& bytes) {
    fs::create_directories(c.sessions / name);
    std::ofstream(c.sessions / name / "run.mcap", std::ios::binary) << bytes;
  };
  write("cut", whole.substr(0, whole.size() / 2));
  write("no_record", "text");
  write("empty", "");
  fs::create_directories(c.sessions / "folder_without");
  std::string damaged = whole;
  for (std::size_t i = damaged.size() / 3; i < damaged.size() / 3 + 200; ++i) damaged[i] = 'x';
  write("damaged", damaged);

  const nlohmann::json answer = c.history();
  ASSERT_EQ(answer["runs"].size(), 3u);
  EXPECT_EQ(answer["runs"][0]["record"], (c.sessions / "a/run.mcap").string());
  EXPECT_EQ(answer["runs"][2]["record"], (c.sessions / "z/run.mcap").string());
  std::map<std::string, std::string> why;
  for (const auto& row : answer["left_out"]) {
    why[fs::path(row["record"].get<std::string>()).parent_path().filename().string()] = row["why"];
  }
  ASSERT_EQ(why.size(), 5u) << answer["left_out"];
  EXPECT_NE(why["0_other_model"].find("another model"), std::string::npos) << why["0_other_model"];
  EXPECT_NE(why["cut"].find("incomplete"), std::string::npos) << why["cut"];
  EXPECT_NE(why["no_record"].find("not an MCAP file"), std::string::npos) << why["no_record"];
  EXPECT_FALSE(why["empty"].empty());
  EXPECT_FALSE(why["damaged"].empty());
}

TEST(CompareHistory, RefusesWhatItCannotUseWithASentence) {
  AgeingRobot c;
  const std::string nothing = c.folder.file("nothing");
  EXPECT_EQ(c.run({"compare", "--history", nothing}), 2);
  EXPECT_NE(c.err.find("cannot be read"), std::string::npos) << c.err;
  fs::create_directories(nothing);
  EXPECT_EQ(c.run({"compare", "--history", nothing}), 2);
  EXPECT_NE(c.err.find("holds no record"), std::string::npos) << c.err;
  std::ofstream(nothing + "/x.mcap") << "text";
  EXPECT_EQ(c.run({"compare", "--history", nothing}), 2);
  EXPECT_NE(c.err.find("not an MCAP file"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"compare"}), 2);
  EXPECT_NE(c.err.find("no record named"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"compare", "latest", "--history", nothing}), 2);
  EXPECT_NE(c.err.find("alone"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"compare", "latest", "--csv", "x.csv"}), 2);
}

}  // namespace
}  // namespace kagami::tools
