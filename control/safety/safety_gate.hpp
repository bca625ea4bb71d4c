/// The last check of every target: finite, inside the soft limits, not too fast, no jump at start.
#pragma once

#include <array>
#include <cstdint>

#include "models/base/angle.hpp"
#include "models/base/servo_parameters.hpp"
#include "models/base/types.hpp"
#include "models/base/wiring.hpp"

namespace kagami::control {

/// Bounds per joint, model order.
struct SafetyLimits {
  int num_joints = 0;              ///< 1..kMaxJoints
  JointArray<double> angle_min{};  ///< rad
  JointArray<double> angle_max{};  ///< rad
  JointArray<double> rate_max{};   ///< rad/s, streamed targets
  double jump_max = to_rad(3.0);   ///< rad, first target against the measured pose
};

/// Soft limits of the wiring, free speeds of the servos.
SafetyLimits safety_limits(const RobotWiring& wiring, const ServoSet& servos);

enum class GateFindingKind : std::uint8_t {
  kLimit,         ///< value = rad requested
  kLimitCleared,  ///< value = the furthest requested meanwhile, rad
  kRate,          ///< value = rad/s requested
  kRateCleared,   ///< value = the most requested meanwhile, rad/s
  kNotFinite,     ///< value = the number
  kFinite,        ///< targets are finite again
  kJump,          ///< value = rad between measured pose and first target
};

struct GateFinding {
  GateFindingKind kind = GateFindingKind::kLimit;
  std::int16_t joint = -1;
  double value = 0.0;
};

/// What one call found: starts and ends of episodes. Limits and rates: at most one finding per
/// joint and second, whatever the targets do. Cannot overflow.
struct GateReport {
  int count = 0;
  std::array<GateFinding, 2 * kMaxJoints + 2> findings{};

  void add(GateFindingKind kind, int joint, double value) noexcept {
    if (count >= static_cast<int>(findings.size())) return;
    findings[static_cast<std::size_t>(count++)] = {kind, static_cast<std::int16_t>(joint), value};
  }
};

enum class GateStatus : std::uint8_t {
  kOk,       ///< passed unchanged
  kClamped,  ///< passed, changed
  kRefused,  ///< the whole target was refused; the last safe one remains
};

/// Stateful: rates count from the last target that passed. After construction nothing allocates.
class SafetyGate {
 public:
  static constexpr double kRateSlack = 0.02;  ///< share of the limit
  static constexpr double kQuiet = 1.0;       ///< s between two findings of a joint

  /// Throws ConfigError for limits that are not finite, crossed or not positive.
  explicit SafetyGate(const SafetyLimits& limits);

  /// The first target of a run, after a measurement. kRefused on a jump beyond `jump_max` (after
  /// the soft limits were applied) or a value that is not finite; nothing may be sent then.
  /// Cycle code, like the rest.
  [[nodiscard]] GateStatus begin(const JointArray<double>& measured,
                                 const JointArray<double>& first, GateReport& report) noexcept;
  /// `dt` seconds have passed since the last call: findings of limit and rate end after kQuiet
  /// seconds without a cause, with the worst value, and what began within kQuiet seconds after the
  /// joint's last finding is reported now.
  void advance(double dt, GateReport& report) noexcept;
  /// A streamed target, `dt` seconds (> 0) after the one of the last call: the reference's own
  /// time. A finding of rate starts when more than kRateSlack too much is requested.
  [[nodiscard]] GateStatus pass_stream(const JointArray<double>& target, double dt,
                                       GateReport& report) noexcept;
  /// A pose that the boards interpolate by themselves; a speed code above 7 becomes 7.
  [[nodiscard]] GateStatus pass_pose(const JointArray<double>& target, std::uint8_t& speed_code,
                                     GateReport& report) noexcept;
  /// The last target that passed, rad; what goes to the servos.
  [[nodiscard]] const JointArray<double>& safe() const noexcept { return safe_; }

 private:
  [[nodiscard]] bool refuse_non_finite(const JointArray<double>& target,
                                       GateReport& report) noexcept;
  /// A cause of findings, from its first sign until kQuiet seconds without one.
  struct Episode {
    bool is_open = false;
    bool is_reported = false;
    double worst = 0.0;  ///< the value furthest beyond the bound
    double quiet = 0.0;  ///< s since the last sign
  };
  /// `value` is a sign of the episode.
  void note(Episode& episode, GateFindingKind kind, int joint, double value, bool is_worse,
            GateReport& report) noexcept;
  void settle(Episode& episode, GateFindingKind start, GateFindingKind end, int joint, double dt,
              GateReport& report) noexcept;
  void add(GateFindingKind kind, int joint, double value, GateReport& report) noexcept;
  /// Target of one joint inside its soft limits.
  [[nodiscard]] double clamp_angle(int joint, double target, GateReport& report) noexcept;

  SafetyLimits limits_;
  JointArray<double> safe_{};
  JointArray<double> wanted_{};  ///< rad, the last target, before the rate limit
  JointArray<bool> outside_{};   ///< the last target was outside the limits
  JointArray<Episode> limit_{};  ///< worst in rad
  JointArray<Episode> rate_{};   ///< worst in rad/s
  JointArray<double> since_{};   ///< s since the joint's last finding of limit or rate
  bool not_finite_active_ = false;
};

}  // namespace kagami::control
