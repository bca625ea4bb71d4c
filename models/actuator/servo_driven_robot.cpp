#include "models/actuator/servo_driven_robot.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "models/actuator/board_ramp.hpp"
#include "models/actuator/disturbance_injector.hpp"
#include "models/actuator/link_masses.hpp"
#include "models/actuator/servo.hpp"
#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "models/base/time.hpp"
#include "models/contact/world/world.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/robot/state.hpp"

namespace kagami::models {
namespace {

constexpr double kMaxSpeed = 100.0;  // rad/s; no servo of ours comes near

std::vector<int> joints_of_board(const RobotWiring& wiring, int board) {
  std::vector<int> joints;
  for (int j = 0; j < static_cast<int>(wiring.joints.size()); ++j) {
    if (wiring.joints[idx(j)].board() == board) joints.push_back(j);
  }
  return joints;
}

// first coordinate and degree of freedom of an actuated joint
struct JointIndices {
  int q_index = 0;
  int v_index = 0;
};

std::vector<JointIndices> indices_of(const Model& model) {
  std::vector<JointIndices> places;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    if (b.joint.type == JointType::kRevolute) places.push_back({b.q_index, b.v_index});
  }
  return places;
}

Scene floor_scene(const Model& model, const models::State& start,
                  const std::vector<CollisionBox>& boxes, const Surface& surface,
                  const DynamicsChoice& dynamics) {
  SceneSystem robot{
      .name = "robot", .model = model, .start = start, .shapes = {}, .dynamics = dynamics};
  for (const CollisionBox& box : boxes) {
    robot.shapes.push_back({box.body, ConvexMesh::box(box.link, box.size, box.X_BS), surface});
  }
  Scene scene;
  scene.systems.push_back(robot);
  scene.statics.push_back(floor_at(0.0, surface));
  return scene;
}

}  // namespace

/// The floor under the body: it moves the body's state in the place of the plain algorithm.
struct ServoDrivenRobot::Floor {
  Floor(const Model& model, const std::vector<CollisionBox>& boxes, const FloorOptions& options,
        const DynamicsChoice& dynamics);

  // height of the base above the lowest corner when it is at q with R_WB
  [[nodiscard]] double height(const Model& model, const JointVector& q) noexcept;

  struct Corner {
    int body = 0;
    Vec3 p = Vec3::Zero();  // m, in the body's frame
  };
  std::vector<Corner> corners;
  Kinematics kinematics;
  JointVector still;      // v of a body at rest
  double standing = 0.0;  // m, height of the base in the zero posture
  std::unique_ptr<World> world;
};

ServoDrivenRobot::Floor::Floor(const Model& model, const std::vector<CollisionBox>& boxes,
                               const FloorOptions& options, const DynamicsChoice& dynamics)
    : kinematics(model), still(JointVector::Zero(model.num_v())) {
  if (model.num_bodies() == 0 || model.body(0).joint.type != JointType::kFloating) {
    throw ModelError("servo model on the floor: the base is fixed, expected a floating one");
  }
  if (boxes.empty()) {
    throw ModelError("servo model on the floor: no collision box, expected at least one");
  }
  for (const CollisionBox& box : boxes) {
    for (const Vec3& p : models::corners(box)) corners.push_back({box.body, p});
  }
  models::State start = neutral_state(model);
  standing = height(model, start.q);
  start.q[2] = standing;
  world = std::make_unique<World>(floor_scene(model, start, boxes, options.surface, dynamics),
                                  options.settings);
  world->drive(0).F_ext.reserve(idx(model.num_bodies()));
}

double ServoDrivenRobot::Floor::height(const Model& model, const JointVector& q) noexcept {
  forward_kinematics(model, q, still, kinematics);
  double lowest = std::numeric_limits<double>::infinity();
  for (const Corner& corner : corners) {
    lowest = std::min(lowest, (kinematics.X_WB[idx(corner.body)] * corner.p).z());
  }
  return kinematics.X_WB[0].p.z() - lowest;
}

