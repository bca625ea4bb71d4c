#include "runtime/app/live_parameter.hpp"

#include "motions/play/time_scale.hpp"

namespace kagami::runtime {

control::Tunable speed_tunable() {
  return {.name = "motion/speed",
          .min = motions::TimeScale::kMin,
          .max = motions::TimeScale::kMax,
          .unit = "",
          .text = "factor on the motion's time",
          .path = {},
          .default_value = 1.0};
}

}  // namespace kagami::runtime
