// Stored motions of another program: the virtual board itself says when each pose begins.
#include <gtest/gtest.h>

#include <random>

#include "drivers/virtual/rcb1_board.hpp"
#include "models/base/idx.hpp"
#include "models/robot/robot_folder.hpp"
#include "tools/board/stored_plays.hpp"
#include "tools/board/test/served_board.hpp"
#include "tools/robot/board_writes.hpp"

namespace kagami::tools {
namespace {

namespace vr = drivers::virtual_robot;
using Order = drivers::rcb1::Command;
using drivers::rcb1::Request;

RobotWiring khr1_wiring() {
  return models::read_robot_folder(std::string(KAGAMI_SOURCE_DIR) + "/models/data/khr1",
                                   models::BaseKind::kFixed)
      .wiring;
}

/// A board, and what is known of it from the same requests.
struct PlaysCase {
  explicit PlaysCase(std::vector<vr::BoardMemory> memory = {})
      : wiring(khr1_wiring()),
        board(vr::load_memory(wiring, "").front(), wiring.speed, vr::board_preset("fast"), false),
        plays(wiring, std::move(memory)) {
    vr::ChannelDegrees at{};
    at.fill(90.0);
    board.settle(at);
    send({.command = Order::kSetPositions, .speed = 0, .counts = counts(90)}, 0);
  }
  static drivers::ChannelCounts counts(int all) {
    drivers::ChannelCounts c{};
    c.fill(static_cast<std::uint8_t>(all));
    return c;
  }
  void send(const Request& request, std::int64_t at_ns) {
    const drivers::rcb1::Reply reply = board.execute(request, at_ns, {});
    plays.take(LineRequest{request, at_ns});
    plays.take(LineAnswer{{request, at_ns}, reply, 2, at_ns});
  }
  /// Every millisecond from `from_ms` to `to_ms`: both begin the same poses at the same times.
  int follow(int from_ms, int to_ms) {
    int begun = 0;
    std::uint64_t number = board.begun().number;
    for (int ms = from_ms; ms <= to_ms; ++ms) {
      const std::int64_t at_ns = ms * 1'000'000LL;
      board.advance(at_ns);
      const auto pose = plays.next(at_ns);
      EXPECT_EQ(board.begun().number - number, pose ? 1u : 0u) << "at " << ms << " ms";
      if (pose) {
        EXPECT_EQ(pose->complete_ns, board.begun().at_ns);
        EXPECT_EQ(pose->request.command, Order::kSetPositions);
        ++begun;
      }
      number = board.begun().number;
    }
    return begun;
  }
  /// Writes a motion of these counts on all channels with these speed codes.
  void store(int motion, const std::vector<std::pair<int, int>>& poses) {
    const auto slot = static_cast<std::uint8_t>(motion);
    for (std::size_t k = 0; k < poses.size(); ++k) {
      send({.command = Order::kSetPose,
            .speed = static_cast<std::uint8_t>(poses[k].second),
            .motion = slot,
            .pose = static_cast<std::uint8_t>(k),
            .counts = counts(poses[k].first)},
           1'000'000);
    }
    send({.command = Order::kSetMotionSize,
          .motion = slot,
          .count = static_cast<std::uint8_t>(poses.size())},
         1'000'000);
  }

