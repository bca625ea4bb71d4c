#include "runtime/threads/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace kagami::runtime {
namespace {

// bucket = octave * 32 + the five bits below the leading one; values below 32 are exact
std::size_t bucket_of(std::uint64_t value, int sub_bits) noexcept {
  const int width = static_cast<int>(std::bit_width(value));
  const int shift = std::max(0, width - sub_bits - 1);
  return (static_cast<std::size_t>(shift) << sub_bits) + static_cast<std::size_t>(value >> shift);
}

// largest value that falls into the bucket
std::int64_t upper_edge(std::size_t bucket, int sub_bits) noexcept {
  const std::size_t per_octave = std::size_t{1} << sub_bits;
  if (bucket < 2 * per_octave) return static_cast<std::int64_t>(bucket);
  const std::size_t shift = bucket / per_octave - 1;
  const std::size_t mantissa = bucket - shift * per_octave;
  return static_cast<std::int64_t>(((mantissa + 1) << shift) - 1);
}

}  // namespace

void Histogram::add(std::int64_t ns) noexcept {
  const std::int64_t value = std::max<std::int64_t>(ns, 0);
  const std::size_t bucket = bucket_of(static_cast<std::uint64_t>(value), kSubBits);
  ++buckets_[std::min(bucket, buckets_.size() - 1)];
  ++count_;
  max_ns_ = std::max(max_ns_, value);
}

std::int64_t Histogram::quantile_ns(double p) const noexcept {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(std::clamp(p, 0.0, 1.0) * static_cast<double>(count_));
  const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
  std::uint64_t seen = 0;
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    seen += buckets_[b];
    if (seen >= rank) return std::min(upper_edge(b, kSubBits), max_ns_);
  }
  return max_ns_;
}

std::vector<Histogram::Bar> Histogram::bars() const {
  constexpr std::size_t kJoined = 4;  // buckets of one bar
  std::vector<Bar> all;
  for (std::size_t b = 0; b < buckets_.size(); b += kJoined) {
    Bar bar{upper_edge(b + kJoined - 1, kSubBits), 0};
    for (std::size_t k = b; k < b + kJoined; ++k) bar.count += buckets_[k];
    if (bar.count > 0 || !all.empty()) all.push_back(bar);
  }
  while (!all.empty() && all.back().count == 0) all.pop_back();
  return all;
}

}  // namespace kagami::runtime
