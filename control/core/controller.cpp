#include "control/core/controller.hpp"

#include <array>
#include <limits>

namespace kagami::control {

const char* name(ControlStatus status) noexcept {
  constexpr std::array<const char*, kNumControlStatuses> kNames{
      "ok",        "bad step",  "not finite",  "old reading", "bad output",
      "saturated", "loop open", "foot in air", "not possible"};
  const auto index = static_cast<std::size_t>(status);
  return index < kNames.size() ? kNames[index] : "?";
}

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
