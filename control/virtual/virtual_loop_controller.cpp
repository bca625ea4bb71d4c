#include "control/virtual/virtual_loop_controller.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/reroot.hpp"

namespace kagami::control {
namespace {

constexpr int kGainsOfLead = 2;  // kp, kd
const models::Joint kTurnsOnTheSpot{models::JointType::kRevolute, Vec3::UnitZ(), Vec3::Zero()};

// before anything is built for it
void check_place(const VirtualLoopGainSet& set, const ControlPlace& place) {
  check_robot(set.head, place.robot);
  const bool is_held = place.model->num_v() == static_cast<int>(place.joint_names.size());
  if (is_held == set.stands_on.empty()) return;
  throw ConfigError(set.head.file +
                    (is_held
                         ? "stands_on: the base of this robot is held: expected --on floor"
                         : "stands_on: missing, and the base of this robot floats: expected a sole "
                           "that supports it, or --on stand"));
}

models::Frame frame_of(const models::Model& model, const VirtualLoopGainSet& set, const char* key,
                       const std::string& name) {
  try {
    return model.frame(name);
  } catch (const ModelError& error) {
    throw ConfigError(set.head.file + key + ": " + error.what());
  }
}

// rooted at the supporting sole, which is level at the world's origin
models::Model on_its_sole(const VirtualLoopGainSet& set, const ControlPlace& place) {
  check_place(set, place);
  if (set.stands_on.empty()) return *place.model;
  const models::Frame sole = frame_of(*place.model, set, "stands_on", set.stands_on);
  return models::rerooted(*place.model, sole.body, models::inverse(sole.X_BF));
}

JointVector start_of(const models::Model& robot, const models::JointPlaces& places,
                     const ControlPlace& place) {
  JointVector q = JointVector::Zero(robot.num_q());
  models::put_q(places, place.q_start, q);
  return q;
}

// a frame that is tied to the world, the ground
void check_on_ground(const VirtualLoopGainSet& set, const std::string& frame, double height) {
  if (std::abs(height) <= kFootLift) return;
  throw ConfigError(set.head.file + "loops: '" + frame + "' is " + number_text(height) +
                    " m above the floor at the motion's first pose, expected it on the floor");
}

// each loop a weld between both frames as they stand at q
models::Model closed(const models::Model& robot, const VirtualLoopGainSet& set,
                     const JointVector& q) {
  models::Kinematics k(robot);
  models::forward_kinematics(robot, q, JointVector::Zero(robot.num_v()), k);
  std::vector<models::Loop> loops;
  for (const VirtualLoopGainSet::Tie& tie : set.loops) {
    const models::Frame a = frame_of(robot, set, "loops", tie.a);
    models::Frame b;
    if (tie.b != "world") b = frame_of(robot, set, "loops", tie.b);
    const models::Pose X_WJ = b.body == kWorld ? models::Pose{} : models::frame_pose(k, b);
    models::Loop loop;
    loop.name = tie.name;
    loop.body_a = a.body;
    loop.body_b = b.body;
    loop.X_AL = a.X_BF;
    loop.X_BJ = b.X_BF * (models::inverse(X_WJ) * models::frame_pose(k, a));
    if (tie.b == "world" && !set.stands_on.empty()) check_on_ground(set, tie.a, loop.X_BJ.p.z());
    if (tie.leaves_yaw) loop.joint = kTurnsOnTheSpot;
    loops.push_back(loop);
  }
  return virtual_mechanism(robot, loops);
}

}  // namespace

VirtualLoopController::VirtualLoopController(const VirtualLoopGainSet& set,
                                             const ControlPlace& place)
    : robot_(on_its_sole(set, place)),
      places_(models::joint_places(robot_, place.joint_names)),
      target_(start_of(robot_, places_, place)),
      mechanism_(closed(robot_, set, target_)),
      loop_(robot_, mechanism_, set.settings),
      rate_(JointVector::Zero(robot_.num_v())),
      tau_(rate_),
      damping_(set.damping),
      correction_rate_(set.settings.correction_rate),
      observer_rate_(set.observer_rate) {
  if (!set.stands_on.empty()) {
    foot_.emplace(*place.model, frame_of(*place.model, set, "stands_on", set.stands_on),
                  place.joint_names);
  }
  for (const VirtualLoopGainSet::Lead& lead : set.leads) {
    const BodyIndex body = robot_.find_joint(lead.joint);
    if (body < 0 || robot_.body(body).nv != 1) {
      throw ConfigError(set.head.file + "leads/" + lead.joint + ": the robot has no such joint");
    }
    leads_.push_back({robot_.body(body).v_index, FirstOrderRamp(lead.kp), FirstOrderRamp(lead.kd)});
  }
  for (int k = 0; k < robot_.num_v(); ++k) {
    const bool leads =
        std::any_of(leads_.begin(), leads_.end(), [k](const Lead& lead) { return lead.dof == k; });
    if (!leads) followers_.push_back(k);
  }
  JointFeedback feedback = no_joint_feedback(robot_);
  feedback.target = target_;
  loop_.set_feedback(feedback);
  pass_gains();
  target_ = loop_.look_around(target_);
  add_tunables(set);
}

void VirtualLoopController::add_tunables(const VirtualLoopGainSet& set) {
  const auto add = [this](std::string name, const Range& range, const char* text) {
    Tunable t;
    t.name = std::move(name);
    t.min = range.min;
    t.max = range.max;
    t.unit = range.unit;
    t.text = text;
    tunables_.push_back(t);
    tunables_.back().default_value = tunable(static_cast<int>(tunables_.size()) - 1);
  };
  for (const VirtualLoopGainSet::Lead& lead : set.leads) {
    add(lead.joint + "/kp", kLeadStiffness, "pull of the motion on this joint");
    add(lead.joint + "/kd", kLeadDamping, "pull of the motion's speed on this joint");
  }
  add("damping", kLeadDamping, "of every joint that only follows");
  add("correction_rate", kCorrectionRate, "how fast a gap of the loops is closed");
  add("observer_rate", kObserverRate, "how fast readings pull the reference model");
}

FirstOrderRamp* VirtualLoopController::ramp(int index) noexcept {
  if (index < 0 || index >= static_cast<int>(tunables_.size())) return nullptr;
  const int of_leads = kGainsOfLead * static_cast<int>(leads_.size());
  if (index >= of_leads) {
    FirstOrderRamp* const rest[] = {&damping_, &correction_rate_, &observer_rate_};
    return rest[index - of_leads];
  }
  Lead& lead = leads_[static_cast<std::size_t>(index / kGainsOfLead)];
  return index % kGainsOfLead == 0 ? &lead.kp : &lead.kd;
}

double VirtualLoopController::tunable(int index) const noexcept {
  const FirstOrderRamp* g = const_cast<VirtualLoopController*>(this)->ramp(index);
  return g == nullptr ? std::numeric_limits<double>::quiet_NaN() : g->wanted();
}

bool VirtualLoopController::set_tunable(int index, double value) noexcept {
  FirstOrderRamp* g = ramp(index);
  if (g == nullptr) return false;
  const Tunable& t = tunables_[static_cast<std::size_t>(index)];
  if (!t.takes(value)) return false;
  g->turn(value);
  is_ramping_ = true;
  return true;
}

// all are in range, so that none is refused
void VirtualLoopController::pass_gains() noexcept {
  for (const Lead& lead : leads_) {
    static_cast<void>(loop_.set_gains(lead.dof, lead.kp.value(), lead.kd.value()));
  }
  for (const int dof : followers_) static_cast<void>(loop_.set_gains(dof, 0.0, damping_.value()));
  static_cast<void>(loop_.set_correction_rate(correction_rate_.value()));
}

void VirtualLoopController::advance_ramps(double dt) noexcept {
  if (!is_ramping_) return;
  is_ramping_ = false;
  for (int i = 0; i < static_cast<int>(tunables_.size()); ++i) {
    FirstOrderRamp& g = *ramp(i);
    g.advance(dt);
    is_ramping_ = is_ramping_ || g.value() != g.wanted();
  }
  pass_gains();
}

bool VirtualLoopController::place(const JointArray<double>& q, JointVector& coordinates) noexcept {
  coordinates.setZero(robot_.num_q());
  models::put_q(places_, q, coordinates);
  return true;
}

// height by the shadow model; the robot has no sensor for it
ControlStatus VirtualLoopController::check_foot(const ControlInput& in) noexcept {
  const double height = foot_ ? (*foot_)(in) : 0.0;
  if (!(height > kFootLift)) return ControlStatus::kOk;  // NaN: unknown
  finding_ = {-1, height};
  return ControlStatus::kFootInAir;
}

ControlStatus VirtualLoopController::aim(const ControlInput& in) noexcept {
  models::put_q(places_, in.q_ref, target_);
  for (int j = 0; j < places_.num; ++j) {
    const auto i = static_cast<std::size_t>(j);
    rate_[places_.v[i]] = in.qd_ref[i];
  }
  return loop_.set_target(target_, rate_) ? ControlStatus::kOk : ControlStatus::kNotFinite;
}

// in the run's order, -1: none
int VirtualLoopController::joint_of(int dof) const noexcept {
  for (int j = 0; j < places_.num; ++j) {
    if (places_.v[static_cast<std::size_t>(j)] == dof) return j;
  }
  return -1;
}

ControlStatus VirtualLoopController::ask(const ControlInput& in) noexcept {
  if (const ControlStatus status = check_foot(in); status != ControlStatus::kOk) return status;
  if (const ControlStatus status = aim(in); status != ControlStatus::kOk) return status;
  const VirtualLoopStatus status = loop_.update(in.q, in.v, tau_);
  finding_ = {joint_of(loop_.farthest()), loop_.gap()};
  if (status == VirtualLoopStatus::kOk) return ControlStatus::kOk;
  return status == VirtualLoopStatus::kOpen ? ControlStatus::kLoopOpen
                                            : ControlStatus::kNotPossible;
}

// called once, so that a start where the loops are open is refused before anything moves
ControlStatus VirtualLoopController::reset(const ControlInput& in) noexcept {
  for (int i = 0; i < static_cast<int>(tunables_.size()); ++i) ramp(i)->snap();
  is_ramping_ = false;
  pass_gains();
  return ask(in);
}

ControlStatus VirtualLoopController::update(const ControlInput& in, ControlOutput& out) noexcept {
  if (const ControlStatus status = ask(in); status != ControlStatus::kOk) return status;
  out.tau = tau_;
  for (int j = 0; j < places_.num; ++j) {
    const auto i = static_cast<std::size_t>(j);
    out.u[i] = tau_[places_.v[i]];
    if (std::isfinite(out.u[i])) continue;
    // here, where the joints' order is known
    finding_ = {j, out.u[i]};
    return ControlStatus::kBadOutput;
  }
  advance_ramps(in.dt);
  return ControlStatus::kOk;
}

std::unique_ptr<Controller> make_virtual_loop_controller(const ConfigDocument& gains,
                                                         const ControlPlace& place) {
  return std::make_unique<VirtualLoopController>(read_virtual_loop_gain_set(gains), place);
}

}  // namespace kagami::control
