#include "tools/tune/servo_model_loop.hpp"

#include <cmath>

#include "drivers/rcb1/turnaround.hpp"

namespace kagami::tools {
namespace {

// docs/rcb1.md: set positions 16 bytes and 2 back, read positions 3 and 14
constexpr double kSetBytes = 16.0;
constexpr double kAckBytes = 2.0;
constexpr double kReadBytes = 3.0;
constexpr double kReadingBytes = 14.0;

bool is_within(std::int64_t at_ns, std::int64_t before_ns, std::int64_t now_ns) noexcept {
  return at_ns > before_ns && at_ns <= now_ns;
}

}  // namespace

LineTiming line_timing(int num_boards, double latency) {
  const auto byte = static_cast<double>(drivers::rcb1::kByteTimeNs);
  const double wait = latency * 1e9;
  LineTiming line;
  double at = 0.0;
  for (int b = 0; b < num_boards; ++b) {
    const double heard = at + kSetBytes * byte;
    line.command_ns[static_cast<std::size_t>(b)] = std::llround(heard + 0.5 * wait);
    at = heard + wait + kAckBytes * byte;
  }
  for (int b = 0; b < num_boards; ++b) {
    const double heard = at + kReadBytes * byte;
    line.sampled_ns[static_cast<std::size_t>(b)] = std::llround(heard + 0.5 * wait);
    at = heard + wait + kReadingBytes * byte;
  }
  line.round_ns = std::llround(at);
  return line;
}

ServoModelLoop::ServoModelLoop(const models::RobotDescription& robot, const ServoSet& servos,
                               const LineTiming& line)
    : body_(robot.model, servos, robot.wiring), calibration_(robot.wiring), line_(line) {}

// what the boards receive between two ticks
void ServoModelLoop::tell(std::int64_t before_ns, std::int64_t now_ns) noexcept {
  for (int b = 0; b < calibration_.num_boards(); ++b) {
    const std::int64_t at_ns = round_begin_ns_ + line_.command_ns[static_cast<std::size_t>(b)];
    if (!is_within(at_ns, before_ns, now_ns)) continue;
    drivers::ChannelCounts counts{};
    int refused = -1;
    // out of the boards' range they keep what they had
    if (calibration_.to_counts(b, sent_, counts, refused) != drivers::IoStatus::kOk) continue;
    calibration_.to_angles(b, counts, commanded_);
    body_.command(b, commanded_, 0, at_ns);
  }
}

// what the boards read between two ticks, in whole degrees
void ServoModelLoop::read(std::int64_t before_ns, std::int64_t now_ns) noexcept {
  for (int b = 0; b < calibration_.num_boards(); ++b) {
    const auto board = static_cast<std::size_t>(b);
    const std::int64_t at_ns = round_begin_ns_ + line_.sampled_ns[board];
    if (!is_within(at_ns, before_ns, now_ns)) continue;
    const double share =
        static_cast<double>(at_ns - before_ns) / static_cast<double>(now_ns - before_ns);
    JointArray<double> q{};
    for (std::size_t j = 0; j < q.size(); ++j) {
      q[j] = before_[j] + share * (body_.q()[j] - before_[j]);
    }
    reading_.sampled_ns[board] = at_ns;
    calibration_.read_angles(b, q, reading_.angle);
  }
}

void ServoModelLoop::run(LoopCore& core, const JointArray<double>& pose, std::int64_t ticks,
                         const LoopReference& reference, const LoopVisit& visit) {
  core.reset(pose);
  body_.reset(pose, 0);
  sent_ = commanded_ = before_ = pose;
  measured_.angle = pose;
  measured_.sampled_ns.fill(0);
  reading_ = measured_;
  round_begin_ns_ = 0;
  motions::PlayCommand command;
  command.q_ref = pose;
  std::int64_t before_ns = 0;
  for (std::int64_t tick = 0; tick < ticks; ++tick) {
    const std::int64_t now_ns = (tick + 1) * kLoopPeriodNs;
    // the line: commands before the step, readings after it, a new round when the last is over
    tell(before_ns, now_ns);
    before_ = body_.q();
    body_.step(kLoopPeriodNs);
    read(before_ns, now_ns);
    if (now_ns >= round_begin_ns_ + line_.round_ns) {
      measured_ = reading_;
      round_begin_ns_ += line_.round_ns;
      sent_ = core.target();
    }
    reference(tick, command);
    const JointArray<double>& target = core.step(now_ns, measured_, command);
    if (visit) visit({tick, now_ns, command, body_.q(), measured_, target, core});
    if (core.status() != control::ControlStatus::kOk || !body_.is_valid()) return;
    before_ns = now_ns;
  }
}

}  // namespace kagami::tools
