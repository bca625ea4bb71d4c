// A push of 0.1 s at the right shoulder, feet free on the floor. Steps of first order: springs at
// the step's start, dampers implicit (added inertia h kd), torques cut at the servos' effort.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "models/balance/capture_point.hpp"
#include "models/base/errors.hpp"
#include "models/contact/world/world.hpp"
#include "models/dynamics/balance_point.hpp"
#include "models/dynamics/kinematics.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/push_robot.hpp"

namespace kagami::tools {
namespace {

constexpr double kStart = 0.1;     // s: at rest before
constexpr double kPushTime = 0.1;  // s
constexpr double kEdge = 1e-3;     // m
constexpr double kInfinite = std::numeric_limits<double>::infinity();

models::ContactSettings contact_settings() {
  models::ContactSettings s;
  s.method = models::MethodName::kMultipoint;
  return s;
}

class PushRun {
 public:
  PushRun(const PushedRobot& robot, const PushDrive& drive, const FloorPush& push)
      : robot_(robot),
        drive_(drive),
        push_(push),
        world_(robot.scene, contact_settings()),
        kinematics_(model()) {
    q_start_ = world_.state(0).q;
    given_ = damping_ = JointVector::Zero(model().num_v());
    world_.drive(0).F_ext.assign(static_cast<std::size_t>(model().num_bodies()),
                                 models::Force::zero());
    if (drive.hold) return;
    control::BalanceSettings settings = drive.thesis ? robot.thesis.value() : robot.settings;
    settings.choose = drive.choose;
    if (!drive.choose) settings.always = drive.strategy;
    if (!drive.yaw) settings.vertical_share = 1.0;  // nothing counts as off the middle
    balance_ = std::make_unique<control::Balance>(model(), robot.parts, settings);
    if (balance_->start(q_start_) != control::BalanceControlStatus::kOk)
      throw Error("robot " + robot.name + " cannot be started");
  }

  PushOutcome run();

 private:
  [[nodiscard]] const models::Model& model() const { return robot_.scene.systems[0].model; }
  void place();
  void drive_joint(int k, double tau, double damping);
  void hold();
  bool balance();
  void push_shoulder(double t);
  void see(double t, PushOutcome& o);
  [[nodiscard]] double margin_of(const Vec3& point);
  [[nodiscard]] double capture_margin();

