#include "control/balance/strategy.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"

// [Takahashi 2012] section 6.3, theta_i counted from the initial pose:
//   tau_i = -kp_i theta_i - kd_i theta_i'                       (6.6)
//   tau_4 = -(kp_4 theta_9 + kd_4 theta_9')                     (6.7)  upper-body rotation
//   a'_ref = (n11 / n31) h2'                                    (6.12)
//   tau_a += k_a (a'_ref - a')                                  (6.13) combined: joint 9
//   a = (theta_9 + theta_4) / 2, h1 = theta_6, h2 = theta_8
// The plus in a: both ankles' axes point the same way, as (6.7) requires; with the printed minus
// the robot falls. Coefficients by the upper body's turn s: start + (end - start) spline(s /
// end_turn).
namespace kagami::control {
namespace {

constexpr std::size_t at(LegJoint joint) {
  return static_cast<std::size_t>(joint);
}

double value(const Coefficient& c, double share) noexcept {
  return c.start + (c.end - c.start) * share;
}

SpringDamper constant(double kp, double kd) noexcept {
  return {{kp, kp}, {kd, kd}};
}

void check_gain(double k, Strategy strategy, const std::string& what) {
  if (k >= 0.0 && std::isfinite(k)) return;
  throw ConfigError("balance strategy " + std::string(name(strategy)) + ": " + what + " " +
                    number_text(k) + " is not a finite number of at least 0");
}

StrategyGains rotation_gains() noexcept {
  StrategyGains g;
  for (SpringDamper& s : g.joints) s = constant(1.5, 1.5);
  for (const LegJoint yaw : {kRightHipYaw, kLeftHipYaw})
    g.joints[at(yaw)] = {{0.3, 0.3}, {0.03, 0.5}};
  for (const LegJoint pitch : {kRightHipPitch, kLeftHipPitch})
    g.joints[at(pitch)] = constant(5.0, 0.5);
  g.joints[at(kLeftAnklePitch)] = {{0.3, 0.3}, {0.03, 3.5}};
  g.oppose_kp = 5.0;
  g.oppose_kd = 0.5;
  return g;
}

StrategyGains combined_gains() noexcept {
  StrategyGains g;
  for (SpringDamper& s : g.joints) s = constant(0.5, 0.05);
  g.joints[at(kLeftAnklePitch)] = {{0.5, 5.0}, {0.05, 2.0}};
  g.by_pitch = true;
  g.left_ka = 50.0;
  return g;
}

// one piece over the ankles: hips stiff
StrategyGains ankle_gains() noexcept {
  StrategyGains g;
  for (SpringDamper& s : g.joints) s = constant(40.0, 4.0);
  for (const LegJoint pitch : {kRightAnklePitch, kLeftAnklePitch}) {
    g.joints[at(pitch)] = constant(3.0, 1.0);
  }
  g.by_pitch = true;
  return g;
}

// the hips give way, the ankles follow them inside the null space
StrategyGains hip_gains() noexcept {
  StrategyGains g;
  for (SpringDamper& s : g.joints) s = constant(40.0, 4.0);
  for (const LegJoint pitch : {kRightHipPitch, kLeftHipPitch}) {
    g.joints[at(pitch)] = {{0.5, 0.5}, {0.05, 0.175}};
  }
  for (const LegJoint pitch : {kRightAnklePitch, kLeftAnklePitch}) {
    g.joints[at(pitch)] = constant(0.5, 0.05);
  }
  g.by_pitch = true;
  g.left_ka = g.right_ka = 50.0;
  g.return_rate = 2.0;
  return g;
}

}  // namespace

const char* name(Strategy strategy) noexcept {
  constexpr const char* kNames[] = {"upper-body-rotation", "combined", "ankle", "hip"};
  return kNames[static_cast<int>(strategy)];
}

LegSlots leg_slots(const models::Model& model,
                   const std::array<std::string_view, kLegJoints>& names,
                   const std::array<double, kLegJoints>& signs) {
  LegSlots slots;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    const BodyIndex body = model.find_joint(names[i]);
    if (body < 0 || model.body(body).joint.type != models::JointType::kRevolute) {
      throw ConfigError("balance: the robot has no hinge '" + std::string(names[i]) + "'");
    }
    if (std::abs(signs[i]) != 1.0) {
      throw ConfigError("balance: sign " + number_text(signs[i]) + " of '" + std::string(names[i]) +
                        "' is neither 1 nor -1");
    }
    slots[i] = {model.body(body).v_index, model.body(body).q_index, signs[i]};
    for (std::size_t k = 0; k < i; ++k) {
      if (slots[k].v_index == slots[i].v_index) {
        throw ConfigError("balance: duplicate joint '" + std::string(names[i]) + "'");
      }
    }
  }
  for (const LegJoint pitch : {kRightHipPitch, kRightAnklePitch, kLeftHipPitch, kLeftAnklePitch}) {
    if (slots[at(pitch)].v_index >= 0) continue;
    throw ConfigError("balance: joint " + std::to_string(pitch + 1) +
                      " (hip or ankle pitch) has no name, every strategy needs it");
  }
  return slots;
}