struct ServoDrivenRobot::State {
  State(const Model& m, const ServoSet& s, const RobotWiring& wiring, const DynamicsChoice& by);

  void sample_ramps(std::int64_t end_ns) noexcept;
  void drive(double h) noexcept;
  void integrate(double h) noexcept;
  void publish() noexcept;
  void place_base(const BasePose& base) noexcept;
  void settle(const JointArray<double>& angle) noexcept;

  Model model;  // a copy: the body outlives its description
  ServoSet servos;
  std::vector<JointIndices> place;
  std::vector<BoardRamp> boards;
  std::vector<int> board_of;           // joint -> board
  std::vector<std::int64_t> delay_ns;  // per joint
  std::vector<TargetFilter> filter;    // per joint
  JointArray<double> ramp{};           // rad, delayed ramp at time_ns, trim not included
  JointArray<bool> driven{};           // drive at time_ns
  JointArray<ServoDrive> drives{};
  DynamicsChoice choice;
  ForwardDynamics dynamics;  // on the stand
  models::State held;        // of the body on the stand
  std::unique_ptr<Floor> floor;
  models::State* body = &held;  // held, or the world's
  std::unique_ptr<DisturbanceInjector> disturbances;
  bool is_finite = true;  // as the world saw the last step
  JointVector tau;
  JointVector added_inertia;
  JointVector vdot;
  double stall_sum = 0.0;  // N m, all servos at nominal supply
  double voltage = 1.0;    // ratio to nominal
  std::int64_t time_ns = 0;
  std::int64_t step_ns = 0;  // for which the filters' coefficients hold
  JointArray<double> q{};
  JointArray<double> qd{};
  JointArray<double> torque{};
};

ServoDrivenRobot::State::State(const Model& m, const ServoSet& s, const RobotWiring& wiring,
                               const DynamicsChoice& by)
    : model(m),
      servos(s),
      place(indices_of(m)),
      choice(by),
      dynamics(robot_forward_dynamics(model, by)),
      held(neutral_state(m)),
      tau(JointVector::Zero(m.num_v())),
      added_inertia(m.rotor_inertia()),
      vdot(JointVector::Zero(m.num_v())) {
  require_dynamics(m, by, "the robot");
  const std::size_t n = place.size();
  if (s.joints.size() != n || wiring.joints.size() != n || n > idx(kMaxJoints)) {
    throw ModelError("servo model: " + std::to_string(s.joints.size()) + " servos and " +
                     std::to_string(wiring.joints.size()) + " wired joints for " +
                     std::to_string(n) + " joints of the model, expected equal numbers");
  }
  for (int board = 0; board < static_cast<int>(wiring.boards.size()); ++board) {
    boards.emplace_back(wiring.speed, joints_of_board(wiring, board));
  }
  for (std::size_t j = 0; j < n; ++j) {
    const ServoParameters& servo = s.joints[j];
    board_of.push_back(wiring.joints[j].board());
    delay_ns.push_back(std::llround(servo.delay / kSecondsPerNs));
    filter.emplace_back(servo.filter_1, servo.filter_2);
    stall_sum += servo.stall_torque;
  }
}

// moves the delayed ramps and the filters to the step's end
void ServoDrivenRobot::State::sample_ramps(std::int64_t end_ns) noexcept {
  for (std::size_t j = 0; j < place.size(); ++j) {
    const BoardRamp& board = boards[idx(board_of[j])];
    const BoardRamp::Value next = board.at(static_cast<int>(j), end_ns - delay_ns[j]);
    filter[j].step(ramp[j], next.angle);
    ramp[j] = next.angle;
    driven[j] = next.driven;
  }
}

void ServoDrivenRobot::State::drive(double h) noexcept {
  for (std::size_t j = 0; j < place.size(); ++j) {
    const ServoParameters& servo = servos.joints[j];
    const double v = body->v[place[j].v_index];
    drives[j] =
        driven[j] ? servo_drive(servo, filter[j].output(), body->q[place[j].q_index], v, h, voltage)
                  : servo_released(servo, v, h);
    tau[place[j].v_index] = drives[j].tau_0;
    added_inertia[place[j].v_index] = drives[j].inertia;
  }
}

