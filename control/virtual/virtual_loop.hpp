/// Controls an open robot as if its chain were closed: accelerations from a virtual closed
/// mechanism under a virtual force, torques from the robot's inverse dynamics.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "control/virtual/virtual_force.hpp"
#include "models/base/types.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/loops/loop_dynamics.hpp"
#include "models/robot/model.hpp"

namespace kagami::control {

/// The robot with its chain closed: same bodies and coordinates, no gravity (with it the virtual
/// mechanism would fall), the loops of `loops` added. Set-up.
models::Model virtual_mechanism(const models::Model& robot, std::span<const models::Loop> loops);

struct VirtualLoopSettings {
  /// 1/s, 0..200: rate at which the robot is drawn back to where the loops close, critically
  /// damped; 0: the thesis's law, which lets go of what it has lost.
  double correction_rate = 20.0;
  /// rad or m: a larger gap of the loops is kOpen.
  double max_gap = 0.02;
};

enum class VirtualLoopStatus : std::uint8_t {
  kOk,
  kNotFinite,  ///< a NaN, an infinity, another size than the model's in q, v
  kOpen,       ///< the robot stands too far from where the loops close
  kNoInertia,  ///< the virtual mechanism's mass matrix is not positive definite
};

/// "ok", "not finite", "open", "no inertia".
const char* name(VirtualLoopStatus status) noexcept;

/// One robot, one mechanism; both must outlive it. After construction nothing allocates; all but
/// construction, look_around and set_feedback is cycle code. Joint-space and frame feedback add up.
/// Next to a singular pose, where an equation is about to be lost, what moves goes straight on and
/// what stands is led by the virtual force alone: docs/math/virtual_closed_loop.md.
class VirtualLoop {
 public:
  /// Throws ConfigError for a mechanism whose bodies or joints are not the robot's or which has no
  /// loop, a robot on a floating base (whose base nothing drives), settings outside their range.
  VirtualLoop(const models::Model& robot, const models::Model& mechanism,
              const VirtualLoopSettings& settings);

  /// Checked; throws ConfigError and keeps the old. Set-up.
  void set_feedback(const JointFeedback& feedback);
  void set_feedback(const FrameFeedback& feedback);
  /// While it runs; false and nothing changes where the target is not usable.
  [[nodiscard]] bool set_target(const JointVector& q, const JointVector& v) noexcept;
  [[nodiscard]] bool set_target(const models::Pose& X_WF, const models::Motion& V) noexcept;

  /// A pose near q where the loops close, before anything moves; looks around it so that
  /// smallest_singular_value is 0 at singular poses. Throws ConfigError when they cannot be closed
  /// from q, naming the gap. Set-up.
  JointVector look_around(const JointVector& q);

  /// tau (N m, N) for the robot at q, v; untouched unless kOk.
  [[nodiscard]] VirtualLoopStatus update(const JointVector& q, const JointVector& v,
                                         JointVector& tau) noexcept;

  /// Of the last update that was kOk: the acceleration asked for (7.5), and the virtual force.
  [[nodiscard]] const JointVector& acceleration() const noexcept { return vdot_; }
  [[nodiscard]] const JointVector& joint_force() const noexcept { return tau_ex_; }
  [[nodiscard]] const models::Force& frame_force() const noexcept { return F_ex_; }
  /// Gap of the loops at the robot's pose (rad or m).
  [[nodiscard]] double gap() const noexcept { return gap_; }
  /// Rank, singular values, forces of the virtual loops at the last pose.
  [[nodiscard]] const models::LoopDynamics& dynamics() const noexcept { return dynamics_; }

 private:
  [[nodiscard]] VirtualLoopStatus close(const JointVector& q, const JointVector& v) noexcept;
  void force() noexcept;
  [[nodiscard]] bool is_close_enough() const noexcept;
  [[nodiscard]] models::LoopStatus accelerate() noexcept;
  [[nodiscard]] models::LoopStatus go_straight() noexcept;

  const models::Model& robot_;
  const models::Model& mechanism_;
  VirtualLoopSettings settings_;
  JointFeedback joints_;
  std::optional<FrameFeedback> frame_;
  models::LoopDynamics dynamics_;
  models::RneaWorkspace rnea_;
  models::Kinematics kinematics_;
  std::vector<models::Force> F_ext_;  // per body
  JointVector q_closed_;
  JointVector q_used_;  // where the factors are
  JointVector v_closed_;
  JointVector error_;
  JointVector tau_ex_;
  JointVector next_;
  JointVector straight_;
  JointVector zero_;
  models::RneaWorkspace bias_;  // of the mechanism
  JointVector vdot_;
  models::Force F_ex_ = models::Force::zero();
  double gap_ = 0.0;
  int most_independent_ = 0;  // largest rank so far
};

}  // namespace kagami::control
