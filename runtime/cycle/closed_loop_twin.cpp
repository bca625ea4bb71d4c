#include "runtime/cycle/closed_loop_twin.hpp"

#include "models/base/idx.hpp"

namespace kagami::runtime {
namespace {

control::SafetyLimits limits_of(const models::RobotDescription& robot, const CycleConfig& config) {
  control::SafetyLimits limits = control::safety_limits(robot.wiring, robot.servos);
  if (config.rate_max) limits.rate_max = *config.rate_max;
  return limits;
}

}  // namespace

ClosedLoopTwin::ClosedLoopTwin(const models::RobotDescription& robot, const CycleConfig& config)
    : model_(robot, config), gate_(limits_of(robot, config)) {}

void ClosedLoopTwin::start(const drivers::ServoSample& sample, std::int64_t now_ns) noexcept {
  model_.start(sample, now_ns);
  measured_ = measurements_of(sample);
  targets_.fill(sample.angle);
  begun_ = false;
  for (std::size_t b = 0; b < sequence_.size(); ++b) sequence_[b] = sample.command[b].sequence;
}

void ClosedLoopTwin::set_target(const JointArray<double>& target, double dt,
                                std::int64_t tick) noexcept {
  // the robot's own gate has judged the start; here every first target is taken where it is
  control::GateReport report;
  if (begun_) {
    static_cast<void>(gate_.pass_stream(target, dt, report));
  } else {
    begun_ = gate_.begin(target, target, report) != control::GateStatus::kRefused;
  }
  if (begun_) targets_[static_cast<std::size_t>(tick % kHistorySize)] = gate_.safe();
}

void ClosedLoopTwin::follow(const drivers::ServoSample& sample) noexcept {
  for (int b = 0; b < model_.num_boards(); ++b) {
    drivers::BoardCommand received = sample.command[idx(b)];
    if (received.sequence == sequence_[idx(b)]) continue;
    sequence_[idx(b)] = received.sequence;
    if (received.mode == drivers::TargetMode::kPositions) {
      if (received.cycle < 0) continue;
      // its own target of that tick, in bytes, as the robot's board got the robot's; out of the
      // boards' range it keeps what it had
      const JointArray<double>& target =
          targets_[idx(static_cast<int>(received.cycle % kHistorySize))];
      received.counts = {};
      int refused = -1;
      const drivers::IoStatus status =
          model_.calibration().to_counts(b, target, received.counts, refused);
      if (status != drivers::IoStatus::kOk) continue;
    }
    model_.command(b, received);
  }
}

void ClosedLoopTwin::advance(std::int64_t now_ns, const drivers::ServoSample& sample,
                             EventList& events) noexcept {
  follow(sample);
  const BoardDrivenModel::Bounds bounds = model_.advance(now_ns, sample);
  if (bounds.left) events.add(EventCode::kTwinReset, bounds.speed, bounds.joint);
  if (bounds.kept) events.add(EventCode::kTwinRestored);
  read(now_ns, sample);
}

void ClosedLoopTwin::read(std::int64_t now_ns, const drivers::ServoSample& sample) noexcept {
  for (int b = 0; b < model_.num_boards(); ++b) {
    const auto board = static_cast<std::size_t>(b);
    const std::int64_t sampled_ns = sample.reading[board].sampled_ns;
    if (sampled_ns <= measured_.sampled_ns[board]) continue;
    if (!model_.has_reached(sampled_ns, now_ns)) continue;
    read_board(b, sampled_ns);
  }
}

void ClosedLoopTwin::read_board(int board, std::int64_t sampled_ns) noexcept {
  measured_.sampled_ns[static_cast<std::size_t>(board)] = sampled_ns;
  JointArray<double> q{};
  if (model_.history().at(sampled_ns, q) == HistoryAnswer::kTooOld) return;
  model_.calibration().read_angles(board, q, measured_.angle);
}

}  // namespace kagami::runtime
