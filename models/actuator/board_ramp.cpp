#include "models/actuator/board_ramp.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "models/base/time.hpp"

namespace kagami::models {
BoardRamp::BoardRamp(const SpeedTable& speed, std::vector<int> joints)
    : speed_(speed), joints_(std::move(joints)) {}

const BoardRamp::Segment& BoardRamp::segment(int age) const noexcept {
  return segments_[static_cast<std::size_t>((newest_ - age + kRampHistory) % kRampHistory)];
}

// the new segment begins where the ramps are at its start
BoardRamp::Segment& BoardRamp::push(std::int64_t effective_ns) noexcept {
  const std::int64_t start_ns = std::max(effective_ns, segment(0).effective_ns);
  JointArray<double> start{};
  for (const int j : joints_) start[static_cast<std::size_t>(j)] = at(j, start_ns).angle;
  newest_ = (newest_ + 1) % kRampHistory;
  size_ = std::min(size_ + 1, kRampHistory);
  Segment& s = segments_[static_cast<std::size_t>(newest_)];
  s.effective_ns = start_ns;
  s.driven = true;
  s.start = start;
  s.end = start;
  s.duration = {};
  return s;
}

void BoardRamp::reset(const JointArray<double>& angle, std::int64_t at_ns) noexcept {
  newest_ = 0;
  size_ = 1;
  segments_[0] = Segment{at_ns, true, angle, angle, {}};
}

void BoardRamp::command(const JointArray<double>& angle, int speed_code,
                        std::int64_t effective_ns) noexcept {
  Segment& s = push(effective_ns);
  double largest_deg = 0.0;
  for (const int j : joints_) {
    const auto n = static_cast<std::size_t>(j);
    s.end[n] = angle[n];
    largest_deg = std::max(largest_deg, to_deg(std::abs(s.end[n] - s.start[n])));
  }
  const double together = speed_.duration(speed_code, largest_deg);
  const auto code = static_cast<std::size_t>(std::clamp(speed_code, 0, kSpeedCodes - 1));
  for (const int j : joints_) {
    const auto n = static_cast<std::size_t>(j);
    const double travel_deg = to_deg(std::abs(s.end[n] - s.start[n]));
    s.duration[n] = speed_.scaled ? together : travel_deg * speed_.seconds_per_degree[code];
  }
}

void BoardRamp::release(std::int64_t effective_ns) noexcept {
  push(effective_ns).driven = false;
}

BoardRamp::Value BoardRamp::at(int joint, std::int64_t time_ns) const noexcept {
  const auto n = static_cast<std::size_t>(joint);
  int age = 0;
  while (age + 1 < size_ && segment(age).effective_ns > time_ns) ++age;
  const Segment& s = segment(age);
  const double elapsed = seconds(time_ns - s.effective_ns);
  if (elapsed >= s.duration[n]) return {s.end[n], s.driven};
  if (elapsed <= 0.0) return {s.start[n], s.driven};
  return {s.start[n] + (s.end[n] - s.start[n]) * (elapsed / s.duration[n]), s.driven};
}

}  // namespace kagami::models
