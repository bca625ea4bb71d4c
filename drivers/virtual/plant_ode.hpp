/// The robot's body in the Open Dynamics Engine, on the stand or on the floor.
///
/// On the stand the base is part of the world and the limbs hang from it: each limb's first joint
/// is attached to the static world, so the engine solves head, arms and legs as islands of their
/// own. On the floor the base is a body, and the boxes touch the plane z = 0, not each other.
/// Settings: docs/virtual_robot.md, "The plant".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "drivers/virtual/plant_body.hpp"
#include "drivers/virtual/servo_chain.hpp"
#include "models/base/base_pose.hpp"

namespace kagami::drivers::virtual_robot {

/// Step of the plant.
inline constexpr std::int64_t kPlantStepNs = 1'000'000;
inline constexpr double kPlantStep = 1e-3;  // s

/// One engine world. Same calls, same bits. One thread at a time; any thread may step it.
class PlantOde {
 public:
  /// `dry_friction` (N m, model order) adds a friction row where it is not 0.
  /// `floor_friction`: the coefficient between boxes and floor; none: on the stand. Throws
  /// ModelError for a floor without boxes.
  PlantOde(const PlantBody& body, const std::vector<double>& dry_friction,
           std::optional<double> floor_friction = {});
  ~PlantOde();
  PlantOde(PlantOde&&) noexcept;

  [[nodiscard]] int joint_count() const noexcept;
  /// At rest with these joint angles (rad, model order).
  /// On the floor: the base turned by R_WB above the origin, the lowest corner on the floor.
  void place(const std::vector<double>& angles, const Mat3& R_WB = Mat3::Identity()) noexcept;
  /// Holds the base where it is, or releases it; on the stand it is always held.
  void hold_base(bool held) noexcept;
  /// Sets the motor row of a joint for the next step.
  void set_row(int joint, const MotorRow& row) noexcept;
  /// Sets the most (N m) that dry friction resists from the next step on, of a joint that has it.
  void set_dry_friction(int joint, double torque) noexcept;
  /// During the next step alone a force pushes the base at its mass centre with force_W (N, world
  /// axes). On the floor; a stand gives no way.
  void push(const Vec3& force_W) noexcept;
  /// During the next step alone: a force (N) at the point p_BP (m, in the frame of the link B) and
  /// a moment (N m), both in world axes. kWorld: the base. What the stand holds gives no way.
  void add_wrench(int link, const Vec3& p_BP, const Vec3& force_W, const Vec3& moment_W) noexcept;
  /// During the next step alone: a torque (N m) about a joint's axis, on the child.
  void add_torque(int joint, double torque) noexcept;
  /// A ball of `mass` (kg, > 0; kPayloadRadius) rides at p_BP (m) on the link from now on, with the
  /// velocity of that point; returns its number for detach(). It touches nothing.
  int attach(int link, const Vec3& p_BP, double mass) noexcept;
  /// The ball leaves with the velocity that it has.
  void detach(int ball) noexcept;
  /// m/s^2, world axes, from the next step on.
  void set_gravity(const Vec3& gravity_W) noexcept;
  /// On the floor, from the next step on: this coefficient, or the one of the start, times a
  /// factor.
  void set_friction(std::optional<double> coefficient, double factor) noexcept;
  /// R_WB of a link; kWorld: of the base.
  [[nodiscard]] Mat3 rotation(int link) const noexcept;
  /// Steps by kPlantStep.
  void step() noexcept;
  /// rad, counted on over a half turn: an overhead arm that the floor pushes stays where it is
  [[nodiscard]] double angle(int joint) const noexcept;
  [[nodiscard]] double rate(int joint) const noexcept;  ///< rad/s
  /// Of the base; all 0 on the stand.
  [[nodiscard]] BasePose base() const noexcept;
  /// On the floor and tilted or low (models::has_fallen).
  [[nodiscard]] bool fell() const noexcept;
  [[nodiscard]] bool on_floor() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kagami::drivers::virtual_robot
