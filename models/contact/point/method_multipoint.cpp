// [Sugihara 2002] section 3.3, numbers as there:
//   4  provisional velocities after: v_n+ = -e v_n- (11); a point that holds: v_t+ = 0
//      ((12) keeps the tangential speed: a point held to be at rest would creep for ever)
//   5  M df = da (17), M = K' H^-1 K; where it is singular the solution of minimum norm (19): as
//   the
//      limit of vanishing relaxation, three passes of (p-2), no rank to be decided
//   6  points that pull leave the contacts (24);  7  back to 4
//   8  kinetic friction where a point slips or needs more than mu_S f_n (25)-(28), as a vector
//      against the slip, at its onset along the provisional force; then once more from 5 with
//      friction tied to the normal impulse (not in the paper: without it tall bodies sink)
// Ours besides: slow approaches do not bounce; gaps, penetrations and the places that points hold
// (v_t+ = -K d_t in 4, else a standing robot drifts by what every step of a turn errs) as in
// `relaxed`.
#include "models/contact/point/method_multipoint.hpp"

#include "models/contact/point/active_set_contact.hpp"

namespace kagami::models {

std::unique_ptr<ContactMethod> make_multipoint(const ContactSettings& settings,
                                               const ContactCapacity& capacity) {
  constexpr double kVanishing = 1e-9;  // of the square of the inverse mass
  constexpr double kFirm = 1e-3;       // likewise; as `relaxed`
  const ActiveSetRules rules{.name = MethodName::kMultipoint,
                             .relaxation = kVanishing,
                             .refine = 2,
                             .fallback = kFirm,
                             .hold_reference = true,
                             .kinetic_hysteresis = false,
                             .smooth_kinetic = false,
                             .rows_of_open = false};
  return std::make_unique<ActiveSetContact>(rules, settings, capacity);
}

}  // namespace kagami::models
