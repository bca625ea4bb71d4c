/// Balance in the reaction null space as a controller: its torques drive a reference model that
/// stands on both soles, welded where the motion's first pose has them.
#pragma once

#include "control/balance/balance.hpp"
#include "control/balance/balance_gains.hpp"
#include "control/core/controller.hpp"
#include "models/loops/loop_dynamics.hpp"

namespace kagami::control {

class BalanceController final : public Controller {
 public:
  /// Higher than this (m) a support foot does not stand.
  static constexpr double kFootLift = 0.02;

  /// Throws ConfigError for another robot's set, one without "parts", names that the robot has not,
  /// a base that does not float.
  BalanceController(const BalanceGainSet& set, const ControlPlace& place);

  [[nodiscard]] std::string_view name() const noexcept override { return "balance"; }
  [[nodiscard]] ControlDrive drive() const noexcept override { return ControlDrive::kTorque; }
  [[nodiscard]] const models::Model* reference_model() const noexcept override { return &model_; }
  [[nodiscard]] bool place(const JointArray<double>& q, JointVector& coordinates) noexcept override;
  [[nodiscard]] double observer_rate() const noexcept override { return observer_rate_; }
  [[nodiscard]] ControlStatus reset(const ControlInput& in) noexcept override;
  [[nodiscard]] ControlStatus update(const ControlInput& in, ControlOutput& out) noexcept override;
  [[nodiscard]] ControlFinding finding() const noexcept override { return finding_; }

  [[nodiscard]] const BalanceReport& report() const noexcept { return balance_.report(); }

 private:
  [[nodiscard]] ControlStatus look_at_foot(const ControlInput& in) noexcept;

  models::Model model_;
  models::Frame foot_;
  Balance balance_;
  models::LoopDynamics loops_;
  models::Kinematics kinematics_;
  JointVector q_start_;  // both soles level on the floor
  JointVector q_seen_;
  JointVector rest_;
  JointVector tau_;
  double observer_rate_ = 0.0;
  ControlFinding finding_;
};

}  // namespace kagami::control