  const PushedRobot& robot_;
  PushDrive drive_;
  FloorPush push_;
  models::World world_;
  models::Kinematics kinematics_;
  models::SupportPolygon soles_;
  std::unique_ptr<control::Balance> balance_;
  JointVector q_start_;
  JointVector tau_;
  JointVector given_;        // N m, at the last step's end
  JointVector damping_;      // N m s/rad, taken implicitly
  double height_ = 0.0;      // of the mass centre at the start
  bool is_limited_ = false;  // some joint, in this step
};

void PushRun::place() {
  const models::State& s = world_.state(0);
  models::forward_kinematics(model(), s.q, s.v, kinematics_);
}

// What a damper d leaves of tau at the step's end, tau - d (v+ - v), is what a servo would have to
// give: cut is what was beyond its effort in the last step and points beyond it still. Cut by tau
// alone, a light foot that has just landed is hammered to and fro at full effort for good.
void PushRun::drive_joint(int k, double tau, double damping) {
  models::Drive& drive = world_.drive(0);
  const double beyond = robot_.effort * (1.0 - 1e-9);
  const bool is_cut = std::abs(tau) > robot_.effort && std::abs(given_[k]) >= beyond &&
                      (given_[k] > 0.0) == (tau > 0.0);
  drive.tau[k] = is_cut ? std::clamp(tau, -robot_.effort, robot_.effort) : tau;
  damping_[k] = is_cut ? 0.0 : damping;
  drive.added_inertia[k] = model().rotor_inertia()[k] + push_.step * damping_[k];
  is_limited_ = is_limited_ || is_cut;
}

// tau = kp (q_start - q - h v+) - kd v+: what hangs on vdot is added inertia
void PushRun::hold() {
  const models::State& s = world_.state(0);
  const double h = push_.step;
  for (BodyIndex b = 1; b < model().num_bodies(); ++b) {
    const models::Body& body = model().body(b);
    const int k = body.v_index;
    const double tau = robot_.hold_kp * (q_start_[body.q_index] - s.q[body.q_index] - h * s.v[k]) -
                       robot_.hold_kd * s.v[k];
    drive_joint(k, tau, robot_.hold_kd + h * robot_.hold_kp);
  }
}

bool PushRun::balance() {
  const models::State& s = world_.state(0);
  if (balance_->update(s.q, s.v, push_.step, tau_) != control::BalanceControlStatus::kOk)
    return false;
  for (int k = 6; k < model().num_v(); ++k) drive_joint(k, tau_[k], balance_->damping()[k]);
  return true;
}

void PushRun::push_shoulder(double t) {
  const auto trunk = static_cast<std::size_t>(robot_.parts.trunk.body);
  models::Force& F = world_.drive(0).F_ext[trunk];
  F = models::Force::zero();
  if (t < kStart - 1e-9 || t >= kStart + kPushTime - 1e-9) return;
  const Vec3 f_W = push_.force * (push_.sideways ? Vec3::UnitY() : Vec3::UnitX());
  const Vec3 f = kinematics_.X_WB[trunk].R.transpose() * f_W;
  F = models::Force::from(robot_.shoulder.cross(f), f);
}

double PushRun::margin_of(const Vec3& point) {
  std::array<Vec3, models::kMaxSupportPoints> corners;
  std::size_t n = 0;
  for (const models::Frame& f : robot_.parts.sole_corners) {
    const Vec3 p = models::frame_pose(kinematics_, f).p;
    if (p.z() < 2e-3 && n < corners.size()) corners[n++] = p;  // m: it touches
  }
  soles_.set({corners.data(), n}, robot_.parts.ground);
  return soles_.margin(point);
}

double PushRun::capture_margin() {
  const Vec3 c = models::center_of_mass(model(), kinematics_);
  const Vec3 c_dot = models::momentum(model(), kinematics_).force() / model().total_mass();
  return margin_of(models::capture_point(c, c_dot, model().gravity().norm(), robot_.parts.ground));
}

void PushRun::see(double t, PushOutcome& o) {
  const models::Pose X_WF = models::frame_pose(kinematics_, robot_.parts.support_foot);
  o.tilt = std::max(o.tilt, std::acos(std::clamp(X_WF.R(2, 2), -1.0, 1.0)));
  if (balance_) {
    const control::BodyTurn& turn = balance_->report().turn;
    if (balance_->report().phase == control::BalancePhase::kReaction || !drive_.choose)
      o.strategy = balance_->report().strategy;
    o.yaw = std::max(o.yaw, std::abs(turn.yaw));
    o.pitch = std::max(o.pitch, std::abs(turn.pitch));
    o.turn = std::max(o.yaw, o.pitch);
  }
  if (std::abs(t - kStart - kPushTime) < 0.5 * push_.step) o.margin = capture_margin();
  if (t < kStart) return;
  models::Force ground = models::Force::zero();
  for (const models::WorldContact& c : world_.contacts())
    ground += models::at_origin(c.point.p, c.force.impulse * (1.0 / push_.step));
  models::BalancePoint point;
  if (models::balance_point(ground, robot_.parts.ground, point) != models::BalanceStatus::kOk)
    return;
  const double inside = margin_of(point.point);
  if (inside < kEdge) o.edge_time += push_.step;
  if (t <= kStart + 2.0 * kPushTime) o.least_pressure = std::min(o.least_pressure, inside);
}

PushOutcome PushRun::run() {
  PushOutcome o;
  o.margin = -kInfinite;
  o.least_pressure = kInfinite;
  place();
  height_ = models::center_of_mass(model(), kinematics_).z();
  const long steps = std::lround((kStart + push_.seconds) / push_.step);
  for (long i = 0; i < steps; ++i) {
    const double t = static_cast<double>(i) * push_.step;
    place();
    see(t, o);
    if (models::center_of_mass(model(), kinematics_).z() < 0.7 * height_) return o;
    is_limited_ = false;
    if (drive_.hold) {
      hold();
    } else if (!balance()) {
      return o;
    }
    if (is_limited_) o.limited_time += push_.step;
    push_shoulder(t);
    if (world_.step(push_.step) == models::WorldStatus::kNotFinite) return o;
    given_ = world_.drive(0).tau - push_.step * damping_.cwiseProduct(world_.vdot(0));
  }
  place();
  const models::Pose X_WF = models::frame_pose(kinematics_, robot_.parts.support_foot);
  o.end_speed = models::momentum(model(), kinematics_).force().norm() / model().total_mass();
  o.end_height = models::center_of_mass(model(), kinematics_).z() / height_;
  o.end_tilt = std::acos(std::clamp(X_WF.R(2, 2), -1.0, 1.0));
  o.end_margin = capture_margin();
  o.survived = o.end_height > 0.8 && o.end_tilt < 10.0 / kDegPerRad && o.end_margin > 0.0;
  return o;
}

}  // namespace

PushOutcome push_on_floor(const PushedRobot& robot, const PushDrive& drive, const FloorPush& push) {
  return PushRun(robot, drive, push).run();
}

double largest_push(const PushedRobot& robot, const PushDrive& drive, bool sideways,
                    const FloorPush& how) {
  FloorPush push = how;
  push.sideways = sideways;
  const auto survives = [&](double force) {
    push.force = force;
    return push_on_floor(robot, drive, push).survived;
  };
  if (!survives(0.0)) return 0.0;
  double low = 0.0;
  // N; a tenth of what the rigid block takes, doubled until it is lost
  double high = 0.1 * rigid_block_push(robot, sideways);
  while (high < 1e3 && survives(high)) {
    low = high;
    high *= 2.0;
  }
  while (high - low > 0.02 * high && high > 1e-3) {
    const double middle = 0.5 * (low + high);
    (survives(middle) ? low : high) = middle;
  }
  return low;
}

namespace {

/// The robot as one piece that rocks from edge to edge of its soles in a plane.
struct RockingBlock {
  double mass = 0.0;             ///< kg
  double g = 0.0;                ///< m/s^2
  double I_c = 0.0;              ///< kg m^2 about the mass centre
  double height = 0.0;           ///< m, of the mass centre
  std::array<double, 2> d = {};  ///< m, ways from it to the edge ahead and the one behind
  double push_height = 0.0;      ///< m
  double push_ahead = 0.0;       ///< m, of its point ahead of the mass centre

