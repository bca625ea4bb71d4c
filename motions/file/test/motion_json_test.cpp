#include "motions/file/motion_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "motions/test/messages.hpp"

namespace kagami::motions {
namespace {

using test::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kFile = R"({
  "schema": "kagami.motion/1",
  "name": "nod",
  "note": "Kopf auf und ab – 首",
  "loop": true,
  "easing": "minimum_jerk",
  "start": "lying_back",
  "joints": ["head_yaw", "left_knee"],
  "poses": [
    {"label": "start", "speed": 4, "angles_deg": [0, 12.5]},
    {"duration_s": 0.25, "angles_deg": [-17, null]},
    {"speed": 7, "duration_s": 2, "angles_deg": [null, 0.1]}
  ]
}
)";

std::string parse_complaint(const std::string& text) {
  return error_of<ConfigError>([&] { parse_motion_json(text, "nod.json"); });
}

std::string with(std::string text, const std::string& old_part, const std::string& new_part) {
  const std::size_t at = text.find(old_part);
  EXPECT_NE(at, std::string::npos) << old_part;
  return text.replace(at, old_part.size(), new_part);
}

TEST(MotionJson, ReadsEveryField) {
  const Motion m = parse_motion_json(kFile, "nod.json");
  EXPECT_EQ(m.name, "nod");
  EXPECT_EQ(m.note, "Kopf auf und ab – 首");
  EXPECT_TRUE(m.loop);
  EXPECT_EQ(m.easing, Easing::kMinimumJerk);
  EXPECT_EQ(m.start, Start::kLyingBack);
  EXPECT_EQ(m.joints, (std::vector<std::string>{"head_yaw", "left_knee"}));
  ASSERT_EQ(m.poses.size(), 3u);
  EXPECT_EQ(m.poses[0].label, "start");
  EXPECT_EQ(m.poses[0].speed, 4);
  EXPECT_EQ(m.poses[0].duration, 0.0);
  EXPECT_EQ(m.poses[0].angle[1], to_rad(12.5));
  EXPECT_EQ(m.poses[1].speed, std::nullopt);
  EXPECT_EQ(m.poses[1].duration, 0.25);
  EXPECT_EQ(m.poses[1].angle[1], std::nullopt);
  EXPECT_FALSE(m.has_speed_codes());
}

TEST(MotionJson, WritesWhatItReadByteForByte) {
  EXPECT_EQ(motion_json_text(parse_motion_json(kFile, "nod.json")), kFile);
}

TEST(MotionJson, KeepsEveryHundredthOfADegreeThroughRadians) {
  Motion m = parse_motion_json(kFile, "nod.json");
  for (int i = -18'000; i <= 18'000; i += 501) {
    m.poses[0].angle[0] = to_rad(i / 100.0);
    const Motion again = parse_motion_json(motion_json_text(m), "nod.json");
    ASSERT_EQ(again.poses[0].angle[0], m.poses[0].angle[0]) << i;
  }
}

