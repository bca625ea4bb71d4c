/// The plant behind the boards: servos, supply and body, stepped on a fixed grid, with a memory of
/// where the joints were.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "drivers/virtual/plant_disturbance.hpp"
#include "drivers/virtual/plant_ode.hpp"
#include "drivers/virtual/servo_chain.hpp"
#include "models/base/servo_parameters.hpp"

namespace kagami::drivers::virtual_robot {

/// What a board commands to one servo at the end of a step.
struct ServoCommand {
  double target = 0.0;     ///< rad, joint angle
  bool is_driven = false;  ///< false: the servo gives no torque
};

/// Time 0 is when the robot is switched on.
class Plant {
 public:
  /// `servos` in model order, as many as the body has joints.
  /// `floor_friction`: on the floor; none: on the stand. A robot on the floor is held until
  /// one of its servos is driven for the first time.
  Plant(const PlantBody& body, const ServoSet& servos, std::optional<double> floor_friction = {});

  [[nodiscard]] int joint_count() const noexcept { return body_.joint_count(); }
  /// At rest at these angles (rad, model order), all servos settled there.
  /// On the floor: base turned by R_WB, lowest corner on the floor.
  void place(const std::vector<double>& angles, const Mat3& R_WB = Mat3::Identity()) noexcept;
  /// PlantOde::push.
  void push(const Vec3& force_W) noexcept { body_.push(force_W); }
  /// Disturbances that act on it from disturb_from on; checked by PlantDisturbance's constructor.
  void disturb(PlantDisturbance disturbance) { disturbance_ = std::move(disturbance); }
  /// Its time 0, in this plant's time (ns).
  void disturb_from(std::int64_t zero_ns) noexcept { zero_ns_ = zero_ns; }
  /// One step of kPlantStepNs. `commands` in model order.
  void step(const std::vector<ServoCommand>& commands) noexcept;
  /// End of the last step, ns.
  [[nodiscard]] std::int64_t time_ns() const noexcept { return steps_ * kPlantStepNs; }
  [[nodiscard]] double angle(int joint) const noexcept;   ///< rad, at time_ns()
  [[nodiscard]] double torque(int joint) const noexcept;  ///< N m of the motor in the last step
  [[nodiscard]] const PlantOde& body() const noexcept { return body_; }
  /// Angle at a time up to 0.4 s before and one step after time_ns(), rad: interpolated between
  /// steps, carried on at the present rate after the last.
  [[nodiscard]] double angle_at(int joint, std::int64_t at_ns) const noexcept;
  /// What the servo measures there, rad.
  [[nodiscard]] double reading_at(int joint, std::int64_t at_ns) const noexcept {
    const double gain = parameters_.joints[static_cast<std::size_t>(joint)].reading_gain;
    return (1.0 + gain) * angle_at(joint, at_ns);
  }
  /// Supply voltage as a fraction of the nominal one, as the next step will see it.
  [[nodiscard]] double supply() const noexcept;

 private:
  static constexpr std::int64_t kHistory = 512;  // steps
  void remember() noexcept;
  [[nodiscard]] double remembered(int joint, std::int64_t step) const noexcept;

  struct Servo {
    TargetChain chain;
    ServoMotor motor;
    bool was_driven = false;
  };

  PlantOde body_;
  PlantDisturbance disturbance_;
  std::optional<std::int64_t> zero_ns_;
  ServoSet parameters_;
  std::vector<Servo> servos_;
  std::vector<double> history_;  // ring over steps, one row of joints each
  std::int64_t steps_ = 0;
};

}  // namespace kagami::drivers::virtual_robot
