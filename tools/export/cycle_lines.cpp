#include "tools/export/cycle_lines.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

constexpr std::int64_t kPatience = 500'000'000;  // ns that a line waits for late readings

}  // namespace

CycleLines::CycleLines(const RobotWiring& wiring, std::function<void(const CycleLine&)> pass_on)
    : wiring_(wiring), pass_on_(std::move(pass_on)) {
  for (const JointWiring& joint : wiring.joints) board_.push_back(joint.board());
  last_sampled_ns_.fill(std::numeric_limits<std::int64_t>::min());
}

bool CycleLines::add(const runtime::CycleRecord& row) {
  if (!first_ns_) first_ns_ = row.in.now_ns;
  if (!waiting_.empty() && row.in.now_ns <= waiting_.back().at_ns) {
    ++left_out_;
    return false;
  }
  CycleLine line;
  line.at_ns = row.in.now_ns;
  line.t = 1e-9 * static_cast<double>(row.in.now_ns - *first_ns_);
  line.phase = row.out.phase;
  line.motion_time = row.out.motion_time;
  line.reference = row.out.q_ref;
  line.commanded = row.out.targets.angle;
  line.simulated = row.out.q_simulated;
  line.torque = row.out.torque_simulated;
  for (auto* joints : {&line.measured, &line.residual, &line.received}) {
    joints->fill(std::numeric_limits<double>::quiet_NaN());
  }
  line.speed_code.fill(std::numeric_limits<double>::quiet_NaN());
  waiting_.push_back(line);
  place_commands(row.in.sample);
  if (row.in.sample_is_new) place_readings(row);
  while (waiting_.size() > 1 && waiting_.back().at_ns - waiting_.front().at_ns > kPatience) {
    pass_on_(waiting_.front());
    waiting_.pop_front();
  }
  return true;
}

void CycleLines::finish() {
  for (const CycleLine& line : waiting_) pass_on_(line);
  waiting_.clear();
}

CycleLine& CycleLines::nearest_line(std::int64_t at_ns) {
  return *std::min_element(waiting_.begin(), waiting_.end(),
                           [at_ns](const CycleLine& x, const CycleLine& y) {
                             return std::llabs(x.at_ns - at_ns) < std::llabs(y.at_ns - at_ns);
                           });
}

// counts of the boards as angles, by home and sign
void CycleLines::place_commands(const drivers::ServoSample& sample) {
  constexpr std::uint8_t kLastCount = 180;
  for (std::size_t b = 0; b < wiring_.boards.size(); ++b) {
    const drivers::BoardCommand& command = sample.command[b];
    const bool is_known = command.sequence == command_[b].sequence &&
                          command.effective_ns == command_[b].effective_ns;
    if (is_known) continue;
    command_[b] = command;
    if (command.mode != drivers::TargetMode::kPositions) continue;
    CycleLine& nearest = nearest_line(command.effective_ns);
    nearest.speed_code[b] = command.speed;
    for (std::size_t j = 0; j < board_.size(); ++j) {
      const JointWiring& joint = wiring_.joints[j];
      const std::uint8_t count = command.counts[static_cast<std::size_t>(joint.slot())];
      if (board_[j] != static_cast<int>(b) || count > kLastCount) continue;
      nearest.received[j] = to_rad(joint.sign * (count - joint.home_deg));
    }
  }
}

void CycleLines::place_readings(const runtime::CycleRecord& row) {
  for (std::size_t b = 0; b < row.in.sample.reading.size(); ++b) {
    const drivers::BoardReading& reading = row.in.sample.reading[b];
    const std::int64_t at_ns = reading.sampled_ns;
    if (!reading.is_new || at_ns < 0 || at_ns <= last_sampled_ns_[b]) continue;
    last_sampled_ns_[b] = at_ns;
    CycleLine& nearest = nearest_line(at_ns);
    for (std::size_t j = 0; j < board_.size(); ++j) {
      if (board_[j] != static_cast<int>(b)) continue;
      nearest.measured[j] = row.in.sample.angle[j];
      if (row.out.residual_is_new[b]) nearest.residual[j] = row.out.residual[j];
    }
  }
}

}  // namespace kagami::tools
