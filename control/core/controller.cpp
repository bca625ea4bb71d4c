#include "control/core/controller.hpp"

#include <limits>

namespace kagami::control {

bool Controller::place(const JointArray<double>& /*q*/, JointVector& /*coordinates*/) noexcept {
  return false;
}

double Controller::tunable(int /*index*/) const noexcept {
  return std::numeric_limits<double>::quiet_NaN();
}

bool Controller::set_tunable(int /*index*/, double /*value*/) noexcept {
  return false;
}

}  // namespace kagami::control
