/// The methods that work on contact points, by name.
#pragma once

#include <memory>

#include "models/contact/method/contact_method.hpp"

namespace kagami::models {

/// Of a method of points (not `volumetric`, which works on patches: VolumetricContacts). Throws
/// ConfigError for that, settings that check_settings refuses or a capacity below 1. Set-up.
std::unique_ptr<ContactMethod> make_contact_method(const ContactSettings& settings,
                                                   const ContactCapacity& capacity);

}  // namespace kagami::models
