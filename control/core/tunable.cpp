#include "control/core/tunable.hpp"

#include <cmath>

#include "models/base/number_text.hpp"

namespace kagami::control {

std::string expected_instead(const Tunable& tunable, double value) {
  if (tunable.takes(value)) return {};
  const std::string range = number_text(tunable.min) + ".." + number_text(tunable.max) +
                            (tunable.unit.empty() ? "" : " " + tunable.unit);
  return std::isfinite(value) ? range : "a finite number in " + range;
}

}  // namespace kagami::control
