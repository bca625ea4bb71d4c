/// A single floating body, in closed form.
#pragma once

#include "models/contact/response/contact_bodies.hpp"

namespace kagami::models {

/// True for a model of one floating body.
bool is_free_body(const Model& model) noexcept;

/// Momenta are carried over a step in W, so both are kept to rounding; the turn uses the rate half
/// way (docs/math/contact.md).
class FreeBody final : public ContactBodies {
 public:
  /// `touching`: 0 or 1 of the body's index.
  FreeBody(const Model& model, std::size_t touching);
  [[nodiscard]] bool begin(const State& state, const Drive& drive, double h) noexcept override;
  void response(std::span<const int> bodies, double* Phi, int stride) noexcept override;
  [[nodiscard]] bool finish(std::span<const Force> impulses, State& state,
                            JointVector& vdot) noexcept override;

 private:
  const Model& model_;
  Mat3 I_B_;  // kg m^2 about the mass centre, axes of B
  Mat3 I_B_inverse_;
  Vec3 com_B_;  // p_BoBcm (m)
  double m_ = 0.0;
  double h_ = 0.0;
  Pose X_WB_;
  Vec3 com_;        // p_OC in W (m)
  Mat3 I_inverse_;  // in W
  Vec3 v_, L_;      // m/s of the mass centre; angular momentum about it, free, in W
};

}  // namespace kagami::models
