/// Controls an open robot as if its chain were closed: accelerations from a virtual closed
/// mechanism under a virtual force, torques from the robot's inverse dynamics.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "control/virtual/open_inverse.hpp"
#include "control/virtual/virtual_force.hpp"
#include "models/base/types.hpp"
#include "models/closed_chains/loop_dynamics.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/model.hpp"

namespace kagami::control {

/// The robot with its chain closed: same bodies and coordinates, no gravity (with it the virtual
/// mechanism would fall), the loops of `loops` behind those that the robot has itself. Set-up.
models::Model virtual_mechanism(const models::Model& robot, std::span<const models::Loop> loops);

struct VirtualLoopSettings {
  /// 1/s, 0..200: rate at which the robot is drawn back to where the loops close, critically
  /// damped; 0: the thesis's law, which does not control the lost part.
  double correction_rate = 20.0;
  /// rad or m: a larger gap of the loops is kOpen.
  double max_gap = 0.02;
};

enum class VirtualLoopStatus : std::uint8_t {
  kOk,
  kNotFinite,   ///< a NaN, an infinity, another size than the model's in q, v
  kOpen,        ///< the robot is too far from where the loops close
  kNoInertia,   ///< the virtual mechanism's mass matrix is not positive definite
  kNotCarried,  ///< the robot's own loops cannot carry what floats
};

/// "ok", "not finite", "open", "no inertia", "not carried".
const char* name(VirtualLoopStatus status) noexcept;

/// One robot, one mechanism; both must outlive it. After construction nothing allocates; all but
/// construction, look_around and set_feedback is cycle code. Joint-space and frame feedback add up.
/// The robot's own loops are real: they carry what floats (a base on its soles, an object between
/// its hands). A base that floats without any is a robot in free flight.
/// Next to a singular pose, where an equation is about to be lost, what moves goes straight on and
/// what is at rest is driven by the virtual force alone: docs/math/virtual_closed_loop.md.
class VirtualLoop {
 public:
  /// Throws ConfigError for a mechanism whose bodies, joints or first loops are not the robot's or
  /// which has no loop, floating bodies that nothing carries and which are not one robot in free
  /// flight, settings outside their range.
  VirtualLoop(const models::Model& robot, const models::Model& mechanism,
              const VirtualLoopSettings& settings);

  /// Checked; throws ConfigError and keeps the old. In free flight the virtual force must be
  /// internal: of the joints alone. Set-up.
  void set_feedback(const JointFeedback& feedback);
  void set_feedback(const FrameFeedback& feedback);
  /// While it runs; false and nothing changes where the target is not usable.
  [[nodiscard]] bool set_target(const JointVector& q, const JointVector& v) noexcept;
  [[nodiscard]] bool set_target(const models::Pose& X_WF, const models::Motion& V) noexcept;

  /// Gains of one degree of freedom, in units of JointFeedback, and the correction rate, while it
  /// runs; false and nothing changes for one that does not exist or is out of range.
  [[nodiscard]] bool set_gains(int dof, double kp, double kd) noexcept;
  [[nodiscard]] bool set_correction_rate(double rate) noexcept;

  /// A pose near q where the loops close, before anything moves; looks around it so that
  /// smallest_singular_value is 0 at singular poses. Throws ConfigError when they cannot be closed
  /// from q, naming the gap. Set-up.
  JointVector look_around(const JointVector& q);

  /// tau (N m, N) for the robot at q, v; untouched unless kOk.
  [[nodiscard]] VirtualLoopStatus update(const JointVector& q, const JointVector& v,
                                         JointVector& tau) noexcept;

  /// Of the last update that was kOk: the required acceleration (7.5), and the virtual force.
  [[nodiscard]] const JointVector& acceleration() const noexcept { return vdot_; }
  [[nodiscard]] const JointVector& joint_force() const noexcept { return tau_ex_; }
  [[nodiscard]] const models::Force& frame_force() const noexcept { return F_ex_; }
  /// Gap of the loops at the robot's pose (rad or m).
  [[nodiscard]] double gap() const noexcept { return gap_; }
  /// After kOpen: the joint's degree of freedom that is farthest from where the loops close, -1
  /// when none is known.
  [[nodiscard]] int farthest() const noexcept { return farthest_; }
  /// After kOk: force of a loop of the robot's own on its body a, about Lo, axes of the world (N m,
  /// N): what the ground or a held object does to it.
  [[nodiscard]] models::Force own_wrench(int loop) const noexcept { return inverse_.wrench(loop); }
  /// Rank, singular values, forces of the virtual loops at the last pose.
  [[nodiscard]] const models::LoopDynamics& dynamics() const noexcept { return dynamics_; }

 private:
  [[nodiscard]] VirtualLoopStatus close(const JointVector& q, const JointVector& v) noexcept;
  [[nodiscard]] VirtualLoopStatus close_from_afar() noexcept;
  void find_farthest(const JointVector& q) noexcept;
  void force() noexcept;
  [[nodiscard]] bool is_close_enough() const noexcept;
  [[nodiscard]] bool is_far_from_crossings(const JointVector& v) const noexcept;
  [[nodiscard]] models::LoopStatus accelerate() noexcept;
  [[nodiscard]] models::LoopStatus go_straight() noexcept;

  const models::Model& robot_;
  const models::Model& mechanism_;
  VirtualLoopSettings settings_;
  JointFeedback joints_;
  std::optional<FrameFeedback> frame_;
  models::LoopDynamics dynamics_;
  OpenInverse inverse_;
  models::Kinematics kinematics_;
  std::vector<models::Force> F_ext_;  // per body
  JointVector q_closed_;
  JointVector q_used_;  // where the factors are
  JointVector v_closed_;
  JointVector v_used_;
  JointVector error_;
  JointVector tau_ex_;
  JointVector next_;
  JointVector straight_;
  JointVector zero_;
  models::RneaWorkspace bias_;  // of the mechanism
  JointVector vdot_;
  models::Force F_ex_ = models::Force::zero();
  double gap_ = 0.0;
  int farthest_ = -1;
  int most_independent_ = 0;  // largest rank so far
};

}  // namespace kagami::control
