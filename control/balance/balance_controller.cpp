#include "control/balance/balance_controller.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/dynamics/crba.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/reroot.hpp"
#include "models/robot/state.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::control {
namespace {

[[noreturn]] void refuse(const BalanceGainSet& set, const std::string& problem) {
  throw ConfigError(set.head.file + problem);
}

const BalanceParts& parts_of(const BalanceGainSet& set) {
  if (set.parts) return *set.parts;
  refuse(set, "parts: missing; a run needs the names of legs, trunk and soles");
}

models::Frame frame_of(const models::Model& model, const BalanceGainSet& set,
                       const std::string& name) {
  try {
    return model.frame(name);
  } catch (const ModelError& error) {
    refuse(set, std::string("parts: ") + error.what());
  }
}

// the robot at q_start; its base is where the support sole is level at the world's origin
models::Kinematics standing(const BalanceGainSet& set, const ControlPlace& place) {
  check_robot(set.head, place.robot);
  const models::Model& robot = *place.model;
  const int joints = static_cast<int>(place.joint_names.size());
  if (robot.num_v() != joints + 6) {
    refuse(set,
           "controller: balance requires a floating base, the base of this robot is "
           "held: expected --on floor");
  }
  models::State s = models::neutral_state(robot);
  models::put_q(models::joint_places(robot, place.joint_names), place.q_start, s.q);
  models::Kinematics k(robot);
  models::forward_kinematics(robot, s.q, s.v, k);
  const models::Frame foot = frame_of(robot, set, parts_of(set).support_foot);
  const models::Pose X_WB = models::inverse(models::frame_pose(k, foot));
  const Eigen::Quaterniond turn = models::quaternion_of(X_WB.R);
  s.q.head<7>() << X_WB.p, turn.w(), turn.x(), turn.y(), turn.z();
  models::forward_kinematics(robot, s.q, s.v, k);
  return k;
}

// the robot hung from its support foot, the other soles welded to the world where they are
models::Model on_both_soles(const BalanceGainSet& set, const ControlPlace& place) {
  const models::Kinematics k = standing(set, place);
  const models::Frame foot = frame_of(*place.model, set, parts_of(set).support_foot);
  const models::Pose X_WR = models::inverse(foot.X_BF);
  const models::Model robot = models::rerooted(*place.model, foot.body, X_WR);
  models::ModelBuilder builder(robot);
  for (const std::string& sole : parts_of(set).soles) {
    const models::Pose X_WS = models::frame_pose(k, frame_of(*place.model, set, sole));
    // a sole that hangs in the air at the start carries nothing
    if (std::abs(X_WS.p.z()) > kFootLift) {
      refuse(set, "parts/soles: '" + sole + "' is " + number_text(X_WS.p.z()) +
                      " m above the floor at the motion's first pose, expected both soles on it");
    }
    const models::Frame frame = frame_of(robot, set, sole);
    if (frame.body == 0) continue;
    builder.add_loop(sole, frame.body, frame.X_BF, kWorld, X_WS, models::Joint{});
  }
  return builder.build();
}

// what each joint moves when the trunk is at rest, whatever the root: kg m^2 at its place in v
JointVector hold_inertia(const models::Model& model, const ControlPlace& place) {
  const models::Model& robot = *place.model;
  const models::JointPlaces from = models::joint_places(robot, place.joint_names);
  const models::JointPlaces to = models::joint_places(model, place.joint_names);
  models::State s = models::neutral_state(robot);
  models::put_q(from, place.q_start, s.q);
  JointMatrix H = JointMatrix::Zero(robot.num_v(), robot.num_v());
  models::CrbaWorkspace w(robot);
  models::crba(robot, s.q, w, H);
  JointVector inertia = JointVector::Zero(model.num_v());
  for (std::size_t j = 0; j < place.joint_names.size(); ++j) {
    inertia[to.v[j]] = H(from.v[j], from.v[j]);
  }
  return inertia;
}

BalanceRobot robot_of(const BalanceGainSet& set, const models::Model& model,
                      const ControlPlace& place) {
  const BalanceParts& parts = parts_of(set);
  std::array<std::string_view, kLegJoints> names;
  std::copy(parts.legs.begin(), parts.legs.end(), names.begin());
  BalanceRobot robot;
  robot.legs = leg_slots(model, names, parts.signs);
  robot.trunk = frame_of(model, set, parts.trunk);
  robot.support_foot = frame_of(model, set, parts.support_foot);
  robot.lumps = set.lumps;
  robot.hold_inertia = hold_inertia(model, place);
  for (const std::string& sole : parts.soles) {
    for (const double x : {-parts.sole_back, parts.sole_front}) {
      for (const double y : {-parts.sole_side, parts.sole_side}) {
        models::Frame corner = frame_of(model, set, sole);
        corner.X_BF.p += corner.X_BF.R * Vec3(x, y, 0.0);
        robot.sole_corners.push_back(corner);
      }
    }
  }
  return robot;
}

}  // namespace

