/// Balance strategies of a standing robot as joint laws: virtual springs and dampers whose
/// coefficients change with the upper body's turn, and the ankle's part of the reaction null space.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "control/balance/three_joint.hpp"
#include "models/base/types.hpp"
#include "models/robot/model.hpp"

namespace kagami::control {

/// The ten leg joints in the thesis's order, its joint 1 first.
enum LegJoint : std::uint8_t {
  kRightHipYaw,
  kRightHipRoll,
  kRightHipPitch,
  kRightAnklePitch,
  kRightAnkleRoll,
  kLeftHipYaw,
  kLeftHipRoll,
  kLeftHipPitch,
  kLeftAnklePitch,
  kLeftAnkleRoll,
};
inline constexpr int kLegJoints = 10;

/// What a strategy drives: the index of a leg joint in v and in q, and whether it turns the right
/// way. Positive is the thesis's: what lies below the joint turns about z (yaw), x (roll), y
/// (pitch) against what lies above.
struct JointSlot {
  int v_index = -1;  ///< -1: the robot has no such joint
  int q_index = -1;
  double sign = 1.0;  ///< 1 or -1
};
using LegSlots = std::array<JointSlot, kLegJoints>;

/// The revolute joints of those names, in the order of LegJoint; `signs` 1 or -1. Throws
/// ConfigError for a name that the model has not, that is no hinge or appears twice, and another
/// sign. Set-up.
LegSlots leg_slots(const models::Model& model,
                   const std::array<std::string_view, kLegJoints>& names,
                   const std::array<double, kLegJoints>& signs);

/// How far the upper body has turned from its start (rad).
struct BodyTurn {
  double yaw = 0.0;
  double pitch = 0.0;
};

enum class Strategy : std::uint8_t {
  kUpperBodyRotation,  ///< small pushes off the middle: turns about the vertical
  kCombined,           ///< large ones: turns about the vertical and bends
  kAnkle,              ///< small pushes in the middle: leans as one piece
  kHip,                ///< large ones: bends at the hips, the ankles hold the mass centre
};
inline constexpr int kStrategies = 4;
/// "upper-body-rotation", "combined", "ankle", "hip".
const char* name(Strategy strategy) noexcept;

/// A coefficient that goes from `start` to `end` along the spline 10 s^3 - 15 s^4 + 6 s^5 while the
/// upper body's turn goes from 0 to StrategyGains::end_turn.
struct Coefficient {
  double start = 0.0;
  double end = 0.0;
};

/// Virtual spring (N m/rad) and damper (N m s/rad) of one joint: Eq. (6.6).
struct SpringDamper {
  Coefficient kp;
  Coefficient kd;
};

struct StrategyGains {
  std::array<SpringDamper, kLegJoints> joints;
  double end_turn = 0.3490658503988659;  ///< rad (20 deg), > 0: |yaw|, or |pitch| with `by_pitch`
  bool by_pitch = false;
  /// Eq. (6.7): the right ankle turns against the left one; 0: by its own spring and damper.
  double oppose_kp = 0.0;  ///< N m/rad
  double oppose_kd = 0.0;  ///< N m s/rad
  /// Eq. (6.13): the ankles follow the hip's pitch inside the reaction null space.
  double left_ka = 0.0;   ///< N m s/rad, on the left ankle
  double right_ka = 0.0;  ///< N m s/rad, on the right ankle
  /// 1/s, ours: rate at which the ankle comes back to where (6.12) would have led it; 0: never, as
  /// in (6.13), whose springs take ka / kp (100 s) for it.
  double return_rate = 0.0;
};

/// The thesis's gains for the HOAP-2 (6.3.1, 6.3.2) with O12's end of the spline; ankle and hip
/// with ours. Another robot needs others.
StrategyGains thesis_gains(Strategy strategy) noexcept;
/// The HOAP-2's three lumps that go with them.
ThreeJointModel thesis_lumps() noexcept;

/// All coefficients times a factor: springs by `stiffness`, dampers and k_a by `damping`. For a
/// robot of another size: m g h over the HOAP-2's 15 N m, and that times the root of h over its
/// 0.22 m.
StrategyGains scaled(const StrategyGains& gains, double stiffness, double damping) noexcept;

/// The robot's own three lumps at q, legs stretched, hinges about y level: what lies between both
/// hips' and ankles' pitch, and what lies above the hips. Throws ConfigError for hips or ankles
/// that are not there, a trunk that lies below them, or nothing between them. Set-up.
ThreeJointModel lumps_of(const models::Model& model, const JointVector& q, const LegSlots& legs,
                         const models::Frame& trunk);

/// Throws ConfigError naming strategy, joint and value: gains that are negative or not finite, an
/// end_turn that is not above 0. Set-up.
void check(const StrategyGains& gains, Strategy strategy);

/// 10 s^3 - 15 s^4 + 6 s^5 with s held inside [0, 1]. Cycle code, like all below.
double fifth_order(double s) noexcept;

/// Angles (rad from the initial pose) and rates of the leg joints, positive the thesis's way.
struct LegState {
  std::array<double, kLegJoints> theta{};
  std::array<double, kLegJoints> rate{};
};
/// Torques of the leg joints (N m, gravity apart) by a strategy.
std::array<double, kLegJoints> strategy_torques(const StrategyGains& gains,
                                                const ThreeJointModel& lumps, const LegState& legs,
                                                const BodyTurn& turn) noexcept;

/// -d tau_i / d rate_i of these torques (N m s/rad, >= 0).
std::array<double, kLegJoints> strategy_damping(const StrategyGains& gains,
                                                const BodyTurn& turn) noexcept;

}  // namespace kagami::control
