/// What one board's answers teach about its delay: the clean value and a fair deadline.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kagami::drivers::rcb1 {

/// One byte at 115200 8N1, ns.
inline constexpr std::int64_t kByteTimeNs = 86'806;
/// The command reference's longest wait for an answer, ns.
inline constexpr std::int64_t kReplyLimitNs = 30'000'000;

/// Properties of the line known at set-up. All in ns.
struct LinkTiming {
  std::int64_t table_age_ns = 0;       ///< age of the board's table of angles when it answers FC
  std::int64_t adapter_ns = 0;         ///< added by the adapter after the board answered
  std::int64_t margin_ns = 5'000'000;  ///< beyond the slowest recent answer
  /// Beyond kReplyLimitNs, for boards that a thread of this process serves: they answer late when
  /// the computer is busy, and that is not the boards' fault.
  std::int64_t patience_ns = 0;
};

/// Turnarounds w of the last 256 answers of one kind from one board (docs/rcb1.md, "Time"). Delays
/// only ever add, so the minimum is the clean value. No call allocates.
class Turnaround {
 public:
  /// An answer came `w_ns` after the request was complete; negative values count as 0, and one
  /// beyond kReplyLimitNs does not enter the window: it was read late, not given late.
  void add(std::int64_t w_ns) noexcept;
  /// No answer by the deadline: the next one gets twice the time.
  void timed_out() noexcept;

  [[nodiscard]] bool known() const noexcept { return size_ > 0; }
  /// Smallest of the window, ns; 0 when nothing is known.
  [[nodiscard]] std::int64_t min_ns() const noexcept { return min_; }
  /// Largest of the window, ns; 1 ms when nothing is known.
  [[nodiscard]] std::int64_t max_ns() const noexcept;
  /// How long the next answer may take from the complete request, ns; kReplyLimitNs when unknown.
  [[nodiscard]] std::int64_t allowance_ns(std::int64_t margin_ns) const noexcept;

 private:
  std::array<std::int64_t, 256> window_{};
  std::size_t size_ = 0;
  std::size_t next_ = 0;
  std::int64_t min_ = 0;
  std::int64_t max_ = 0;
  int time_outs_ = 0;  // in a row
};

}  // namespace kagami::drivers::rcb1
