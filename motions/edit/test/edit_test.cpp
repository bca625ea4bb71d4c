#include "motions/edit/edit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "motions/edit/diff.hpp"
#include "motions/edit/graph.hpp"
#include "motions/file/bind.hpp"
#include "motions/play/player.hpp"
#include "motions/test/khr1_wiring.hpp"
#include "motions/test/messages.hpp"

namespace kagami::motions {
namespace {

using ::testing::HasSubstr;

const RobotWiring& wiring() {
  static const RobotWiring khr1 = test::khr1_wiring();
  return khr1;
}
constexpr std::size_t kHead = 0, kLeftKnee = 9, kRightKnee = 14;

// knee 0, 20, 60, 0 deg at 0, 1, 3, 3.5 s; head 0, -10, 0, 0
Motion sample(bool with_codes = false) {
  Motion m;
  m.name = "sample";
  m.joints = {"left_knee", "head_yaw"};
  const auto code = with_codes ? std::optional<int>(4) : std::nullopt;
  m.poses = {{"a", {to_rad(0), to_rad(0)}, code, 1.0},
             {"b", {to_rad(20), to_rad(-10)}, code, 1.0},
             {"c", {to_rad(60), to_rad(0)}, code, 2.0},
             {"d", {to_rad(0), to_rad(0)}, code, 0.5}};
  return bind_motion(m, wiring());
}

double knee_deg(const Pose& pose) {
  return to_deg(*pose.angle[kLeftKnee]);
}

TEST(Trim, CutsBetweenPosesOnTheStraightLine) {
  const Motion cut = trimmed(sample(), 0.5, 2.0);
  ASSERT_EQ(cut.poses.size(), 3u);
  EXPECT_NEAR(knee_deg(cut.poses[0]), 10.0, 1e-9);
  EXPECT_NEAR(knee_deg(cut.poses[1]), 20.0, 1e-9);
  EXPECT_NEAR(cut.poses[1].duration, 0.5, 1e-12);
  EXPECT_NEAR(knee_deg(cut.poses[2]), 40.0, 1e-9);
  EXPECT_NEAR(cut.duration(), 1.5, 1e-12);
}

TEST(Trim, AtPosesKeepsThemAndTheirCodes) {
  const Motion cut = trimmed(sample(true), 1.0, 3.0);
  ASSERT_EQ(cut.poses.size(), 2u);
  EXPECT_EQ(cut.poses[0].label, "b");
  EXPECT_TRUE(cut.has_speed_codes());
  EXPECT_NEAR(cut.duration(), 2.0, 1e-12);
}

TEST(Trim, RefusesAnEmptyPart) {
  for (const std::pair<double, double>& part :
       std::vector<std::pair<double, double>>{{2, 2}, {3.5, 4}, {-1, 2}}) {
    EXPECT_THAT(test::error_of<ConfigError>([&] { trimmed(sample(), part.first, part.second); }),
                HasSubstr("the motion lasts 3.5 s"));
  }
}

TEST(Reverse, GoesTheSameWayBackInTheSameTimes) {
  const Motion motion = sample();
  const Motion back = reversed(motion);
  const PosePath there(motion), here(back);
  for (double t = 0.0; t <= 3.5; t += 0.1)
    EXPECT_NEAR(here.at(t)[kLeftKnee], there.at(3.5 - t)[kLeftKnee], 1e-12) << t;
  EXPECT_TRUE(difference(motion, reversed(back)).is_equal());
}

TEST(Mirror, TwiceIsTheSame) {
  std::vector<MirrorPartner> partners;
  for (std::size_t j = 0; j < wiring().joints.size(); ++j) partners.push_back({j, 1});
  partners[kHead].sign = -1;
  partners[kLeftKnee].joint = kRightKnee;
  partners[kRightKnee].joint = kLeftKnee;
  const Motion motion = sample();
  const Motion mirror = mirrored(motion, partners);
  EXPECT_EQ(mirror.poses[2].angle[kRightKnee], motion.poses[2].angle[kLeftKnee]);
  EXPECT_EQ(mirror.poses[2].angle[kLeftKnee], 0.0);
  EXPECT_EQ(*mirror.poses[1].angle[kHead], -*motion.poses[1].angle[kHead]);
  EXPECT_TRUE(difference(motion, mirrored(mirror, partners)).is_equal());
}

TEST(Join, PutsTheSecondAfterTheTransition) {
  const Motion both = joined(sample(), sample(), 0.8, wiring().speed);
  EXPECT_EQ(both.poses.size(), 8u);
  EXPECT_NEAR(both.duration(), 3.5 + 0.8 + 3.5, 1e-12);
  EXPECT_FALSE(both.has_speed_codes());
}

TEST(Join, OfMotionsWithCodesHasACodeThatArrivesInTime) {
  Motion second = sample(true);
  second.poses[0].angle[kLeftKnee] = to_rad(40);
  // 40 deg: 0.144 s at code 4, 0.208 s at code 6 or so, 0.712 s at code 7
  for (const double transition : {0.144, 0.3, 0.712, 2.0}) {
    const Motion both = joined(sample(true), second, transition, wiring().speed);
    const int code = both.poses[4].speed.value();
    EXPECT_LE(wiring().speed.duration(code, 40.0), transition + 1e-9);
    if (code + 1 < kSpeedCodes) {
      EXPECT_GT(wiring().speed.duration(code + 1, 40.0), transition);
    }
    EXPECT_EQ(both.poses[4].duration, transition);
    bind_motion(both, wiring());  // playable
  }
  // too short for any code: as long as the fastest needs
  EXPECT_DOUBLE_EQ(joined(sample(true), second, 0.01, wiring().speed).poses[4].duration,
                   wiring().speed.duration(0, 40.0));
}

TEST(Blend, GoesFromTheFirstToTheSecond) {
  const Motion first = sample();
  Motion second = sample();
  for (Pose& pose : second.poses) pose.angle[kLeftKnee] = *pose.angle[kLeftKnee] * 0.5;
  second.poses[2].duration = 6.0;
  // poses within 1e-9 of the duration are one
  EXPECT_NEAR(difference(first, blended(first, second, 0.0)).largest(), 0.0, 1e-8);
  EXPECT_NEAR(difference(second, blended(first, second, 1.0)).largest(), 0.0, 1e-8);
  const Motion half = blended(first, second, 0.5);
  EXPECT_NEAR(half.duration(), (3.5 + 7.5) / 2.0, 1e-9);
  EXPECT_NEAR(knee_deg(half.poses.front()), 0.0, 1e-9);
}

// the fastest speed that the player itself shows, tick by tick
double played_peak(const Motion& motion, PlayMode mode) {
  Player player(motion, wiring(), {.mode = mode, .settle = 0.0});
  JointArray<double> present{};
  for (std::size_t j = 0; j < motion.joints.size(); ++j) present[j] = *motion.poses[0].angle[j];
  player.start(present);
  double peak = 0.0;
  PlayCommand command;
  for (int tick = 0; tick < 100'000; ++tick) {
    player.step(0.001, command);
    if (command.phase == PlayPhase::kDone) break;
    if (command.phase != PlayPhase::kPlaying) continue;
    for (const double speed : command.qd_ref) peak = std::max(peak, std::abs(speed));
  }
  return peak;
}

TEST(Retime, KeepsEveryJointBelowItsLimitAsThePlayerPlaysIt) {
  const std::vector<double> limits(wiring().joints.size(), to_rad(25.0));
  for (const PlayMode mode : {PlayMode::kStream, PlayMode::kRamp}) {
    const Motion motion = sample();
    EXPECT_GT(played_peak(motion, mode), to_rad(25.0));
    const Motion slow = retimed(motion, limits, mode, wiring().speed);
    EXPECT_LE(played_peak(slow, mode), to_rad(25.0) * 1.0001);
    // the slow first leg of the ramp keeps its time
    if (mode == PlayMode::kRamp) {
      EXPECT_EQ(slow.poses[1].duration, 1.0);
    }
    for (std::size_t p = 0; p < slow.poses.size(); ++p) {
      EXPECT_GE(slow.poses[p].duration, motion.poses[p].duration);
      EXPECT_EQ(slow.poses[p].angle, motion.poses[p].angle);
    }
  }
}

TEST(Retime, TakesTheFastestSpeedCodeThatIsSlowEnough) {
  const Motion motion = sample(true);
  const double limit = 1.0 / wiring().speed.seconds_per_degree[6];  // deg/s
  const Motion slow = retimed(motion, std::vector<double>(17, to_rad(limit * 1.001)),
                              PlayMode::kKeyframe, wiring().speed);
  for (std::size_t p = 1; p < slow.poses.size(); ++p) {
    const double rate =
        largest_travel_deg(slow.poses[p - 1], slow.poses[p]) /
        wiring().speed.duration(*slow.poses[p].speed,
                                largest_travel_deg(slow.poses[p - 1], slow.poses[p]));
    EXPECT_LE(rate, limit * 1.001);
  }
  EXPECT_THAT(test::error_of<ConfigError>([&] {
                retimed(motion, std::vector<double>(17, to_rad(1.0)), PlayMode::kKeyframe,
                        wiring().speed);
              }),
              HasSubstr("faster than the limit at speed 7 too"));
}

TEST(Diff, GivesWhereAndHowMuch) {
  Motion other = sample();
  other.poses[2].angle[kLeftKnee] = to_rad(66);
  other.poses[1].label = "x";
  const MotionDifference diff = difference(sample(), other);
  EXPECT_FALSE(diff.is_equal());
  EXPECT_NEAR(to_deg(diff.joints[kLeftKnee].most), 6.0, 1e-9);
  EXPECT_NEAR(diff.joints[kLeftKnee].at, 3.0, 1e-12);
  // a triangle of height 6 over 2 + 0.5 s of 3.5 s: its square's mean is 36/3 * 2.5/3.5
  EXPECT_NEAR(to_deg(diff.joints[kLeftKnee].rms), std::sqrt(12.0 * 2.5 / 3.5), 1e-9);
  EXPECT_THAT(diff.others, ::testing::ElementsAre("1 labels differ"));
  EXPECT_TRUE(difference(sample(), sample()).is_equal());
}

TEST(Graph, WalksOnlyWhereATransitionLeads) {
  const MotionGraph graph = parse_motion_graph(
      R"({"schema": "kagami.motion_graph/1", "name": "show", "motions": {"one": "m", "two": "m"},
          "transitions": [{"from": "one", "to": "two", "duration_s": 0.5},
                          {"from": "two", "to": "two", "duration_s": 0.25}],
          "play": ["one", "two", "two"]})",
      "g.json");
  const auto load = [](const std::string&) { return sample(); };
  const Motion whole = walk_graph(graph, graph.play, load, wiring().speed);
  EXPECT_EQ(whole.name, "show");
  EXPECT_NEAR(whole.duration(), 3 * 3.5 + 0.5 + 0.25, 1e-9);
  EXPECT_THAT(test::error_of<ConfigError>([&] {
                walk_graph(graph, {"two", "one"}, load, wiring().speed);
              }),
              HasSubstr("no transition from two to one, from there it goes to: two"));
  EXPECT_THAT(test::error_of<ConfigError>([&] { walk_graph(graph, {}, load, wiring().speed); }),
              HasSubstr("a path of 0 nodes"));
}

TEST(Graph, ListsEveryProblem) {
  EXPECT_THAT(test::error_of<ConfigError>([] {
                parse_motion_graph(
                    R"({"schema": "kagami.motion_graph/1", "name": "show", "motions": {"one": "m"},
                        "transitions": [{"from": "one", "to": "nowhere", "duration_s": 1},
                                        {"from": "one", "to": "one", "duration_s": -1}],
                        "plays": []})",
                    "g.json");
              }),
              ::testing::AllOf(HasSubstr("no node 'nowhere', expected one of: one"),
                               HasSubstr("/transitions/1/duration_s: -1"), HasSubstr("plays")));
}

}  // namespace
}  // namespace kagami::motions
