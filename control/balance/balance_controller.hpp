/// Balance in the reaction null space as a controller: its torques drive a reference model that
/// stands on both soles, welded where the motion's first pose has them. The model hangs from the
/// support foot, so that one weld takes no equations; its joints stand in another order.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "control/balance/balance.hpp"
#include "control/balance/balance_gains.hpp"
#include "control/balance/balance_tunables.hpp"
#include "control/core/controller.hpp"
#include "control/core/foot_height.hpp"
#include "models/base/config_fwd.hpp"
#include "models/closed_chains/loop_dynamics.hpp"
#include "models/robot/joint_places.hpp"

namespace kagami::control {

class BalanceController final : public Controller {
 public:
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

  /// Those of BalanceTunables, then `observer_rate` (1/s, 0..50).
  [[nodiscard]] std::span<const Tunable> tunables() const noexcept override { return all_; }
  [[nodiscard]] double tunable(int index) const noexcept override;
  [[nodiscard]] bool set_tunable(int index, double value) noexcept override;

  [[nodiscard]] const BalanceReport& report() const noexcept { return balance_.report(); }

 private:
  [[nodiscard]] ControlStatus check_foot(const ControlInput& in) noexcept;

  models::Model model_;
  models::JointPlaces places_;
  FootHeight foot_;
  Balance balance_;
  models::LoopDynamics loops_;
  JointVector tau_;
  BalanceTunables tunables_;
  std::vector<Tunable> all_;
  double observer_rate_ = 0.0;
  ControlFinding finding_;
};

/// From a gain set of this controller; throws ConfigError.
std::unique_ptr<Controller> make_balance_controller(const ConfigDocument& gains,
                                                    const ControlPlace& place);

}  // namespace kagami::control
