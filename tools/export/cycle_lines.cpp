#include "tools/export/cycle_lines.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace kagami::tools {
namespace {

constexpr std::int64_t kPatience = 500'000'000;  // ns that a line waits for late readings

}  // namespace

CycleLines::CycleLines(const RobotWiring& wiring, std::function<void(const CycleLine&)> pass_on)
    : pass_on_(std::move(pass_on)) {
  for (const JointWiring& joint : wiring.joints) board_.push_back(joint.board());
  last_sampled_ns_.fill(std::numeric_limits<std::int64_t>::min());
}

void CycleLines::add(const runtime::CycleRecord& row) {
  if (!first_ns_) first_ns_ = row.in.now_ns;
  if (!waiting_.empty() && row.in.now_ns <= waiting_.back().at_ns) {
    ++left_out_;
    return;
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
  line.measured.fill(std::numeric_limits<double>::quiet_NaN());
  line.residual.fill(std::numeric_limits<double>::quiet_NaN());
  waiting_.push_back(line);
  if (row.in.sample_is_new) place_readings(row);
  while (waiting_.size() > 1 && waiting_.back().at_ns - waiting_.front().at_ns > kPatience) {
    pass_on_(waiting_.front());
    waiting_.pop_front();
  }
}

void CycleLines::finish() {
  for (const CycleLine& line : waiting_) pass_on_(line);
  waiting_.clear();
}

void CycleLines::place_readings(const runtime::CycleRecord& row) {
  for (std::size_t b = 0; b < row.in.sample.reading.size(); ++b) {
    const drivers::BoardReading& reading = row.in.sample.reading[b];
    const std::int64_t at_ns = reading.sampled_ns;
    if (!reading.is_new || at_ns < 0 || at_ns <= last_sampled_ns_[b]) continue;
    last_sampled_ns_[b] = at_ns;
    const auto nearest = std::min_element(
        waiting_.begin(), waiting_.end(), [at_ns](const CycleLine& x, const CycleLine& y) {
          return std::llabs(x.at_ns - at_ns) < std::llabs(y.at_ns - at_ns);
        });
    for (std::size_t j = 0; j < board_.size(); ++j) {
      if (board_[j] != static_cast<int>(b)) continue;
      nearest->measured[j] = row.in.sample.angle[j];
      if (row.out.residual_is_new[b]) nearest->residual[j] = row.out.residual[j];
    }
  }
}

}  // namespace kagami::tools
