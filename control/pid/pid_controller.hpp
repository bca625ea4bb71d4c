/// The joint PID as a controller: servo targets are the motion's plus what the law adds up.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/core/controller.hpp"
#include "control/pid/gravity_lead.hpp"
#include "control/pid/joint_pid.hpp"
#include "models/base/config_fwd.hpp"

namespace kagami::control {

/// q_target = q_ref + c + g, c' = u (rad/s): [Awa 2009] Eqs. (1), (2), with the error taken at the
/// time of each joint's own reading. g: gravity_feed_forward times what GravityLead computes at
/// q_ref, and lead_time times the motion's rate, so that a servo's lag does not become an error.
/// While a limit behind it holds back the last target, c stops where u would push further into
/// that limit and continues where u leads out of it. What the limit takes from the motion and from
/// g is made good by the target itself as soon as the limit lets it: c does not pay for it.
class PidController final : public Controller {
 public:
  /// One entry of settings per joint, speed as output; of `place` joint_names and sample_period,
  /// and with a gravity_feed_forward model and servo_stiffness. Throws ConfigError.
  PidController(std::span<const PidSettings> settings, const ControlPlace& place);

  [[nodiscard]] std::string_view name() const noexcept override { return "pid"; }
  [[nodiscard]] ControlDrive drive() const noexcept override { return ControlDrive::kTarget; }
  [[nodiscard]] ControlStatus reset(const ControlInput& in) noexcept override;
  [[nodiscard]] ControlStatus update(const ControlInput& in, ControlOutput& out) noexcept override;
  [[nodiscard]] ControlFinding finding() const noexcept override { return finding_; }

  /// kp, ki, kd, lead_time of every joint; then rate_feed_forward of every joint; then filter_time
  /// of every joint; then gravity_feed_forward of every joint, where the model gives it: a held
  /// base, known stiffness. kd's range is that of the filter_time it was built with; a filter_time
  /// that is too short for the present kd is refused, and the other way round (pid-4).
  [[nodiscard]] std::span<const Tunable> tunables() const noexcept override { return tunables_; }
  [[nodiscard]] double tunable(int index) const noexcept override;
  [[nodiscard]] bool set_tunable(int index, double value) noexcept override;

 private:
  void take(const ControlInput& in) noexcept;
  void add_tunables(std::span<const std::string> joint_names);
  /// g at the motion's angles and rates of now.
  void lead(const ControlInput& in) noexcept;

  JointPid pid_;
  double sample_period_;  // s
  std::vector<Tunable> tunables_;
  JointPidInput in_;
  JointArray<double> u_{};
  JointArray<double> correction_{};  // rad, c
  std::optional<GravityLead> gravity_;
  JointArray<double> share_{};   // gravity_feed_forward
  bool weighs_ = false;          // a share is above 0
  JointArray<double> lead_{};    // rad, g
  JointArray<double> led_at_{};  // rad, q_ref that went into it
  JointArray<double> rate_{};    // rad/s, of the motion, that went into it
  JointArray<double> said_{};    // rad, the last q_target
  bool has_said_ = false;
  ControlFinding finding_;
};

/// From a gain set of this controller; throws ConfigError.
std::unique_ptr<Controller> make_pid_controller(const ConfigDocument& gains,
                                                const ControlPlace& place);

}  // namespace kagami::control
