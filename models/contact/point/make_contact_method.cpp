#include "models/contact/point/make_contact_method.hpp"

#include "models/base/errors.hpp"
#include "models/contact/point/method_multipoint.hpp"
#include "models/contact/point/method_relaxed.hpp"

namespace kagami::models {

std::unique_ptr<ContactMethod> make_contact_method(const ContactSettings& settings,
                                                   const ContactCapacity& capacity) {
  check_settings(settings);
  check_capacity(capacity);
  if (settings.method == MethodName::kVolumetric) {
    throw ConfigError("contact method 'volumetric' works on patches, not on points");
  }
  if (settings.method == MethodName::kMultipoint) return make_multipoint(settings, capacity);
  return make_relaxed(settings, capacity);
}

}  // namespace kagami::models
