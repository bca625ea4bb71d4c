#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/csv.hpp"
#include "motions/file/import_kondo.hpp"
#include "motions/file/text_encoding.hpp"
#include "motions/test/khr1_wiring.hpp"
#include "motions/test/messages.hpp"

namespace kagami::motions {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// first pose of the stock walk, relative to the factory home; channels without servo at 225
constexpr const char* kWalk0 =
    "4,11,0,225,225,0,0,-11,0,225,225,225,0,-35,-52,21,0,225,0,35,52,-21,0,225";

std::string line(const std::string& rest, const std::string& name = "A") {
  return "1," + name + "," + rest + "\n";
}

// `text` with the field of this channel (1..24) replaced
std::string with_channel(std::string text, int channel, const std::string& value) {
  std::size_t start = 0;
  for (int i = 1; i < channel; ++i) start = text.find(',', start) + 1;
  return text.replace(start, std::min(text.find(',', start), text.size()) - start, value);
}

Motion read(const std::string& bytes) {
  return parse_kondo_csv(bytes, "Sample_FWD.csv", test::khr1_wiring());
}

std::string import_message(const std::string& bytes) {
  return test::error_of<ConfigError>([&] { read(bytes); });
}

std::vector<int> counts(const Motion& motion, std::size_t pose) {
  const RobotWiring wiring = test::khr1_wiring();
  std::vector<int> channel(kMotionChannels, 225);
  for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
    if (const auto angle = motion.poses[pose].angle[j]) {
      channel[static_cast<std::size_t>(wiring.joints[j].channel) - 1] =
          count_of(wiring.joints[j], *angle);
    }
  }
  return channel;
}

TEST(ImportKondo, AddsHomeToEveryChannelAndLeaves225Alone) {
  const Motion m = read("No,Name,Speed,CH1\n" + line("3," + std::string(kWalk0)));
  ASSERT_EQ(m.poses.size(), 1u);
  EXPECT_EQ(m.name, "Sample_FWD");
  EXPECT_EQ(m.poses[0].speed, 3);
  EXPECT_EQ(m.poses[0].label, "1 A");
  EXPECT_THAT(m.warnings, IsEmpty());
  // the absolute counts of the same pose, from walk_forward_abs.csv
  EXPECT_THAT(counts(m, 0), ElementsAre(9, 11, 90, 225, 225, 90, 175, 169, 90, 225, 225, 225, 88,
                                        80, 63, 111, 92, 225, 92, 100, 117, 69, 88, 225));
}

TEST(ImportKondo, UnusedChannelOfAServoKeepsItsAngle) {
  const Motion m =
      read(line("3," + std::string(kWalk0)) + line("3," + with_channel(kWalk0, 15, "225")));
  EXPECT_EQ(m.poses[1].angle[9], std::nullopt);
  const Motion bound = bind_motion(m, test::khr1_wiring());
  EXPECT_EQ(bound.poses[1].angle[9], bound.poses[0].angle[9]);
}

TEST(ImportKondo, ClipsToTheBoardsRangeWithAWarning) {
  const std::string text = line("5," + with_channel(with_channel(kWalk0, 1, "180"), 7, "-179"));
  const Motion m = read(text + text);
  EXPECT_EQ(counts(m, 0)[0], 180);
  EXPECT_EQ(counts(m, 0)[6], 0);
  EXPECT_THAT(m.warnings,
              ElementsAre(HasSubstr("line 1, field 4: left_shoulder_pitch: count 185 "
                                    "clipped to 0..180, the furthest of 2 counts"),
                          HasSubstr("right_shoulder_pitch: count -4 clipped to 0..180")));
}

TEST(ImportKondo, OtherSpecialCodesAreSkippedWithAWarning) {
  for (const char* code : {"221", "222", "223", "224", "226"}) {
    const Motion m = read(line("5," + with_channel(kWalk0, 3, code)));
    EXPECT_EQ(m.poses[0].angle[3], std::nullopt);
    EXPECT_THAT(m.warnings, ElementsAre(HasSubstr("special code " + std::string(code))));
  }
}

TEST(ImportKondo, ChannelWithoutServoIsSkippedWithAWarning) {
  const Motion m = read(line("5," + with_channel(kWalk0, 24, "12")));
  EXPECT_THAT(m.warnings, ElementsAre(HasSubstr("channel 24 has no servo on this robot")));
}

TEST(ImportKondo, ToleratesLineEndsSpacesTrailingCommasAndEmptyLines) {
  const std::string plain = line("3," + std::string(kWalk0));
  std::string spaced = " 1 , \"A\" , 3 , ";
  for (const char c : std::string(kWalk0)) spaced += c == ',' ? " ,\t" : std::string(1, c);
  const std::string row = plain.substr(0, plain.size() - 1);
  const Motion m = read("\xEF\xBB\xBFheader\r\n\r\n" + row + "\r\n" + spaced + " ,\r\n,,,\n\n" +
                        row + ",\r" + row);
  ASSERT_EQ(m.poses.size(), 4u);
  for (std::size_t p = 0; p < 4; ++p) {
    EXPECT_EQ(counts(m, p), counts(m, 0));
    EXPECT_EQ(m.poses[p].label, "1 A");
  }
}

