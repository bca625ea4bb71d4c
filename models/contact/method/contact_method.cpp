#include "models/contact/method/contact_method.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include "models/base/errors.hpp"

namespace kagami::models {
namespace {

constexpr std::array<MethodName, 3> kMethods = {MethodName::kRelaxed, MethodName::kMultipoint,
                                                MethodName::kVolumetric};

void check(const char* key, double value, double min, double max) {
  if (value >= min && value <= max) return;
  std::ostringstream text;
  text << "contact: /" << key << ": " << value << " is outside [" << min << ", " << max << "]";
  throw ConfigError(text.str());
}

}  // namespace

const char* name(ContactMotion motion) noexcept {
  constexpr const char* kNames[] = {"new", "open", "stick", "settling", "slide"};
  return kNames[static_cast<int>(motion)];
}

const char* name(ContactStatus status) noexcept {
  constexpr const char* kNames[] = {"ok", "not converged", "capacity", "not finite"};
  return kNames[static_cast<int>(status)];
}

const char* name(MethodName method) noexcept {
  constexpr const char* kNames[] = {"relaxed", "multipoint", "volumetric"};
  return kNames[static_cast<int>(method)];
}

MethodName contact_method(std::string_view text) {
  std::string known;
  for (const MethodName method : kMethods) {
    if (text == name(method)) return method;
    known += std::string(known.empty() ? "" : ", ") + name(method);
  }
  throw ConfigError("contact method '" + std::string(text) + "', expected one of: " + known);
}

void check_settings(const ContactSettings& s) {
  constexpr double kTiny = std::numeric_limits<double>::min();
  check("relaxation", s.relaxation, kTiny, 1e3);
  check("compensation", s.compensation, 0.0, 1e6);
  check("compensation_speed", s.compensation_speed, 0.0, 1e3);
  check("friction_smoothing", s.friction_smoothing, kTiny, 1e9);
  check("restitution_speed", s.restitution_speed, 0.0, 1e3);
  check("stick_speed", s.stick_speed, 0.0, 1.0);
  check("max_iterations", s.max_iterations, 1, 10000);
  check("sleep/time", s.sleep.time, 0.0, 1e5);
  check("sleep/speed", s.sleep.speed, kTiny, 1e3);
  check_settings(s.volumetric);
}

void check_capacity(const ContactCapacity& capacity) {
  check("capacity/bodies", capacity.bodies, 1, 100000);
  check("capacity/points", capacity.points, 1, 1000000);
}

}  // namespace kagami::models
