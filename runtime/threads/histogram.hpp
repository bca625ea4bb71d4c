/// Durations counted in buckets: median, tail and maximum without keeping the values.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace kagami::runtime {

/// Log-linear buckets: 32 per factor of two, so a quantile is at most 3.2 % too high. Fixed size,
/// nothing allocates. One thread writes; read it after that thread has ended. Cycle code.
class Histogram {
 public:
  /// Counts a duration in ns; negative ones count as 0.
  void add(std::int64_t ns) noexcept;
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// The largest duration, exact, ns; 0 when empty.
  [[nodiscard]] std::int64_t max_ns() const noexcept { return max_ns_; }
  /// Upper edge of the bucket that holds the fraction `p` (0..1) of all values, never above the
  /// maximum, ns; 0 when empty.
  [[nodiscard]] std::int64_t quantile_ns(double p) const noexcept;

  /// Values up to `upper_ns` and above the bar before it.
  struct Bar {
    std::int64_t upper_ns = 0;
    std::uint64_t count = 0;
  };
  /// Bars for a figure, eight per factor of two, from the first to the last that has a value; their
  /// counts add up to count(). Not cycle code: allocates.
  [[nodiscard]] std::vector<Bar> bars() const;

 private:
  static constexpr int kSubBits = 5;
  static constexpr int kOctaves = 40;  ///< up to 2^44 ns, five hours
  std::array<std::uint64_t, (kOctaves << kSubBits)> buckets_{};
  std::uint64_t count_ = 0;
  std::int64_t max_ns_ = 0;
};

}  // namespace kagami::runtime
