/// The common interface of the contact methods: what they see of mechanics, what they answer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "models/contact/method/contact_point.hpp"
#include "models/contact/method/volumetric_settings.hpp"

namespace kagami::models {

enum class ContactStatus : std::uint8_t {
  kOk,
  kNotConverged,  ///< the answer is admissible (no pull, inside the friction cone), not exact
  kCapacity,      ///< more bodies or contacts than the method was made for; nothing answered
  kNotFinite,     ///< an input or the answer is not finite; nothing answered
};

/// "ok", "not converged", "capacity", "not finite".
const char* name(ContactStatus status) noexcept;
/// True when the method gave an answer, exact or not.
constexpr bool answered(ContactStatus status) noexcept {
  return status == ContactStatus::kOk || status == ContactStatus::kNotConverged;
}

/// One body that touches something, seen from its system's origin O (a point fixed in space for the
/// step; every body of one system has the same). Velocities about O, axes of W.
struct TouchingBody {
  int system = 0;                    ///< of the world
  int body = 0;                      ///< index among the system's touching bodies
  Vec3 origin = Vec3::Zero();        ///< p_WO (m)
  Motion V_before = Motion::zero();  ///< at the start of the step
  Motion V_free = Motion::zero();    ///< at its end if nothing touched
};

/// One island: bodies whose contacts depend on each other.
struct ContactProblem {
  double step = 0.0;                     ///< h (s), > 0
  std::span<const TouchingBody> bodies;  ///< K of them
  /// Response, 6K x 6K, row after row, symmetric: velocity of body j (about its O) per impulse
  /// (moment about O; force) on body k; zero between different systems (1/(kg m^2), 1/kg, ...).
  const double* Phi = nullptr;
  std::span<const ContactPoint> points;
};

/// What a solve took.
struct SolveReport {
  int iterations = 0;
  double residual = 0.0;  ///< m/s, largest over the closed contacts
};

enum class MethodName : std::uint8_t { kRelaxed, kMultipoint, kVolumetric };

/// "relaxed", "multipoint", "volumetric".
const char* name(MethodName method) noexcept;
/// The method of that name; ConfigError that lists them for anything else.
MethodName contact_method(std::string_view name);

/// What rests is left out of the steps until something moves it (World::asleep).
struct SleepSettings {
  double time = 0.0;    ///< s, >= 0: so long at rest before it sleeps; 0: no body sleeps
  double speed = 1e-3;  ///< m/s, rad/s, > 0: at rest is what has every velocity below
};

/// Parameters of the methods (docs/math/contact.md). Defaults hold for all shipped robots.
struct ContactSettings {
  MethodName method = MethodName::kRelaxed;
  /// lambda of [Wakisaka 2013] times the square of the contact's mass: no unit, > 0. Resting depth
  /// of n corners that share evenly: relaxation g h / (n^2 compensation).
  double relaxation = 1e-3;
  /// K (1/s, >= 0): share of an offset that is taken back per second; at most half of it per step.
  double compensation = 100.0;
  /// m/s, >= 0: no offset is taken back faster.
  double compensation_speed = 0.5;
  /// k_w (s/m, > 0) of the factor 1 - exp(-k_w v) on kinetic friction; `relaxed` only.
  double friction_smoothing = 1000.0;
  /// m/s, >= 0: slower approaches do not bounce.
  double restitution_speed = 0.02;
  /// m/s, >= 0: a new contact that slips slower sticks.
  double stick_speed = 1e-6;
  /// Solves per step, >= 1; when they do not suffice, as many again without friction.
  int max_iterations = 30;
  /// Contacts that are not pressed keep their rows in the sum of squares, as (11) of
  /// [Wakisaka 2013] has it. Off: they leave the problem whole, so that a foot may lift.
  bool rows_of_open = false;
  /// Of `volumetric`, which uses none of the above but `method`.
  VolumetricSettings volumetric;
  /// Of the world, whichever method.
  SleepSettings sleep;
};

/// Throws ConfigError that names the key, value and range. Set-up.
void check_settings(const ContactSettings& settings);

/// Largest problem that a method accepts.
struct ContactCapacity {
  /// Of one island that are solved together; a larger one is solved in parts. `volumetric` takes
  /// all there are.
  int bodies = 32;
  int points = 256;  ///< or patches, of four times as many pairs whose bounds overlap
};
/// Throws ConfigError for a capacity below 1. Set-up.
void check_capacity(const ContactCapacity& capacity);

/// Made at set-up for a capacity; no call allocates. One thread.
class ContactMethod {
 public:
  virtual ~ContactMethod() = default;
  [[nodiscard]] virtual const char* name() const noexcept = 0;
  /// Answers forces[i] for problem.points[i]; untouched on kCapacity and kNotFinite. Cycle code.
  [[nodiscard]] virtual ContactStatus solve(const ContactProblem& problem,
                                            std::span<ContactForce> forces,
                                            SolveReport& report) noexcept = 0;
};

}  // namespace kagami::models
