/// The parameters of a balance controller that may be changed while it runs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "control/balance/balance.hpp"
#include "control/core/controller.hpp"

namespace kagami::control {

/// Names, in the fixed order of `list`:
///
/// - `hip/left_hip_pitch/kp_start`, `kp_end`, `kd_start`, `kd_end`: virtual springs and dampers, 0
///   to kRoom times the set's largest of the kind;
/// - `hip/left_ka`, `hip/right_ka`: null space, 0 to the set's largest; where the set has one;
/// - `hip/oppose_kp`, `hip/oppose_kd`: opposed ankles, 0 to kRoom times the set's largest spring,
///   damper; where the set has one;
/// - `hip/return_rate`: 0..100 1/s, where the strategy has a `ka`; `hip/end_turn`: 0.001..3 rad;
/// - `hold_rate`: joints that no strategy drives, 0..200 1/s;
/// - `choice/start_size` and so on: how a push is detected and a strategy chosen, where the set
///   chooses; ranges of the gain set, `vertical_share` with hip yaw only.
///
/// Strategies that the robot cannot choose (those of the yaw, without hip yaw) and joints that it
/// does not have are left out. Building allocates; `value` and `set` are cycle code.
class BalanceTunables {
 public:
  /// Times the largest spring or damper in the set: the limit of such a value. k_a stays below the
  /// set's largest: at 1.5 times the shipped sum of both ankles an explicit step of 1 ms is
  /// unstable.
  static constexpr double kRoom = 4.0;

  /// `joints`: the robot's names in the order of LegJoint, empty: no such joint.
  BalanceTunables(const BalanceSettings& settings,
                  const std::array<std::string, kLegJoints>& joints);

  [[nodiscard]] std::span<const Tunable> list() const noexcept { return list_; }
  /// 0 <= index < list().size().
  [[nodiscard]] double value(const BalanceSettings& settings, int index) const noexcept;
  /// False and no change for a value outside the range, or below choice/start_size for the two
  /// sizes of a large push (and for start_size above them).
  [[nodiscard]] bool set(int index, double value, BalanceSettings& settings) const noexcept;
  /// The value's place in a gain file, as a JSON pointer: "/strategies/hip/kp_start/7".
  [[nodiscard]] const std::string& gain_path(int index) const noexcept;

 private:
  enum class Kind : std::uint8_t {
    kKpStart,
    kKpEnd,
    kKdStart,
    kKdEnd,
    kLeftKa,
    kRightKa,
    kOpposeKp,
    kOpposeKd,
    kReturnRate,
    kEndTurn,
    kHoldRate,
    kStartSize,
    kLargeStart,
    kLargeSize,
    kVerticalShare,
    kAgainSize,
    kDecideTime,
    kBlendTime,
    kSettledTurn,
    kSettledSpeed,
    kSettledTime,
  };
  struct Place {
    Kind kind = Kind::kHoldRate;
    std::uint8_t strategy = 0;
    std::uint8_t joint = 0;
  };
  template <class Settings>
  [[nodiscard]] static auto& at(Settings& settings, const Place& place) noexcept;
  [[nodiscard]] static const char* text_of(Kind kind) noexcept;
  void add(const Place& place, const Tunable& tunable, const std::string& path);
  void add_strategy(const BalanceSettings& settings, int strategy,
                    const std::array<std::string, kLegJoints>& joints);
  void add_choice(bool can_turn);

  std::vector<Place> places_;
  std::vector<Tunable> list_;
  std::vector<std::string> paths_;
};

}  // namespace kagami::control
