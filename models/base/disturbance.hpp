/// What disturbs a robot or a scene: one description for scenes, for the model beside the robot and
/// for the virtual robot behind its boards (docs/scenarios.md).
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/base/config_fwd.hpp"
#include "models/base/types.hpp"

namespace kagami {

/// Most of one scenario.
inline constexpr int kMaxDisturbances = 1000;
/// Most payloads that one robot may carry in a run, one after the other or at once.
inline constexpr int kMaxPayloads = 8;
/// Steepest tilt of the ground and its largest rate.
inline constexpr double kMaxTilt = 0.5;      // rad
inline constexpr double kMaxTiltRate = 0.5;  // rad/s
/// A payload is a homogeneous ball of this radius.
inline constexpr double kPayloadRadius = 0.01;  // m

enum class DisturbanceKind : std::uint8_t {
  kForce,     ///< at a point
  kWrench,    ///< force at a point and a moment
  kTorque,    ///< at a joint, in its own direction
  kPayload,   ///< a mass that rides on a body
  kFriction,  ///< of the ground, or of one thing of a scene
  kGround,    ///< tilts: gravity turns in the ground's axes
};

/// What it acts on in a run of a robot beside its model.
enum class DisturbanceSide : std::uint8_t { kTwin, kRobot, kBoth };

/// When it acts: from `from` to `until` (s), growing for `ramp` and fading for `ramp`, straight.
struct DisturbanceTime {
  double from = 0.0;
  double until = std::numeric_limits<double>::infinity();
  double ramp = 0.0;  ///< 0: at once
  [[nodiscard]] bool acts(double t) const noexcept { return t >= from && t < until; }
  /// 0..1. Cycle code.
  [[nodiscard]] double share(double t) const noexcept;
};

/// New friction: either a factor on the coefficients that hold at contacts, or coefficients of the
/// thing's own surface.
struct FrictionChange {
  double scale = 1.0;
  std::optional<double> mu_static;  ///< with it mu_kinetic
  std::optional<double> mu_kinetic;
};

/// As read; names are not looked up yet.
struct Disturbance {
  DisturbanceKind kind = DisturbanceKind::kForce;
  DisturbanceSide side = DisturbanceSide::kBoth;  ///< of a robot's run
  std::string target;          ///< of a scene: body, robot, ground or obstacle; "": a run's robot
  std::string body;            ///< link, frame or joint (then its link); "": the first body
  std::optional<Vec3> point;   ///< m, in the frame of `body`; none: mass centre of what moves there
  bool in_body_axes = false;   ///< force and moment ride on `body`; else world axes
  Vec3 force = Vec3::Zero();   ///< N
  Vec3 moment = Vec3::Zero();  ///< N m
  std::string joint;           ///< of kTorque
  double torque = 0.0;         ///< N m; N at a sliding joint
  double mass = 0.0;           ///< kg, of kPayload
  FrictionChange friction;
  double slope = 0.0;   ///< rad, of kGround: it falls by so much ...
  double toward = 0.0;  ///< rad: ... in this direction about z from x
  DisturbanceTime when;
  std::string where;  ///< "file: /disturbances/0"
};

/// Who reads: `on` names a body of a scene, or twin, robot or both in a run of a robot.
enum class DisturbanceScope : std::uint8_t { kScene, kRun };

/// Reads "disturbances" of a file and marks its keys; none when it is absent. Throws ConfigError
/// naming file, key, value and expectation: unknown names, numbers out of range, a ground that
/// tilts faster than kMaxTiltRate, ramps longer than the time, and what contradicts each other (two
/// changes of one friction, two tilts at one time on one side).
std::vector<Disturbance> read_disturbances(const ConfigNode& root, DisturbanceScope scope);

/// Throws ConfigError for one that begins at or after `duration` (s).
void check_disturbance_times(const std::vector<Disturbance>& all, double duration);

/// Those of a run that act on one of the two: kTwin or kRobot.
std::vector<Disturbance> on_side(const std::vector<Disturbance>& all, DisturbanceSide side);

/// A list that read_disturbances of kRun reads back, all digits.
nlohmann::json disturbances_json(const std::vector<Disturbance>& all);

/// One sentence without a full stop: "force (8, 0, 0) N at base_link, 0.5 to 0.6 s".
std::string disturbance_text(const Disturbance& d);

/// Throws ConfigError "file: /disturbances/0/key: problem".
[[noreturn]] void fail(const Disturbance& d, const std::string& key, const std::string& problem);

/// Gravity g (m/s^2) in the frame of a ground that has tilted by `slope` (rad) so that it falls in
/// the direction `toward` (rad about z). Cycle code.
Vec3 tilted_gravity(const Vec3& g, double slope, double toward) noexcept;

}  // namespace kagami
