#include "control/virtual/virtual_force.hpp"

#include <cmath>
#include <string>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/robot/state.hpp"
#include "models/spatial/rotation.hpp"

// [Takahashi 2012] ch. 7. Printed with a minus before the velocity error, which makes the loop
// unstable; here with a plus.
//   tau_ex = K_p (q_des - q) + K_d (qdot_des - qdot)    (7.9)
//   F_ex   = K_p (X_des - X) + K_d (V_des - V)          (7.15)
namespace kagami::control {
namespace {

bool is_gain(double k) noexcept {
  return k >= 0.0 && std::isfinite(k);
}

void check_gain(double k, const std::string& place) {
  if (is_gain(k)) return;
  throw ConfigError("virtual force: " + place + " " + number_text(k) +
                    " is not a finite number of at least 0");
}

void check_size(Eigen::Index size, int wanted, const char* what) {
  if (size == wanted) return;
  throw ConfigError("virtual force: " + std::string(what) + " has " + std::to_string(size) +
                    " entries, expected " + std::to_string(wanted));
}

}  // namespace

JointFeedback no_joint_feedback(const models::Model& model) {
  const models::State zero = models::neutral_state(model);
  return {zero.v, zero.v, zero.q, zero.v};
}

void check(const JointFeedback& f, const models::Model& model) {
  check_size(f.kp.size(), model.num_v(), "kp");
  check_size(f.kd.size(), model.num_v(), "kd");
  check_size(f.target.size(), model.num_q(), "target");
  check_size(f.target_rate.size(), model.num_v(), "target_rate");
  for (int i = 0; i < model.num_v(); ++i) {
    check_gain(f.kp[i], "kp[" + std::to_string(i) + "]");
    check_gain(f.kd[i], "kd[" + std::to_string(i) + "]");
  }
  if (!is_usable(f, model)) throw ConfigError("virtual force: a joint target is not a finite pose");
}

void check(const FrameFeedback& f, const models::Model& model) {
  if (f.frame.body < 0 || f.frame.body >= model.num_bodies()) {
    throw ConfigError("virtual force: frame '" + f.frame.name + "' is on body " +
                      std::to_string(f.frame.body) + " of " + std::to_string(model.num_bodies()));
  }
  for (int i = 0; i < 6; ++i) {
    check_gain(f.kp[i], "kp[" + std::to_string(i) + "] of frame '" + f.frame.name + "'");
    check_gain(f.kd[i], "kd[" + std::to_string(i) + "] of frame '" + f.frame.name + "'");
  }
  if (!is_usable(f, model)) {
    throw ConfigError("virtual force: the target of frame '" + f.frame.name + "' is not finite");
  }
}

bool is_usable(const JointFeedback& f, const models::Model& model) noexcept {
  if (f.kp.size() != model.num_v() || f.kd.size() != model.num_v() ||
      f.target.size() != model.num_q() || f.target_rate.size() != model.num_v()) {
    return false;
  }
  for (int i = 0; i < model.num_v(); ++i) {
    if (!is_gain(f.kp[i]) || !is_gain(f.kd[i])) return false;
  }
  return f.target.allFinite() && f.target_rate.allFinite() &&
         models::has_orientations(model, f.target);
}

bool is_usable(const FrameFeedback& f, const models::Model& model) noexcept {
  if (f.frame.body < 0 || f.frame.body >= model.num_bodies()) return false;
  for (int i = 0; i < 6; ++i) {
    if (!is_gain(f.kp[i]) || !is_gain(f.kd[i])) return false;
  }
  return f.target.R.allFinite() && f.target.p.allFinite() && f.target_velocity.c.allFinite();
}

void joint_force(const models::Model& model, const JointFeedback& f, const JointVector& q,
                 const JointVector& v, JointVector& error, JointVector& tau_ex) noexcept {
  models::difference(model, q, f.target, error);
  for (int i = 0; i < model.num_v(); ++i) {
    tau_ex[i] = f.kp[i] * error[i] + f.kd[i] * (f.target_rate[i] - v[i]);  // (7.9)
  }
}

models::Force frame_force(const FrameFeedback& f, const models::Pose& X_WB,
                          const models::Motion& V_WB_B) noexcept {
  const models::Pose X_WF = X_WB * f.frame.X_BF;
  const models::Motion V_F = models::inverse_times(f.frame.X_BF, V_WB_B);
  // the turn from F to its target, and where Fo has to go: both in the world's axes
  const Vec3 turn = models::logarithm(models::quaternion_of(f.target.R * X_WF.R.transpose()));
  const Vec3 way = f.target.p - X_WF.p;
  const Vec3 w = X_WF.R * V_F.angular();
  const Vec3 v = X_WF.R * V_F.linear();
  Vec6 e;
  e << turn, way;
  Vec6 e_rate;
  e_rate << Vec3(f.target_velocity.angular() - w), Vec3(f.target_velocity.linear() - v);
  return {f.kp.cwiseProduct(e) + f.kd.cwiseProduct(e_rate)};  // (7.15)
}

models::Force on_body(const FrameFeedback& f, const models::Pose& X_WB,
                      const models::Force& F_Fo_W) noexcept {
  const models::Pose X_WF = X_WB * f.frame.X_BF;
  const Mat3 R_FW = X_WF.R.transpose();
  return f.frame.X_BF * models::Force::from(R_FW * F_Fo_W.moment(), R_FW * F_Fo_W.force());
}

}  // namespace kagami::control
