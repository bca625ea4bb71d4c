/// Balance of a standing robot: notices a push by its momentum, chooses a strategy by its size,
/// goes through reaction and recovery back to the initial pose.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "control/balance/strategy.hpp"
#include "models/balance/capture_point.hpp"
#include "models/base/types.hpp"
#include "models/dynamics/crba.hpp"
#include "models/dynamics/jacobians.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/model.hpp"

namespace kagami::control {

/// Which joints and bodies of a robot the strategies mean.
struct BalanceRobot {
  LegSlots legs;
  models::Frame trunk;         ///< upper body: its turn leads the coefficients
  models::Frame support_foot;  ///< carries the robot: gravity is compensated from it
  ThreeJointModel lumps;
  /// Corners of the soles that stand on the ground, at most models::kMaxSupportPoints; none: no
  /// margin is reported.
  std::vector<models::Frame> sole_corners;
  models::GroundPlane ground;  ///< in W
  /// The other foot, where both stand free on a floor: they share the load as the mass centre lies
  /// between them (bal-2). None: the support foot carries all, which welded feet do not feel.
  std::optional<models::Frame> other_foot = {};
  /// kg m^2 per degree of freedom, for BalanceSettings::hold_rate: where the model's own at the
  /// start would not do, because it hangs from a foot and a knee would carry the robot. Empty:
  /// those.
  JointVector hold_inertia = {};
};

/// Sizes of a push: angular momentum about the mass centre over m h sqrt(g h), h the mass centre's
/// height over the foot's frame at the start; no unit.
struct BalanceSettings {
  std::array<StrategyGains, kStrategies> strategies;  ///< in the order of Strategy
  /// 1/s, 0..200: joints that are no leg joints stay where they started, as if each alone, with the
  /// inertia it had then, were a critically damped oscillator of this rate.
  double hold_rate = 40.0;
  bool choose = true;  ///< false: `always`
  Strategy always = Strategy::kUpperBodyRotation;
  double start_size = 0.003;      ///< a push begins, > 0
  double large_start = 0.015;     ///< at decide_time: combined or hip
  double large_size = 0.06;       ///< at any time of the reaction: likewise
  double vertical_share = 0.2;    ///< |L_z| / |L| above it: the push is off the middle
  double again_size = 1.5;        ///< times the peak, in recovery: another push has come, > 1
  double decide_time = 0.02;      ///< s after its beginning: the strategy is chosen
  double blend_time = 0.05;       ///< s in which one strategy's torques go over into another's
  double settled_turn = 0.01745;  ///< rad, of yaw and pitch: back at the initial pose
  double settled_speed = 0.1;     ///< rad/s, of every leg joint
  double settled_time = 0.3;      ///< s for which both must hold
};

/// The thesis's gains for the HOAP-2, with a return_rate for the combined strategy, and the sizes
/// above.
BalanceSettings thesis_settings() noexcept;

enum class BalancePhase : std::uint8_t {
  kStanding,  ///< no push
  kReaction,  ///< giving way: the upper body turns away
  kRecovery,  ///< coming back
};
/// "standing", "reaction", "recovery".
const char* name(BalancePhase phase) noexcept;

enum class BalanceControlStatus : std::uint8_t {
  kOk,
  kNotFinite,   ///< a NaN, an infinity, another size than the model's in q, v
  kBadStep,     ///< dt that is not finite and above 0
  kNotStarted,  ///< update before start
};
const char* name(BalanceControlStatus status) noexcept;

/// Of the last update.
struct BalanceReport {
  BalancePhase phase = BalancePhase::kStanding;
  Strategy strategy = Strategy::kUpperBodyRotation;
  BodyTurn turn;
  double size = 0.0;       ///< of the push now, see BalanceSettings
  double peak_size = 0.0;  ///< since it began
  /// How far the capture point lies inside the soles (m), negative outside: the robot cannot be
  /// saved without a step; NaN without sole_corners.
  double capture_margin = std::numeric_limits<double>::quiet_NaN();
  double least_margin = std::numeric_limits<double>::quiet_NaN();  ///< since the push began
  long pushes = 0;                                                 ///< noticed since the start
  long changes = 0;                                                ///< of strategy since the start
};

/// One robot. Before the first push the strategy for small pushes balances it: the upper body's
/// rotation, or without hip yaw, where those of the sagittal plane alone can be chosen, the
/// ankles'. The model must outlive it; loops of the model are ignored. After construction
/// nothing allocates; all but construction is cycle code.
class Balance {
 public:
  static constexpr double kTurnTime = 0.05;  ///< s

