/// The rate limit of streamed positions where it counts: from one frame on the wire to the next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "drivers/link/samples.hpp"

namespace kagami::drivers::rcb1 {

/// One board. The cycle limits rates from tick to tick; what lies between two frames depends on the
/// line. After a gap the targets are far away: they are approached in steps that the servo can
/// make in the line's usual time between frames. No call allocates.
class FrameLimiter {
 public:
  /// Between two pulses of a servo, ns: a shorter usual time between frames is not assumed.
  static constexpr std::int64_t kPulseNs = 20'000'000;

  FrameLimiter() { rate_max_.fill(std::numeric_limits<double>::infinity()); }
  /// deg/s of the channel in `slot`; without a call the channel is not limited.
  void set_rate(int slot, double rate_max) noexcept {
    rate_max_[static_cast<std::size_t>(slot)] = rate_max;
  }

  /// Moves `counts` towards themselves from what the board acknowledged last, for a frame that is
  /// written at `now_ns`. True when they are unchanged: the frame carries the target itself.
  [[nodiscard]] bool limit(ChannelCounts& counts, std::int64_t now_ns) const noexcept;
  /// The board acknowledged these counts, written at `written_ns`. A pose that the board ramps to
  /// by itself (`streamed` false) does not show where its servos are.
  void acknowledged(const ChannelCounts& counts, bool streamed, std::int64_t written_ns) noexcept;

 private:
  /// Shortest of the last intervals: a gap does not count among the usual ones.
  [[nodiscard]] std::int64_t usual_interval_ns() const noexcept;

  std::array<double, kChannelsPerBoard> rate_max_{};  // deg/s
  ChannelCounts last_{};
  std::int64_t last_ns_ = 0;
  bool is_known_ = false;  // last_ was streamed
  std::array<std::int64_t, 8> interval_ns_{};
  std::size_t next_ = 0;
  std::size_t size_ = 0;
};

}  // namespace kagami::drivers::rcb1
