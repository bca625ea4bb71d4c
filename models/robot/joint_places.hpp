/// Where the joints of a robot stand in the coordinates of a model whose order is another.
#pragma once

#include <span>
#include <string>

#include "models/base/types.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// Joint j of a list of names, 0 <= j < num.
struct JointPlaces {
  int num = 0;
  JointArray<int> q{};  ///< index of its angle in q
  JointArray<int> v{};  ///< index of its rate in v and of its torque in tau
};

/// Throws ModelError for a joint that the model has not, or of other than one degree of freedom.
/// Set-up.
JointPlaces joint_places(const Model& model, std::span<const std::string> names);

/// The angles (rad) into q. Cycle code.
void put_q(const JointPlaces& places, const JointArray<double>& values, JointVector& q) noexcept;
/// The angles out of q. Cycle code.
void take_q(const JointPlaces& places, const JointVector& q, JointArray<double>& values) noexcept;

}  // namespace kagami::models
