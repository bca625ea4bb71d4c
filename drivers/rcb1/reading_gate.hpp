/// Accepts or rejects a board's reading: range, all-zero quirk, speed against the last good one.
#pragma once

#include <array>
#include <cstdint>

#include "drivers/link/samples.hpp"

namespace kagami::drivers::rcb1 {

/// The check sum misses one damaged answer in ten to a thousand, so a reading must also be
/// physically possible: no joint turns faster than 357 deg/s (speed code 0). Three refused readings
/// in a row that agree with each other are a real motion and are accepted. No call allocates.
class ReadingGate {
 public:
  /// Channels with a servo; the others carry undefined values.
  explicit ReadingGate(const std::array<bool, kChannelsPerBoard>& used) : used_(used) {}

  /// True when the reading taken at `at_ns` is accepted; it then becomes the last good one.
  [[nodiscard]] bool accept(const ChannelCounts& counts, std::int64_t at_ns) noexcept;
  /// Forgets the last good reading: the next one inside the range is believed.
  void forget() noexcept;
  /// Slot (0..11) that made accept() refuse last; -1 for the all-zero answer or none yet.
  [[nodiscard]] int refused_slot() const noexcept { return refused_slot_; }

 private:
  struct Past {
    bool valid = false;
    std::int64_t at_ns = 0;
    ChannelCounts counts{};
  };
  [[nodiscard]] bool in_range(const ChannelCounts& counts) noexcept;
  [[nodiscard]] bool reachable(const Past& from, const ChannelCounts& counts,
                               std::int64_t at_ns) noexcept;

  std::array<bool, kChannelsPerBoard> used_;
  Past good_{};
  Past suspect_{};  // the newest refused reading of a consistent row
  int suspects_ = 0;
  int refused_slot_ = -1;
};

}  // namespace kagami::drivers::rcb1
