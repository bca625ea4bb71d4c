/// Changes of gains by name ("left_knee/kp", without the controller's name before it): parsed,
/// applied to a controller, written as a gain set.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/core/controller.hpp"

namespace kagami::tools {

/// "left_knee/kp=4.2" or "pid/left_knee/kp=4.2". Throws ConfigError.
control::TunableValue gain_change_of(std::string_view text);

/// Applies them in order. "all/kp" changes every joint's. Throws ConfigError for names that the
/// controller does not know and values out of range (with the range),
/// and has then changed nothing.
void apply_gains(control::Controller& controller, std::span<const control::TunableValue> changes);

/// Every tunable of the controller with its present value, in its order.
std::vector<control::TunableValue> gains_of(const control::Controller& controller);
/// Those whose names begin with "JOINT/".
std::vector<control::TunableValue> gains_of(const control::Controller& controller,
                                            std::string_view joint);

/// `base` (a PID's kagami.gains/1) with each joint of `gains` given its own entry: form parallel,
/// kp, ki, kd and whatever else they name. Throws ConfigError for a set of another controller or a
/// joint without all of kp, ki, kd.
std::string gain_set_text(const std::string& base, std::span<const control::TunableValue> gains,
                          const std::string& name, const std::string& note);

}  // namespace kagami::tools