TEST(MotionJson, NamesPathValueAndExpectation) {
  const std::string base = kFile;
  EXPECT_THAT(parse_complaint(with(base, "\"speed\": 4", "\"speed\": 9")),
              AllOf(HasSubstr("nod.json: /poses/0/speed: 9"), HasSubstr("[0, 7]")));
  EXPECT_THAT(
      parse_complaint(with(base, "12.5", "400")),
      AllOf(HasSubstr("nod.json: /poses/0/angles_deg/1: 400"), HasSubstr("[-360, 360] deg")));
  EXPECT_THAT(parse_complaint(with(base, "[0, 12.5]", "[0]")),
              AllOf(HasSubstr("/poses/0/angles_deg: 1 values"), HasSubstr("a list of 2")));
  EXPECT_THAT(parse_complaint(with(base, "[0, 12.5]", "7")), HasSubstr("/poses/0/angles_deg: 7,"));
  EXPECT_THAT(parse_complaint(with(base, "12.5", "\"up\"")), HasSubstr("\"up\" is outside"));
  EXPECT_THAT(parse_complaint(with(base, "0.25", "-1")), HasSubstr("/poses/1/duration_s: -1"));
  EXPECT_THAT(parse_complaint(with(base, "\"speed\": 4, ", "")),
              HasSubstr("/poses/0: expected \"speed\""));
  EXPECT_THAT(parse_complaint(with(base, "\"label\"", "\"lable\"")),
              HasSubstr("/poses/0/lable: unknown key"));
  EXPECT_THAT(parse_complaint(with(base, "\"label\": \"start\"", "\"label\": 3")),
              HasSubstr("/poses/0/label: 3 is not a text"));
  EXPECT_THAT(parse_complaint(with(base, "\"loop\"", "\"lop\"")), HasSubstr("/lop: unknown key"));
  EXPECT_THAT(parse_complaint(with(base, "\"left_knee\"", "\"head_yaw\"")),
              HasSubstr("/joints/1: duplicate joint \"head_yaw\""));
  EXPECT_THAT(parse_complaint(with(base, "\"left_knee\"", "5")), HasSubstr("/joints/1: 5 is not"));
  EXPECT_THAT(parse_complaint(with(base, "motion/1", "motion/2")), HasSubstr("kagami.motion/1"));
  EXPECT_THAT(parse_complaint(with(base, "minimum_jerk", "bounce")),
              HasSubstr("spline, minimum_jerk"));
  EXPECT_THAT(parse_complaint(with(base, "lying_back", "sitting")),
              AllOf(HasSubstr("/start"), HasSubstr("standing, lying_front, lying_back")));
  EXPECT_THAT(parse_complaint(with(base, "\"nod\"", "\"\"")), HasSubstr("/name: is empty"));
  EXPECT_THAT(parse_complaint(with(base, "12.5", "NaN")),
              HasSubstr("nod.json: parse error at line 10"));
  EXPECT_THAT(parse_complaint("[]"), HasSubstr("not an object"));
  EXPECT_THAT(parse_complaint(R"({"schema": "kagami.motion/1", "name": "x"})"),
              AllOf(HasSubstr("/joints: expected a list"), HasSubstr("/poses: expected a list")));
  EXPECT_THAT(
      parse_complaint(R"({"schema": "kagami.motion/1", "name": "x", "joints": [], "poses": []})"),
      AllOf(HasSubstr("0 joints, expected 1..32"), HasSubstr("0 poses, expected 1..200000")));
  EXPECT_THAT(
      parse_complaint(
          R"({"schema": "kagami.motion/1", "name": "x", "joints": ["a"], "poses": [3, {}]})"),
      AllOf(HasSubstr("/poses/0: 3 is not an object"),
            HasSubstr("/poses/1: \"angles_deg\" is missing")));
}

TEST(MotionJson, ReportsAllProblemsAtOnceAndCountsBeyondTwenty) {
  const std::string two = with(with(kFile, "\"speed\": 4", "\"speed\": 9"), "12.5", "400");
  EXPECT_THAT(parse_complaint(two), AllOf(HasSubstr("speed: 9"), HasSubstr(": 400")));

  std::string poses;
  for (int i = 0; i < 50; ++i) poses += std::string(i ? "," : "") + R"({"angles_deg": [0]})";
  const std::string many = parse_complaint(
      R"({"schema": "kagami.motion/1", "name": "x", "joints": ["a"], "poses": [)" + poses + "]}");
  EXPECT_THAT(many, HasSubstr("nod.json: and 30 more problems"));
  EXPECT_EQ(std::count(many.begin(), many.end(), '\n'), 20);
}

TEST(MotionJson, RefusesAMillionPoses) {
  std::string text = R"({"schema": "kagami.motion/1", "name": "x", "joints": ["a"], "poses": [)";
  for (int i = 0; i < 1'000'000; ++i) text += "0,";
  EXPECT_THAT(parse_complaint(text + "0]}"), HasSubstr("1000001 poses, expected 1..200000"));
  text.assign(68'000'000, ' ');
  EXPECT_THAT(parse_complaint(text), HasSubstr("68000000 bytes, expected at most 67108864"));
}

}  // namespace
}  // namespace kagami::motions
