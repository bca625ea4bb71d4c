/// The virtual closed loop as a controller: its torques drive the reference model, with the loop
/// closed where the motion's first pose has it; the motion leads chosen joints.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "control/core/controller.hpp"
#include "control/core/gain_head.hpp"
#include "control/virtual/virtual_loop.hpp"

namespace kagami::control {

/// A gain set `kagami.gains/1` with the controller "virtual-loop":
/// docs/math/virtual_closed_loop.md.
struct VirtualLoopGainSet {
  GainHead head;
  struct Tie {
    std::string name;
    std::string a;  ///< body or frame of the robot
    std::string b;
  };
  std::vector<Tie> loops;  ///< two frames that hold each other as they stand at the start
  struct Lead {
    std::string joint;
    double kp = 0.0;  ///< N m/rad
    double kd = 0.0;  ///< N m s/rad
  };
  std::vector<Lead> leads;     ///< joints that follow the motion; the others follow the loops
  double damping = 0.0;        ///< N m s/rad, on every other joint
  double observer_rate = 0.0;  ///< 1/s, see Controller
  VirtualLoopSettings settings;
};
/// Throws ConfigError naming file, key, value and range.
VirtualLoopGainSet read_virtual_loop_gain_set(const ConfigDocument& document);

class VirtualLoopController final : public Controller {
 public:
  /// Throws ConfigError for another robot's set, frames or joints that the robot has not, a base
  /// that floats, loops that cannot be closed at place.q_start.
  VirtualLoopController(const VirtualLoopGainSet& set, const ControlPlace& place);

  [[nodiscard]] std::string_view name() const noexcept override { return "virtual-loop"; }
  [[nodiscard]] ControlDrive drive() const noexcept override { return ControlDrive::kTorque; }
  [[nodiscard]] const models::Model* reference_model() const noexcept override { return &robot_; }
  [[nodiscard]] bool place(const JointArray<double>& q, JointVector& coordinates) noexcept override;
  [[nodiscard]] double observer_rate() const noexcept override { return observer_rate_; }
  [[nodiscard]] ControlStatus reset(const ControlInput& in) noexcept override;
  [[nodiscard]] ControlStatus update(const ControlInput& in, ControlOutput& out) noexcept override;
  [[nodiscard]] ControlFinding finding() const noexcept override { return finding_; }

 private:
  ControlStatus aim(const ControlInput& in) noexcept;

  JointVector target_;  // first: what is built below begins there
  models::Model robot_;
  models::Model mechanism_;
  VirtualLoop loop_;
  JointVector rate_;
  JointVector tau_;
  double observer_rate_ = 0.0;
  ControlFinding finding_;
};

}  // namespace kagami::control
