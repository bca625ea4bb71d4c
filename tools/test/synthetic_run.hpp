/// Runs whose every result is known in closed form.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "models/base/angle.hpp"
#include "tools/analysis/series.hpp"

namespace kagami::test {

/// What the joint does in the model, deg over s.
using Curve = std::function<double(double)>;

struct SyntheticRun {
  double duration = 6.0;  ///< s
  double tick = 0.001;    ///< s
  double reading_hz = 95.0;
  unsigned seed = 1;  ///< of the readings' jitter
  tools::RunSeries series;

  explicit SyntheticRun(double seconds = 6.0) : duration(seconds) {
    for (double t = 0.0; t <= duration; t += tick) series.simulated.time.push_back(t);
  }

  /// A joint that follows `model` `delay` s later, `offset_deg` away, read in steps of `step_deg`
  /// (0 = not rounded).
  SyntheticRun& add(const std::string& name, const Curve& model, double delay, double offset_deg,
                    double step_deg) {
    std::vector<double> simulated;
    for (const double t : series.simulated.time) simulated.push_back(to_rad(model(t)));
    tools::JointReadings readings;
    readings.name = name;
    readings.channel = static_cast<int>(series.joints.size()) + 1;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> jitter(-0.002, 0.002);  // s: the line is not regular
    for (int k = 1; k / reading_hz < duration - 0.01; ++k) {
      const double t = k / reading_hz + jitter(random);
      double angle = model(t - delay) + offset_deg;
      if (step_deg > 0.0) angle = std::round(angle / step_deg) * step_deg;
      readings.time.push_back(t);
      readings.angle.push_back(to_rad(angle));
    }
    series.simulated.angle.push_back(simulated);
    series.joints.push_back(readings);
    return *this;
  }
};

/// A walk-like curve: two harmonics, `amplitude_deg`, 0.8 s per step.
inline Curve walk_curve(double amplitude_deg) {
  return [amplitude_deg](double t) {
    const double w = 2.0 * std::numbers::pi / 1.6;
    return amplitude_deg * (std::sin(w * t) + 0.3 * std::sin(2.0 * w * t + 1.0));
  };
}

/// Rest, a smooth move by `travel_deg` between 2 and 3 s, rest.
inline Curve single_move(double travel_deg) {
  return [travel_deg](double t) {
    const double s = std::min(1.0, std::max(0.0, t - 2.0));
    return travel_deg * s * s * (3.0 - 2.0 * s);
  };
}

inline Curve rest(double angle_deg) {
  return [angle_deg](double) { return angle_deg; };
}

}  // namespace kagami::test
