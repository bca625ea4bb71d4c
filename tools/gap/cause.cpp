#include "tools/gap/cause.hpp"

#include <algorithm>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

constexpr double kDegPerRad = 57.295779513082323;
constexpr double kPercent = 100.0;

constexpr double kMostDelay = 0.2;  // s, of a servo file
constexpr double kMostLag = 0.3;    // s
constexpr double kMostTrim = to_rad(45.0);
constexpr double kMostPlay = to_rad(10.0);

}  // namespace

const char* cause_name(Cause cause) noexcept {
  switch (cause) {
    case Cause::kLatency:
      return "latency";
    case Cause::kServoLag:
      return "servo lag";
    case Cause::kTrim:
      return "trim";
    case Cause::kGain:
      return "gain";
    case Cause::kStiffness:
      return "stiffness";
    case Cause::kBacklash:
      return "backlash";
    case Cause::kFriction:
      return "friction";
    case Cause::kRateLimit:
      return "rate limit";
    case Cause::kTorqueLimit:
      return "torque limit";
    case Cause::kLoad:
      return "load or contact";
    case Cause::kSign:
      return "wrong sign";
    case Cause::kSwapped:
      return "swapped channels";
    case Cause::kJammed:
      return "jammed";
  }
  return "unknown";
}

CauseScale cause_scale(Cause cause, const ServoParameters& servo) {
  switch (cause) {
    case Cause::kLatency:
      return {"ms", 1e3, 0.005, -servo.delay, kMostDelay - servo.delay};
    case Cause::kServoLag:
      return {"ms", 1e3, 0.010, -servo.filter_1 - servo.filter_2, kMostLag};
    case Cause::kTrim:
      return {"deg", kDegPerRad, to_rad(1.0), -kMostTrim, kMostTrim};
    case Cause::kGain:
      return {"%", kPercent, 0.02, -0.5, 0.5};
    case Cause::kStiffness:
      return {"%", kPercent, 0.2, -0.9, 10.0};
    case Cause::kBacklash:
      return {"deg", kDegPerRad, to_rad(1.0), -servo.backlash, kMostPlay};
    case Cause::kFriction:
      return {"N m", 1.0, 0.05, -servo.coulomb_friction, servo.stall_torque};
    case Cause::kRateLimit:
      return {"%", kPercent, -0.2, -0.9, 2.0};
    case Cause::kTorqueLimit:
      return {"%", kPercent, -0.2, -0.95, 3.0};
    case Cause::kLoad:
      return {"%", kPercent, 0.2, -2.0, 5.0};
    default:
      return {};
  }
}

void apply_cause(Cause cause, double amount, ServoParameters& servo) {
  switch (cause) {
    case Cause::kLatency:
      servo.delay = std::max(0.0, servo.delay + amount);
      break;
    case Cause::kServoLag: {
      // both filters in their proportion; equal ones where there were none
      const double sum = servo.filter_1 + servo.filter_2;
      const double wanted = std::max(0.0, sum + amount);
      const double share = sum > 0.0 ? servo.filter_1 / sum : 0.5;
      servo.filter_1 = share * wanted;
      servo.filter_2 = (1.0 - share) * wanted;
      break;
    }
    case Cause::kTrim:
      servo.trim += amount;
      break;
    case Cause::kGain:
      servo.reading_gain += amount;
      break;
    case Cause::kStiffness:
      servo.kp *= 1.0 + amount;
      break;
    case Cause::kBacklash:
      servo.backlash = std::max(0.0, servo.backlash + amount);
      break;
    case Cause::kFriction:
      servo.coulomb_friction = std::max(0.0, servo.coulomb_friction + amount);
      break;
    case Cause::kRateLimit:
      servo.free_speed *= 1.0 + amount;
      break;
    case Cause::kTorqueLimit:
      servo.stall_torque *= 1.0 + amount;
      break;
    default:
      break;
  }
}

}  // namespace kagami::tools
