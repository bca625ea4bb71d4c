/// Parameters of the volumetric method.
#pragma once

#include "models/contact/shape/patch.hpp"

namespace kagami::models {

/// In which metric the best admissible impulse of a patch is the nearest to the free one.
enum class PatchMetric : std::uint8_t {
  /// Work: 1/2 e' Phi^-1 e of the velocity error e, with friction opposed to slip. Sweeps converge.
  kWork,
  /// E of Eq. (3): 1/2 e' Q e. Lifts what slides by about mu times its speed.
  kSurface,
};

/// docs/math/volumetric_contact.md gives the reason for each default.
struct VolumetricSettings {
  /// k_j (1/s, >= 0): share of the depth that is taken back per second; at most half of it a step.
  double compensation = 30.0;
  /// m/s, >= 0: no corner is pushed out faster.
  double compensation_speed = 0.05;
  /// m, >= 0: depth of flat contact at which the target velocity is zero, whatever the load.
  double rest_depth = 1e-6;
  /// m, >= 0: shapes stand out by this much in total while overlaps are made, and rest as much
  /// deeper in them: what moves away by less stays in contact with all its corners.
  double skin = 1e-5;
  DepthReading reading = DepthReading::kAbsolute;
  PatchMetric metric = PatchMetric::kWork;
  int pyramid_edges = 16;  ///< P, 3 .. 64
  /// m/s: slower approaches do not bounce; slower slips are none.
  double restitution_speed = 0.02;
  double slip_speed = 1e-4;
  /// m/s^2, > 0: sweeps end when none changes a corner's velocity by more than this times the step,
  double accuracy = 0.01;
  /// or by this share of the speed at which its corners would meet without contact; >= 0.
  double relative_accuracy = 3e-4;
  int max_sweeps = 20;  ///< >= 1
};

/// Throws ConfigError that names the key, value and range. Set-up.
void check_settings(const VolumetricSettings& settings);

}  // namespace kagami::models