TEST(ImportKondo, DecodesLabelsFromCodePage932) {
  // "前進" in code page 932; its first character's second byte is 0x4F
  const Motion m = read(line("3," + std::string(kWalk0), "\x91\x4F\x90\x69"));
  EXPECT_EQ(m.poses[0].label, "1 前進");
  EXPECT_THAT(m.warnings, IsEmpty());
}

TEST(ImportKondo, ReplacesBytesThatAreNoText) {
  const Motion m = read(line("3," + std::string(kWalk0), "a\xFF\x91"));
  EXPECT_EQ(m.poses[0].label, "1 a\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_THAT(m.warnings, ElementsAre(HasSubstr("neither UTF-8 nor code page 932")));
}

TEST(ImportKondo, ListsEveryProblemWithLineAndField) {
  const std::string walk = kWalk0;
  const std::string text =
      "header\n" + line("9," + walk) + line("x," + walk) +
      line("3," + with_channel(walk, 2, "200")) + line("3," + with_channel(walk, 16, "-181")) +
      line("3," + with_channel(walk, 23, "1.5")) + line("3," + with_channel(walk, 5, "227")) +
      line("3," + walk + ",7") + line("3," + with_channel(walk, 4, "")) + line("-1," + walk);
  EXPECT_THAT(
      import_message(text),
      AllOf(HasSubstr("Sample_FWD.csv: line 2, field 3 (speed): '9', expected 0..7"),
            HasSubstr("line 3, field 3 (speed): 'x', expected 0..7"),
            HasSubstr("line 4, field 5 (channel 2): '200', expected a whole number in [-180, 180]"),
            HasSubstr("line 5, field 19 (channel 16): '-181'"),
            HasSubstr("line 6, field 26 (channel 23): '1.5'"),
            HasSubstr("line 7, field 8 (channel 5): '227'"),
            HasSubstr("line 8: 28 fields, expected 27"),
            HasSubstr("line 9, field 7 (channel 4): ''"),
            HasSubstr("line 10, field 3 (speed): '-1'")));
}

TEST(ImportKondo, CountsLinesAlikeForEveryLineEnd) {
  const std::string row = "1,A,3," + std::string(kWalk0);
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    EXPECT_THAT(import_message("header" + end + end + row + end + "2,B,9," + kWalk0),
                HasSubstr("line 4, field 3 (speed): '9'"));
  }
}

TEST(ImportKondo, ReportsWhenThereIsNoPose) {
  EXPECT_THAT(import_message(""), HasSubstr("Sample_FWD.csv: poses: no line with a speed"));
  EXPECT_THAT(import_message("header only\n"), HasSubstr("expected 1 or more poses"));
}

TEST(ImportKondo, WarnsAboveWhatABoardStoresAndRefusesAboveOurLimit) {
  std::string text;
  for (int i = 0; i < 101; ++i) text += line("3," + std::string(kWalk0));
  EXPECT_THAT(read(text).warnings, ElementsAre(HasSubstr("101 poses; a board stores at most 100")));
  std::string many;
  for (int i = 0; i < kMaxPoses + 1; ++i) many += line("3," + std::string(kWalk0));
  EXPECT_THAT(import_message(many), HasSubstr("200001 poses, expected at most 200000"));
}

TEST(ImportKondo, RefusesAMillionLines) {
  EXPECT_THAT(import_message(std::string(1'000'000, '\n')),
              HasSubstr("1000000 lines, expected at most 400000"));
  EXPECT_THAT(import_message(std::string(1'000'000, '\r')), HasSubstr("1000000 lines"));
  EXPECT_THAT(import_message(std::string(68'000'000, '1')),
              HasSubstr("68000000 bytes, expected at most 67108864"));
}

TEST(ImportKondo, StopsListingAfterTwentyProblems) {
  std::string text;
  for (int i = 0; i < 9000; ++i) text += line("9," + std::string(kWalk0));
  const std::string message = import_message(text);
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 20);
  EXPECT_THAT(message, HasSubstr("and 980 or more problems"));
}

TEST(DecodeCp932, PassesAsciiAndKatakana) {
  EXPECT_EQ(decode_text("abc ~").text, "abc ~");
  EXPECT_EQ(decode_text("\xB1\xB2").text, "ｱｲ");  // half-width katakana are single bytes
  EXPECT_FALSE(decode_text("\xB1\xB2").has_replacements);
  std::string longer;
  for (int i = 0; i < 500; ++i) longer += "\x91\x4F";
  EXPECT_EQ(decode_text(longer).text.size(), 1500u);
}

}  // namespace
}  // namespace kagami::motions
