#include "tools/board/stored_plays.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "drivers/rcb1/calibration.hpp"
#include "models/base/idx.hpp"

namespace kagami::tools {
namespace {

namespace rcb1 = drivers::rcb1;
namespace vr = drivers::virtual_robot;
using MemoryOp = rcb1::Command;

}  // namespace

StoredPlays::StoredPlays(const RobotWiring& wiring, std::vector<vr::BoardMemory> memory)
    : wiring_(wiring), boards_(wiring.boards.size()) {
  for (Board& board : boards_) board.counts.fill(rcb1::kLeaveAlone);
  for (std::size_t b = 0; b < std::min(memory.size(), boards_.size()); ++b) {
    boards_[b].memory = std::move(memory[b]);
    boards_[b].counts = boards_[b].memory.home;
    boards_[b].known.sizes.set();
    for (auto& poses : boards_[b].known.poses) poses.set();
    boards_[b].known.scenario_sizes.set();
    for (auto& entries : boards_[b].known.entries) entries.set();
  }
}

void StoredPlays::start(const JointArray<double>& angle) {
  const rcb1::Calibration calibration(wiring_);
  for (std::size_t b = 0; b < boards_.size(); ++b) {
    drivers::ChannelCounts joints{};
    int refused = -1;
    static_cast<void>(calibration.to_counts(static_cast<int>(b), angle, joints, refused));
    for (std::size_t slot = 0; slot < joints.size(); ++slot) {
      if (joints[slot] <= rcb1::kMaxCount) boards_[b].counts[slot] = joints[slot];
    }
  }
}

StoredPlays::Board* StoredPlays::board_of(std::uint8_t id) {
  for (std::size_t b = 0; b < boards_.size(); ++b) {
    if (wiring_.boards[b].id == id) return &boards_[b];
  }
  return nullptr;
}

void StoredPlays::take(const LineRequest& line) {
  const rcb1::Request& request = line.request;
  Board* board = board_of(request.board);
  if (board == nullptr) return;
  switch (request.command) {
    case MemoryOp::kSetPositions:
      board->waiting.clear();
      static_cast<void>(
          vr::take_pose(wiring_.speed, {request.speed, request.counts}, board->counts));
      break;
    case MemoryOp::kSetSwitches:
      board->is_asleep = (request.bits & rcb1::kSwitchSleep) != 0;
      if (board->is_asleep) board->waiting.clear();
      break;
    case MemoryOp::kPlayMotion:
    case MemoryOp::kPlayScenario:
      play(*board, line);
      break;
    default:
      write(*board, request);
      break;
  }
}

void StoredPlays::take(const LineAnswer& answer) {
  const rcb1::Request& request = answer.to.request;
  Board* board = board_of(request.board);
  if (board == nullptr) return;
  // an answer to a question has what a write would store
  rcb1::Request content = request;
  content.speed = answer.reply.speed;
  content.counts = answer.reply.counts;
  content.count = answer.reply.count;
  switch (request.command) {
    case MemoryOp::kGetPose:
      content.command = MemoryOp::kSetPose;
      break;
    case MemoryOp::kGetMotionSize:
      content.command = MemoryOp::kSetMotionSize;
      break;
    case MemoryOp::kGetScenarioEntry:
      content.command = MemoryOp::kSetScenarioEntry;
      content.motion = answer.reply.motion;
      break;
    case MemoryOp::kGetScenarioSize:
      content.command = MemoryOp::kSetScenarioSize;
      break;
    default:
      return;
  }
  write(*board, content);
}

// the decoder lets only numbers through that a board has
void StoredPlays::write(Board& board, const rcb1::Request& r) {
  switch (r.command) {
    case MemoryOp::kSetPose:
      board.memory.motions[r.motion].poses[r.pose] = {r.speed, r.counts};
      board.known.poses[r.motion].set(r.pose);
      break;
    case MemoryOp::kSetMotionSize:
      board.memory.motions[r.motion].count = r.count;
      board.known.sizes.set(r.motion);
      break;
    case MemoryOp::kSetScenarioEntry:
      board.memory.scenarios[r.scenario].motions[r.index] = r.motion;
      board.known.entries[r.scenario].set(r.index);
      break;
    case MemoryOp::kSetScenarioSize:
      board.memory.scenarios[r.scenario].count = r.count;
      board.known.scenario_sizes.set(r.scenario);
      break;
    default:
      break;
  }
}

bool StoredPlays::append_motion(const Board& board, int motion, std::vector<StoredPose>& poses) {
  if (motion >= vr::kMotions) return false;
  const vr::StoredMotion& stored = board.memory.motions[idx(motion)];
  if (!board.known.sizes.test(idx(motion))) return false;
  for (std::size_t k = 0; k < stored.count; ++k) {
    if (!board.known.poses[idx(motion)].test(k)) return false;
    poses.push_back(stored.poses[k]);
  }
  return true;
}

void StoredPlays::play(Board& board, const LineRequest& line) {
  if (board.is_asleep) return;
  ++played_;
  board.waiting.clear();
  std::vector<StoredPose> poses;
  bool is_known = true;
  if (line.request.command == MemoryOp::kPlayMotion) {
    is_known = append_motion(board, line.request.motion, poses);
  } else {
    const std::size_t s = line.request.scenario;
    const vr::StoredScenario& scenario = board.memory.scenarios[s];
    is_known = board.known.scenario_sizes.test(s);
    for (std::size_t k = 0; is_known && k < scenario.count; ++k) {
      is_known = board.known.entries[s].test(k) && append_motion(board, scenario.motions[k], poses);
    }
  }
  if (!is_known) {
    ++unknown_;
    return;
  }
  std::reverse(poses.begin(), poses.end());
  board.waiting = std::move(poses);
  board.next_ns = line.complete_ns;
}

std::optional<LineRequest> StoredPlays::next(std::int64_t until_ns) {
  for (std::size_t b = 0; b < boards_.size(); ++b) {
    Board& board = boards_[b];
    if (board.waiting.empty() || board.next_ns > until_ns) continue;
    const StoredPose pose = board.waiting.back();
    board.waiting.pop_back();
    const LineRequest begun{{.command = MemoryOp::kSetPositions,
                             .board = static_cast<std::uint8_t>(wiring_.boards[b].id),
                             .speed = pose.speed,
                             .counts = pose.counts},
                            board.next_ns};
    board.next_ns += std::llround(vr::take_pose(wiring_.speed, pose, board.counts) * 1e9);
    return begun;
  }
  return std::nullopt;
}

}  // namespace kagami::tools
