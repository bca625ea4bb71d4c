/// What can set a robot's joint apart from its model, one physical cause at a time.
#pragma once

#include <array>
#include <string>

#include "models/base/servo_parameters.hpp"

namespace kagami::tools {

enum class Cause {
  // found by repeating the servo's run with another parameter
  kLatency,      ///< the pulse comes later
  kServoLag,     ///< the servo smooths its target more
  kTrim,         ///< its centre is elsewhere
  kGain,         ///< it turns further for the same count
  kStiffness,    ///< its position loop is stiffer or softer
  kBacklash,     ///< the gear has play
  kFriction,     ///< dry friction
  kRateLimit,    ///< it turns faster or slower without load
  kTorqueLimit,  ///< it is stronger or weaker
  kLoad,         ///< what it carries or touches is heavier or lighter: mass, contact
  // found by comparing whole curves
  kSign,     ///< it turns the other way
  kSwapped,  ///< it moves as another joint shall
  kJammed,   ///< it does not move
};
inline constexpr std::array kFittedCauses = {
    Cause::kLatency,  Cause::kServoLag, Cause::kTrim,      Cause::kGain,        Cause::kStiffness,
    Cause::kBacklash, Cause::kFriction, Cause::kRateLimit, Cause::kTorqueLimit, Cause::kLoad};

/// For people and for machines: "latency", "servo lag", ...
const char* cause_name(Cause cause) noexcept;

/// How one cause is measured.
struct CauseScale {
  const char* unit = "";  ///< as it is printed
  double per_unit = 1.0;  ///< printed value of 1 in SI units
  double typical = 0.0;   ///< SI; a size that people care about, the first try of a search
  double least = 0.0;     ///< SI, bounds of the search
  double most = 0.0;
};
/// For a servo whose present parameters are `servo`.
CauseScale cause_scale(Cause cause, const ServoParameters& servo);

/// The servo with this much of a cause added (SI units). Gain and load leave it as it is: they act
/// outside it.
void apply_cause(Cause cause, double amount, ServoParameters& servo);

}  // namespace kagami::tools
