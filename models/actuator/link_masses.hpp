/// Masses of links that differ from the robot's folder.
#pragma once

#include "models/base/servo_parameters.hpp"
#include "models/base/wiring.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// The model with the link_mass_scale of every servo; the same bits where all are 1. Set-up. Throws
/// ModelError for a joint that the model has not.
Model with_link_masses(const Model& model, const ServoSet& servos, const RobotWiring& wiring);

}  // namespace kagami::models
