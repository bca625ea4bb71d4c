/// The faults of one board over time.
#pragma once

#include <cstdint>
#include <vector>

#include "drivers/virtual/faults.hpp"

namespace kagami::drivers::virtual_robot {

/// Times are int64 nanoseconds of the caller's clock. Until begin_at() its time is 0.
class FaultSchedule {
 public:
  /// The host's first byte: 0 of `from` and `until`. Later calls change nothing.
  void begin_at(std::int64_t at_ns) noexcept;
  /// These in place of all others.
  void replace(const BoardFaults& faults);
  /// These beside the others. Where two of them set one value, the one that was added later wins.
  void add(const BoardFaults& faults);

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  /// All that act at a time, as one.
  [[nodiscard]] BoardFaults at(std::int64_t at_ns) const noexcept;
  /// An answer at this time was hit by them.
  void count_answer(std::int64_t at_ns) noexcept;

 private:
  struct Entry {
    BoardFaults faults;
    int answers_left = 0;  // without meaning while faults.answers == 0
    [[nodiscard]] bool acts(double t) const noexcept {
      return t >= faults.from && t < faults.until && (faults.answers == 0 || answers_left > 0);
    }
  };
  [[nodiscard]] double seconds(std::int64_t at_ns) const noexcept;

  std::vector<Entry> entries_;
  bool has_begun_ = false;
  std::int64_t begin_ns_ = 0;
};

}  // namespace kagami::drivers::virtual_robot
