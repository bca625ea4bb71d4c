#include "models/contact/scene/surface.hpp"

#include <cmath>
#include <sstream>

#include "models/base/errors.hpp"

namespace kagami::models {
namespace {

[[noreturn]] void refuse(const std::string& where, const char* what, double value,
                         const char* expected) {
  std::ostringstream text;
  text << where << ": " << what << " " << value << ", expected " << expected;
  throw ConfigError(text.str());
}

}  // namespace

void check_surface(const Surface& surface, const std::string& where) {
  if (!std::isfinite(surface.mu_kinetic) || surface.mu_kinetic < 0.0) {
    refuse(where, "mu_kinetic is", surface.mu_kinetic, "a finite number >= 0");
  }
  if (!std::isfinite(surface.mu_static) || surface.mu_static < surface.mu_kinetic) {
    refuse(where, "mu_static is", surface.mu_static, "a finite number >= mu_kinetic");
  }
  if (!(surface.restitution >= 0.0 && surface.restitution <= 1.0)) {
    refuse(where, "restitution is", surface.restitution, "0..1");
  }
}

Surface pair_of(const Surface& a, const Surface& b) noexcept {
  return {.mu_static = std::sqrt(a.mu_static * b.mu_static),
          .mu_kinetic = std::sqrt(a.mu_kinetic * b.mu_kinetic),
          .restitution = std::sqrt(a.restitution * b.restitution)};
}

}  // namespace kagami::models