void ServoDrivenRobot::State::integrate(double h) noexcept {
  if (disturbances != nullptr) {
    disturbances->apply(time_ns, h, body->q, tau);
  }
  if (floor != nullptr) {
    World& world = *floor->world;
    world.drive(0).tau = tau;
    world.drive(0).added_inertia = added_inertia;
    static_cast<void>(world.step(h));
    world.drive(0).F_ext.clear();  // a push is over after one step
    is_finite = world.status(0) != SystemStatus::kNotFinite;
    vdot = world.vdot(0);
    return;
  }
  ExternalLoads loads{.F_ext = {}, .added_inertia = &added_inertia};
  if (disturbances != nullptr) loads.F_ext = disturbances->F_ext();
  ForwardDynamics& algorithm = disturbances != nullptr ? disturbances->dynamics() : dynamics;
  if (algorithm.run(body->q, body->v, tau, loads, vdot) != DynamicsStatus::kOk) {
    no_number(model, vdot);  // seen by is_valid
  }
  body->v += h * vdot;
  models::integrate(model, body->v, h, body->q);
}

// copies the joints' state out and lets the supply sag for the next step
void ServoDrivenRobot::State::publish() noexcept {
  double load = 0.0;
  for (std::size_t j = 0; j < place.size(); ++j) {
    const int k = place[j].v_index;
    q[j] = body->q[place[j].q_index];
    qd[j] = body->v[k];
    torque[j] = drives[j].tau_0 - drives[j].inertia * vdot[k];
    // what the motor gives, before rotor inertia and friction take their share
    if (driven[j]) {
      load += std::abs(torque[j] + drives[j].rotor * vdot[k] + drives[j].friction * qd[j]);
    }
  }
  voltage = std::clamp(1.0 - servos.supply.sag * load / stall_sum, 0.0, 1.0);
}

// the base turned above its place, the lowest corner on the floor
void ServoDrivenRobot::State::place_base(const BasePose& base) noexcept {
  if (floor == nullptr) return;
  JointVector& coordinates = body->q;
  coordinates[0] = base.x;
  coordinates[1] = base.y;
  for (int k = 0; k < 4; ++k) coordinates[3 + k] = base.turn[idx(k)];
  coordinates[2] = floor->height(model, coordinates);
  floor->world->forget();
}

// ramps and filters where they hold the joints at `angle`
void ServoDrivenRobot::State::settle(const JointArray<double>& angle) noexcept {
  for (std::size_t j = 0; j < place.size(); ++j) {
    ramp[j] = angle[j] - servos.joints[j].trim;
    driven[j] = true;
    filter[j].reset(ramp[j]);
  }
  for (BoardRamp& board : boards) board.reset(ramp, time_ns);
  q = {};
  qd = {};
  torque = {};
  drives = {};
  for (std::size_t j = 0; j < place.size(); ++j) q[j] = angle[j];
}

ServoDrivenRobot::ServoDrivenRobot(const Model& model, const ServoSet& servos,
                                   const RobotWiring& wiring, const DynamicsChoice& dynamics)
    : state_(std::make_unique<State>(with_link_masses(model, servos, wiring), servos, wiring,
                                     dynamics)) {
  reset({}, 0);
}

ServoDrivenRobot::ServoDrivenRobot(const Model& model, const ServoSet& servos,
                                   const RobotWiring& wiring,
                                   const std::vector<CollisionBox>& boxes,
                                   const FloorOptions& floor, const DynamicsChoice& dynamics)
    : state_(std::make_unique<State>(with_link_masses(model, servos, wiring), servos, wiring,
                                     dynamics)) {
  state_->floor = std::make_unique<Floor>(state_->model, boxes, floor, dynamics);
  state_->body = &state_->floor->world->state(0);
  reset({}, 0);
}

ServoDrivenRobot::~ServoDrivenRobot() = default;
ServoDrivenRobot::ServoDrivenRobot(ServoDrivenRobot&&) noexcept = default;

