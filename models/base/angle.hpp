/// Degrees and radians. Degrees exist in motion files, in counts of the boards and on screens
/// alone.
#pragma once

#include <numbers>

namespace kagami {

constexpr double to_rad(double angle_deg) noexcept {
  return angle_deg * (std::numbers::pi / 180.0);
}
constexpr double to_deg(double angle) noexcept {
  return angle * (180.0 / std::numbers::pi);
}

}  // namespace kagami