StrategyGains thesis_gains(Strategy strategy) noexcept {
  switch (strategy) {
    case Strategy::kUpperBodyRotation:
      return rotation_gains();
    case Strategy::kCombined:
      return combined_gains();
    case Strategy::kAnkle:
      return ankle_gains();
    case Strategy::kHip:
      break;
  }
  return hip_gains();
}

StrategyGains scaled(const StrategyGains& gains, double stiffness, double damping) noexcept {
  StrategyGains g = gains;
  for (SpringDamper& s : g.joints) {
    s.kp = {stiffness * s.kp.start, stiffness * s.kp.end};
    s.kd = {damping * s.kd.start, damping * s.kd.end};
  }
  g.oppose_kp *= stiffness;
  g.oppose_kd *= damping;
  g.left_ka *= damping;
  g.right_ka *= damping;
  return g;
}

ThreeJointModel thesis_lumps() noexcept {
  return {1.6, 0.75, 4.2, 0.2, 0.1, 0.1};
}

void check(const StrategyGains& gains, Strategy strategy) {
  for (std::size_t i = 0; i < gains.joints.size(); ++i) {
    const SpringDamper& s = gains.joints[i];
    for (const double k : {s.kp.start, s.kp.end, s.kd.start, s.kd.end}) {
      check_gain(k, strategy, "a coefficient of joint " + std::to_string(i + 1));
    }
  }
  check_gain(gains.oppose_kp, strategy, "oppose_kp");
  check_gain(gains.oppose_kd, strategy, "oppose_kd");
  check_gain(gains.left_ka, strategy, "left_ka");
  check_gain(gains.right_ka, strategy, "right_ka");
  check_gain(gains.return_rate, strategy, "return_rate");
  if (!(gains.end_turn > 0.0) || !std::isfinite(gains.end_turn)) {
    throw ConfigError("balance strategy " + std::string(name(strategy)) + ": end_turn " +
                      number_text(gains.end_turn) + " rad is not above 0");
  }
}

double fifth_order(double s) noexcept {
  const double x = std::clamp(s, 0.0, 1.0);
  return x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
}

std::array<double, kLegJoints> strategy_torques(const StrategyGains& g,
                                                const ThreeJointModel& lumps, const LegState& legs,
                                                const BodyTurn& turn) noexcept {
  const double share = fifth_order(std::abs(g.by_pitch ? turn.pitch : turn.yaw) / g.end_turn);
  std::array<double, kLegJoints> tau{};
  for (std::size_t i = 0; i < tau.size(); ++i) {
    const SpringDamper& s = g.joints[i];
    tau[i] = -value(s.kp, share) * legs.theta[i] - value(s.kd, share) * legs.rate[i];  // (6.6)
  }
  constexpr std::size_t r = at(kRightAnklePitch);
  constexpr std::size_t l = at(kLeftAnklePitch);
  if (g.oppose_kp > 0.0 || g.oppose_kd > 0.0) {
    tau[r] = -(g.oppose_kp * legs.theta[l] + g.oppose_kd * legs.rate[l]);  // (6.7)
  }
  if (g.left_ka > 0.0 || g.right_ka > 0.0) {
    const double a = 0.5 * (legs.theta[l] + legs.theta[r]);
    const double a_rate = 0.5 * (legs.rate[l] + legs.rate[r]);
    const double ratio =
        ankle_to_hip_ratio(lumps, a, legs.theta[at(kLeftHipYaw)], legs.theta[at(kLeftHipPitch)]);
    const double wanted = ratio * legs.rate[at(kLeftHipPitch)] +  // (6.12)
                          g.return_rate * (ratio * legs.theta[at(kLeftHipPitch)] - a);
    tau[l] += g.left_ka * (wanted - a_rate);  // (6.13)
    tau[r] += g.right_ka * (wanted - a_rate);
  }
  return tau;
}

std::array<double, kLegJoints> strategy_damping(const StrategyGains& g,
                                                const BodyTurn& turn) noexcept {
  const double share = fifth_order(std::abs(g.by_pitch ? turn.pitch : turn.yaw) / g.end_turn);
  std::array<double, kLegJoints> kd{};
  for (std::size_t i = 0; i < kd.size(); ++i) kd[i] = value(g.joints[i].kd, share);
  if (g.oppose_kp > 0.0 || g.oppose_kd > 0.0) kd[at(kRightAnklePitch)] = 0.0;
  kd[at(kLeftAnklePitch)] += 0.5 * g.left_ka;  // a' is the ankles' mean
  kd[at(kRightAnklePitch)] += 0.5 * g.right_ka;
  return kd;
}

}  // namespace kagami::control
