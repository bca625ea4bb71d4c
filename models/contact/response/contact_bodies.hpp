/// What contact needs to know of one mechanical system: where its touching bodies are, how they
/// would move without contact, how they answer to impulses.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "models/base/types.hpp"
#include "models/forward/dynamics_choice.hpp"
#include "models/robot/model.hpp"
#include "models/robot/state.hpp"
#include "models/spatial/pose.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::models {

/// What drives one system during a step.
struct Drive {
  JointVector tau;  ///< N m, N; num_v
  /// kg m^2, kg; num_v: rotor inertia plus implicit actuator terms (docs/math/servo.md). A single
  /// floating body has none.
  JointVector added_inertia;
  /// F_Bo_B of the surroundings on each body (N m, N) besides gravity and contact; empty: none.
  std::vector<Force> F_ext;
};

/// One system and its touching bodies 0 .. count() - 1. Per step: begin, then response and finish
/// any number of times. All velocities and wrenches about origin(), axes of W. Cycle code;
/// nothing allocates.
class ContactBodies {
 public:
  virtual ~ContactBodies() = default;

  /// Poses, velocities before and free velocities of all touching bodies for a step of h (s).
  /// False when an acceleration is not finite.
  [[nodiscard]] virtual bool begin(const State& state, const Drive& drive, double h) noexcept = 0;
  /// Response among `bodies` (indices of touching bodies, none twice): block (j, k) of Phi is the
  /// 6x6 velocity of body j per impulse on body k; rows of Phi are `stride` numbers apart.
  virtual void response(std::span<const int> bodies, double* Phi, int stride) noexcept = 0;
  /// The state at the step's end after these impulses (one per touching body), and vdot, the mean
  /// rate of v over the step. False, and state untouched, when it is not finite.
  [[nodiscard]] virtual bool finish(std::span<const Force> impulses, State& state,
                                    JointVector& vdot) noexcept = 0;

  [[nodiscard]] int count() const noexcept { return static_cast<int>(X_WB.size()); }
  /// p_WO (m): where the system's first body is at the start of the step.
  [[nodiscard]] const Vec3& origin() const noexcept { return origin_; }
  [[nodiscard]] double mass() const noexcept { return mass_; }  ///< kg

  std::vector<Pose> X_WB;        ///< per touching body, at the start of the step
  std::vector<Motion> V_before;  ///< at the start of the step
  std::vector<Motion> V_free;    ///< at its end if nothing touched, at the poses of the start

 protected:
  explicit ContactBodies(std::size_t count)
      : X_WB(count), V_before(count, Motion::zero()), V_free(count, Motion::zero()) {}

  Vec3 origin_ = Vec3::Zero();
  double mass_ = 0.0;
};

/// For a model whose bodies `touching` carry shapes: a single floating body in closed form, else
/// the articulated-body algorithm; `dynamics` other than it computes the motion without contact,
/// and the response to contact stays with the articulated bodies' factors. The model must outlive
/// it. Throws ModelError for a model with loops (their joint forces do not follow contact yet) or a
/// body that does not exist.
std::unique_ptr<ContactBodies> make_contact_bodies(const Model& model,
                                                   const std::vector<BodyIndex>& touching,
                                                   const DynamicsChoice& dynamics = {});

}  // namespace kagami::models