BalanceController::BalanceController(const BalanceGainSet& set, const ControlPlace& place)
    : model_(on_both_soles(set, place)),
      places_(models::joint_places(model_, place.joint_names)),
      foot_(*place.model, frame_of(*place.model, set, parts_of(set).support_foot),
            place.joint_names),
      balance_(model_, robot_of(set, model_, place), set.settings),
      loops_(model_),
      tau_(JointVector::Zero(model_.num_v())),
      tunables_(set.settings, parts_of(set).legs),
      all_(tunables_.list().begin(), tunables_.list().end()),
      observer_rate_(set.observer_rate) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    all_[i].path = tunables_.gain_path(static_cast<int>(i));
  }
  all_.push_back({"observer_rate", 0.0, kMaxObserverRate, "1/s"});
  all_.back().path = "/observer_rate";
  all_.back().text = "rate at which measurements pull the reference model";
  for (std::size_t i = 0; i < all_.size(); ++i) {
    all_[i].default_value = tunable(static_cast<int>(i));
  }
}

double BalanceController::tunable(int index) const noexcept {
  if (index < 0 || index >= static_cast<int>(all_.size())) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const auto last = static_cast<int>(all_.size()) - 1;
  return index == last ? observer_rate_ : tunables_.value(balance_.settings(), index);
}

bool BalanceController::set_tunable(int index, double value) noexcept {
  if (index < 0 || index >= static_cast<int>(all_.size())) return false;
  if (index == static_cast<int>(all_.size()) - 1) {
    if (!(value >= 0.0 && value <= kMaxObserverRate)) return false;
    observer_rate_ = value;  // a rate of the model's pull: its angles do not jump
    return true;
  }
  BalanceSettings settings = balance_.settings();
  if (!tunables_.set(index, value, settings)) return false;
  balance_.turn(settings);
  return true;
}

bool BalanceController::place(const JointArray<double>& q, JointVector& coordinates) noexcept {
  coordinates.setZero(model_.num_q());
  models::put_q(places_, q, coordinates);
  return loops_.close(coordinates) == models::LoopStatus::kOk;
}

// height by the shadow model, the only one with a floor; the robot has no sensor for it
ControlStatus BalanceController::check_foot(const ControlInput& in) noexcept {
  const double height = foot_(in);
  // NaN: a lost shadow model has no height
  if (!(height > kFootLift)) return ControlStatus::kOk;
  finding_ = {-1, height};
  return ControlStatus::kFootInAir;
}

ControlStatus BalanceController::reset(const ControlInput& in) noexcept {
  if (const ControlStatus status = check_foot(in); status != ControlStatus::kOk) return status;
  return balance_.start(in.q) == BalanceControlStatus::kOk ? ControlStatus::kOk
                                                           : ControlStatus::kNotPossible;
}

ControlStatus BalanceController::update(const ControlInput& in, ControlOutput& out) noexcept {
  if (const ControlStatus status = check_foot(in); status != ControlStatus::kOk) return status;
  if (balance_.update(in.q, in.v, in.dt, tau_) != BalanceControlStatus::kOk) {
    return ControlStatus::kNotPossible;
  }
  out.tau = tau_;
  for (int j = 0; j < in.num_joints; ++j) {
    const auto i = static_cast<std::size_t>(j);
    out.u[i] = tau_[places_.v[i]];
    if (std::isfinite(out.u[i])) continue;
    // here, where the joints' other order is known
    finding_ = {j, out.u[i]};
    return ControlStatus::kBadOutput;
  }
  return ControlStatus::kOk;
}

std::unique_ptr<Controller> make_balance_controller(const ConfigDocument& gains,
                                                    const ControlPlace& place) {
  return std::make_unique<BalanceController>(read_balance_gain_set(gains), place);
}

}  // namespace kagami::control
