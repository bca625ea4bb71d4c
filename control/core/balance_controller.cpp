#include "control/core/balance_controller.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "control/core/factory.hpp"
#include "models/base/errors.hpp"
#include "models/robot/builder.hpp"
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

void put_joints(const JointArray<double>& q, int num_joints, JointVector& coordinates) noexcept {
  const Eigen::Index base = coordinates.size() - num_joints;
  for (int j = 0; j < num_joints; ++j) coordinates[base + j] = q[static_cast<std::size_t>(j)];
}

// the base where it puts the support sole at the world's origin, level
void put_base(const models::Model& model, const models::Frame& foot, models::Kinematics& k,
              const JointVector& rest, JointVector& q) noexcept {
  q.head<7>() << 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0;
  models::forward_kinematics(model, q, rest, k);
  const models::Pose X_WB = models::inverse(models::frame_pose(k, foot));
  const Eigen::Quaterniond turn = models::quaternion_of(X_WB.R);
  q.head<7>() << X_WB.p, turn.w(), turn.x(), turn.y(), turn.z();
}

// where the reference model begins; checks what must be there for it
JointVector standing(const BalanceGainSet& set, const ControlPlace& place) {
  check_robot(set.head, place.robot);
  const models::Model& robot = *place.model;
  const int joints = static_cast<int>(place.joint_names.size());
  if (robot.num_v() != joints + 6) {
    refuse(set,
           "controller: balance needs a robot that stands on its feet, this one's base is "
           "held: expected --on floor");
  }
  JointVector q = models::neutral_state(robot).q;
  put_joints(place.q_start, joints, q);
  models::Kinematics k(robot);
  put_base(robot, frame_of(robot, set, parts_of(set).support_foot), k,
           JointVector::Zero(robot.num_v()), q);
  return q;
}

// the robot with both soles welded to the world where they are at q
models::Model on_both_soles(const BalanceGainSet& set, const ControlPlace& place,
                            const JointVector& q) {
  models::Kinematics k(*place.model);
  models::forward_kinematics(*place.model, q, JointVector::Zero(place.model->num_v()), k);
  models::ModelBuilder builder(*place.model);
  for (const std::string& sole : parts_of(set).soles) {
    const models::Frame frame = frame_of(*place.model, set, sole);
    const models::Pose X_WS = models::frame_pose(k, frame);
    // a sole that hangs in the air at the start carries nothing
    if (std::abs(X_WS.p.z()) > BalanceController::kFootLift) {
      refuse(set, "parts/soles: '" + sole + "' is " + number_text(X_WS.p.z()) +
                      " m above the floor at the motion's first pose, expected both soles on it");
    }
    builder.add_loop(sole, frame.body, frame.X_BF, kWorld, X_WS, models::Joint{});
  }
  return builder.build();
}

BalanceRobot robot_of(const BalanceGainSet& set, const models::Model& model) {
  const BalanceParts& parts = parts_of(set);
  std::array<std::string_view, kLegJoints> names;
  std::copy(parts.legs.begin(), parts.legs.end(), names.begin());
  BalanceRobot robot;
  robot.legs = leg_slots(model, names, parts.signs);
  robot.trunk = frame_of(model, set, parts.trunk);
  robot.support_foot = frame_of(model, set, parts.support_foot);
  robot.lumps = set.lumps;
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
    : model_(on_both_soles(set, place, standing(set, place))),
      foot_(frame_of(model_, set, parts_of(set).support_foot)),
      balance_(model_, robot_of(set, model_), set.settings),
      loops_(model_),
      kinematics_(model_),
      q_start_(standing(set, place)),
      q_seen_(q_start_),
      rest_(JointVector::Zero(model_.num_v())),
      tau_(rest_),
      observer_rate_(set.observer_rate) {}

bool BalanceController::place(const JointArray<double>& q, JointVector& coordinates) noexcept {
  coordinates = q_start_;
  put_joints(q, model_.num_v() - 6, coordinates);
  put_base(model_, foot_, kinematics_, rest_, coordinates);
  return loops_.close(coordinates) == models::LoopStatus::kOk;
}

// by the shadow, the only one that knows of a floor; on the robot nothing tells
ControlStatus BalanceController::look_at_foot(const ControlInput& in) noexcept {
  if (!std::isfinite(in.base.z)) return ControlStatus::kOk;
  put_joints(in.q_shadow, in.num_joints, q_seen_);
  q_seen_.head<7>() << in.base.x, in.base.y, in.base.z, in.base.turn[0], in.base.turn[1],
      in.base.turn[2], in.base.turn[3];
  models::forward_kinematics(model_, q_seen_, rest_, kinematics_);
  const double height = models::frame_pose(kinematics_, foot_).p.z();
  if (height <= kFootLift) return ControlStatus::kOk;
  finding_ = {-1, height};
  return ControlStatus::kFootInAir;
}

ControlStatus BalanceController::reset(const ControlInput& in) noexcept {
  if (const ControlStatus status = look_at_foot(in); status != ControlStatus::kOk) return status;
  return balance_.start(in.q) == BalanceControlStatus::kOk ? ControlStatus::kOk
                                                           : ControlStatus::kNotPossible;
}

ControlStatus BalanceController::update(const ControlInput& in, ControlOutput& out) noexcept {
  if (const ControlStatus status = look_at_foot(in); status != ControlStatus::kOk) return status;
  if (balance_.update(in.q, in.v, in.dt, tau_) != BalanceControlStatus::kOk) {
    return ControlStatus::kNotPossible;
  }
  out.tau = tau_;
  for (int j = 0; j < in.num_joints; ++j) out.u[static_cast<std::size_t>(j)] = tau_[6 + j];
  return ControlStatus::kOk;
}

std::unique_ptr<Controller> make_balance_controller(const ConfigDocument& gains,
                                                    const ControlPlace& place) {
  return std::make_unique<BalanceController>(read_balance_gain_set(gains), place);
}

}  // namespace kagami::control
