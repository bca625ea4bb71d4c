#include "control/virtual/virtual_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/state.hpp"

// [Takahashi 2012] ch. 7, Fig. 7.1:
//   qddot_ref = FD_closed(q, qdot, 0, F_ex)         (7.5)
//   tau_ref   = ID_open(q, qdot, qddot_ref)         (7.4)
// The virtual mechanism has no gravity, the robot's inverse dynamics has. Ours: with q_c where a
// Gauss-Newton step from q would close the loops, and v_c what of qdot is along them,
//   qddot = qddot_ref + w^2 (q_c - q) + 2 w (v_c - qdot)                                  (loop-1)
// draws the robot there. At q itself, without moving it first, J (q_c - q) = -e and J (v_c - qdot)
// = -edot, e the gap: then e'' + 2 w e' + w^2 e = 0 exactly. And next to a singular pose, with z
// the part of qddot_ref that the independent equations require and M the mechanism's mass matrix,
//   qddot_ref = z + qdot (qdot' M (qddot_ref - z)) / (qdot' M qdot)                        (loop-2)
// continues along qdot: of the branches that cross there the one it came on.
namespace kagami::control {
namespace {

// at a distance s from a crossing, a robot that is off its branch by x gets accelerations that are
// off by x / s^2; 1e-4 keeps that small for x of 1e-10
constexpr models::LoopTolerances kTolerances{1e-4, std::numeric_limits<double>::infinity()};
constexpr double kClosed = 1e-13;       // rad or m: rounding, nothing to project
constexpr double kProjected = 1e-12;    // rad or m: project_position takes no step below
constexpr double kCloseEnough = 1e-9;   // part of an acceleration
constexpr double kNoCrossing = 0.3;     // LoopDynamics::distance: a gap may close on the way
constexpr double kMinCorrection = 0.0;  // 1/s
constexpr double kMaxCorrection = 200.0;
constexpr double kStraightSpeed =
    0.01;  // rad/s or m/s, largest component: slower counts as at rest

VirtualLoopStatus status_of(models::LoopStatus status) noexcept {
  switch (status) {
    case models::LoopStatus::kOk:
      return VirtualLoopStatus::kOk;
    case models::LoopStatus::kNotFinite:
      return VirtualLoopStatus::kNotFinite;
    case models::LoopStatus::kNoInertia:
      return VirtualLoopStatus::kNoInertia;
    case models::LoopStatus::kOpen:
    case models::LoopStatus::kOverConstrained:  // not with these tolerances
    case models::LoopStatus::kUnderActuated:    // not from forward dynamics
      return VirtualLoopStatus::kOpen;
  }
  return VirtualLoopStatus::kOpen;
}

void check_same_coordinates(const models::Model& robot, const models::Model& mechanism) {
  if (robot.num_bodies() != mechanism.num_bodies()) {
    throw ConfigError("virtual loop: the mechanism has " + std::to_string(mechanism.num_bodies()) +
                      " bodies, the robot " + std::to_string(robot.num_bodies()));
  }
  for (int i = 0; i < robot.num_bodies(); ++i) {
    const models::Body& mine = robot.body(i);
    const models::Body& other = mechanism.body(i);
    if (mine.parent != other.parent || mine.joint.type != other.joint.type) {
      throw ConfigError("virtual loop: body '" + other.name +
                        "' of the mechanism has another parent or joint than the robot's '" +
                        mine.name + "'");
    }
  }
  if (mechanism.loops().empty())
    throw ConfigError("virtual loop: the mechanism has no loop, expected at least one");
  for (std::size_t l = 0; l < robot.loops().size(); ++l) {
    if (l < mechanism.loops().size() && mechanism.loops()[l].name == robot.loops()[l].name)
      continue;
    throw ConfigError("virtual loop: the mechanism's loops do not begin with the robot's own '" +
                      robot.loops()[l].name + "'");
  }
}

void check_range(double value, double min, double max, const char* what) {
  if (value >= min && value <= max) return;
  throw ConfigError("virtual loop: " + std::string(what) + " " + number_text(value) +
                    " is outside [" + number_text(min) + ", " + number_text(max) + "]");
}

}  // namespace

const char* name(VirtualLoopStatus status) noexcept {
  constexpr const char* kNames[] = {"ok", "not finite", "open", "no inertia", "not carried"};
  return kNames[static_cast<int>(status)];
}

models::Model virtual_mechanism(const models::Model& robot, std::span<const models::Loop> loops) {
  models::ModelBuilder builder(robot);
  builder.set_gravity(Vec3::Zero());
  for (const models::Loop& l : loops) {
    builder.add_loop(l.name, l.body_a, l.X_AL, l.body_b, l.X_BJ, l.joint);
  }
  return builder.build();
}

VirtualLoop::VirtualLoop(const models::Model& robot, const models::Model& mechanism,
                         const VirtualLoopSettings& settings)
    : robot_(robot),
      mechanism_(mechanism),
      settings_(settings),
      joints_(no_joint_feedback(robot)),
      dynamics_(mechanism, kTolerances),
      inverse_(robot),
      kinematics_(mechanism),
      F_ext_(static_cast<std::size_t>(mechanism.num_bodies()), models::Force::zero()),
      q_closed_(joints_.target),
      q_used_(q_closed_),
      v_closed_(joints_.kp),
      v_used_(v_closed_),
      error_(v_closed_),
      tau_ex_(v_closed_),
      next_(v_closed_),
      straight_(v_closed_),
      zero_(v_closed_),
      bias_(mechanism),
      vdot_(v_closed_) {
  check_same_coordinates(robot, mechanism);
  check_range(settings.correction_rate, kMinCorrection, kMaxCorrection, "correction_rate");
  check_range(settings.max_gap, 1e-9, 1.0, "max_gap");
}

void VirtualLoop::set_feedback(const JointFeedback& feedback) {
  check(feedback, robot_);
  for (int k = 0; k < robot_.num_v() && inverse_.support() == Support::kFlying; ++k) {
    if (!inverse_.floats(k) || (feedback.kp[k] == 0.0 && feedback.kd[k] == 0.0)) continue;
    throw ConfigError("virtual force: kp[" + std::to_string(k) + "], kd[" + std::to_string(k) +
                      "] act on the base of a robot in free flight, expected 0");
  }
  joints_ = feedback;
}

void VirtualLoop::set_feedback(const FrameFeedback& feedback) {
  check(feedback, mechanism_);
  if (inverse_.support() == Support::kFlying) {
    throw ConfigError("virtual force: frame '" + feedback.frame.name +
                      "' has its target in the world, which a robot in free flight cannot reach; "
                      "expected feedback of joints");
  }
  frame_ = feedback;
  for (models::Force& F : F_ext_) F = models::Force::zero();  // another body had it perhaps
}

bool VirtualLoop::set_target(const JointVector& q, const JointVector& v) noexcept {
  if (!models::sizes_fit(robot_, q, v) || !q.allFinite() || !v.allFinite() ||
      !models::has_orientations(robot_, q)) {
    return false;
  }
  joints_.target = q;
  joints_.target_rate = v;
  return true;
}

bool VirtualLoop::set_target(const models::Pose& X_WF, const models::Motion& V) noexcept {
  if (!frame_ || !X_WF.R.allFinite() || !X_WF.p.allFinite() || !V.c.allFinite()) return false;
  frame_->target = X_WF;
  frame_->target_velocity = V;
  return true;
}

bool VirtualLoop::set_gains(int dof, double kp, double kd) noexcept {
  if (dof < 0 || dof >= robot_.num_v() || !(kp >= 0.0 && std::isfinite(kp)) ||
      !(kd >= 0.0 && std::isfinite(kd)) ||
      (inverse_.floats(dof) && inverse_.support() == Support::kFlying)) {
    return false;
  }
  joints_.kp[dof] = kp;
  joints_.kd[dof] = kd;
  return true;
}

bool VirtualLoop::set_correction_rate(double rate) noexcept {
  if (!(rate >= kMinCorrection && rate <= kMaxCorrection)) return false;
  settings_.correction_rate = rate;
  return true;
}

JointVector VirtualLoop::look_around(const JointVector& q) {
  JointVector closed = q;
  models::LoopStatus status = dynamics_.close(closed);
  if (status == models::LoopStatus::kOk) status = dynamics_.look_around(closed);
  if (status != models::LoopStatus::kOk) {
    throw ConfigError("virtual loop: the loops do not close from the given pose (" +
                      std::string(models::name(status)) + ", gap " + number_text(dynamics_.gap()) +
                      " m or rad remains)");
  }
  return closed;
}

// an acceleration at the last factor's q in place of q_c is off by gap / s^2 of itself, s the
// distance to a crossing
bool VirtualLoop::is_close_enough() const noexcept {
  const int rank = dynamics_.rank();
  if (rank == 0 || rank < most_independent_) return false;
  const std::span<const double> sigma = dynamics_.singular_values();
  const double part = sigma[static_cast<std::size_t>(rank - 1)] / sigma[0];
  return dynamics_.gap() < kCloseEnough * part * part;
}

// none is near, and none is reached while the gap closes, to a tenth in 4 / w
bool VirtualLoop::is_far_from_crossings(const JointVector& v) const noexcept {
  const double s = dynamics_.distance();
  return dynamics_.rank() >= most_independent_ && s > kNoCrossing &&
         v.cwiseAbs().maxCoeff() < 0.25 * s * settings_.correction_rate;
}

void VirtualLoop::find_farthest(const JointVector& q) noexcept {
  models::difference(robot_, q, q_closed_, error_);
  farthest_ = -1;
  double most = 0.0;
  for (int k = 0; k < error_.size(); ++k) {
    if (inverse_.floats(k) || !(std::abs(error_[k]) > most)) continue;
    most = std::abs(error_[k]);
    farthest_ = k;
  }
}

// q_c and v_c by one step from q, whose factors serve for all that follows; next to a crossing by
// two
VirtualLoopStatus VirtualLoop::close(const JointVector& q, const JointVector& v) noexcept {
  farthest_ = -1;
  if (!models::sizes_fit(robot_, q, v) || !v.allFinite()) return VirtualLoopStatus::kNotFinite;
  q_closed_ = q;
  v_closed_ = v;
  const models::LoopStatus status = dynamics_.project_position(1, q_closed_);
  if (status != models::LoopStatus::kOk) return status_of(status);
  gap_ = dynamics_.gap();
  if (!(gap_ <= settings_.max_gap)) {
    find_farthest(q);
    return VirtualLoopStatus::kOpen;
  }
  q_used_ = q;
  const bool stays = is_far_from_crossings(v);
  if (!stays && gap_ > kClosed && !is_close_enough()) {
    const VirtualLoopStatus afar = close_from_afar();
    if (afar != VirtualLoopStatus::kOk) return afar;
  }
  dynamics_.project_velocity(v_closed_, true);
  v_used_ = stays ? v : v_closed_;
  return VirtualLoopStatus::kOk;
}

VirtualLoopStatus VirtualLoop::close_from_afar() noexcept {
  q_used_ = q_closed_;
  models::LoopStatus status = dynamics_.project_position(1, q_closed_);
  if (status == models::LoopStatus::kOk && dynamics_.gap() >= kProjected && !is_close_enough()) {
    status = dynamics_.factor(q_closed_);
    q_used_ = q_closed_;
  }
  return status_of(status);
}

void VirtualLoop::force() noexcept {
  control::joint_force(mechanism_, joints_, q_used_, v_used_, error_, tau_ex_);  // (7.9)
  if (!frame_) return;
  models::forward_kinematics(mechanism_, q_used_, v_used_, kinematics_);
  const std::size_t b = static_cast<std::size_t>(frame_->frame.body);
  const models::Pose& X_WB = kinematics_.X_WB[b];
  F_ex_ = control::frame_force(*frame_, X_WB, kinematics_.tree.V[b]);  // (7.15)
  F_ext_[b] = on_body(*frame_, X_WB, F_ex_);                           // (7.13)
}

models::LoopStatus VirtualLoop::accelerate() noexcept {
  const models::ExternalLoads extras{F_ext_, nullptr};
  const models::LoopStatus status =
      dynamics_.accelerate(q_used_, v_used_, tau_ex_, extras, next_);  // (7.5)
  most_independent_ = std::max(most_independent_, dynamics_.rank());
  if (status != models::LoopStatus::kOk || dynamics_.rank() == most_independent_) return status;
  return v_closed_.cwiseAbs().maxCoeff() > kStraightSpeed ? go_straight() : status;
}

// z is the acceleration under the forces that would keep the open tree's at zero
models::LoopStatus VirtualLoop::go_straight() noexcept {
  models::rnea(mechanism_, q_used_, v_closed_, zero_, bias_, error_);
  const models::LoopStatus status =
      dynamics_.accelerate(q_used_, v_closed_, error_, models::ExternalLoads{}, straight_);
  if (status != models::LoopStatus::kOk) return status;
  double along = 0.0;
  double energy = 0.0;
  const JointMatrix& M = dynamics_.mass_matrix();
  for (int i = 0; i < v_closed_.size(); ++i) {
    for (int j = 0; j < v_closed_.size(); ++j) {
      along += v_closed_[i] * M(i, j) * (next_[j] - straight_[j]);
      energy += v_closed_[i] * M(i, j) * v_closed_[j];
    }
  }
  next_ = straight_ + v_closed_ * (along / energy);  // (loop-2)
  return models::LoopStatus::kOk;
}

VirtualLoopStatus VirtualLoop::update(const JointVector& q, const JointVector& v,
                                      JointVector& tau) noexcept {
  if (const VirtualLoopStatus status = close(q, v); status != VirtualLoopStatus::kOk) return status;
  force();
  const models::LoopStatus status = accelerate();
  if (status != models::LoopStatus::kOk) return status_of(status);
  models::difference(robot_, q, q_closed_, error_);
  const double w = settings_.correction_rate;
  vdot_ = next_ + w * w * error_ + 2.0 * w * (v_closed_ - v);  // (loop-1)
  const bool at_q = q_used_ == q;
  const bool carried = inverse_.run(q, v, dynamics_.mass_matrix(),
                                    at_q ? &dynamics_.kinematics() : nullptr, vdot_, tau);  // (7.4)
  return carried ? VirtualLoopStatus::kOk : VirtualLoopStatus::kNotCarried;
}

}  // namespace kagami::control
