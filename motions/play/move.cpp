#include "motions/play/move.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "models/base/angle.hpp"
#include "motions/play/interpolate.hpp"

namespace kagami::motions {
namespace {

constexpr double kRelativeSlack = 1e-9;

double travel_deg(const JointArray<double>& from, const JointArray<double>& to,
                  std::size_t j) noexcept {
  return std::abs(to_deg(to[j] - from[j]));
}

// own code at rate 1, else the slowest code that arrives within the scaled time
int code_for_rate(const SpeedTable& speed, int code, double travel, double rate) noexcept {
  if (std::abs(rate - 1.0) < kRelativeSlack) return code;
  const double allowed = speed.duration(code, travel) / rate * (1.0 + kRelativeSlack);
  for (int slower = kSpeedCodes - 1; slower > 0; --slower) {
    if (speed.duration(slower, travel) <= allowed) return slower;
  }
  return 0;
}

}  // namespace

BoardLayout board_layout(const RobotWiring& wiring) {
  BoardLayout layout;
  layout.num_joints = static_cast<int>(wiring.joints.size());
  for (std::size_t j = 0; j < wiring.joints.size(); ++j) layout.board[j] = wiring.joints[j].board();
  layout.speed = wiring.speed;
  return layout;
}

double largest_travel_deg(const BoardLayout& layout, const JointArray<double>& from,
                          const JointArray<double>& to) noexcept {
  double largest = 0.0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(layout.num_joints); ++j) {
    largest = std::max(largest, travel_deg(from, to, j));
  }
  return largest;
}

Move keyframe_move(const BoardLayout& layout, const JointArray<double>& from,
                   const JointArray<double>& to, PoseTiming timing, double rate) noexcept {
  Move move;
  move.from = from;
  move.to = to;
  move.duration = timing.duration;
  const SpeedTable& speed = layout.speed;
  const double travel = largest_travel_deg(layout, from, to);
  move.max_rate = timing.duration / speed.duration(0, travel);
  const double followed = std::min(rate, move.max_rate);
  const int code = code_for_rate(speed, timing.code, travel, followed);
  move.code = static_cast<std::uint8_t>(code);

  // a board that scales brings all its channels home together, each board by itself
  std::array<double, kMaxBoards> board_travel{};
  for (std::size_t j = 0; j < static_cast<std::size_t>(layout.num_joints); ++j) {
    double& largest = board_travel[static_cast<std::size_t>(layout.board[j])];
    largest = std::max(largest, travel_deg(from, to, j));
  }
  const double seconds_per_degree = speed.seconds_per_degree[static_cast<std::size_t>(code)];
  for (std::size_t j = 0; j < static_cast<std::size_t>(layout.num_joints); ++j) {
    const double together =
        speed.duration(code, board_travel[static_cast<std::size_t>(layout.board[j])]);
    const double alone = travel_deg(from, to, j) * seconds_per_degree;
    move.arrival[j] = (speed.scaled ? together : alone) * followed;
  }
  return move;
}

void ramp_point(const BoardLayout& layout, const Move& move, double t, MovePoint& point) noexcept {
  for (std::size_t j = 0; j < static_cast<std::size_t>(layout.num_joints); ++j) {
    const bool is_moving = t < move.arrival[j];
    const double slope = is_moving ? (move.to[j] - move.from[j]) / move.arrival[j] : 0.0;
    point.q[j] = is_moving ? move.from[j] + slope * t : move.to[j];
    point.dq_dt[j] = slope;
  }
}

void line_point(const BoardLayout& layout, const Move& move, double t, MovePoint& point) noexcept {
  const double part = std::min(1.0, t / move.duration);
  for (std::size_t j = 0; j < static_cast<std::size_t>(layout.num_joints); ++j) {
    const double way = move.to[j] - move.from[j];
    point.q[j] = move.from[j] + part * way;
    point.dq_dt[j] = way / move.duration;
  }
}

void stream_point(const BoardLayout& layout, const Move& move, double t,
                  MovePoint& point) noexcept {
  for (std::size_t j = 0; j < static_cast<std::size_t>(layout.num_joints); ++j) {
    const QuinticPiece piece{move.from[j], move.to[j], move.v_from[j], move.v_to[j], move.duration};
    const CurvePoint at = piece.at(t);
    point.q[j] = at.q;
    point.dq_dt[j] = at.qd;
  }
}

}  // namespace kagami::motions