  /// Throws ConfigError for gains or settings outside their range, a trunk or foot on no body, a
  /// base that is held elsewhere than at the foot.
  Balance(const models::Model& model, const BalanceRobot& robot, const BalanceSettings& settings);

  /// The initial pose, to which it comes back; nothing else is remembered. kNotFinite changes
  /// nothing.
  [[nodiscard]] BalanceControlStatus start(const JointVector& q) noexcept;
  /// tau (N m, one per degree of freedom; 0 on a floating base) at q, v; untouched unless kOk. dt:
  /// s since the last update.
  [[nodiscard]] BalanceControlStatus update(const JointVector& q, const JointVector& v, double dt,
                                            JointVector& tau) noexcept;
  /// Other settings, all inside their ranges (BalanceTunables checks that): the torques stay what
  /// they are and go over into the new law's within kTurnTime.
  void turn(const BalanceSettings& settings) noexcept;
  [[nodiscard]] const BalanceSettings& settings() const noexcept { return settings_; }
  [[nodiscard]] const BalanceReport& report() const noexcept { return report_; }
  /// -d tau / d v of each degree of freedom by its own speed, of the last update (N m s/rad, >= 0):
  /// for an integrator that takes the torques' damping implicitly.
  [[nodiscard]] const JointVector& damping() const noexcept { return damping_; }

 private:
  void measure(const JointVector& q, const JointVector& v) noexcept;
  void measure_margin() noexcept;
  void add_springs(JointVector& tau) const noexcept;
  [[nodiscard]] double left_over() const noexcept;
  void choose(double dt) noexcept;
  void set_strategy(Strategy strategy) noexcept;
  void begin_push() noexcept;
  void follow_phase(double dt) noexcept;
  [[nodiscard]] std::array<double, kLegJoints> blended() const noexcept;
  void hold_gravity(const JointVector& q) noexcept;
  void share_gravity(const JointVector& q) noexcept;
  void measure_damping() noexcept;

  const models::Model& model_;
  BalanceRobot robot_;
  BalanceSettings settings_;
  models::Kinematics kinematics_;
  models::RneaWorkspace rnea_;
  models::JacobianWorkspace jacobian_;
  models::Jacobian J_;
  std::vector<bool> on_path_;        // per degree of freedom: moves the foot
  std::vector<bool> on_other_path_;  // likewise of the other foot
  JointVector zero_;
  JointVector gravity_;
  JointVector damping_;
  JointVector v_;
  JointVector offset_;  // N m, of the torques before the last turn over those after it
  JointVector step_;
  JointVector q_start_;
  JointVector error_;          // q_start - q, as a velocity
  JointVector hold_;           // inertia per degree of freedom, 0 where a strategy drives it
  std::vector<bool> is_held_;  // per degree of freedom
  models::CrbaWorkspace crba_;
  JointMatrix H_;
  Mat3 R_start_ = Mat3::Identity();  // of the trunk as seen from the foot
  double size_unit_ = 1.0;           // kg m^2/s
  LegState legs_;
  std::vector<Vec3> corners_;  // in W
  models::SupportPolygon support_;
  BalanceReport report_;
  double vertical_ = 0.0;       // |L_z| / |L| now
  double since_push_ = 0.0;     // s
  double since_settled_ = 0.0;  // s
  double last_turn_ = 0.0;      // rad, the larger of yaw and pitch
  double since_change_ = 0.0;   // s
  double since_turn_ = kTurnTime;
  Strategy before_ = Strategy::kUpperBodyRotation;
  bool can_turn_ = true;  // has hip yaw
  bool started_ = false;
  bool decided_ = false;
  bool off_middle_ = false;
  bool large_ = false;
};

}  // namespace kagami::control
