#include "tools/analysis/series_builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kagami::tools {

using runtime::CycleRecord;
using runtime::Phase;

namespace {

constexpr std::uint64_t kMostReserved = 4'000'000;  // over an hour at 1 kHz

}  // namespace

SeriesBuilder::SeriesBuilder(const RobotWiring& wiring) {
  for (const JointWiring& joint : wiring.joints) {
    run_.joints.push_back({joint.joint, joint.channel, {}, {}, {}});
    board_.push_back(joint.board());
  }
  run_.simulated.angle.resize(wiring.joints.size());
  last_sampled_ns_.fill(std::numeric_limits<std::int64_t>::min());
}

void SeriesBuilder::reserve(std::uint64_t rows) {
  // the number comes from the record, which may be wrong
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(rows, kMostReserved));
  run_.simulated.time.reserve(count);
  for (std::vector<double>& curve : run_.simulated.angle) curve.reserve(count);
}

void SeriesBuilder::add(const CycleRecord& row) {
  if (first_ns_ && row.in.now_ns <= last_ns_) return;
  if (!first_ns_) first_ns_ = row.in.now_ns;
  last_ns_ = row.in.now_ns;
  if (!began_ns_ && row.out.phase == Phase::kPlaying) began_ns_ = row.in.now_ns;
  if (row.out.phase == Phase::kReleasing || row.out.phase == Phase::kReleased) asleep_ = true;
  if (asleep_) return;
  add_simulated(row);
  if (row.in.sample_is_new) add_readings(row);
}

RunSeries SeriesBuilder::take() {
  return std::move(run_);
}

double SeriesBuilder::seconds(std::int64_t at_ns) const {
  return 1e-9 * static_cast<double>(at_ns - *first_ns_);
}

void SeriesBuilder::add_simulated(const CycleRecord& row) {
  for (std::size_t j = 0; j < run_.joints.size(); ++j)
    if (!std::isfinite(row.out.q_simulated[j])) return;  // the shadow has not started yet
  run_.simulated.time.push_back(seconds(row.in.now_ns));
  for (std::size_t j = 0; j < run_.joints.size(); ++j)
    run_.simulated.angle[j].push_back(row.out.q_simulated[j]);
}

void SeriesBuilder::add_readings(const CycleRecord& row) {
  if (!began_ns_) return;
  for (std::size_t b = 0; b < row.in.sample.reading.size(); ++b) {
    const drivers::BoardReading& reading = row.in.sample.reading[b];
    const bool is_taken = reading.is_new && reading.sampled_ns >= *began_ns_;
    if (!is_taken || reading.sampled_ns <= last_sampled_ns_[b]) continue;
    last_sampled_ns_[b] = reading.sampled_ns;
    for (std::size_t j = 0; j < run_.joints.size(); ++j) {
      if (board_[j] != static_cast<int>(b) || !std::isfinite(row.in.sample.angle[j])) continue;
      run_.joints[j].time.push_back(seconds(reading.sampled_ns));
      run_.joints[j].angle.push_back(row.in.sample.angle[j]);
      run_.joints[j].half_width.push_back(1e-9F * static_cast<float>(reading.uncertainty_ns));
    }
  }
}

}  // namespace kagami::tools
