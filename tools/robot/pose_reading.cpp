#include "tools/robot/pose_reading.hpp"

#include <algorithm>
#include <cstdlib>

#include "drivers/rcb1/protocol.hpp"
#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

using drivers::rcb1::kMaxCount;

std::size_t slot_of(const JointWiring& joint) {
  return static_cast<std::size_t>(joint.slot());
}

// why one answer is not a reading; empty: it is
std::string fault_of(const BoardSession& session, int board, const ChannelCounts& counts) {
  if (std::all_of(counts.begin(), counts.end(), [](std::uint8_t c) { return c == 0; })) {
    return "all positions read 0";
  }
  for (const JointWiring& joint : session.wiring().joints) {
    if (joint.board() != board || counts[slot_of(joint)] <= kMaxCount) continue;
    return joint.joint + " reads " + std::to_string(counts[slot_of(joint)]) + ", expected 0..180";
  }
  return "";
}

// the joint that moved; empty: none did
std::string movement_between(const BoardSession& session, int board, const ChannelCounts& a,
                             const ChannelCounts& b, int most_deg) {
  for (const JointWiring& joint : session.wiring().joints) {
    if (joint.board() != board) continue;
    const int moved = std::abs(int{a[slot_of(joint)]} - int{b[slot_of(joint)]});
    if (moved > most_deg) {
      return "two readings in a row of " + joint.joint + " differ by " + std::to_string(moved) +
             " deg";
    }
  }
  return "";
}

}  // namespace

std::optional<BoardPose> read_board_pose(BoardSession& session, int board,
                                         const ReadingRules& rules, std::string& problem) {
  const Request request{.command = rcb1::Command::kGetPositions,
                        .board = static_cast<std::uint8_t>(session.board_id(board))};
  std::optional<BoardPose> before;
  for (int k = 0; k < rules.tries; ++k) {
    if (k > 0) session.wait(rules.apart_s);
    const std::optional<Reply> reply = ask_once(session, request, problem);
    std::optional<BoardPose> now;
    if (reply) {
      problem = fault_of(session, board, reply->counts);
      if (problem.empty()) now = BoardPose{reply->counts, session.now_ns()};
    }
    if (now && before) {
      problem = movement_between(session, board, before->counts, now->counts, rules.agree_deg);
      if (problem.empty()) return now;
    }
    before = now;
  }
  if (problem.empty()) problem = "no two readings in a row arrived";
  return std::nullopt;
}

std::vector<BoardPose> read_pose(BoardSession& session, const ReadingRules& rules) {
  std::vector<BoardPose> pose;
  for (int b = 0; b < session.num_boards(); ++b) {
    std::string problem;
    const std::optional<BoardPose> board = read_board_pose(session, b, rules, problem);
    if (!board) {
      throw LinkError(session.name() + ": " + board_text(session, b) +
                      ": its positions cannot be read: " + problem);
    }
    pose.push_back(*board);
  }
  return pose;
}

JointArray<double> joint_angles(const BoardSession& session, const std::vector<BoardPose>& pose) {
  JointArray<double> angles{};
  for (std::size_t b = 0; b < pose.size(); ++b) {
    session.calibration().to_angles(static_cast<int>(b), pose[b].counts, angles);
  }
  return angles;
}

int joint_degrees(const JointWiring& joint, int count) {
  return joint.sign * (count - joint.home_deg);
}

LargestDifference largest_difference(const BoardSession& session,
                                     const std::vector<ChannelCounts>& a,
                                     const std::vector<ChannelCounts>& b) {
  LargestDifference largest;
  const std::vector<JointWiring>& joints = session.wiring().joints;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto board = static_cast<std::size_t>(joints[j].board());
    const int from = a[board][slot_of(joints[j])];
    const int to = b[board][slot_of(joints[j])];
    if (from > kMaxCount || to > kMaxCount || std::abs(from - to) <= largest.degrees) continue;
    largest = {static_cast<int>(j), std::abs(from - to)};
  }
  return largest;
}

std::vector<ChannelCounts> counts_of(const std::vector<BoardPose>& pose) {
  std::vector<ChannelCounts> counts;
  for (const BoardPose& board : pose) counts.push_back(board.counts);
  return counts;
}

}  // namespace kagami::tools
