/// The numbers of a balance controller that may be turned while it runs.
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
/// | name | what | range |
/// | --- | --- | --- |
/// | `hip/left_hip_pitch/kp_start`, `kp_end`, `kd_start`, `kd_end` | virtual springs and dampers |
/// 0 to four times the set's largest of the kind | | `hip/left_ka`, `right_ka`, `oppose_kp`,
/// `oppose_kd` | null space, opposed ankles; where the set has one | likewise | |
/// `hip/return_rate`, `hip/end_turn` | 1/s; rad | 0..100; 0.001..3 | | `hold_rate` | joints that no
/// strategy drives | 0..200 1/s | | `choice/start_size` and so on | how a push is noticed and a
/// strategy chosen | those of the gain set |
///
/// Strategies that the robot cannot choose (those of the yaw, without hip yaw) and joints that it
/// has not are left out. Building allocates; `value` and `set` are cycle code.
class BalanceTunables {
 public:
  /// Times the largest spring or damper in the set: as far as one may be turned. k_a has no such
  /// room: three times the shipped one, on both ankles, an explicit step of 1 ms is unstable.
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
  /// Where the value stands in a gain file, as a JSON pointer: "/strategies/hip/kp_start/7".
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
