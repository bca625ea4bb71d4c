#include "drivers/virtual/board_ramp.hpp"

#include <algorithm>
#include <cmath>

namespace kagami::drivers::virtual_robot {
namespace {

constexpr double kNsPerSecond = 1e9;

std::size_t index(int slot) {
  return static_cast<std::size_t>(slot);
}

}  // namespace

BoardRamp::BoardRamp(const SpeedTable& table) : table_(table) {}

void BoardRamp::settle(const ChannelDegrees& degrees) noexcept {
  for (int slot = 0; slot < kChannelsPerBoard; ++slot) settle(slot, degrees[index(slot)]);
}

void BoardRamp::settle(int slot, double degrees) noexcept {
  lines_[index(slot)] = {degrees, degrees, 0, 0.0};
}

std::int64_t BoardRamp::start(const ChannelDegrees& degrees, std::bitset<kChannelsPerBoard> moves,
                              int code, std::int64_t at_ns) noexcept {
  ChannelDegrees from{};
  double largest = 0.0;
  for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
    if (!moves[index(slot)]) continue;
    from[index(slot)] = at(slot, at_ns);
    largest = std::max(largest, std::abs(degrees[index(slot)] - from[index(slot)]));
  }

  const double pose = table_.duration(code, largest);
  const double rate = table_.seconds_per_degree[index(std::clamp(code, 0, kSpeedCodes - 1))];
  for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
    if (!moves[index(slot)]) continue;
    const double travel = std::abs(degrees[index(slot)] - from[index(slot)]);
    const double seconds = table_.scaled ? pose : travel * rate;
    lines_[index(slot)] = {from[index(slot)], degrees[index(slot)], at_ns, seconds};
  }
  end_ns_ = at_ns + std::llround(pose * kNsPerSecond);
  return end_ns_;
}

double BoardRamp::at(int slot, std::int64_t at_ns) const noexcept {
  const Line& line = lines_[index(slot)];
  const double elapsed = static_cast<double>(at_ns - line.start_ns) / kNsPerSecond;
  if (elapsed >= line.seconds) return line.to;
  if (elapsed <= 0.0) return line.from;
  return line.from + (line.to - line.from) * (elapsed / line.seconds);
}

}  // namespace kagami::drivers::virtual_robot
