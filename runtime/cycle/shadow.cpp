#include "runtime/cycle/shadow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/idx.hpp"

namespace kagami::runtime {
JointArray<double> unknown_joints(int num_joints) noexcept {
  JointArray<double> values{};
  std::fill_n(values.begin(), num_joints, std::numeric_limits<double>::quiet_NaN());
  return values;
}

Shadow::Shadow(const models::RobotDescription& robot, const CycleConfig& config)
    : model_(robot, config),
      num_joints_(model_.calibration().num_joints()),
      compares_(config.read_every != 0),
      q_aligned_(unknown_joints(num_joints_)),
      residual_(q_aligned_),
      residual_naive_(q_aligned_) {
  for (std::size_t j = 0; j < robot.servos.joints.size(); ++j) {
    reading_gain_[j] = robot.servos.joints[j].reading_gain;
  }
}

void Shadow::start(const drivers::ServoSample& sample, std::int64_t now_ns) noexcept {
  model_.start(sample, now_ns);
  command_ = sample.command;
  for (int b = 0; b < model_.num_boards(); ++b) {
    compared_ns_[idx(b)] = sample.reading[idx(b)].sampled_ns;
  }
  running_ = true;
}

void Shadow::follow(const drivers::ServoSample& sample) noexcept {
  for (int b = 0; b < model_.num_boards(); ++b) {
    const drivers::BoardCommand& received = sample.command[idx(b)];
    // one command may take several frames: a step towards it in each
    const bool is_known = received.sequence == command_[idx(b)].sequence &&
                          received.effective_ns == command_[idx(b)].effective_ns;
    if (is_known) continue;
    command_[idx(b)] = received;
    model_.command(b, received);
  }
}

void Shadow::advance(std::int64_t now_ns, const drivers::ServoSample& sample,
                     EventList& events) noexcept {
  const BoardDrivenModel::Bounds bounds = model_.advance(now_ns, sample);
  if (bounds.left) events.add(EventCode::kShadowReset, bounds.speed, bounds.joint);
  if (bounds.kept) events.add(EventCode::kShadowRestored);
}

void Shadow::compare(std::int64_t now_ns, const drivers::ServoSample& sample,
                     CycleOutput& out) noexcept {
  is_new_.fill(false);
  if (running_) {
    const models::ServoDrivenRobot& body = model_.body();
    for (int b = 0; b < model_.num_boards() && compares_; ++b) compare_board(b, now_ns, sample);
    std::copy_n(body.q().begin(), num_joints_, out.q_simulated.begin());
    std::copy_n(body.qd().begin(), num_joints_, out.qd_simulated.begin());
    std::copy_n(body.torque().begin(), num_joints_, out.torque_simulated.begin());
    out.base = body.base();
    out.fell = body.fell();
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
  if (!model_.has_reached(sampled_ns, now_ns)) return;
  compared_ns_[b] = sampled_ns;

  // a reading from the future meets the newest state: aligned and naive are then equal
  JointArray<double> q{};
  if (model_.history().at(sampled_ns, q) == HistoryAnswer::kTooOld) return;
  for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
    const int joint = model_.calibration().joint_at(board, slot);
    if (joint < 0) continue;
    const auto i = static_cast<std::size_t>(joint);
    const double gain = 1.0 + reading_gain_[i];
    q_aligned_[i] = gain * q[i];
    residual_[i] = q_aligned_[i] - sample.angle[i];
    residual_naive_[i] = gain * model_.body().q()[i] - sample.angle[i];
  }
  is_new_[b] = true;
}

}  // namespace kagami::runtime
