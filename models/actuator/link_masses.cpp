#include "models/actuator/link_masses.hpp"

#include <algorithm>

#include "models/robot/builder.hpp"

namespace kagami::models {

Model with_link_masses(const Model& model, const ServoSet& servos, const RobotWiring& wiring) {
  ModelBuilder builder(model);
  bool is_changed = false;
  for (std::size_t j = 0; j < std::min(servos.joints.size(), wiring.joints.size()); ++j) {
    const double scale = servos.joints[j].link_mass_scale;
    if (scale == 1.0) continue;
    builder.scale_mass(model.find_joint(wiring.joints[j].joint), scale);
    is_changed = true;
  }
  return is_changed ? builder.build() : model;
}

}  // namespace kagami::models
