#include "models/base/wiring.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/hash.hpp"
#include "models/base/servo_parameters.hpp"

namespace kagami {
namespace {

nlohmann::json good_robot() {
  return nlohmann::json::parse(R"({
    "boards": [{"id": 0}, {"id": 1, "knows_free": true}],
    "joints": [
      {"name": "head_yaw", "channel": 6, "sign": -1, "home_deg": 90, "soft_limits_deg": [-90, 90]},
      {"name": "left_knee", "channel": 15, "sign": -1, "home_deg": 115, "trim_deg": 2,
       "soft_limits_deg": [-65, 115]}],
    "speed_codes": {"seconds_per_degree": [0.0028, 0.003, 0.0032, 0.0034, 0.0036, 0.0038, 0.0086, 0.0178],
                    "minimum_travel_deg": 10, "scaled": true}})");
}

std::string wiring_error(const nlohmann::json& robot) {
  try {
    (void)read_wiring(ConfigDocument::parse(robot.dump(), "robot.json").root());
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Wiring, ReadsBoardsJointsAndSpeedCodes) {
  const ConfigDocument document = ConfigDocument::parse(good_robot().dump(), "robot.json");
  const RobotWiring wiring = read_wiring(document.root());
  ASSERT_EQ(wiring.joints.size(), 2u);
  EXPECT_EQ(wiring.joints[0].board(), 0);
  EXPECT_EQ(wiring.joints[0].slot(), 5);
  EXPECT_EQ(wiring.joints[1].board(), 1);
  EXPECT_EQ(wiring.joints[1].slot(), 2);
  EXPECT_EQ(wiring.joints[1].trim_deg, 2);
  EXPECT_NEAR(wiring.joints[1].soft_max, to_rad(115.0), 1e-15);  // rad, rounding
  EXPECT_FALSE(wiring.boards[0].knows_free);
  EXPECT_TRUE(wiring.boards[1].knows_free);
}

TEST(Wiring, PoseTimeFollowsTheSpeedTable) {
  const ConfigDocument document = ConfigDocument::parse(good_robot().dump(), "robot.json");
  const SpeedTable speed = read_wiring(document.root()).speed;
  EXPECT_DOUBLE_EQ(speed.duration(3, 62.0), 62.0 * 0.0034);
  EXPECT_DOUBLE_EQ(speed.duration(6, 4.0), 10.0 * 0.0086);  // the shortest travel counted is 10 deg
  EXPECT_DOUBLE_EQ(speed.duration(99, 10.0), 10.0 * 0.0178);
}

TEST(Wiring, EachMistakeIsNamed) {
  nlohmann::json robot = good_robot();
  robot["joints"][1]["channel"] = 6;
  EXPECT_EQ(wiring_error(robot),
            "robot.json: /joints/1/channel: 6 of this board is already used by another joint");

  robot = good_robot();
  robot["joints"][1]["channel"] = 25;
  EXPECT_EQ(wiring_error(robot), "robot.json: /joints/1/channel: 25 is outside [1, 24]");

  robot = good_robot();
  robot["joints"][1]["name"] = "head_yaw";
  EXPECT_EQ(wiring_error(robot), "robot.json: /joints/1/name: duplicate joint 'head_yaw'");

  robot = good_robot();
  robot["joints"][0]["sign"] = 0;
  EXPECT_EQ(wiring_error(robot), "robot.json: /joints/0/sign: is 0, expected 1 or -1");

  robot = good_robot();
  robot["joints"][0]["soft_limits_deg"] = {10, 10};
  EXPECT_EQ(wiring_error(robot),
            "robot.json: /joints/0/soft_limits_deg: the first limit is not below the second");

  robot = good_robot();
  robot["joints"][0]["colour"] = "red";
  EXPECT_NE(wiring_error(robot).find("robot.json: /joints/0: unknown key 'colour'"),
            std::string::npos);

  robot = good_robot();
  robot["boards"][1]["id"] = 0;
  EXPECT_EQ(wiring_error(robot), "robot.json: /boards/1/id: another board has the same id");

  robot = good_robot();
  robot["boards"] = nlohmann::json::array();
  EXPECT_EQ(wiring_error(robot), "robot.json: /boards: expected 1 or 2 boards, found 0");

  robot = good_robot();
  robot["joints"] = nlohmann::json::array();
  EXPECT_EQ(wiring_error(robot), "robot.json: /joints: expected 1..32 joints, found 0");

  robot = good_robot();
  robot["speed_codes"]["seconds_per_degree"].erase(7);
  EXPECT_NE(wiring_error(robot).find("is not a list of 8 numbers"), std::string::npos);
}

std::string servo_error(const std::string& text) {
  try {
    (void)read_servo_file(ConfigDocument::parse(text, "plant.json"), {"head_yaw", "left_knee"});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(ServoParameters, JointOverridesSingleKeysOfTheDefault) {
  const ConfigDocument document = ConfigDocument::parse(
      R"({"schema": "kagami.servos/1", "default": {"kp": 25, "delay_s": 0.02},
          "joints": {"left_knee": {"delay_s": 0.04}}, "supply": {"sag": 0.1}})",
      "plant.json");
  const ServoSet set = read_servo_file(document, {"head_yaw", "left_knee"});
  EXPECT_EQ(set.joints[0].delay, 0.02);
  EXPECT_EQ(set.joints[1].delay, 0.04);
  EXPECT_EQ(set.joints[1].kp, 25.0);
  EXPECT_EQ(set.supply.sag, 0.1);
}

TEST(ServoParameters, EachMistakeIsNamed) {
  EXPECT_EQ(servo_error(R"({"schema": "kagami.servos/1", "default": {}, "joints": {"tail": {}}})"),
            "plant.json: /joints/tail: the robot has no joint of this name");
  EXPECT_EQ(servo_error(R"({"schema": "kagami.servos/1", "default": {"kp": 0}})"),
            "plant.json: /default/kp: 0 is outside [0.1, 1000] N m/rad");
  EXPECT_EQ(servo_error(R"({"schema": "kagami.servos/1", "default": {"link_mass_scale": 0}})"),
            "plant.json: /default/link_mass_scale: 0 is outside [0.2, 5]");
  EXPECT_EQ(
      servo_error(
          R"({"schema": "kagami.servos/1", "default": {"dead_band_deg": 1, "backlash_deg": 1}})"),
      "plant.json: /default/backlash_deg: dead band and backlash exclude each other, expected one "
      "of them 0");
  EXPECT_NE(servo_error(R"({"schema": "kagami.servos/2", "default": {}})")
                .find("expected one of: kagami.servos/1"),
            std::string::npos);
  EXPECT_NE(servo_error(R"({"schema": "kagami.servos/1", "default": {"kq": 1}})")
                .find("unknown key 'kq'"),
            std::string::npos);
}

TEST(Hash, TextHashIsFnv1a) {
  // published test vectors of FNV-1a, 64 bit
  EXPECT_EQ(text_hash(""), 0xcbf29ce484222325u);
  EXPECT_EQ(text_hash("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(text_hash("foobar"), 0x85944171f73967e8u);
  EXPECT_EQ(hex_text(0x85944171f73967e8u), "85944171f73967e8");
}

TEST(Hash, StateHashDependsOnOrderAndOnEveryBit) {
  StateHash a, b, c, d;
  for (const double x : {1.0, 2.0}) a.add(x);
  for (const double x : {2.0, 1.0}) b.add(x);
  for (const double x : {1.0, std::nextafter(2.0, 3.0)}) c.add(x);
  for (const double x : {1.0, 2.0}) d.add(x);
  EXPECT_NE(a.value(), b.value());
  EXPECT_NE(a.value(), c.value());
  EXPECT_EQ(a.value(), d.value());
}

}  // namespace
}  // namespace kagami
