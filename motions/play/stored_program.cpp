#include "motions/play/stored_program.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/base/time.hpp"
#include "motions/file/bind.hpp"

namespace kagami::motions {
namespace {

constexpr double kWait = 1e-3;  // s, a pose that lasts so much longer than its code waits

[[noreturn]] void refuse_stored(const Motion& motion, const std::string& problem) {
  throw ConfigError("--mode stored: " + (motion.file.empty() ? motion.name : motion.file) + ": " +
                    problem + "; expected --mode keyframe, ramp or stream");
}

JointArray<double> sent_angles(const Pose& pose) {
  JointArray<double> angles{};
  for (std::size_t j = 0; j < pose.angle.size(); ++j) {
    angles[j] = sent_angle(pose.angle[j].value_or(0.0));
  }
  return angles;
}

// the largest change of this board's joints, degrees
double board_travel_deg(const BoardLayout& layout, int board, const JointArray<double>& from,
                        const JointArray<double>& to) {
  double largest = 0.0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(layout.num_joints); ++j) {
    if (layout.board[j] == board) largest = std::max(largest, std::abs(to_deg(to[j] - from[j])));
  }
  return largest;
}

}  // namespace

void check_stored(const Motion& motion, const RobotWiring& wiring) {
  if (!motion.has_speed_codes())
    refuse_stored(motion, "not every pose has a speed code, by which a board moves");
  if (motion.poses.size() > kMaxStoredPoses) {
    refuse_stored(motion, "it has " + std::to_string(motion.poses.size()) +
                              " poses, a board's memory holds at most " +
                              std::to_string(kMaxStoredPoses) + " of a motion");
  }
  for (std::size_t k = 1; k < motion.poses.size(); ++k) {
    const Pose& pose = motion.poses[k];
    const double travel = largest_travel_deg(motion.poses[k - 1], pose);
    const double takes = wiring.speed.duration(pose.speed.value_or(0), travel);
    if (pose.duration <= takes + kWait) continue;
    refuse_stored(motion, "pose " + std::to_string(k) + " lasts " + number_text(pose.duration) +
                              " s, its speed code takes " + number_text(takes) +
                              " s: the boards' memory holds no waits");
  }
}

StoredProgram::StoredProgram(const Motion& motion, const RobotWiring& wiring)
    : layout_(board_layout(wiring)), num_boards_(static_cast<int>(wiring.boards.size())) {
  check_stored(motion, wiring);
  for (int b = 0; b < num_boards_; ++b) {
    std::vector<Pose>& poses = boards_[static_cast<std::size_t>(b)];
    JointArray<double> from = sent_angles(motion.poses.front());
    std::int64_t start_ns = 0;
    for (const motions::Pose& pose : motion.poses) {
      const JointArray<double> to = sent_angles(pose);
      const auto code = static_cast<std::uint8_t>(pose.speed.value_or(0));
      const double seconds = layout_.speed.duration(code, board_travel_deg(layout_, b, from, to));
      const std::int64_t end_ns = start_ns + std::llround(seconds * 1e9);
      poses.push_back({to, code, start_ns, end_ns});
      from = to;
      start_ns = end_ns;
    }
  }
}

double StoredProgram::duration() const noexcept {
  std::int64_t last = 0;
  for (int b = 0; b < num_boards_; ++b) last = std::max(last, poses(b).back().end_ns);
  return seconds(last);
}

double StoredProgram::spread() const noexcept {
  std::int64_t first = poses(0).back().end_ns;
  for (int b = 1; b < num_boards_; ++b) first = std::min(first, poses(b).back().end_ns);
  return duration() - seconds(first);
}

void StoredProgram::point(double t, MovePoint& point) const noexcept {
  for (int b = 0; b < num_boards_; ++b) {
    const std::vector<Pose>& poses = this->poses(b);
    const auto now_ns = static_cast<std::int64_t>(std::max(0.0, t) * 1e9);
    const auto next =
        std::upper_bound(poses.begin(), poses.end(), now_ns,
                         [](std::int64_t at, const Pose& p) { return at < p.end_ns; });
    const Pose& to = next == poses.end() ? poses.back() : *next;
    const Pose& from = &to == &poses.front() ? to : *(&to - 1);
    const Move move = keyframe_move(layout_, from.angle, to.angle,
                                    {to.code, seconds(to.end_ns - to.start_ns)}, 1.0);
    MovePoint board;
    ramp_point(layout_, move, t - seconds(to.start_ns), board);
    for (std::size_t j = 0; j < static_cast<std::size_t>(layout_.num_joints); ++j) {
      if (layout_.board[j] != b) continue;
      point.q[j] = board.q[j];
      point.dq_dt[j] = board.dq_dt[j];
    }
  }
}

void StoredPlayback::start(int board, std::int64_t at_ns) noexcept {
  const auto b = static_cast<std::size_t>(board);
  playing_[b] = {.is_on = !program_.is_empty(), .next = 0, .start_ns = at_ns};
}

std::optional<StoredPlayback::Begin> StoredPlayback::next(std::int64_t until_ns) noexcept {
  for (int b = 0; b < kMaxBoards; ++b) {
    Playing& playing = playing_[static_cast<std::size_t>(b)];
    const std::vector<StoredProgram::Pose>& poses = program_.poses(b);
    if (!playing.is_on || playing.next >= poses.size()) continue;
    const StoredProgram::Pose& pose = poses[playing.next];
    const std::int64_t at_ns = playing.start_ns + pose.start_ns;
    if (at_ns >= until_ns) continue;
    ++playing.next;
    return Begin{b, &pose, at_ns};
  }
  return std::nullopt;
}

}  // namespace kagami::motions
