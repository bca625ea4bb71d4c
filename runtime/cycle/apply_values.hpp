/// The values of a Tuning on their way into the controllers.
#pragma once

#include <memory>
#include <span>

#include "runtime/channels/cycle_types.hpp"
#include "runtime/cycle/controller_instance.hpp"

namespace kagami::runtime {

/// Which value of a set was refused.
struct RefusedValue {
  int place = -1;  ///< in the set, from 0; -1: their number
  double value = 0.0;
};

/// The values of a set to the controllers, in their order, robot's and twin's alike; values that
/// are the same already are left alone. All or none: false, and all are what they were. Cycle code.
bool apply_values(std::span<const std::unique_ptr<ControllerInstance>> units, const Tuning& tuning,
                  RefusedValue& refused) noexcept;

}  // namespace kagami::runtime
