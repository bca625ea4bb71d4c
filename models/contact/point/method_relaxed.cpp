// [Wakisaka 2013], symbols as there, numbers as there:
//   v+ = A df + b,  b = v_free                                     (5), (6)
//   1/2 |A df + b + K d|^2 + 1/2 lambda |df|^2 -> min, f_n >= 0    (11)
//   d = p_i - p_n, kept while the point holds                      (14), (15)
//   holds while |f_t| <= mu_s f_n; what slid: <= mu_d f_n          (16), (19)
//   else f_t = mu_d f_n f_t/|f_t| at the onset (printed with a minus, which drives the point),
//   then -mu_d f_n w(|v|) v/|v|, w = 1 - exp(-k_w |v|)             (17), (20), (21)
// Ours: lambda is relaxation / mass^2, so that its effect does not depend on the unit of mass; a
// slipping point is solved for again with its friction tied to its normal impulse; a point that is
// not pressed leaves the sum of squares (rows_of_open: stays, as printed); a gap that is still open
// the target is -gap/h instead of K d, so that a body arrives at the surface and not below it.
#include "models/contact/point/method_relaxed.hpp"

#include "models/contact/point/active_set_contact.hpp"

namespace kagami::models {

std::unique_ptr<ContactMethod> make_relaxed(const ContactSettings& settings,
                                            const ContactCapacity& capacity) {
  const ActiveSetRules rules{.name = MethodName::kRelaxed,
                             .relaxation = settings.relaxation,
                             .refine = 0,
                             .fallback = 0.0,
                             .hold_reference = true,
                             .kinetic_hysteresis = true,
                             .smooth_kinetic = true,
                             .rows_of_open = settings.rows_of_open};
  return std::make_unique<ActiveSetContact>(rules, settings, capacity);
}

}  // namespace kagami::models
