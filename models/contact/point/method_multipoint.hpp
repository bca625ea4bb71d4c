/// Rigid contact at many points, impulses of minimum norm [Sugihara 2002].
#pragma once

#include <memory>

#include "models/contact/method/contact_method.hpp"

namespace kagami::models {

/// Section 3.3 step by step, corrected: docs/math/contact.md. Set-up.
std::unique_ptr<ContactMethod> make_multipoint(const ContactSettings& settings,
                                               const ContactCapacity& capacity);

}  // namespace kagami::models
