/// The model that a controller's torques drive: forward dynamics, loops included, drawn towards the
/// readings where that is wanted. Its angles are the servo targets.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "control/core/controller.hpp"
#include "models/base/wiring.hpp"
#include "models/forward/dynamics_choice.hpp"
#include "models/robot/state.hpp"
#include "runtime/cycle/alignment.hpp"
#include "runtime/cycle/controller_harness.hpp"

namespace kagami::runtime {

/// Fixed steps, first order; never allocates after construction. All else is cycle code.
class ReferenceModel {
 public:
  /// The controller outlives it. `torque_max`: N m per joint. `dynamics`: of a model without loops;
  /// hybrid without code for it: ada. Throws ModelError for a joint of the wiring that its model
  /// has not; the model may have them in any order.
  ReferenceModel(control::Controller& controller, const RobotWiring& wiring,
                 const JointArray<double>& torque_max, const models::DynamicsChoice& dynamics = {});
  ~ReferenceModel();
  ReferenceModel(ReferenceModel&&) noexcept;

  /// At rest with the joints at q (rad); false, and nothing changes, where its loops do not close.
  [[nodiscard]] bool start(const JointArray<double>& q, std::int64_t now_ns) noexcept;
  /// Limits tau to what the servos can do and marks the joints that it held back.
  void limit(control::ControlOutput& out) const noexcept;
  /// One step of dt (s) to `now_ns` by tau. False where the step is not possible or leaves all
  /// bounds (not finite, faster than 100 rad/s).
  [[nodiscard]] bool advance(const JointVector& tau, double dt, std::int64_t now_ns) noexcept;
  /// What the readings say about it: kept until the board's next reading.
  void observe(const JointMeasurements& measured) noexcept;

  /// After an advance that was not possible: the joint that left its bounds and its speed (rad/s,
  /// or what is not finite); -1: the step itself, its loops or the base.
  [[nodiscard]] const control::ControlFinding& finding() const noexcept;
  [[nodiscard]] const models::State& state() const noexcept;
  [[nodiscard]] const JointArray<double>& joints() const noexcept;  ///< rad

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace kagami::runtime
