/// The virtual external force: feedback in joint space, or of a frame in the world.
#pragma once

#include "models/base/types.hpp"
#include "models/robot/model.hpp"
#include "models/spatial/pose.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::control {

/// tau_ex = kp (target - q) + kd (target_rate - v) per degree of freedom: [Takahashi 2012] Eq.
/// (7.9) with the plus that damping needs. Gains of 0 leave a degree of freedom alone.
struct JointFeedback {
  JointVector kp;           ///< N m/rad, N/m; one per degree of freedom, >= 0
  JointVector kd;           ///< N m s/rad, N s/m; >= 0
  JointVector target;       ///< coordinates q
  JointVector target_rate;  ///< v
};

/// F_ex = kp (X_target - X) + kd (V_target - V) on a frame F that rides on a body: Eq. (7.15) with
/// the same plus. Angular first, about Fo, axes of the world; the turn that is left over is a
/// rotation vector.
struct FrameFeedback {
  models::Frame frame;
  Vec6 kp = Vec6::Zero();  ///< N m/rad, N/m; >= 0
  Vec6 kd = Vec6::Zero();  ///< N m s/rad, N s/m; >= 0
  models::Pose target;     ///< X_WF
  models::Motion target_velocity = models::Motion::zero();
};

/// No feedback at all: gains of 0, target at the model's zero.
JointFeedback no_joint_feedback(const models::Model& model);

/// Throws ConfigError that names the entry: a size that is not the model's, a gain that is negative
/// or not finite, a target that is not finite, a frame on no body. Set-up.
void check(const JointFeedback& feedback, const models::Model& model);
void check(const FrameFeedback& feedback, const models::Model& model);

/// The same as an answer, for targets that change while it runs. Cycle code.
[[nodiscard]] bool is_usable(const JointFeedback& feedback, const models::Model& model) noexcept;
[[nodiscard]] bool is_usable(const FrameFeedback& feedback, const models::Model& model) noexcept;

/// tau_ex at q, v; `error` is scratch and then holds target - q. All of the model's size. Cycle
/// code.
void joint_force(const models::Model& model, const JointFeedback& feedback, const JointVector& q,
                 const JointVector& v, JointVector& error, JointVector& tau_ex) noexcept;
/// F_ex about Fo, axes of the world, from the pose and velocity of the frame's body. Cycle code.
models::Force frame_force(const FrameFeedback& feedback, const models::Pose& X_WB,
                          const models::Motion& V_WB_B) noexcept;
/// That force as F_Bo_B on the body. Cycle code.
models::Force on_body(const FrameFeedback& feedback, const models::Pose& X_WB,
                      const models::Force& F_Fo_W) noexcept;

}  // namespace kagami::control
