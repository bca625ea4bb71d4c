#include "tools/tune/perturbed.hpp"

#include <random>
#include <string>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

// std::uniform_real_distribution differs between libraries; this does not
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : bits_(seed) {}
  double between(double low, double high) {
    constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
    return low + (high - low) * (static_cast<double>(bits_() >> 11) * kUnit);
  }
  double in(const Range& range) { return between(range.min, range.max); }

 private:
  std::mt19937_64 bits_;
};

}  // namespace

ServoSet draw_servos(const ServoSet& centre, std::uint64_t seed, const ServoRanges& ranges) {
  Draw draw(seed);
  ServoSet set = centre;
  for (ServoParameters& s : set.joints) {
    s.delay = draw.in(ranges.delay);
    s.filter_1 = draw.in(ranges.filter);
    s.filter_2 = draw.in(ranges.filter);
    s.kp = draw.in(ranges.kp);
    s.kde = draw.in(ranges.kde);
    s.stall_torque = draw.in(ranges.stall_torque);
    s.free_speed = draw.in(ranges.free_speed);
    s.rotor_inertia = draw.in(ranges.rotor_inertia);
    s.trim += to_rad(draw.between(-ranges.trim_deg, ranges.trim_deg));
    s.dead_band = s.backlash = 0.0;
    const double which = draw.between(0.0, 3.0);
    const double share = draw.between(0.0, 1.0);
    if (which < 1.0) s.dead_band = to_rad(share * ranges.dead_band_deg);
    if (which >= 2.0) s.backlash = to_rad(share * ranges.backlash_deg);
  }
  set.supply.sag = draw.between(0.0, ranges.sag);
  return set;
}

ServoSet corner_servos(const ServoSet& centre, ServoCorner corner, const ServoRanges& ranges) {
  const bool slow = corner == ServoCorner::kSlow;
  const auto late = [&](const Range& range) { return slow ? range.max : range.min; };
  const auto strong = [&](const Range& range) { return slow ? range.min : range.max; };
  ServoSet set = centre;
  for (ServoParameters& s : set.joints) {
    s.delay = late(ranges.delay);
    s.filter_1 = s.filter_2 = late(ranges.filter);
    s.kp = strong(ranges.kp);
    s.kde = late(ranges.kde);
    s.stall_torque = strong(ranges.stall_torque);
    s.free_speed = strong(ranges.free_speed);
    s.rotor_inertia = late(ranges.rotor_inertia);
    s.trim += to_rad(slow ? ranges.trim_deg : -ranges.trim_deg);
    s.backlash = slow ? to_rad(ranges.backlash_deg) : 0.0;
    s.dead_band = slow ? 0.0 : to_rad(ranges.dead_band_deg);
  }
  set.supply.sag = slow ? ranges.sag : 0.0;
  return set;
}

std::vector<ServoSet> enclosing_twins(const ServoSet& centre, int count, std::uint64_t seed) {
  std::vector<ServoSet> twins = perturbed_twins(centre, count, seed);
  if (count > 1) twins[1] = corner_servos(centre, ServoCorner::kSlow);
  if (count > 2) twins[2] = corner_servos(centre, ServoCorner::kFast);
  return twins;
}

std::vector<ServoSet> perturbed_twins(const ServoSet& centre, int count, std::uint64_t seed) {
  if (count < 1) {
    throw ConfigError("twins: " + std::to_string(count) + ", expected at least 1");
  }
  std::vector<ServoSet> twins{centre};
  for (int k = 1; k < count; ++k) {
    twins.push_back(draw_servos(centre, seed + static_cast<std::uint64_t>(k - 1)));
  }
  return twins;
}

}  // namespace kagami::tools
