#include "control/core/virtual_loop_controller.hpp"

#include <algorithm>
#include <cmath>

#include "control/core/factory.hpp"
#include "models/base/errors.hpp"
#include "models/dynamics/kinematics.hpp"

namespace kagami::control {
namespace {

constexpr Range kStiffness{0.0, 100.0, "N m/rad"};
constexpr Range kDamping{0.0, 100.0, "N m s/rad"};

models::Model joints_at(const ControlPlace& place, const VirtualLoopGainSet& set,
                        JointVector& q_start) {
  if (place.model->num_v() != static_cast<int>(place.joint_names.size())) {
    throw ConfigError(set.head.file +
                      "controller: virtual-loop needs a held base, this robot's floats: "
                      "expected --on stand");
  }
  q_start = JointVector::Zero(place.model->num_q());
  for (Eigen::Index i = 0; i < q_start.size(); ++i) {
    q_start[i] = place.q_start[static_cast<std::size_t>(i)];
  }
  return *place.model;
}

models::Frame frame_of(const models::Model& model, const VirtualLoopGainSet& set,
                       const std::string& name) {
  try {
    return model.frame(name);
  } catch (const ModelError& error) {
    throw ConfigError(set.head.file + "loops: " + error.what());
  }
}

// each loop a weld between both frames as they stand at q
models::Model closed(const models::Model& robot, const VirtualLoopGainSet& set,
                     const JointVector& q) {
  models::Kinematics k(robot);
  models::forward_kinematics(robot, q, JointVector::Zero(robot.num_v()), k);
  std::vector<models::Loop> loops;
  for (const VirtualLoopGainSet::Tie& tie : set.loops) {
    const models::Frame a = frame_of(robot, set, tie.a);
    const models::Frame b = frame_of(robot, set, tie.b);
    models::Loop loop;
    loop.name = tie.name;
    loop.body_a = a.body;
    loop.body_b = b.body;
    loop.X_AL = a.X_BF;
    loop.X_BJ = b.X_BF * (models::inverse(models::frame_pose(k, b)) * models::frame_pose(k, a));
    loops.push_back(loop);
  }
  return virtual_mechanism(robot, loops);
}

JointFeedback feedback_of(const models::Model& robot, const VirtualLoopGainSet& set,
                          const JointVector& q) {
  JointFeedback f = no_joint_feedback(robot);
  f.kd.setConstant(set.damping);
  f.target = q;
  for (const VirtualLoopGainSet::Lead& lead : set.leads) {
    const BodyIndex body = robot.find_joint(lead.joint);
    if (body < 0) {
      throw ConfigError(set.head.file + "leads/" + lead.joint + ": the robot has no such joint");
    }
    f.kp[robot.body(body).v_index] = lead.kp;
    f.kd[robot.body(body).v_index] = lead.kd;
  }
  return f;
}

}  // namespace

VirtualLoopGainSet read_virtual_loop_gain_set(const ConfigDocument& document) {
  const ConfigNode root = document.root();
  VirtualLoopGainSet set;
  set.head = read_gain_head(root, "virtual-loop");
  for (const ConfigNode& loop : root.list("loops")) {
    set.loops.push_back({loop.text("name"), loop.text("a"), loop.text("b")});
    loop.reject_unknown_keys();
  }
  if (set.loops.empty()) root.fail("loops", "is empty, expected one loop at least");
  const ConfigNode leads = root.object("leads");
  for (const std::string& joint : leads.keys()) {
    const ConfigNode lead = leads.object(joint);
    set.leads.push_back({joint, lead.number("kp", kStiffness), lead.number("kd", kDamping)});
    lead.reject_unknown_keys();
  }
  set.damping = root.number_or("damping", 0.0, kDamping);
  set.observer_rate = root.number_or("observer_rate", 0.0, {0.0, 50.0, "1/s"});
  set.settings.correction_rate =
      root.number_or("correction_rate", set.settings.correction_rate, {0.0, 200.0, "1/s"});
  set.settings.max_gap = root.number_or("max_gap", set.settings.max_gap, {1e-6, 1.0, "m or rad"});
  root.reject_unknown_keys();
  return set;
}

namespace {

// before anything is built for it
const VirtualLoopGainSet& for_robot(const VirtualLoopGainSet& set, const std::string& robot) {
  check_robot(set.head, robot);
  return set;
}

}  // namespace

VirtualLoopController::VirtualLoopController(const VirtualLoopGainSet& set,
                                             const ControlPlace& place)
    : target_(JointVector::Zero(0)),
      robot_(joints_at(place, for_robot(set, place.robot), target_)),
      mechanism_(closed(robot_, set, target_)),
      loop_(robot_, mechanism_, set.settings),
      rate_(JointVector::Zero(robot_.num_v())),
      tau_(rate_),
      observer_rate_(set.observer_rate) {
  loop_.set_feedback(feedback_of(robot_, set, target_));
  target_ = loop_.look_around(target_);
}

bool VirtualLoopController::place(const JointArray<double>& q, JointVector& coordinates) noexcept {
  coordinates.resize(robot_.num_q());
  for (Eigen::Index i = 0; i < coordinates.size(); ++i) {
    coordinates[i] = q[static_cast<std::size_t>(i)];
  }
  return true;
}

ControlStatus VirtualLoopController::aim(const ControlInput& in) noexcept {
  for (Eigen::Index i = 0; i < target_.size(); ++i) {
    target_[i] = in.q_ref[static_cast<std::size_t>(i)];
    rate_[i] = in.qd_ref[static_cast<std::size_t>(i)];
  }
  return loop_.set_target(target_, rate_) ? ControlStatus::kOk : ControlStatus::kNotFinite;
}

ControlStatus VirtualLoopController::reset(const ControlInput& in) noexcept {
  // asked once, so that a start where the loops are open is refused before anything moves
  if (const ControlStatus status = aim(in); status != ControlStatus::kOk) return status;
  const VirtualLoopStatus status = loop_.update(in.q, in.v, tau_);
  finding_ = {-1, loop_.gap()};
  if (status == VirtualLoopStatus::kOk) return ControlStatus::kOk;
  return status == VirtualLoopStatus::kOpen ? ControlStatus::kLoopOpen
                                            : ControlStatus::kNotPossible;
}

ControlStatus VirtualLoopController::update(const ControlInput& in, ControlOutput& out) noexcept {
  if (const ControlStatus status = reset(in); status != ControlStatus::kOk) return status;
  out.tau = tau_;
  for (Eigen::Index i = 0; i < tau_.size(); ++i) out.u[static_cast<std::size_t>(i)] = tau_[i];
  return ControlStatus::kOk;
}

std::unique_ptr<Controller> make_virtual_loop_controller(const ConfigDocument& gains,
                                                         const ControlPlace& place) {
  return std::make_unique<VirtualLoopController>(read_virtual_loop_gain_set(gains), place);
}

}  // namespace kagami::control
