/// Contact with relaxed constraints and compensation at the velocity level [Wakisaka 2013].
#pragma once

#include <memory>

#include "models/contact/method/contact_method.hpp"

namespace kagami::models {

/// Sought are impulses with 1/2 |A f + b + K d|^2 + 1/2 lambda |f|^2 -> min (11), no pull, friction
/// by the continuous model (16)-(21). docs/math/contact.md. Set-up.
std::unique_ptr<ContactMethod> make_relaxed(const ContactSettings& settings,
                                            const ContactCapacity& capacity);

}  // namespace kagami::models
