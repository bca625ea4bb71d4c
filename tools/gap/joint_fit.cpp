#include "tools/gap/joint_fit.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

/// A replay starts from rest; readings count after this time, s.
constexpr double kTransient = 0.5;

}  // namespace

double reading_step(const AlignedReadings& readings) {
  std::size_t whole = 0;
  for (const float angle : readings.measured) {
    const double degrees = to_deg(static_cast<double>(angle));
    if (std::abs(degrees - std::round(degrees)) < 1e-3) ++whole;
  }
  return whole > readings.measured.size() * 9 / 10 ? to_rad(1.0) : 0.0;
}

JointFit::JointFit(const JointDrive& drive, const AlignedReadings& readings, GridRange range,
                   double step)
    : drive_(drive), readings_(readings), range_(range), step_(step) {
  const double begin = static_cast<double>(range.first) * step;
  for (std::size_t i = 0; i < readings.time.size(); ++i) {
    const double point = (readings.time[i] - begin) / step;
    if (point * step < kTransient) continue;
    const auto whole = static_cast<std::size_t>(point);
    if (whole + 1 >= range.size()) break;
    place_.push_back({i, whole, point - static_cast<double>(whole)});
  }
  replay_joint(drive_, drive_.servo, 1.0, range_, step_, nominal_);
  changed_ = nominal_;
}

void JointFit::replay(std::span<const CauseAmount> causes) {
  ServoParameters servo = drive_.servo;
  double load_scale = 1.0;
  double gain = 0.0;
  for (const CauseAmount& c : causes) {
    apply_cause(c.cause, c.amount, servo);
    if (c.cause == Cause::kLoad) load_scale += c.amount;
    if (c.cause == Cause::kGain) gain += c.amount;
  }
  replay(servo, load_scale, gain);
}

void JointFit::replay(const ServoParameters& servo, double load_scale, double gain) {
  gain_ = gain;
  replay_joint(drive_, servo, load_scale, range_, step_, changed_);
}

// rad, of the changed model from the shadow model
double JointFit::deviation(const Place& place) const {
  const auto at = [&](const std::vector<double>& curve) {
    return curve[place.point] + place.share * (curve[place.point + 1] - curve[place.point]);
  };
  const double moved = at(changed_) - at(nominal_);
  return moved + gain_ * (readings_.simulated[place.reading] + moved);
}

// rad, that is left of the gap at a reading
double JointFit::rest(const Place& place) const {
  const double gap = readings_.measured[place.reading] - readings_.simulated[place.reading];
  return gap - deviation(place);
}

void JointFit::residuals(const ServoParameters& servo, std::vector<double>& out) {
  replay(servo, 1.0, 0.0);
  out.clear();
  for (const Place& place : place_) out.push_back(rest(place));
}

double JointFit::mean_square(std::span<const CauseAmount> causes) {
  if (place_.empty()) return 0.0;
  if (causes.empty()) {
    changed_ = nominal_;
    gain_ = 0.0;
  } else {
    replay(causes);
  }
  double sum = 0.0;
  for (const Place& place : place_) sum += rest(place) * rest(place);
  return sum / static_cast<double>(place_.size());
}

double JointFit::change(CauseAmount cause) {
  if (place_.empty()) return 0.0;
  replay({&cause, 1});
  double sum = 0.0;
  for (const Place& place : place_) sum += deviation(place) * deviation(place);
  return std::sqrt(sum / static_cast<double>(place_.size()));
}

}  // namespace kagami::tools
