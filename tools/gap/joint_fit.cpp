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
  const JointModel own = own_model();
  replay({&own, 1});
  nominal_ = curves_.front();
}

JointModel JointFit::own_model() const {
  return {drive_.servo};
}

void JointFit::replay(std::span<const JointModel> models) {
  replay_joint(drive_, models, range_, step_, curves_);
  gains_.clear();
  for (const JointModel& model : models) gains_.push_back(model.reading_gain);
}

void JointFit::replay(std::span<const CauseAmount> causes) {
  JointModel model = own_model();
  for (const CauseAmount& c : causes) {
    apply_cause(c.cause, c.amount, model);
    if (c.cause == Cause::kLoad) model.load_scale += c.amount;
  }
  replay({&model, 1});
}

// rad, of a replayed model's reading from the shadow model's
double JointFit::deviation(const Place& place, std::size_t model) const {
  const auto at = [&](const std::vector<double>& curve) {
    return curve[place.point] + place.share * (curve[place.point + 1] - curve[place.point]);
  };
  const double simulated = readings_.simulated[place.reading];
  const double angle = simulated / (1.0 + drive_.servo.reading_gain);
  return (1.0 + gains_[model]) * (angle + at(curves_[model]) - at(nominal_)) - simulated;
}

// rad, that is left of the gap at a reading
double JointFit::rest(const Place& place, std::size_t model) const {
  const double gap = readings_.measured[place.reading] - readings_.simulated[place.reading];
  return gap - deviation(place, model);
}

void JointFit::residuals(std::span<const JointModel> models, std::vector<double>& out) {
  replay(models);
  out.clear();
  for (std::size_t m = 0; m < models.size(); ++m) {
    for (const Place& place : place_) out.push_back(rest(place, m));
  }
}

double JointFit::mean_square(std::span<const CauseAmount> causes) {
  if (place_.empty()) return 0.0;
  replay(causes);
  double sum = 0.0;
  for (const Place& place : place_) sum += rest(place, 0) * rest(place, 0);
  return sum / static_cast<double>(place_.size());
}

double JointFit::change(CauseAmount cause) {
  if (place_.empty()) return 0.0;
  replay({&cause, 1});
  double sum = 0.0;
  for (const Place& place : place_) sum += deviation(place, 0) * deviation(place, 0);
  return std::sqrt(sum / static_cast<double>(place_.size()));
}

}  // namespace kagami::tools
