/// How two bodies rub and bounce where they touch.
#pragma once

#include <string>

namespace kagami::models {

/// Coefficients of Coulomb's and Newton's laws; no units.
struct Surface {
  double mu_static = 0.5;    ///< >= mu_kinetic
  double mu_kinetic = 0.5;   ///< >= 0
  double restitution = 0.0;  ///< 0 (stays) .. 1 (comes back as fast as it came)
};

/// Throws ConfigError "<where>: ..." for a coefficient that is not finite, negative friction,
/// mu_kinetic > mu_static or a restitution outside 0..1. Set-up.
void check_surface(const Surface& surface, const std::string& where);

/// What holds between two surfaces: the geometric mean of each coefficient, so that equal surfaces
/// give their own and mu_kinetic <= mu_static stays true.
Surface pair_of(const Surface& a, const Surface& b) noexcept;

}  // namespace kagami::models
