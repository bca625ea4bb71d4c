/// A curve thinned so that every peak remains: its extremes in equal stretches of time.
#pragma once

#include <cstddef>
#include <vector>

namespace kagami::tools {

/// The extremes of one stretch, in the order in which they occurred; NaN: it has no value.
struct Extremes {
  float first = 0.0F;
  float second = 0.0F;
};

/// Takes a curve of unknown length in one pass and in fixed memory. Where the stretches become too
/// many, each two are joined, so the least and the greatest value of each stretch are always those
/// of all values in it, rounded to float.
class Envelope {
 public:
  /// Stretches of `width` s from time 0 on, at most `most` of them (even).
  explicit Envelope(double width = 0.005, std::size_t most = 8192);

  /// Values that are not finite and times below 0 are left out. Times shall rise: the order of two
  /// extremes is that in which they were added.
  void add(double time, double value);

  [[nodiscard]] double width() const noexcept { return width_; }  ///< s
  [[nodiscard]] const std::vector<Extremes>& stretches() const noexcept { return stretches_; }
  [[nodiscard]] bool is_empty() const noexcept { return stretches_.empty(); }
  /// The same with stretches of at least `width` s: this width times a power of two.
  [[nodiscard]] Envelope widened(double width) const;
  /// The same, later by `shift` s; what would come before time 0 is left out. Every value stays,
  /// its time moves by less than a width.
  [[nodiscard]] Envelope shifted(double shift) const;
  /// s without a value that are no gap in the curve: as for `value_at`, 60 ms and four mean
  /// distances.
  [[nodiscard]] double longest_bridge() const;
  /// Least and greatest of all values; NaN without any.
  [[nodiscard]] Extremes range() const noexcept;

 private:
  void widen();

  double width_;
  std::size_t most_;
  std::vector<Extremes> stretches_;
};

/// Least and greatest of two, NaN = none of them.
Extremes joined_range(Extremes a, Extremes b) noexcept;

}  // namespace kagami::tools