  RobotWiring wiring;
  vr::Rcb1Board board;
  StoredPlays plays;
};

constexpr std::int64_t kPlayNs = 999'500'000;  // between two looks; the first pose begins at once

TEST(StoredPlays, BeginsEachPoseOfAWrittenMotionWhenTheBoardDoes) {
  PlaysCase c;
  c.store(4, {{90, 3}, {120, 5}, {60, 6}, {61, 0}});
  c.send({.command = Order::kPlayMotion, .motion = 4}, kPlayNs);
  const auto first = c.plays.next(kPlayNs);  // the board has begun it in the request
  ASSERT_TRUE(first);
  EXPECT_EQ(first->complete_ns, c.board.begun().at_ns);
  EXPECT_EQ(c.follow(1000, 4000), 3);
  EXPECT_EQ(c.plays.played(), 1u);
  EXPECT_EQ(c.plays.unknown(), 0u);
}

TEST(StoredPlays, FollowsAScenarioAcrossItsMotions) {
  PlaysCase c;
  c.store(1, {{100, 4}, {80, 4}});
  c.store(2, {{95, 2}});
  c.send({.command = Order::kSetScenarioEntry, .motion = 1, .scenario = 0, .index = 0}, 2'000'000);
  c.send({.command = Order::kSetScenarioEntry, .motion = 2, .scenario = 0, .index = 1}, 2'000'000);
  c.send({.command = Order::kSetScenarioSize, .scenario = 0, .count = 2}, 2'000'000);
  c.send({.command = Order::kPlayScenario, .scenario = 0}, kPlayNs);
  ASSERT_TRUE(c.plays.next(kPlayNs));
  EXPECT_EQ(c.follow(1000, 3000), 2);
}

TEST(StoredPlays, APositionTheSleepBitAndANewStartEndAMotion) {
  for (const Request& end :
       {Request{.command = Order::kSetPositions, .speed = 1, .counts = PlaysCase::counts(70)},
        Request{.command = Order::kSetSwitches, .bits = drivers::rcb1::kSwitchSleep}}) {
    PlaysCase c;
    c.store(4, {{90, 3}, {120, 5}, {60, 6}});
    c.send({.command = Order::kPlayMotion, .motion = 4}, kPlayNs);
    ASSERT_TRUE(c.plays.next(kPlayNs));
    c.send(end, kPlayNs + 10'000'000);
    EXPECT_EQ(c.follow(1011, 3000), 0);
  }
  PlaysCase asleep;
  asleep.store(4, {{90, 3}});
  asleep.send({.command = Order::kSetSwitches, .bits = drivers::rcb1::kSwitchSleep}, 2'000'000);
  asleep.send({.command = Order::kPlayMotion, .motion = 4}, kPlayNs);
  EXPECT_FALSE(asleep.plays.next(kPlayNs));
  EXPECT_EQ(asleep.plays.played(), 0u);
}

TEST(StoredPlays, WhatDidNotPassTheLineIsUnknownUntilItIsRead) {
  PlaysCase c;
  c.send({.command = Order::kPlayMotion, .motion = 7}, kPlayNs);
  EXPECT_FALSE(c.plays.next(kPlayNs + 1'000'000'000));
  EXPECT_EQ(c.plays.unknown(), 1u);
  // a size alone is not enough, poses beyond it are not needed
  c.board.execute({.command = Order::kSetPose, .speed = 2, .motion = 7, .counts = c.counts(99)},
                  kPlayNs, {});
  c.board.execute({.command = Order::kSetMotionSize, .motion = 7, .count = 1}, kPlayNs, {});
  c.send({.command = Order::kGetMotionSize, .motion = 7}, kPlayNs);
  c.send({.command = Order::kPlayMotion, .motion = 7}, kPlayNs);
  EXPECT_EQ(c.plays.unknown(), 2u);
  c.send({.command = Order::kGetPose, .motion = 7}, kPlayNs);
  c.send({.command = Order::kPlayMotion, .motion = 7}, kPlayNs);
  const auto pose = c.plays.next(kPlayNs);
  ASSERT_TRUE(pose);
  EXPECT_EQ(pose->request.counts, c.counts(99));
  EXPECT_EQ(c.plays.unknown(), 2u);
  EXPECT_EQ(c.plays.played(), 3u);
}

TEST(StoredPlays, AScenarioIsKnownFromItsAnswers) {
  PlaysCase c;
  c.store(5, {{100, 4}});
  c.board.execute({.command = Order::kSetScenarioEntry, .motion = 5, .scenario = 2}, kPlayNs, {});
  c.board.execute({.command = Order::kSetScenarioSize, .scenario = 2, .count = 1}, kPlayNs, {});
  c.send({.command = Order::kGetScenarioSize, .scenario = 2}, kPlayNs);
  c.send({.command = Order::kGetScenarioEntry, .scenario = 2}, kPlayNs);
  c.send({.command = Order::kPlayScenario, .scenario = 2}, kPlayNs);
  const auto pose = c.plays.next(kPlayNs);
  ASSERT_TRUE(pose);
  EXPECT_EQ(pose->request.counts, c.counts(100));
}

TEST(StoredPlays, TheMemoryOfVirtualBoardsIsKnownFromTheStart) {
  std::vector<vr::BoardMemory> memory = vr::load_memory(khr1_wiring(), "");
  memory[0].motions[3].count = 1;
  memory[0].motions[3].poses[0] = {2, PlaysCase::counts(77)};
  PlaysCase c(memory);
  c.plays.take(LineRequest{{.command = Order::kPlayMotion, .motion = 3}, kPlayNs});
  const auto pose = c.plays.next(kPlayNs);
  ASSERT_TRUE(pose);
  EXPECT_EQ(pose->request.counts, PlaysCase::counts(77));
}

// whatever is written, read and played: no place outside the memory, no board that is not there
TEST(StoredPlays, SurvivesAnyRequests) {
  PlaysCase c;
  std::mt19937 dice(7);
  const auto below = [&](int n) {
    return static_cast<std::uint8_t>(dice() % static_cast<unsigned>(n));
  };
  constexpr std::array kOrders = {
      Order::kSetPose,    Order::kSetMotionSize, Order::kSetScenarioEntry, Order::kSetScenarioSize,
      Order::kPlayMotion, Order::kPlayScenario,  Order::kSetPositions,     Order::kSetSwitches};
  for (int k = 0; k < 20'000; ++k) {
    const Request request{.command = kOrders[below(8)],
                          .board = below(4),
                          .speed = below(8),
                          .motion = below(40),
                          .pose = below(100),
                          .scenario = below(4),
                          .index = below(200),
                          .count = below(101),
                          .bits = below(2),
                          .counts = PlaysCase::counts(below(256))};
    c.plays.take(LineRequest{request, k * 1'000'000LL});
    drivers::rcb1::Reply reply;
    reply.motion = below(256);
    Request question = request;
    question.command = Order::kGetScenarioEntry;
    c.plays.take(LineAnswer{{question, k * 1'000'000LL}, reply, 3, k * 1'000'000LL});
    while (c.plays.next(k * 1'000'000LL)) {
    }
  }
  EXPECT_GT(c.plays.played(), c.plays.unknown());
}

// in real time: a program stores a motion and plays it, robot and model have the same servos
TEST(StoredPlays, TheModelOfABoardRunFollowsWhatTheProgramStoredAndPlayed) {
  const RobotWiring wiring = khr1_wiring();
  test::ServedBoard c([&](const std::string& link) {
    const auto session = BoardSession::open(link, "libserial", wiring);
    for (int b = 0; b < 2; ++b) {
      for (int k = 0; k < 3; ++k) {
        vr::StoredPose pose{5, vr::load_memory(wiring, "")[idx(b)].home};
        if (k == 1)
          std::replace(pose.counts.begin(), pose.counts.end(), std::uint8_t{90}, std::uint8_t{120});
        write_pose(*session, b, 6, k, pose);
      }
      write_motion_size(*session, b, 6, 3);
    }
    start_on_all(*session, {.command = Order::kPlayMotion, .motion = 6});
    session->wait(2.0);
  });
  ASSERT_EQ(c.serve({"--plant", "twin", "--record", c.folder.file("run.mcap")}), 0) << c.err;
  const nlohmann::json answer = c.json();
  EXPECT_EQ(answer["stored_motions_played"], 2);
  EXPECT_EQ(answer["stored_motions_unknown"], 0);
  if (answer["line"]["lost_s"] > 0.0) GTEST_SKIP() << "this computer was too busy";
  EXPECT_LT(answer["rms_deg"], 1.0) << c.out;
}

}  // namespace
}  // namespace kagami::tools
