#include "runtime/channels/event.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "models/base/angle.hpp"

namespace kagami::runtime {
namespace {

const std::vector<std::string> kNames{"left_knee", "right_knee"};

TEST(Event, EveryCodeHasItsOwnNameAndSentence) {
  std::set<std::string> names;
  std::set<std::string> sentences;
  for (int code = 0; code < kNumEventCodes; ++code) {
    const Event event{0, static_cast<EventCode>(code), 0, 0.5};
    EXPECT_TRUE(names.insert(event_name(event.code)).second) << event_name(event.code);
    const std::string sentence = event_sentence(event, kNames);
    EXPECT_TRUE(sentences.insert(sentence).second) << sentence;
    EXPECT_EQ(sentence.back(), '.');
  }
}

TEST(Event, NamesTheJointAndTheValueInDegrees) {
  EXPECT_EQ(event_sentence({0, EventCode::kJumpRefused, 1, to_rad(42.0)}, kNames),
            "The robot is 42.0 deg away from the first target at right_knee; nothing was sent. "
            "Move it closer by hand, or check home and sign of that joint.");
  const std::string clamped =
      event_sentence({0, EventCode::kLimitClamped, 0, to_rad(-91.5)}, kNames);
  EXPECT_EQ(clamped.find("left_knee: -91.5 deg is outside"), 0u) << clamped;
}

TEST(Event, DistinguishesTheThreeStopLevelsAndTheConfirmation) {
  std::set<std::string> sentences;
  for (const double level : {1.0, 2.0, 3.0}) {
    sentences.insert(event_sentence({0, EventCode::kStopRequested, -1, level}, kNames));
  }
  for (const double confirmed : {0.0, 1.0}) {
    sentences.insert(event_sentence({0, EventCode::kReleased, -1, confirmed}, kNames));
  }
  EXPECT_EQ(sentences.size(), 5u);
}

TEST(Event, NamesControllersGainsMotionsAndTheirStatus) {
  const EventNames names{.controllers = {"pid (awa_2009)", "balance (khr1)"},
                         .values = {"pid/left_knee/kp"},
                         .motions = {"walk_forward", "bow"}};
  const auto sentence = [&](EventCode code, int place, double value) {
    return event_sentence({0, code, static_cast<std::int16_t>(place), value}, kNames, names);
  };
  EXPECT_EQ(sentence(EventCode::kControlBegan, -1, 1.0), "Controller balance (khr1) leads now.");
  EXPECT_EQ(sentence(EventCode::kSwitchRefused, -1, 0.0),
            "Controller pid (awa_2009) cannot start from here; the one before stays.");
  EXPECT_EQ(sentence(EventCode::kControlTaken, -1, 1.0),
            "Controller balance (khr1) was added to this run.");
  EXPECT_EQ(sentence(EventCode::kTuningRefused, 0, 4.0),
            "Value pid/left_knee/kp = 4.000 was refused by its controller; nothing of its set was "
            "applied.");
  EXPECT_EQ(sentence(EventCode::kPlayedAgain, -1, 1.0),
            "Motion bow: moving from the present command to its first pose.");
  EXPECT_NE(sentence(EventCode::kControlFailed, -1, 8.0).find("(not possible)"), std::string::npos);
  // what has no name keeps its number, whatever the number is
  EXPECT_EQ(sentence(EventCode::kControlBegan, -1, 2.0), "Controller 3 leads now.");
  EXPECT_EQ(event_sentence({0, EventCode::kTuningRefused, 4, 1.0}, kNames).find("Value 5 = "), 0u);
  const double kNaN = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(sentence(EventCode::kControlBegan, -1, kNaN).find("Controller "), 0u);
}

TEST(Event, SurvivesInvalidNumbersAndCodes) {
  const double kNaN = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(event_sentence({0, EventCode::kTargetRefused, 7, kNaN}, kNames).find("joint 7"),
            std::string::npos);
  EXPECT_NE(event_sentence({0, EventCode::kRateClamped, -1, 1e300}, kNames).find("e+"),
            std::string::npos);
  const auto beyond = static_cast<EventCode>(200);
  EXPECT_EQ(event_sentence({0, beyond, 0, 0.0}, kNames), "Unknown event 200.");
  EXPECT_STREQ(event_name(beyond), "unknown");
  EXPECT_EQ(event_level(beyond), EventLevel::kError);
}

}  // namespace
}  // namespace kagami::runtime
