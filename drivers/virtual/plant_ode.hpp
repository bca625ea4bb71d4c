/// The robot's body in the Open Dynamics Engine, on the stand: the base is part of the world, the
/// limbs hang from it.
///
/// Settings of walk-study.md section 7. Each limb's first joint is attached to the static world, so
/// the engine solves head, arms and legs as islands of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "drivers/virtual/plant_body.hpp"
#include "drivers/virtual/servo_chain.hpp"

namespace kagami::drivers::virtual_robot {

/// Step of the plant.
inline constexpr std::int64_t kPlantStepNs = 1'000'000;
inline constexpr double kPlantStep = 1e-3;  // s

/// One engine world. Same calls, same bits. One thread at a time; any thread may step it.
class PlantOde {
 public:
  /// `coulomb_friction` (N m, model order) adds a friction row where it is not 0.
  PlantOde(const PlantBody& body, const std::vector<double>& coulomb_friction);
  ~PlantOde();
  PlantOde(PlantOde&&) noexcept;

  [[nodiscard]] int joint_count() const noexcept;
  /// At rest with these joint angles (rad, model order).
  void place(const std::vector<double>& angles) noexcept;
  /// Sets the motor row of a joint for the next step.
  void set_row(int joint, const MotorRow& row) noexcept;
  /// Steps by kPlantStep.
  void step() noexcept;
  [[nodiscard]] double angle(int joint) const noexcept;  ///< rad, -pi..pi
  [[nodiscard]] double rate(int joint) const noexcept;   ///< rad/s

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kagami::drivers::virtual_robot
