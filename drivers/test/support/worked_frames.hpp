/// The worked frames of the reference: both sides of the line, byte by byte.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "drivers/rcb1/protocol.hpp"

namespace kagami::test {

using Bytes = std::vector<std::uint8_t>;

inline Bytes to_bytes(const drivers::rcb1::Frame& frame) {
  return {frame.view().begin(), frame.view().end()};
}

inline drivers::ChannelCounts all(std::uint8_t count) {
  drivers::ChannelCounts counts;
  counts.fill(count);
  return counts;
}

inline constexpr drivers::ChannelCounts kHome1 = {88, 115, 115, 90, 92, 0, 92, 65, 65, 90, 88, 0};

struct Worked {
  const char* name;
  drivers::rcb1::Request request;
  drivers::rcb1::Reply reply;
  Bytes tx;
  Bytes rx;
};

// Frames by the rules of docs/rcb1.md; the first and FE, FC 01, EF 00 01 are printed in
// D. Albert's command reference, the others follow from the rules.
inline std::vector<Worked> worked_frames() {
  using drivers::ChannelCounts;
  using drivers::rcb1::Command;
  using drivers::rcb1::kSwitchSleep;
  const ChannelCounts home0 = {5, 0, 90, 0, 0, 90, 175, 180, 90, 0, 0, 0};
  const ChannelCounts walk0 = {9, 11, 90, 225, 225, 90, 175, 169, 90, 225, 225, 225};
  const Bytes n90(12, 0x5A);
  const auto frame = [](Bytes head, const Bytes& body, std::initializer_list<std::uint8_t> tail) {
    head.insert(head.end(), body.begin(), body.end());
    head.insert(head.end(), tail);
    return head;
  };
  const Bytes zeros(12, 0x14);
  return {
      {"set id",
       {.command = Command::kSetId, .board = 2},
       {.board = 2},
       {0xFF, 0x5A, 0x02, 0x5B},
       {0x02, 0x06}},
      {"get id", {.command = Command::kGetId}, {.board = 1}, {0xFE, 0x7E}, {0x01, 0x01}},
      {"all 90",
       {.command = Command::kSetPositions, .board = 0, .speed = 4, .counts = all(90)},
       {.board = 0},
       frame({0xFD, 0x00, 0x04}, n90, {0x39}),
       {0x00, 0x06}},
      {"home 0",
       {.command = Command::kSetPositions, .board = 0, .speed = 4, .counts = home0},
       {.board = 0},
       {0xFD, 0x00, 0x04, 0x05, 0x00, 0x5A, 0x00, 0x00, 0x5A, 0xAF, 0xB4, 0x5A, 0x00, 0x00, 0x00,
        0x77},
       {0x00, 0x06}},
      {"home 1",
       {.command = Command::kSetPositions, .board = 1, .speed = 4, .counts = kHome1},
       {.board = 1},
       {0xFD, 0x01, 0x04, 0x58, 0x73, 0x73, 0x5A, 0x5C, 0x00, 0x5C, 0x41, 0x41, 0x5A, 0x58, 0x00,
        0x06},
       {0x01, 0x06}},
      {"walk",
       {.command = Command::kSetPositions, .board = 0, .speed = 4, .counts = walk0},
       {.board = 0},
       {0xFD, 0x00, 0x04, 0x09, 0x0B, 0x5A, 0xE1, 0xE1, 0x5A, 0xAF, 0xA9, 0x5A, 0xE1, 0xE1, 0xE1,
        0x60},
       {0x00, 0x06}},
      {"read",
       {.command = Command::kGetPositions, .board = 0},
       {.board = 0, .counts = all(90)},
       {0xFC, 0x00, 0x7C},
       frame({0x00}, n90, {0x38})},
      {"read home",
       {.command = Command::kGetHome, .board = 1},
       {.board = 1, .counts = kHome1},
       {0xFA, 0x01, 0x7B},
       {0x01, 0x58, 0x73, 0x73, 0x5A, 0x5C, 0x00, 0x5C, 0x41, 0x41, 0x5A, 0x58, 0x00, 0x05}},
      {"store home",
       {.command = Command::kStoreHome, .board = 0},
       {.board = 0},
       {0xFB, 0x00, 0x7B},
       {0x00, 0x06}},
      {"pose",
       {.command = Command::kSetPose, .board = 1, .speed = 2, .motion = 3, .counts = all(90)},
       {.board = 1},
       frame({0xF9, 0x01, 0x03, 0x00, 0x02}, n90, {0x37}),
       {0x01, 0x06}},
      {"poses",
       {.command = Command::kSetMotionSize, .board = 1, .motion = 3, .count = 29},
       {.board = 1},
       {0xF7, 0x01, 0x03, 0x1D, 0x18},
       {0x01, 0x06}},
      {"count",
       {.command = Command::kGetMotionSize, .board = 1, .motion = 3},
       {.board = 1, .count = 29},
       {0xF6, 0x01, 0x03, 0x7A},
       {0x01, 0x1D, 0x1E}},
      {"sleep",
       {.command = Command::kSetSwitches, .board = 0, .bits = kSwitchSleep},
       {.board = 0},
       {0xF1, 0x00, 0x01, 0x72},
       {0x00, 0x06}},
      {"bits",
       {.command = Command::kGetSwitches, .board = 0},
       {.board = 0, .bits = kSwitchSleep},
       {0xF0, 0x00, 0x70},
       {0x00, 0x01, 0x01}},
      {"play 0",
       {.command = Command::kPlayMotion, .board = 0, .motion = 3},
       {.board = 0},
       {0xEF, 0x00, 0x03, 0x72},
       {0x00, 0x06}},
      {"play 1",
       {.command = Command::kPlayMotion, .board = 1, .motion = 3},
       {.board = 1},
       {0xEF, 0x01, 0x03, 0x73},
       {0x01, 0x06}},
      {"scenario",
       {.command = Command::kPlayScenario, .board = 0, .scenario = 2},
       {.board = 0},
       {0xEE, 0x00, 0x02, 0x70},
       {0x00, 0x06}},
      {"trim",
       {.command = Command::kSetTrim, .board = 0},
       {.board = 0},
       frame({0xE9, 0x00}, zeros, {0x59}),
       {0x00, 0x06}},
      {"read trim",
       {.command = Command::kGetTrim, .board = 0},
       {.board = 0},
       {0xE8, 0x00, 0x68},
       frame({0x00}, zeros, {0x70})},
      {"A: read board 1",
       {.command = Command::kGetPositions, .board = 1},
       {.board = 1, .counts = all(90)},
       {0xFC, 0x01, 0x7D},
       frame({0x01}, n90, {0x39})},
      {"A: play 1 on 0",
       {.command = Command::kPlayMotion, .board = 0, .motion = 1},
       {.board = 0},
       {0xEF, 0x00, 0x01, 0x70},
       {0x00, 0x06}},
  };
}

}  // namespace kagami::test
