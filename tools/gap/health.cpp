#include "tools/gap/health.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

constexpr double kUnlikely = 0.025;  // on each side

constexpr std::size_t place_of(HealthValue value) {
  return static_cast<std::size_t>(value);
}

bool is_whole_curve(Cause cause) {
  return std::find(kFittedCauses.begin(), kFittedCauses.end(), cause) == kFittedCauses.end();
}

bool is_ambiguous(const JointExplanation& joint, Cause cause) {
  return std::any_of(joint.causes.begin(), joint.causes.end(),
                     [&](const FoundCause& found) { return found.or_else == cause; });
}

bool contains(const std::vector<Cause>& causes, Cause cause) {
  return std::find(causes.begin(), causes.end(), cause) != causes.end();
}

HealthReading parameter_of(const JointExplanation& joint, Cause cause, double fitted) {
  const auto found = std::find_if(joint.causes.begin(), joint.causes.end(),
                                  [&](const FoundCause& c) { return c.cause == cause; });
  if (found != joint.causes.end()) {
    const bool is_known = found->uncertainty > 0.0;
    return {fitted, is_known ? std::optional(found->uncertainty) : std::nullopt};
  }
  if (contains(joint.not_identifiable, cause) || is_ambiguous(joint, cause)) return {};
  return {fitted, std::nullopt};
}

JointHealth health_of(const JointExplanation& joint) {
  JointHealth health;
  if (joint.readings == 0) return health;
  health[place_of(HealthValue::kGap)] = {std::sqrt(joint.mean_square), std::nullopt};
  if (!joint.causes.empty() && is_whole_curve(joint.causes.front().cause)) return health;
  const ServoParameters& servo = joint.fitted;
  health[place_of(HealthValue::kTrim)] = parameter_of(joint, Cause::kTrim, servo.trim);
  health[place_of(HealthValue::kBacklash)] = parameter_of(joint, Cause::kBacklash, servo.backlash);
  health[place_of(HealthValue::kFriction)] =
      parameter_of(joint, Cause::kFriction, servo.coulomb_friction);
  return health;
}

/// y over x.
struct Points {
  std::vector<double> x;
  std::vector<double> y;
};

/// Slope of the line with the least squares, and its standard deviation.
void fit_line(const Points& points, HealthTrend& trend) {
  const double n = static_cast<double>(points.x.size());
  double mean_x = 0.0;
  double mean_y = 0.0;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    mean_x += points.x[i] / n;
    mean_y += points.y[i] / n;
  }
  double xx = 0.0;
  double xy = 0.0;
  double yy = 0.0;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    xx += (points.x[i] - mean_x) * (points.x[i] - mean_x);
    xy += (points.x[i] - mean_x) * (points.y[i] - mean_y);
    yy += (points.y[i] - mean_y) * (points.y[i] - mean_y);
  }
  const double slope = xy / xx;
  trend.per_run = slope;
  if (points.x.size() < 3) return;
  trend.uncertainty = std::sqrt(std::max(0.0, yy - slope * xy) / (n - 2.0) / xx);
}

}  // namespace

HealthScale health_scale(HealthValue value) noexcept {
  constexpr double kDeg = 180.0 / std::numbers::pi;
  switch (value) {
    case HealthValue::kTrim:
      return {"trim", "deg", kDeg, 2, to_rad(0.3)};
    case HealthValue::kBacklash:
      return {"backlash", "deg", kDeg, 2, to_rad(0.3)};
    case HealthValue::kFriction:
      return {"friction", "N m", 1.0, 3, 0.02};
    case HealthValue::kGap:
      return {"gap", "deg", kDeg, 2, to_rad(0.2)};
  }
  return {};
}

std::vector<JointHealth> health_of(const std::vector<JointExplanation>& joints) {
  std::vector<JointHealth> all;
  for (const JointExplanation& joint : joints) all.push_back(health_of(joint));
  return all;
}

HealthTrend health_trend(const HealthHistory& history, std::size_t joint, HealthValue value) {
  HealthTrend trend;
  Points points;
  for (std::size_t k = 0; k < history.runs.size(); ++k) {
    const std::optional<double>& y = history.runs[k].joints[joint][place_of(value)].value;
    if (!y) continue;
    points.x.push_back(static_cast<double>(k));
    points.y.push_back(*y);
  }
  trend.runs = points.x.size();
  if (trend.runs == 0) return trend;
  trend.first = points.y.front();
  trend.last = points.y.back();
  if (trend.runs < 2) return trend;
  trend.change = *trend.last - *trend.first;
  fit_line(points, trend);
  if (!trend.uncertainty) return trend;
  const boost::math::students_t chance(static_cast<double>(trend.runs) - 2.0);
  const double limit = boost::math::quantile(boost::math::complement(chance, kUnlikely));
  const double over_all = std::abs(*trend.per_run) * (points.x.back() - points.x.front());
  trend.is_notable = std::abs(*trend.per_run) > limit * *trend.uncertainty &&
                     over_all >= health_scale(value).notable;
  return trend;
}

}  // namespace kagami::tools
