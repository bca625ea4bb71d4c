/// The pulses that one board sends to its twelve servos: straight ramps to the pose of the last
/// command, by the speed table.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>

#include "models/base/wiring.hpp"

namespace kagami::drivers::virtual_robot {

/// One value per channel of a board, degrees.
using ChannelDegrees = std::array<double, kChannelsPerBoard>;

/// Straight lines from where the channels stand to a new pose. With scaled rates all channels
/// arrive together; without, each runs at the rate of the code. Times: docs/rcb1.md, "Time".
class BoardRamp {
 public:
  explicit BoardRamp(const SpeedTable& table);

  /// At rest at `degrees`.
  void settle(const ChannelDegrees& degrees) noexcept;
  /// At rest at `degrees`, this channel alone.
  void settle(int slot, double degrees) noexcept;
  /// From `at_ns` on towards `degrees` with speed code 0..7. Channels that are not in `moves` go on
  /// with what they did and do not count for the duration. Returns when the pose ends.
  std::int64_t start(const ChannelDegrees& degrees, std::bitset<kChannelsPerBoard> moves, int code,
                     std::int64_t at_ns) noexcept;
  /// Degrees of a channel at a time not before the last start().
  [[nodiscard]] double at(int slot, std::int64_t at_ns) const noexcept;
  /// When the last started pose ends; 0 before the first.
  [[nodiscard]] std::int64_t end_ns() const noexcept { return end_ns_; }

 private:
  struct Line {
    double from = 0.0;  // deg
    double to = 0.0;    // deg
    std::int64_t start_ns = 0;
    double seconds = 0.0;
  };

  SpeedTable table_;
  std::array<Line, kChannelsPerBoard> lines_{};
  std::int64_t end_ns_ = 0;
};

}  // namespace kagami::drivers::virtual_robot