void ServoDrivenRobot::disturb(const std::vector<Disturbance>& all) {
  State& s = *state_;
  if (all.empty()) return;
  s.disturbances = std::make_unique<DisturbanceInjector>(
      s.model, all, s.floor ? s.floor->world.get() : nullptr, s.choice);
}

void ServoDrivenRobot::disturb_from(std::int64_t zero_ns) noexcept {
  if (state_->disturbances != nullptr) state_->disturbances->begin(zero_ns);
}

void ServoDrivenRobot::reset(const JointArray<double>& q, std::int64_t at_ns) noexcept {
  reset(q, BasePose{}, at_ns);
}

void ServoDrivenRobot::reset(const JointArray<double>& q, const BasePose& base,
                             std::int64_t at_ns) noexcept {
  State& s = *state_;
  s.time_ns = at_ns;
  s.voltage = 1.0;
  s.is_finite = true;
  s.body->v.setZero();
  s.vdot.setZero();
  for (int i = 0; i < s.model.num_bodies(); ++i) {
    neutral_joint(s.model.body(i).joint, s.body->q.data() + s.model.body(i).q_index);
  }
  for (std::size_t j = 0; j < s.place.size(); ++j) s.body->q[s.place[j].q_index] = q[j];
  s.place_base(base);
  s.settle(q);
}

void ServoDrivenRobot::command(int board, const JointArray<double>& angle, int speed_code,
                               std::int64_t effective_ns) noexcept {
  if (board < 0 || idx(board) >= state_->boards.size()) return;
  state_->boards[idx(board)].command(angle, speed_code, effective_ns);
}

void ServoDrivenRobot::release(int board, std::int64_t effective_ns) noexcept {
  if (board < 0 || idx(board) >= state_->boards.size()) return;
  state_->boards[idx(board)].release(effective_ns);
}

void ServoDrivenRobot::push(const Vec3& force_W) noexcept {
  State& s = *state_;
  if (s.floor == nullptr) return;
  const Body& base = s.model.body(0);
  const Pose X_WB = base.X_PJ * joint_pose(base.joint, s.body->q.data());
  const Vec3 f = X_WB.R.transpose() * force_W;
  std::vector<Force>& F_ext = s.floor->world->drive(0).F_ext;  // room for all bodies since set-up
  F_ext.resize(idx(s.model.num_bodies()), Force::zero());
  F_ext[0] = Force::from(base.inertia.com().cross(f), f);
}

void ServoDrivenRobot::step(std::int64_t dt_ns) noexcept {
  if (dt_ns <= 0) return;
  State& s = *state_;
  const double h = seconds(dt_ns);
  if (dt_ns != s.step_ns) {
    for (TargetFilter& f : s.filter) f.set_step(h);
    s.step_ns = dt_ns;
  }
  s.sample_ramps(s.time_ns + dt_ns);
  s.drive(h);
  s.integrate(h);
  s.publish();
  s.time_ns += dt_ns;
}

std::int64_t ServoDrivenRobot::time_ns() const noexcept {
  return state_->time_ns;
}

const JointArray<double>& ServoDrivenRobot::q() const noexcept {
  return state_->q;
}

const JointArray<double>& ServoDrivenRobot::qd() const noexcept {
  return state_->qd;
}

const JointArray<double>& ServoDrivenRobot::torque() const noexcept {
  return state_->torque;
}

BasePose ServoDrivenRobot::base() const noexcept {
  const State& s = *state_;
  if (s.floor == nullptr) return {};
  return base_pose_of(s.model.body(0).X_PJ * joint_pose(s.model.body(0).joint, s.body->q.data()));
}

bool ServoDrivenRobot::fell() const noexcept {
  return state_->floor != nullptr && has_fallen(base(), state_->floor->standing);
}

bool ServoDrivenRobot::is_valid() const noexcept {
  const models::State& body = *state_->body;
  return state_->is_finite && body.q.allFinite() && body.v.allFinite() &&
         body.v.cwiseAbs().maxCoeff() < kMaxSpeed;
}

}  // namespace kagami::models
