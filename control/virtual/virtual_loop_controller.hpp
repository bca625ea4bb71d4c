/// The virtual closed loop as a controller: its torques drive the reference model, with the loop
/// closed where the motion's first pose has it; the motion leads chosen joints.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "control/core/controller.hpp"
#include "control/core/first_order_ramp.hpp"
#include "control/core/foot_height.hpp"
#include "control/virtual/virtual_loop.hpp"
#include "control/virtual/virtual_loop_gain_set.hpp"
#include "models/base/config_fwd.hpp"
#include "models/robot/joint_places.hpp"

namespace kagami::control {

/// On the stand, or on the floor: then the root of the reference model is the supporting sole,
/// and its joints stand in another order. Tunables: JOINT/kp and JOINT/kd of every joint
/// that leads, damping, correction_rate, observer_rate; a changed one approaches its value by a
/// ramp.
class VirtualLoopController final : public Controller {
 public:
  /// Throws ConfigError for another robot's set, frames or joints that the robot has not, a base
  /// that floats without a sole to stand on or is held with one, loops to the world that are in the
  /// air, loops that cannot be closed at place.q_start.
  VirtualLoopController(const VirtualLoopGainSet& set, const ControlPlace& place);

  [[nodiscard]] std::string_view name() const noexcept override { return "virtual-loop"; }
  [[nodiscard]] ControlDrive drive() const noexcept override { return ControlDrive::kTorque; }
  [[nodiscard]] const models::Model* reference_model() const noexcept override { return &robot_; }
  [[nodiscard]] bool place(const JointArray<double>& q, JointVector& coordinates) noexcept override;
  [[nodiscard]] double observer_rate() const noexcept override { return observer_rate_.value(); }
  [[nodiscard]] ControlStatus reset(const ControlInput& in) noexcept override;
  [[nodiscard]] ControlStatus update(const ControlInput& in, ControlOutput& out) noexcept override;
  [[nodiscard]] ControlFinding finding() const noexcept override { return finding_; }

  [[nodiscard]] std::span<const Tunable> tunables() const noexcept override { return tunables_; }
  [[nodiscard]] double tunable(int index) const noexcept override;
  [[nodiscard]] bool set_tunable(int index, double value) noexcept override;

 private:
  struct Lead {
    int dof = 0;
    FirstOrderRamp kp;
    FirstOrderRamp kd;
  };

  void add_tunables(const VirtualLoopGainSet& set);
  [[nodiscard]] FirstOrderRamp* ramp(int index) noexcept;
  void advance_ramps(double dt) noexcept;
  void pass_gains() noexcept;
  [[nodiscard]] ControlStatus check_foot(const ControlInput& in) noexcept;
  [[nodiscard]] int joint_of(int dof) const noexcept;
  [[nodiscard]] ControlStatus aim(const ControlInput& in) noexcept;
  [[nodiscard]] ControlStatus ask(const ControlInput& in) noexcept;

  models::Model robot_;
  models::JointPlaces places_;
  JointVector target_;  // first where the motion begins
  models::Model mechanism_;
  VirtualLoop loop_;
  std::optional<FootHeight> foot_;
  JointVector rate_;
  JointVector tau_;
  std::vector<Lead> leads_;
  std::vector<int> followers_;  // joints' degrees of freedom that damping acts on
  FirstOrderRamp damping_;
  FirstOrderRamp correction_rate_;
  FirstOrderRamp observer_rate_;
  std::vector<Tunable> tunables_;
  bool is_ramping_ = false;
  ControlFinding finding_;
};

/// From a gain set of this controller; throws ConfigError.
std::unique_ptr<Controller> make_virtual_loop_controller(const ConfigDocument& gains,
                                                         const ControlPlace& place);

}  // namespace kagami::control
