#include "control/balance/balance.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/base/trig.hpp"
#include "models/robot/state.hpp"

// [Takahashi 2012] sections 6.2, 6.3: two strategies, "small" and "large" pushes. How a push is
// noticed and measured, and the two strategies of the sagittal plane in the same scheme, is ours.
namespace kagami::control {
namespace {

void check_range(double value, double min, double max, const char* what) {
  if (value >= min && value <= max) return;
  throw ConfigError("balance: " + std::string(what) + " " + number_text(value) + " is outside [" +
                    number_text(min) + ", " + number_text(max) + "]");
}

void check_frame(const models::Frame& frame, const models::Model& model, const char* what) {
  if (frame.body >= 0 && frame.body < model.num_bodies()) return;
  throw ConfigError("balance: the " + std::string(what) + " '" + frame.name + "' is on body " +
                    std::to_string(frame.body) + " of " + std::to_string(model.num_bodies()));
}

// degrees of freedom that move a body
void mark_path(const models::Model& model, BodyIndex body, std::vector<bool>& path) {
  for (BodyIndex i = body; i != kWorld; i = model.body(i).parent) {
    for (int k = 0; k < model.body(i).nv; ++k) {
      path[static_cast<std::size_t>(model.body(i).v_index + k)] = true;
    }
  }
}

void check(const BalanceSettings& s) {
  for (int i = 0; i < kStrategies; ++i) {
    check(s.strategies[static_cast<std::size_t>(i)], static_cast<Strategy>(i));
  }
  check_range(s.hold_rate, 0.0, 200.0, "hold_rate");
  check_range(s.start_size, 1e-6, 10.0, "start_size");
  check_range(s.large_start, s.start_size, 10.0, "large_start");
  check_range(s.large_size, s.start_size, 10.0, "large_size");
  check_range(s.again_size, 1.0, 1e3, "again_size");
  check_range(s.blend_time, 0.0, 10.0, "blend_time");
  check_range(s.vertical_share, 0.0, 1.0, "vertical_share");
  check_range(s.decide_time, 0.0, 10.0, "decide_time");
  check_range(s.settled_turn, 1e-6, 1.0, "settled_turn");
  check_range(s.settled_speed, 1e-6, 10.0, "settled_speed");
  check_range(s.settled_time, 0.0, 10.0, "settled_time");
}

BodyTurn turn_of(const Mat3& R) noexcept {
  return {trig::atan2(R(1, 0), R(0, 0)), trig::asin(std::clamp(-R(2, 0), -1.0, 1.0))};
}

}  // namespace

BalanceSettings thesis_settings() noexcept {
  BalanceSettings s;
  for (int i = 0; i < kStrategies; ++i) {
    s.strategies[static_cast<std::size_t>(i)] = thesis_gains(static_cast<Strategy>(i));
  }
  s.strategies[static_cast<std::size_t>(Strategy::kCombined)].return_rate = 2.0;
  return s;
}

const char* name(BalancePhase phase) noexcept {
  constexpr const char* kNames[] = {"standing", "reaction", "recovery"};
  return kNames[static_cast<int>(phase)];
}

const char* name(BalanceControlStatus status) noexcept {
  constexpr const char* kNames[] = {"ok", "not finite", "bad step", "not started"};
  return kNames[static_cast<int>(status)];
}

Balance::Balance(const models::Model& model, const BalanceRobot& robot,
                 const BalanceSettings& settings)
    : model_(model),
      robot_(robot),
      settings_(settings),
      kinematics_(model),
      rnea_(model),
      jacobian_(model),
      J_(models::Jacobian::Zero(6, model.num_v())),
      on_path_(static_cast<std::size_t>(model.num_v()), false),
      on_other_path_(on_path_),
      zero_(JointVector::Zero(model.num_v())),
      gravity_(zero_),
      damping_(zero_),
      v_(zero_),
      offset_(zero_),
      step_(zero_),
      q_start_(models::neutral_state(model).q),
      error_(zero_),
      hold_(zero_),
      is_held_(static_cast<std::size_t>(model.num_v()), true),
      crba_(model),
      H_(JointMatrix::Zero(model.num_v(), model.num_v())),
      corners_(robot.sole_corners.size(), Vec3::Zero()),
      can_turn_(robot.legs[kRightHipYaw].v_index >= 0 && robot.legs[kLeftHipYaw].v_index >= 0) {
  check(settings);
  control::check(robot.lumps);
  check_frame(robot.trunk, model, "trunk");
  check_frame(robot.support_foot, model, "support foot");
  if (robot.sole_corners.size() > static_cast<std::size_t>(models::kMaxSupportPoints)) {
    throw ConfigError("balance: " + std::to_string(robot.sole_corners.size()) +
                      " sole corners, at most " + std::to_string(models::kMaxSupportPoints));
  }
  for (const models::Frame& corner : robot.sole_corners) check_frame(corner, model, "sole corner");
  if (!model.floats() && !model.body(robot.support_foot.body).held) {
    throw ConfigError("balance: the support foot '" + robot.support_foot.name +
                      "' moves against a base that is held");
  }
  if (robot.hold_inertia.size() != 0 &&
      (robot.hold_inertia.size() != model.num_v() || !(robot.hold_inertia.minCoeff() >= 0.0))) {
    throw ConfigError("balance: hold_inertia has " + std::to_string(robot.hold_inertia.size()) +
                      " values, expected " + std::to_string(model.num_v()) + " of at least 0");
  }
  if (robot.other_foot) {
    check_frame(*robot.other_foot, model, "other foot");
    if (robot.other_foot->body == robot.support_foot.body) {
      throw ConfigError("balance: the other foot '" + robot.other_foot->name +
                        "' is the support foot");
    }
    mark_path(model, robot.other_foot->body, on_other_path_);
  }
  mark_path(model, robot.support_foot.body, on_path_);
  for (const JointSlot& slot : robot.legs) {
    if (slot.v_index >= model.num_v()) {
      throw ConfigError("balance: a leg joint has index " + std::to_string(slot.v_index) + " of " +
                        std::to_string(model.num_v()));
    }
    if (slot.v_index >= 0) is_held_[static_cast<std::size_t>(slot.v_index)] = false;
  }
  if (model.floats()) std::fill(is_held_.begin(), is_held_.begin() + 6, false);
}

BalanceControlStatus Balance::start(const JointVector& q) noexcept {
  if (!models::sizes_fit(model_, q, zero_) || !q.allFinite() ||
      !models::has_orientations(model_, q)) {
    return BalanceControlStatus::kNotFinite;
  }
  models::forward_kinematics(model_, q, zero_, kinematics_);
  const models::Pose X_WF = models::frame_pose(kinematics_, robot_.support_foot);
  R_start_ = X_WF.R.transpose() * models::frame_pose(kinematics_, robot_.trunk).R;
  const Vec3 c = models::inverse_times(X_WF, models::center_of_mass(model_, kinematics_));
  const double h = std::max(1e-3, c.norm());
  size_unit_ = model_.total_mass() * h * std::sqrt(std::max(1e-3, model_.gravity().norm()) * h);
  q_start_ = q;
  models::crba(model_, q, crba_, H_);
  const bool is_given = robot_.hold_inertia.size() > 0;
  for (int k = 0; k < model_.num_v(); ++k) {
    const double inertia = is_given ? robot_.hold_inertia[k] : H_(k, k);
    hold_[k] = is_held_[static_cast<std::size_t>(k)] ? inertia : 0.0;
  }
  report_ = BalanceReport{};
  report_.strategy = !settings_.choose ? settings_.always
                     : can_turn_       ? Strategy::kUpperBodyRotation
                                       : Strategy::kAnkle;
  before_ = report_.strategy;
  last_turn_ = 0.0;
  legs_ = LegState{};
  error_.setZero();
  v_.setZero();
  offset_.setZero();
  since_turn_ = kTurnTime;
  started_ = true;
  return BalanceControlStatus::kOk;
}

// turn of the trunk as seen from the foot, joints, size of the push
void Balance::measure(const JointVector& q, const JointVector& v) noexcept {
  models::forward_kinematics(model_, q, v, kinematics_);
  const models::Pose X_WF = models::frame_pose(kinematics_, robot_.support_foot);
  const Mat3 R = X_WF.R.transpose() * models::frame_pose(kinematics_, robot_.trunk).R;
  report_.turn = turn_of(R * R_start_.transpose());
  models::difference(model_, q, q_start_, error_);
  for (std::size_t i = 0; i < legs_.theta.size(); ++i) {
    const JointSlot& slot = robot_.legs[i];
    if (slot.v_index < 0) continue;
    legs_.theta[i] = -slot.sign * error_[slot.v_index];
    legs_.rate[i] = slot.sign * v[slot.v_index];
  }
  const Vec3 L = X_WF.R.transpose() * models::momentum_about_com(model_, kinematics_).moment();
  const double turning = L.tail<2>().norm();
  report_.size = turning / size_unit_;
  vertical_ = turning > 0.0 ? std::abs(L.z()) / turning : 0.0;
}

// the mass centre's velocity is the momentum over the mass
void Balance::measure_margin() noexcept {
  if (robot_.sole_corners.empty()) return;
  for (std::size_t i = 0; i < corners_.size(); ++i) {
    corners_[i] = models::frame_pose(kinematics_, robot_.sole_corners[i]).p;
  }
  support_.set(corners_, robot_.ground);
  const Vec3 c = models::center_of_mass(model_, kinematics_);
  const Vec3 c_dot = models::momentum(model_, kinematics_).force() / model_.total_mass();
  report_.capture_margin =
      support_.margin(models::capture_point(c, c_dot, model_.gravity().norm(), robot_.ground));
  // std::fmin: the first one against NaN
  report_.least_margin = report_.phase == BalancePhase::kStanding
                             ? report_.capture_margin
                             : std::fmin(report_.least_margin, report_.capture_margin);
}

void Balance::set_strategy(Strategy strategy) noexcept {
  if (strategy == report_.strategy) return;
  before_ = report_.strategy;
  since_change_ = 0.0;
  report_.strategy = strategy;
  ++report_.changes;
}

// off the middle or not is decided once, from small to large at any time of the reaction
void Balance::choose(double dt) noexcept {
  since_push_ += dt;
  report_.peak_size = std::max(report_.peak_size, report_.size);
  if (!settings_.choose) return;
  bool large = report_.peak_size >= settings_.large_size;
  if (!decided_ && since_push_ >= settings_.decide_time) {
    decided_ = true;
    off_middle_ = can_turn_ && vertical_ > settings_.vertical_share;
    large = large || report_.size >= settings_.large_start;
    large_ = false;
  } else if (!decided_ || !large) {
    return;
  }
  large_ = large_ || large;
  if (off_middle_) {
    set_strategy(large_ ? Strategy::kCombined : Strategy::kUpperBodyRotation);
  } else {
    set_strategy(large_ ? Strategy::kHip : Strategy::kAnkle);
  }
}

void Balance::begin_push() noexcept {
  report_.phase = BalancePhase::kReaction;
  report_.peak_size = report_.size;
  ++report_.pushes;
  since_push_ = 0.0;
  decided_ = false;
}

void Balance::follow_phase(double dt) noexcept {
  const double turn = std::max(std::abs(report_.turn.yaw), std::abs(report_.turn.pitch));
  const bool turns_back = turn < last_turn_;
  last_turn_ = turn;
  switch (report_.phase) {
    case BalancePhase::kStanding:
      if (report_.size < settings_.start_size) return;
      begin_push();
      return;
    case BalancePhase::kReaction:
      choose(dt);
      if (since_push_ < settings_.decide_time || !turns_back) return;
      report_.phase = BalancePhase::kRecovery;
      since_settled_ = 0.0;
      return;
    case BalancePhase::kRecovery:
      break;
  }
  if (report_.size > settings_.again_size * report_.peak_size) {
    begin_push();
    return;
  }
  double speed = 0.0;
  for (const double rate : legs_.rate) speed = std::max(speed, std::abs(rate));
  const bool settled = turn < settings_.settled_turn && speed < settings_.settled_speed;
  since_settled_ = settled ? since_settled_ + dt : 0.0;
  if (since_settled_ >= settings_.settled_time) report_.phase = BalancePhase::kStanding;
}

// a jump of the torques would be a blow on the sole
std::array<double, kLegJoints> Balance::blended() const noexcept {
  const auto torques = [this](Strategy strategy) {
    return strategy_torques(settings_.strategies[static_cast<std::size_t>(strategy)], robot_.lumps,
                            legs_, report_.turn);
  };
  std::array<double, kLegJoints> tau = torques(report_.strategy);
  if (since_change_ >= settings_.blend_time) return tau;
  const std::array<double, kLegJoints> old = torques(before_);
  const double share = fifth_order(since_change_ / settings_.blend_time);
  for (std::size_t i = 0; i < tau.size(); ++i) tau[i] = old[i] + share * (tau[i] - old[i]);
  return tau;
}

void Balance::measure_damping() noexcept {
  damping_ = 2.0 * settings_.hold_rate * hold_;
  const std::array<double, kLegJoints> legs = strategy_damping(
      settings_.strategies[static_cast<std::size_t>(report_.strategy)], report_.turn);
  for (std::size_t i = 0; i < legs.size(); ++i) {
    const int k = robot_.legs[i].v_index;
    if (k >= 0) damping_[k] = legs[i];
  }
}

// of the joints that are held and of the legs
void Balance::add_springs(JointVector& tau) const noexcept {
  const double w = settings_.hold_rate;
  for (int k = 0; k < model_.num_v(); ++k) {
    tau[k] += hold_[k] * (w * w * error_[k] - 2.0 * w * v_[k]);
  }
  const std::array<double, kLegJoints> legs = blended();
  for (std::size_t i = 0; i < legs.size(); ++i) {
    const JointSlot& slot = robot_.legs[i];
    if (slot.v_index >= 0) tau[slot.v_index] += slot.sign * legs[i];
  }
}

// of what the torques were before the last turn
double Balance::left_over() const noexcept {
  return 1.0 - fifth_order(since_turn_ / kTurnTime);
}

void Balance::turn(const BalanceSettings& settings) noexcept {
  step_ = left_over() * offset_;
  add_springs(step_);
  settings_ = settings;
  offset_.setZero();
  add_springs(offset_);
  offset_ = step_ - offset_;
  since_turn_ = 0.0;
}

BalanceControlStatus Balance::update(const JointVector& q, const JointVector& v, double dt,
                                     JointVector& tau) noexcept {
  if (!started_) return BalanceControlStatus::kNotStarted;
  if (!(dt > 0.0) || !std::isfinite(dt)) return BalanceControlStatus::kBadStep;
  if (!models::sizes_fit(model_, q, v) || !q.allFinite() || !v.allFinite() ||
      !models::has_orientations(model_, q)) {
    return BalanceControlStatus::kNotFinite;
  }
  measure(q, v);
  follow_phase(dt);
  measure_margin();
  hold_gravity(q);
  v_ = v;
  since_change_ += dt;
  since_turn_ += dt;
  tau = gravity_;
  add_springs(tau);
  if (since_turn_ < kTurnTime) tau += left_over() * offset_;
  measure_damping();
  return BalanceControlStatus::kOk;
}

}  // namespace kagami::control
