/// Simulated angles at the time of a measurement: a fixed history and linear interpolation in it.
#pragma once

#include <array>
#include <cstdint>

#include "models/base/types.hpp"

namespace kagami::runtime {

/// States kept, half a second at 1 kHz (docs/cycle.md, "Order of a tick").
inline constexpr int kHistorySize = 512;

enum class HistoryAnswer : std::uint8_t {
  kInterpolated,
  kNewest,  ///< a time after the newest state was requested: the newest was given
  kTooOld,  ///< before the oldest state, or no state yet: nothing was given
};

/// Ring of the newest states, time strictly rising. Never allocates. Cycle code.
class StateHistory {
 public:
  void clear() noexcept { count_ = 0; }
  /// Appends; a time that is not after the newest is ignored. The oldest state makes room.
  void push(std::int64_t time_ns, const JointArray<double>& q) noexcept;
  /// q (rad) at `time_ns`, linear between the two neighbours; untouched when kTooOld.
  [[nodiscard]] HistoryAnswer at(std::int64_t time_ns, JointArray<double>& q) const noexcept;
  [[nodiscard]] int size() const noexcept { return count_; }

 private:
  struct State {
    std::int64_t time_ns = 0;
    JointArray<double> q{};
  };
  /// State number `age_order`: 0 = oldest, count_ - 1 = newest.
  [[nodiscard]] const State& state(int age_order) const noexcept {
    return states_[static_cast<std::size_t>((oldest_ + age_order) % kHistorySize)];
  }

  std::array<State, kHistorySize> states_{};
  int oldest_ = 0;
  int count_ = 0;
};

}  // namespace kagami::runtime