  [[nodiscard]] bool survives(double force) const;
};

// Forward about the edge ahead: I theta'' = F l - m g x, x the mass centre's way behind the edge,
// l the push's height over it; lost where x becomes 0. Landing flat takes it to the other edge with
// what its angular momentum about that one is: rate (I_c + m (h^2 - d d')) / (I_c + m (h^2 +
// d'^2)).
bool RockingBlock::survives(double force) const {
  constexpr double h = 1e-4;  // s
  std::size_t edge = 0;
  double theta = 0.0;  // away from flat, over this edge
  double rate = 0.0;
  for (double t = 0.0; t < 10.0; t += h) {
    const double co = std::cos(theta);
    const double si = std::sin(theta);
    const double behind = d[edge] * co - height * si;
    if (behind <= 0.0) return false;
    const double side = edge == 0 ? 1.0 : -1.0;
    const double lever = push_height * co + (d[edge] - side * push_ahead) * si;
    const double I = I_c + mass * (height * height + d[edge] * d[edge]);
    rate += h * ((t < kPushTime ? side * force * lever : 0.0) - mass * g * behind) / I;
    theta += h * rate;
    if (theta > 0.0) continue;
    theta = 0.0;
    const std::size_t other = 1 - edge;
    const double before = -rate;
    rate = 0.0;
    if (before < 1e-2) {  // rad/s: it lies flat
      if (t >= kPushTime) return true;
      continue;
    }
    rate = before * (I_c + mass * (height * height - d[0] * d[1])) /
           (I_c + mass * (height * height + d[other] * d[other]));
    edge = other;
  }
  return true;
}

}  // namespace

double rigid_block_push(const PushedRobot& robot, bool sideways) {
  const models::SceneSystem& system = robot.scene.systems[0];
  const models::Model& model = system.model;
  models::State s = system.start;
  // turning by 1 rad/s about the edge's direction, all joints still
  const int axis = sideways ? 0 : 1;
  s.v[axis] = 1.0;
  models::Kinematics k(model);
  models::forward_kinematics(model, s.q, s.v, k);
  const Vec3 c = models::center_of_mass(model, k);
  const auto trunk = static_cast<std::size_t>(robot.parts.trunk.body);
  const Vec3 p = k.X_WB[trunk] * robot.shoulder;
  const int along = sideways ? 1 : 0;
  RockingBlock block;
  block.mass = model.total_mass();
  block.g = model.gravity().norm();
  block.I_c = models::momentum_about_com(model, k).moment()[axis];
  block.height = c.z();
  block.push_height = p.z();
  block.push_ahead = p[along] - c[along];
  block.d = {-kInfinite, -kInfinite};
  for (const models::Frame& f : robot.parts.sole_corners) {
    const double ahead = models::frame_pose(k, f).p[along] - c[along];
    block.d[0] = std::max(block.d[0], ahead);
    block.d[1] = std::max(block.d[1], -ahead);
  }
  double low = 0.0;
  double high = 1e3;
  while (high - low > 1e-3) {
    const double middle = 0.5 * (low + high);
    (block.survives(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace kagami::tools
