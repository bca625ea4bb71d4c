/// Masses of the links, fitted together with the servos that carry them.
#pragma once

#include <array>
#include <vector>

#include "models/robot/model.hpp"
#include "tools/gap/drive_history.hpp"
#include "tools/identify/servo_fit.hpp"

namespace kagami::tools {

/// Of the link behind a joint.
struct LinkMass {
  double scale = 1.0;     ///< of mass and inertia in the robot's folder
  double sigma = 0.0;     ///< one standard deviation; 0 = not fitted
  bool is_known = false;  ///< by the readings: sigma is less than a third of what was expected
};

/// A mass is expected within 10 % (one standard deviation) of the folder's; bounds 0.7 to 1.3.
inline constexpr double kExpectedMass = 0.1;

/// What is known about masses and servos together near a fit.
struct MassFit {
  std::vector<LinkMass> links;  ///< per joint
  /// Per joint: what the masses' deviations add to that of each parameter, SI.
  std::vector<std::array<double, kNumFitParameters>> servo_sigma;
};

/// One step of the masses from `present`, those of the simulated histories, with all servos free to
/// follow. `fits` are the servos that fit the histories, `model` has the folder's masses and a base
/// that is held: on a floor the forces on the feet would be needed.
MassFit fit_link_masses(const std::vector<const DriveHistory*>& histories,
                        const models::Model& model, const ServoSet& expected,
                        const std::vector<ServoFit>& fits, const std::vector<double>& present);

}  // namespace kagami::tools
