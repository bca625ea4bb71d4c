#include "tools/report/envelope.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace kagami::tools {
namespace {

constexpr Extremes kNoValue{NAN, NAN};

bool has_value(Extremes e) noexcept {
  return !std::isnan(e.first);
}

/// `a` came before `b`.
Extremes joined(Extremes a, Extremes b) noexcept {
  if (!has_value(a)) return b;
  if (!has_value(b)) return a;
  const std::array<float, 4> values = {a.first, a.second, b.first, b.second};
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return least < greatest ? Extremes{*least, *greatest} : Extremes{*greatest, *least};
}

}  // namespace

Envelope::Envelope(double width, std::size_t most) : width_(width), most_(most) {}

void Envelope::add(double time, double value) {
  if (!std::isfinite(value) || !std::isfinite(time) || !(time >= 0.0)) return;
  while (time / width_ >= static_cast<double>(most_)) widen();
  const auto place = static_cast<std::size_t>(time / width_);
  if (place >= stretches_.size()) stretches_.resize(place + 1, kNoValue);
  const auto rounded = static_cast<float>(value);
  stretches_[place] = joined(stretches_[place], {rounded, rounded});
}

void Envelope::widen() {
  width_ *= 2.0;
  const std::size_t count = stretches_.size();
  for (std::size_t k = 0; 2 * k < count; ++k) {
    const Extremes second = 2 * k + 1 < count ? stretches_[2 * k + 1] : kNoValue;
    stretches_[k] = joined(stretches_[2 * k], second);
  }
  stretches_.resize((count + 1) / 2);
}

Envelope Envelope::widened(double width) const {
  Envelope wider = *this;
  while (wider.width_ < width) wider.widen();
  return wider;
}

Envelope Envelope::shifted(double shift) const {
  Envelope later(width_, most_);
  for (std::size_t k = 0; k < stretches_.size(); ++k) {
    const double begin = width_ * static_cast<double>(k) + shift;
    later.add(begin + 0.25 * width_, static_cast<double>(stretches_[k].first));
    later.add(begin + 0.75 * width_, static_cast<double>(stretches_[k].second));
  }
  return later;
}

double Envelope::longest_bridge() const {
  const auto known = std::count_if(stretches_.begin(), stretches_.end(), has_value);
  const double all = width_ * static_cast<double>(stretches_.size());
  return std::max(0.06, 4.0 * all / static_cast<double>(std::max<std::ptrdiff_t>(1, known)));
}

Extremes Envelope::range() const noexcept {
  Extremes range = kNoValue;
  for (const Extremes& e : stretches_) range = joined_range(range, e);
  return range;
}

Extremes joined_range(Extremes a, Extremes b) noexcept {
  const auto least_greatest = [](Extremes e) {
    return Extremes{std::min(e.first, e.second), std::max(e.first, e.second)};
  };
  if (!has_value(a)) return has_value(b) ? least_greatest(b) : kNoValue;
  if (!has_value(b)) return least_greatest(a);
  return {std::min({a.first, a.second, b.first, b.second}),
          std::max({a.first, a.second, b.first, b.second})};
}

}  // namespace kagami::tools
