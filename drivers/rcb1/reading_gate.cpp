#include "drivers/rcb1/reading_gate.hpp"

#include <algorithm>
#include <cstdlib>

#include "drivers/rcb1/protocol.hpp"

namespace kagami::drivers::rcb1 {
namespace {

constexpr double kMaxSpeedDegPerNs = 357e-9;  // speed code 0: 1 / 0.0028 s (docs/rcb1.md)
constexpr double kMarginDeg = 5.0;            // rounding, overshoot, stamp uncertainty
constexpr int kBelievedInARow = 3;

}  // namespace

bool ReadingGate::accept(const ChannelCounts& counts, std::int64_t at_ns) noexcept {
  const bool zero =
      std::all_of(counts.begin(), counts.end(), [](std::uint8_t c) { return c == 0; });
  if (zero) refused_slot_ = -1;
  if (zero || !in_range(counts)) {
    suspects_ = 0;
    return false;
  }
  if (!good_.valid || reachable(good_, counts, at_ns)) {
    good_ = {true, at_ns, counts};
    suspects_ = 0;
    return true;
  }
  const int slot = refused_slot_;
  const bool agrees = suspects_ > 0 && reachable(suspect_, counts, at_ns);
  suspects_ = agrees ? suspects_ + 1 : 1;
  suspect_ = {true, at_ns, counts};
  refused_slot_ = slot;
  if (suspects_ < kBelievedInARow) return false;
  good_ = suspect_;
  suspects_ = 0;
  return true;
}

void ReadingGate::forget() noexcept {
  good_.valid = false;
  suspects_ = 0;
}

bool ReadingGate::in_range(const ChannelCounts& counts) noexcept {
  for (std::size_t slot = 0; slot < counts.size(); ++slot) {
    if (!used_[slot] || counts[slot] <= kMaxCount) continue;
    refused_slot_ = static_cast<int>(slot);
    return false;
  }
  return true;
}

bool ReadingGate::reachable(const Past& from, const ChannelCounts& counts,
                            std::int64_t at_ns) noexcept {
  const double age_ns = static_cast<double>(std::max<std::int64_t>(at_ns - from.at_ns, 0));
  const double allowed_deg = kMaxSpeedDegPerNs * age_ns + kMarginDeg;
  for (std::size_t slot = 0; slot < counts.size(); ++slot) {
    if (!used_[slot] || std::abs(counts[slot] - from.counts[slot]) <= allowed_deg) continue;
    refused_slot_ = static_cast<int>(slot);
    return false;
  }
  return true;
}

}  // namespace kagami::drivers::rcb1
