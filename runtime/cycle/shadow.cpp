#include "runtime/cycle/shadow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kagami::runtime {
namespace {

/// The model counts as healthy again when it stayed inside its bounds for so long.
constexpr std::int64_t kHealthyNs = 1'000'000'000;

}  // namespace

models::ServoDrivenRobot shadow_body(const models::RobotDescription& robot,
                                     const CycleConfig& config) {
  models::ServoDrivenRobot body =
      config.floor ? models::ServoDrivenRobot(robot.model, robot.servos, robot.wiring, robot.boxes,
                                              *config.floor)
                   : models::ServoDrivenRobot(robot.model, robot.servos, robot.wiring);
  body.disturb(config.disturbances);
  return body;
}

JointArray<double> unknown_joints(int num_joints) noexcept {
  JointArray<double> values{};
  std::fill_n(values.begin(), num_joints, std::numeric_limits<double>::quiet_NaN());
  return values;
}

Shadow::Shadow(const models::RobotDescription& robot, const CycleConfig& config)
    : body_(shadow_body(robot, config)),
      start_(config.start),
      calibration_(robot.wiring),
      num_joints_(calibration_.num_joints()),
      num_boards_(calibration_.num_boards()),
      time_(robot.servos, config),
      compares_(config.read_every != 0),
      q_aligned_(unknown_joints(num_joints_)),
      residual_(q_aligned_),
      residual_naive_(q_aligned_) {}

void Shadow::start(const drivers::ServoSample& sample, std::int64_t now_ns) noexcept {
  body_.reset(sample.angle, start_, now_ns);
  base_ = body_.base();
  commanded_ = sample.angle;
  command_ = sample.command;
  for (int b = 0; b < num_boards_; ++b) {
    const auto board = static_cast<std::size_t>(b);
    compared_ns_[board] = sample.reading[board].sampled_ns;
  }
  history_.clear();
  history_.push(now_ns, body_.q());
  time_.start(sample.round, now_ns);
  running_ = true;
}

void Shadow::follow(const drivers::ServoSample& sample) noexcept {
  for (int b = 0; b < num_boards_; ++b) {
    const auto board = static_cast<std::size_t>(b);
    const drivers::BoardCommand& received = sample.command[board];
    // one command may take several frames: a step towards it in each
    const bool is_known = received.sequence == command_[board].sequence &&
                          received.effective_ns == command_[board].effective_ns;
    if (is_known) continue;
    command_[board] = received;
    if (received.mode == drivers::TargetMode::kPositions) {
      calibration_.to_angles(b, received.counts, commanded_);
      body_.command(b, commanded_, received.speed, received.effective_ns);
    } else if (received.mode == drivers::TargetMode::kSleep) {
      body_.release(b, received.effective_ns);
    }
  }
}

void Shadow::advance(std::int64_t now_ns, const drivers::ServoSample& sample,
                     EventList& events) noexcept {
  time_.begin_tick(sample.round, now_ns);
  while (const std::int64_t step_ns = time_.next_step(body_.time_ns())) {
    body_.step(step_ns);
    if (!body_.is_valid()) restart(sample, events);
    history_.push(body_.time_ns(), body_.q());
  }
  if (restart_episode_ && body_.time_ns() - restarted_ns_ >= kHealthyNs) {
    restart_episode_ = false;
    events.add(EventCode::kShadowRestored);
  }
}

void Shadow::restart(const drivers::ServoSample& sample, EventList& events) noexcept {
  const std::int64_t at_ns = body_.time_ns();
  body_.reset(sample.angle, base_, at_ns);
  history_.clear();
  for (int b = 0; b < num_boards_; ++b) {
    const drivers::BoardCommand& last = command_[static_cast<std::size_t>(b)];
    if (last.mode == drivers::TargetMode::kPositions) {
      body_.command(b, commanded_, last.speed, at_ns);
    } else if (last.mode == drivers::TargetMode::kSleep) {
      body_.release(b, at_ns);
    }
  }
  if (!restart_episode_) events.add(EventCode::kShadowReset);
  restart_episode_ = true;
  restarted_ns_ = at_ns;
}

void Shadow::compare(std::int64_t now_ns, const drivers::ServoSample& sample,
                     CycleOutput& out) noexcept {
  is_new_.fill(false);
  if (running_) {
    for (int b = 0; b < num_boards_ && compares_; ++b) compare_board(b, now_ns, sample);
    std::copy_n(body_.q().begin(), num_joints_, out.q_simulated.begin());
    std::copy_n(body_.qd().begin(), num_joints_, out.qd_simulated.begin());
    std::copy_n(body_.torque().begin(), num_joints_, out.torque_simulated.begin());
    base_ = body_.base();
    out.base = base_;
    out.fell = body_.fell();
  } else {
    out.q_simulated = unknown_joints(num_joints_);
    out.qd_simulated = out.q_simulated;
    out.torque_simulated = out.q_simulated;
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    out.base = {.x = kUnknown,
                .y = kUnknown,
                .z = kUnknown,
                .heading = kUnknown,
                .tilt = kUnknown,
                .turn = {kUnknown, kUnknown, kUnknown, kUnknown}};
  }
  out.q_aligned = q_aligned_;
  out.residual = residual_;
  out.residual_naive = residual_naive_;
  out.residual_is_new = is_new_;
}

void Shadow::compare_board(int board, std::int64_t now_ns,
                           const drivers::ServoSample& sample) noexcept {
  const auto b = static_cast<std::size_t>(board);
  const std::int64_t sampled_ns = sample.reading[b].sampled_ns;
  if (sampled_ns <= compared_ns_[b]) return;
  const bool is_ahead = sampled_ns > body_.time_ns();
  if (is_ahead && sampled_ns <= now_ns) return;  // the model is on its way there
  compared_ns_[b] = sampled_ns;

  // a reading from the future meets the newest state: aligned and naive are then equal
  JointArray<double> q{};
  if (history_.at(sampled_ns, q) == HistoryAnswer::kTooOld) return;
  for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
    const int joint = calibration_.joint_at(board, slot);
    if (joint < 0) continue;
    const auto i = static_cast<std::size_t>(joint);
    q_aligned_[i] = q[i];
    residual_[i] = q[i] - sample.angle[i];
    residual_naive_[i] = body_.q()[i] - sample.angle[i];
  }
  is_new_[b] = true;
}

}  // namespace kagami::runtime
