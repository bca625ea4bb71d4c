#include "runtime/app/live_parameter.hpp"

#include <cmath>

#include "models/base/config.hpp"

namespace kagami::runtime {

std::string expected_instead(const LiveParameter& parameter, double value) {
  const std::string range = number_text(parameter.min) + ".." + number_text(parameter.max) +
                            (parameter.unit.empty() ? "" : " " + parameter.unit);
  if (!std::isfinite(value)) return "a finite number in " + range;
  if (value < parameter.min || value > parameter.max) return range;
  return {};
}

LiveParameter speed_parameter(double speed) {
  return {.name = "motion/speed",
          .value = speed,
          .min = 0.1,
          .max = 2.0,
          .default_value = 1.0,
          .unit = "",
          .text = "factor on the motion's time"};
}

}  // namespace kagami::runtime
