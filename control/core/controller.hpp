/// The one interface of every controller: its inputs, its outputs, its tunables.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "control/core/status.hpp"
#include "control/core/tunable.hpp"
#include "models/base/base_pose.hpp"
#include "models/base/types.hpp"
#include "models/robot/model.hpp"

namespace kagami::control {

/// All inputs of an update. Joint arrays are in model order; places from num_joints
/// on are not read.
struct ControlInput {
  int num_joints = 0;
  double dt = 0.0;                   ///< s since the last update, > 0
  JointArray<double> q_ref{};        ///< rad, the motion's, now
  JointArray<double> qd_ref{};       ///< rad/s
  JointArray<double> q_ref_then{};   ///< rad, the motion's at the time of each joint's reading
  JointArray<double> qd_ref_then{};  ///< rad/s, likewise
  JointArray<double> measured{};     ///< rad, newest reading of each joint
  JointArray<double> sample_dt{};    ///< s between that reading and the one before; 0: nothing new
  JointArray<double> age{};          ///< s since that reading was taken
  JointArray<double> q_target{};     ///< rad, the last commands of the servos
  JointArray<double> q_shadow{};     ///< rad, the shadow's, which nothing corrects
  BasePose base;                     ///< of the shadow; NaN or 0 on the stand
  /// The reference model's state, for controllers that drive one; else empty.
  JointVector q;
  JointVector v;
};

/// One of the two is written, chosen by `drive`; unused elements are left as they are.
struct ControlOutput {
  JointArray<double> q_target{};  ///< rad, goes to the servos
  JointVector tau;                ///< N m per degree of freedom, drives the reference model
  /// Output of the law before it became a target (PID: rad/s or N m), for the record.
  JointArray<double> u{};
  JointArray<bool> is_saturated{};  ///< the law's own limit holds this joint back
};

/// Where and how much, of the last status that was not kOk.
struct ControlFinding {
  int joint = -1;  ///< model order, -1: none
  double value = 0.0;
};

/// What a controller's output drives (docs/controllers.md).
enum class ControlDrive : std::uint8_t {
  kTarget,  ///< writes q_target: servo targets from measured angles
  kTorque,  ///< writes tau: drives the reference model, whose angles go to the servos
};

/// A controller of one robot. Built at set-up by the factory; after that nothing allocates. All but
/// construction, `name` and `tunables` is cycle code: one thread, no clock, no I/O, the same bits
/// for the same inputs.
class Controller {
 public:
  Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;
  virtual ~Controller() = default;

  /// The name under which it is registered: "pid".
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual ControlDrive drive() const noexcept = 0;
  /// The model that tau drives, alive as long as the controller; null for kTarget.
  [[nodiscard]] virtual const models::Model* reference_model() const noexcept { return nullptr; }
  /// Coordinates of the reference model with the joints at `q` (rad, model order); false when its
  /// loops do not close there. Not called for kTarget.
  [[nodiscard]] virtual bool place(const JointArray<double>& q, JointVector& coordinates) noexcept;

  /// Rate (1/s) at which measurements pull the reference model, critically damped; 0: never.
  [[nodiscard]] virtual double observer_rate() const noexcept { return 0.0; }

  /// Starts from `in` so that the servos feel nothing: with in.q_target for kTarget, from the
  /// reference model's state for kTorque. kOk, or why it cannot start here.
  [[nodiscard]] virtual ControlStatus reset(const ControlInput& in) noexcept = 0;
  /// Outputs from `in` alone; keeps no pointer to either.
  [[nodiscard]] virtual ControlStatus update(const ControlInput& in,
                                             ControlOutput& out) noexcept = 0;
  /// Of the last reset or update that was not kOk.
  [[nodiscard]] virtual ControlFinding finding() const noexcept { return {}; }

  /// The tunables, in a fixed order; empty: nothing.
  [[nodiscard]] virtual std::span<const Tunable> tunables() const noexcept { return {}; }
  /// Value of a tunable; NaN for an index that does not exist.
  [[nodiscard]] virtual double tunable(int index) const noexcept;
  /// Turns it so that the output feels nothing; false and no change for an index that does not
  /// exist or a value out of range.
  [[nodiscard]] virtual bool set_tunable(int index, double value) noexcept;
};

/// What a controller is built for.
struct ControlPlace {
  const models::Model* model = nullptr;  ///< joints in the order of joint_names; copied if needed
  std::string robot;                     ///< its name, as in gain sets
  std::span<const std::string> joint_names;
  JointArray<double> q_start{};  ///< rad, the motion's first pose: there it will begin
  double period = 1e-3;          ///< s between cycles
  double sample_period = 7e-3;   ///< s between readings of a joint, about
  /// N m/rad, the twin's idea of each servo's position loop; 0: not known.
  JointArray<double> servo_stiffness{};
};

}  // namespace kagami::control
