#include "runtime/cycle/board_driven_model.hpp"

#include <cmath>

#include "models/base/idx.hpp"

namespace kagami::runtime {
namespace {

/// The model counts as healthy again when it stayed inside its bounds for so long.
constexpr std::int64_t kHealthyNs = 1'000'000'000;

models::ServoDrivenRobot make_body(const models::RobotDescription& robot,
                                   const CycleConfig& config) {
  models::ServoDrivenRobot body =
      config.floor
          ? models::ServoDrivenRobot(robot.model, robot.servos, robot.wiring, robot.boxes,
                                     *config.floor, config.dynamics)
          : models::ServoDrivenRobot(robot.model, robot.servos, robot.wiring, config.dynamics);
  body.disturb(config.disturbances);
  return body;
}

// one that is not finite counts as faster than all others
int fastest_joint(const JointArray<double>& qd, int num_joints) noexcept {
  int fastest = 0;
  for (int j = 0; j < num_joints; ++j) {
    const double rate = std::abs(qd[idx(j)]);
    if (!(rate <= std::abs(qd[idx(fastest)]))) fastest = j;
    if (!std::isfinite(rate)) break;
  }
  return fastest;
}

}  // namespace

BoardDrivenModel::BoardDrivenModel(const models::RobotDescription& robot, const CycleConfig& config)
    : body_(make_body(robot, config)),
      calibration_(robot.wiring),
      time_(robot.servos, config),
      start_(config.start),
      stored_(config.stored) {}

void BoardDrivenModel::start(const drivers::ServoSample& sample, std::int64_t now_ns) noexcept {
  body_.reset(sample.angle, start_, now_ns);
  base_ = body_.base();
  commanded_ = sample.angle;
  last_ = sample.command;
  for (int b = 0; b < num_boards(); ++b) stored_.stop(b);
  restart_episode_ = false;
  history_.clear();
  history_.push(now_ns, body_.q());
  time_.start(sample.round, now_ns);
}

void BoardDrivenModel::command(int board, const drivers::BoardCommand& command) noexcept {
  last_[idx(board)] = command;
  if (command.mode == drivers::TargetMode::kPlay) {
    stored_.start(board, command.effective_ns);
  } else {
    stored_.stop(board);
  }
  if (command.mode == drivers::TargetMode::kPositions) {
    calibration_.to_angles(board, command.counts, commanded_);
  }
  apply(board, command.effective_ns);
}

void BoardDrivenModel::play_until(std::int64_t to_ns) noexcept {
  while (const auto begin = stored_.next(to_ns)) {
    for (std::size_t j = 0; j < idx(calibration_.num_joints()); ++j) {
      if (stored_.layout().board[j] == begin->board) commanded_[j] = begin->pose->angle[j];
    }
    last_[idx(begin->board)].speed = begin->pose->code;
    body_.command(begin->board, commanded_, begin->pose->code, begin->at_ns);
  }
}

void BoardDrivenModel::apply(int board, std::int64_t effective_ns) noexcept {
  const drivers::BoardCommand& command = last_[idx(board)];
  if (command.mode == drivers::TargetMode::kPositions || stored_.has_begun(board)) {
    body_.command(board, commanded_, command.speed, effective_ns);
  } else if (command.mode == drivers::TargetMode::kSleep) {
    body_.release(board, effective_ns);
  }
}

BoardDrivenModel::Bounds BoardDrivenModel::advance(std::int64_t now_ns,
                                                   const drivers::ServoSample& sample) noexcept {
  Bounds bounds;
  time_.begin_tick(sample.round, now_ns);
  while (const std::int64_t step_ns = time_.next_step(body_.time_ns())) {
    play_until(body_.time_ns() + step_ns);
    body_.step(step_ns);
    if (!body_.is_valid()) restart(sample, bounds);
    history_.push(body_.time_ns(), body_.q());
  }
  if (restart_episode_ && body_.time_ns() - restarted_ns_ >= kHealthyNs) {
    restart_episode_ = false;
    bounds.kept = true;
  }
  base_ = body_.base();
  return bounds;
}

void BoardDrivenModel::restart(const drivers::ServoSample& sample, Bounds& bounds) noexcept {
  if (!restart_episode_) {
    bounds.left = true;
    bounds.joint = fastest_joint(body_.qd(), calibration_.num_joints());
    bounds.speed = body_.qd()[idx(bounds.joint)];
  }
  const std::int64_t at_ns = body_.time_ns();
  restart_episode_ = true;
  restarted_ns_ = at_ns;
  body_.reset(sample.angle, base_, at_ns);
  history_.clear();
  for (int b = 0; b < num_boards(); ++b) apply(b, at_ns);
}

}  // namespace kagami::runtime
