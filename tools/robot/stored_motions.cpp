#include "tools/robot/stored_motions.hpp"

#include <algorithm>

#include "drivers/rcb1/protocol.hpp"
#include "models/base/errors.hpp"
#include "models/base/idx.hpp"

namespace kagami::tools {
namespace {

std::uint8_t byte(int value) {
  return static_cast<std::uint8_t>(value);
}

std::string sizes_text(const BoardSession& session, const std::vector<int>& sizes,
                       const char* unit) {
  std::string text;
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    text += (b == 0 ? "" : ", ") + board_text(session, static_cast<int>(b)) + " has " +
            std::to_string(sizes[b]) + " " + unit;
  }
  return text;
}

template <class Stored>
std::string size_problem(const BoardSession& session, const std::vector<Stored>& boards,
                         const char* unit) {
  std::vector<int> sizes;
  for (const Stored& board : boards) sizes.push_back(board.count);
  if (std::all_of(sizes.begin(), sizes.end(), [](int n) { return n == 0; })) return "is empty";
  const bool is_equal =
      std::all_of(sizes.begin(), sizes.end(), [&](int n) { return n == sizes.front(); });
  return is_equal ? "" : "is out of step: " + sizes_text(session, sizes, unit);
}

// one value of every board
std::string values_text(const BoardSession& session, const std::vector<int>& values) {
  std::string text;
  for (std::size_t b = 0; b < values.size(); ++b) {
    text += (b == 0 ? "" : ", ") + std::to_string(values[b]) + " on " +
            board_text(session, static_cast<int>(b));
  }
  return text;
}

}  // namespace

StoredMotion read_motion_of(BoardSession& session, int board, int motion) {
  const std::string what = board_text(session, board) + ": motion " + std::to_string(motion);
  StoredMotion stored;
  stored.count =
      read_agreed(session, board,
                  {.command = rcb1::Command::kGetMotionSize, .motion = byte(motion)}, what)
          .count;
  for (int k = 0; k < stored.count; ++k) {
    const Reply reply =
        read_agreed(session, board,
                    {.command = rcb1::Command::kGetPose, .motion = byte(motion), .pose = byte(k)},
                    what + ", pose " + std::to_string(k));
    stored.poses[idx(k)] = {reply.speed, reply.counts};
  }
  return stored;
}

StoredScenario read_scenario_of(BoardSession& session, int board, int scenario) {
  const std::string what = board_text(session, board) + ": scenario " + std::to_string(scenario);
  StoredScenario stored;
  stored.count =
      read_agreed(session, board,
                  {.command = rcb1::Command::kGetScenarioSize, .scenario = byte(scenario)}, what)
          .count;
  for (int k = 0; k < stored.count; ++k) {
    stored.motions[idx(k)] = read_agreed(session, board,
                                         {.command = rcb1::Command::kGetScenarioEntry,
                                          .scenario = byte(scenario),
                                          .index = byte(k)},
                                         what + ", entry " + std::to_string(k))
                                 .motion;
  }
  return stored;
}

std::vector<StoredMotion> read_stored_motion(BoardSession& session, int motion) {
  std::vector<StoredMotion> boards;
  for (int b = 0; b < session.num_boards(); ++b) {
    boards.push_back(read_motion_of(session, b, motion));
  }
  return boards;
}

std::vector<StoredScenario> read_stored_scenario(BoardSession& session, int scenario) {
  std::vector<StoredScenario> boards;
  for (int b = 0; b < session.num_boards(); ++b) {
    boards.push_back(read_scenario_of(session, b, scenario));
  }
  return boards;
}

std::string motion_problem(const BoardSession& session, const std::vector<StoredMotion>& boards) {
  std::string problem = size_problem(session, boards, "poses");
  for (int k = 0; problem.empty() && k < boards.front().count; ++k) {
    std::vector<int> speeds;
    for (const StoredMotion& board : boards) speeds.push_back(board.poses[idx(k)].speed);
    if (std::count(speeds.begin(), speeds.end(), speeds.front()) ==
        static_cast<std::ptrdiff_t>(speeds.size())) {
      continue;
    }
    problem =
        "is out of step: pose " + std::to_string(k) + " has speed " + values_text(session, speeds);
  }
  return problem;
}

std::string scenario_problem(const BoardSession& session,
                             const std::vector<StoredScenario>& boards) {
  std::string problem = size_problem(session, boards, "motions");
  for (int k = 0; problem.empty() && k < boards.front().count; ++k) {
    std::vector<int> motions;
    for (const StoredScenario& board : boards) motions.push_back(board.motions[idx(k)]);
    if (std::count(motions.begin(), motions.end(), motions.front()) ==
        static_cast<std::ptrdiff_t>(motions.size())) {
      continue;
    }
    problem = "is out of step: entry " + std::to_string(k) + " is motion " +
              values_text(session, motions);
  }
  return problem;
}

std::vector<double> play_through(const BoardSession& session,
                                 const std::vector<StoredMotion>& boards,
                                 std::vector<ChannelCounts>& at) {
  std::vector<double> seconds(boards.size(), 0.0);
  for (std::size_t b = 0; b < boards.size(); ++b) {
    for (int k = 0; k < boards[b].count; ++k) {
      const drivers::virtual_robot::StoredPose& pose = boards[b].poses[idx(k)];
      seconds[b] += drivers::virtual_robot::take_pose(session.wiring().speed, pose, at[b]);
    }
  }
  return seconds;
}

void start_on_all(BoardSession& session, Request request) {
  for (int b = 0; b < session.num_boards(); ++b) {
    request.board = byte(session.board_id(b));
    std::string problem;
    // once, answered or not: a second start would put the boards out of step
    if (ask_once(session, request, problem)) continue;
    std::string text = session.name() + ": " + board_text(session, b) +
                       " did not acknowledge the start (" + problem + "), it may play or not";
    for (int k = 0; k < session.num_boards(); ++k) {
      if (k != b) text += "; " + board_text(session, k) + (k < b ? " plays" : " was not started");
    }
    throw LinkError(text + ". 'kagami robot free' ends the motion; hold the robot, it goes limp");
  }
}

}  // namespace kagami::tools
