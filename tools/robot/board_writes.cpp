#include "tools/robot/board_writes.hpp"

#include "models/base/idx.hpp"

namespace kagami::tools {
namespace {

std::uint8_t as_byte(int value) {
  return static_cast<std::uint8_t>(value);
}

std::string part_text(const BoardSession& session, int board, const char* part, int number) {
  return board_text(session, board) + ", " + part + " " + std::to_string(number);
}

void write_scenario_size(BoardSession& session, int board, int scenario, std::uint8_t motions) {
  Reply expected;
  expected.count = motions;
  write_verified(
      session, board,
      {.command = rcb1::Command::kSetScenarioSize, .scenario = as_byte(scenario), .count = motions},
      {.command = rcb1::Command::kGetScenarioSize, .scenario = as_byte(scenario)}, expected,
      part_text(session, board, "scenario", scenario) + ", number of motions");
}

void write_entry(BoardSession& session, int board, int scenario, int entry, std::uint8_t motion) {
  Reply expected;
  expected.motion = motion;
  write_verified(
      session, board,
      {.command = rcb1::Command::kSetScenarioEntry,
       .motion = motion,
       .scenario = as_byte(scenario),
       .index = as_byte(entry)},
      {.command = rcb1::Command::kGetScenarioEntry,
       .scenario = as_byte(scenario),
       .index = as_byte(entry)},
      expected,
      part_text(session, board, "scenario", scenario) + ", entry " + std::to_string(entry));
}

}  // namespace

void write_motion_size(BoardSession& session, int board, int motion, std::uint8_t poses) {
  Reply expected;
  expected.count = poses;
  write_verified(
      session, board,
      {.command = rcb1::Command::kSetMotionSize, .motion = as_byte(motion), .count = poses},
      {.command = rcb1::Command::kGetMotionSize, .motion = as_byte(motion)}, expected,
      part_text(session, board, "motion", motion) + ", number of poses");
}

void write_pose(BoardSession& session, int board, int motion, int pose,
                const drivers::virtual_robot::StoredPose& value) {
  Request request{.command = rcb1::Command::kSetPose,
                  .speed = value.speed,
                  .motion = as_byte(motion),
                  .pose = as_byte(pose)};
  request.counts = value.counts;
  Reply expected;
  expected.speed = value.speed;
  expected.counts = value.counts;
  write_verified(
      session, board, request,
      {.command = rcb1::Command::kGetPose, .motion = as_byte(motion), .pose = as_byte(pose)},
      expected, part_text(session, board, "motion", motion) + ", pose " + std::to_string(pose));
}

void write_scenario(BoardSession& session, int scenario, const std::vector<StoredScenario>& present,
                    const std::vector<StoredScenario>& wanted) {
  for (int b = 0; b < session.num_boards(); ++b) {
    if (present[idx(b)].count != 0) write_scenario_size(session, b, scenario, 0);
  }
  for (int b = 0; b < session.num_boards(); ++b) {
    const StoredScenario& there = present[idx(b)];
    const StoredScenario& all = wanted[idx(b)];
    for (int k = 0; k < all.count; ++k) {
      if (k < there.count && there.motions[idx(k)] == all.motions[idx(k)]) continue;
      write_entry(session, b, scenario, k, all.motions[idx(k)]);
    }
  }
  for (int b = 0; b < session.num_boards(); ++b) {
    const std::uint8_t count = wanted[idx(b)].count;
    if (count != 0) write_scenario_size(session, b, scenario, count);
  }
}

void write_key(BoardSession& session, int board, int key,
               const std::array<std::uint8_t, 3>& bytes) {
  Reply expected;
  expected.key_bytes = bytes;
  write_verified(session, board,
                 {.command = rcb1::Command::kSetKey, .key = as_byte(key), .key_bytes = bytes},
                 {.command = rcb1::Command::kGetKey, .key = as_byte(key)}, expected,
                 part_text(session, board, "key", key));
}

void write_trim(BoardSession& session, int board,
                const std::array<std::int8_t, kChannelsPerBoard>& trim_deg) {
  Request request{.command = rcb1::Command::kSetTrim};
  request.trim_deg = trim_deg;
  Reply expected;
  expected.trim_deg = trim_deg;
  write_verified(session, board, request, {.command = rcb1::Command::kGetTrim}, expected,
                 board_text(session, board) + ", trim");
}

void write_switches(BoardSession& session, int board, std::uint8_t bits) {
  Reply expected;
  expected.bits = bits;
  write_verified(session, board, {.command = rcb1::Command::kSetSwitches, .bits = bits},
                 {.command = rcb1::Command::kGetSwitches}, expected,
                 board_text(session, board) + ", switch bits");
}

}  // namespace kagami::tools
