#include "runtime/cycle/closed_loop_twin.hpp"

#include <cmath>

#include <algorithm>

#include "runtime/cycle/shadow.hpp"

namespace kagami::runtime {
namespace {

constexpr std::int64_t kHealthyNs = 1'000'000'000;  // inside its bounds for so long: well again

control::SafetyLimits limits_of(const models::RobotDescription& robot, const CycleConfig& config) {
  control::SafetyLimits limits = control::safety_limits(robot.wiring, robot.servos);
  if (config.rate_max) limits.rate_max = *config.rate_max;
  return limits;
}

}  // namespace

ClosedLoopTwin::ClosedLoopTwin(const models::RobotDescription& robot, const CycleConfig& config)
    : body_(shadow_body(robot, config)),
      start_(config.start),
      calibration_(robot.wiring),
      gate_(limits_of(robot, config)),
      num_boards_(calibration_.num_boards()),
      num_joints_(static_cast<int>(robot.wiring.joints.size())),
      time_(robot.servos, config) {}

void ClosedLoopTwin::start(const drivers::ServoSample& sample, std::int64_t now_ns) noexcept {
  body_.reset(sample.angle, start_, now_ns);
  history_.clear();
  history_.push(now_ns, body_.q());
  seen_ = seen_by(sample);
  commanded_ = sample.angle;
  targets_.fill(sample.angle);
  begun_ = restart_episode_ = false;
  for (std::size_t b = 0; b < sequence_.size(); ++b) sequence_[b] = sample.command[b].sequence;
  time_.start(sample.round, now_ns);
}

void ClosedLoopTwin::tell(const JointArray<double>& target, double dt, std::int64_t tick) noexcept {
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
  for (int b = 0; b < num_boards_; ++b) {
    const auto board = static_cast<std::size_t>(b);
    const drivers::BoardCommand& received = sample.command[board];
    if (received.sequence == sequence_[board]) continue;
    sequence_[board] = received.sequence;
    if (received.mode == drivers::TargetMode::kSleep) {
      body_.release(b, received.effective_ns);
    } else if (received.mode == drivers::TargetMode::kPositions && received.cycle >= 0) {
      const auto tick = static_cast<std::size_t>(received.cycle % kHistorySize);
      drivers::ChannelCounts counts{};
      int refused = -1;
      // bytes, as the robot's board gets them; out of the boards' range it keeps what it had
      if (calibration_.to_counts(b, targets_[tick], counts, refused) != drivers::IoStatus::kOk) {
        continue;
      }
      calibration_.to_angles(b, counts, commanded_);
      body_.command(b, commanded_, received.speed, received.effective_ns);
    }
  }
}

void ClosedLoopTwin::advance(std::int64_t now_ns, const drivers::ServoSample& sample,
                             EventList& events) noexcept {
  follow(sample);
  time_.begin_tick(sample.round, now_ns);
  while (const std::int64_t step_ns = time_.next_step(body_.time_ns())) {
    body_.step(step_ns);
    if (!body_.is_valid()) restart(sample, events);
    history_.push(body_.time_ns(), body_.q());
  }
  if (restart_episode_ && body_.time_ns() - restarted_ns_ >= kHealthyNs) {
    restart_episode_ = false;
    events.add(EventCode::kTwinRestored);
  }
  read(now_ns, sample);
}

void ClosedLoopTwin::restart(const drivers::ServoSample& sample, EventList& events) noexcept {
  const JointArray<double>& qd = body_.qd();
  int fastest = 0;
  for (int j = 0; j < num_joints_; ++j) {
    const double rate = std::abs(qd[static_cast<std::size_t>(j)]);
    if (!(rate <= std::abs(qd[static_cast<std::size_t>(fastest)]))) fastest = j;
    if (!std::isfinite(rate)) break;
  }
  if (!restart_episode_) {
    events.add(EventCode::kTwinReset, qd[static_cast<std::size_t>(fastest)], fastest);
  }
  restart_episode_ = true;
  restarted_ns_ = body_.time_ns();
  body_.reset(sample.angle, start_, body_.time_ns());
}

void ClosedLoopTwin::read(std::int64_t now_ns, const drivers::ServoSample& sample) noexcept {
  for (int b = 0; b < num_boards_; ++b) {
    const auto board = static_cast<std::size_t>(b);
    const std::int64_t sampled_ns = sample.reading[board].sampled_ns;
    if (sampled_ns <= seen_.sampled_ns[board]) continue;
    if (sampled_ns > body_.time_ns() && sampled_ns <= now_ns) continue;  // on its way there
    read_board(b, sampled_ns);
  }
}

void ClosedLoopTwin::read_board(int board, std::int64_t sampled_ns) noexcept {
  seen_.sampled_ns[static_cast<std::size_t>(board)] = sampled_ns;
  JointArray<double> q{};
  if (history_.at(sampled_ns, q) == HistoryAnswer::kTooOld) return;
  calibration_.read_angles(board, q, seen_.angle);
}

}  // namespace kagami::runtime
