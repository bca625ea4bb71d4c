// An object in both hands, which Takahashi 2012, sec. 7.4, leaves for later; ours. The KHR-1 on its
// stand carries a box: lifts it, sways it to the side. The virtual force (7.15) draws the box, the
// arms follow the closed chain; its weight and inertia are in the torques (open-2). The plant is
// the closed chain itself under gravity and these torques: it must follow the demand, and what its
// hands do to the box must be what the controller counted on, and Newton's law of the box.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "control/virtual/held_object.hpp"
#include "control/virtual/virtual_loop.hpp"
#include "models/base/errors.hpp"
#include "models/closed_chains/loop_dynamics.hpp"
#include "models/dynamics/integrator.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/robot_folder.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/experiments/tree_run.hpp"

namespace kagami::tools {
namespace {

using models::Model;
using models::Pose;

constexpr double kMass = 0.15;  // kg, a seventh of the robot's
const Vec3 kEdges(0.06, 0.14, 0.05);
constexpr double kStartPitch = -0.5;  // rad, both shoulders
constexpr double kEndPitch = -1.0;
constexpr double kEndRoll = 0.25;  // rad, of both arms to the same side; the elbows turn against it

/// The closed chain under gravity and the controller's torques.
class Carrier final : public models::AccelerationSource {
 public:
  Carrier(const Model& robot, control::VirtualLoop& loop)
      : loop_(loop), plant_(robot), tau_(JointVector::Zero(robot.num_v())) {}

  bool acceleration(double, const JointVector& q, const JointVector& v,
                    JointVector& vdot) noexcept override {
    vdot.resize(v.size());
    return plant_.factor(q) == models::LoopStatus::kOk && drive(q, v, vdot);
  }
  bool rate(double, const JointVector& q, JointVector& v, JointVector& vdot) noexcept override {
    vdot.resize(v.size());
    if (plant_.factor(q) != models::LoopStatus::kOk) return false;
    plant_.project_velocity(v, true);
    return drive(q, v, vdot);
  }
  bool settle(models::State& s) noexcept override {
    if (plant_.project_position(3, s.q) != models::LoopStatus::kOk) return false;
    plant_.project_velocity(s.v, true);
    return true;
  }
  [[nodiscard]] const JointVector& tau() const { return tau_; }
  [[nodiscard]] const models::LoopDynamics& plant() const { return plant_; }

 private:
  bool drive(const JointVector& q, const JointVector& v, JointVector& vdot) noexcept {
    return loop_.update(q, v, tau_) == control::VirtualLoopStatus::kOk &&
           plant_.accelerate(q, v, tau_, models::ExternalLoads{}, vdot) == models::LoopStatus::kOk;
  }

  control::VirtualLoop& loop_;
  models::LoopDynamics plant_;
  JointVector tau_;
};

/// Joint angles with both arms alike.
JointVector arms(const Model& open, double pitch, double roll) {
  JointVector q = JointVector::Zero(open.num_q());
  for (const std::string side : {"left_", "right_"}) {
    q[open.body(open.find_joint(side + "shoulder_pitch")).q_index] = pitch;
    q[open.body(open.find_joint(side + "shoulder_roll")).q_index] = roll;
    q[open.body(open.find_joint(side + "elbow")).q_index] = -roll;
  }
  return q;
}

Pose forearm_at(const Model& open, const JointVector& q, const char* side) {
  models::Kinematics k(open);
  models::forward_kinematics(open, q, JointVector::Zero(open.num_v()), k);
  return models::frame_pose(k, open.frame(side));
}

control::HeldObject box_between_hands(const Model& open, const JointVector& q) {
  control::HeldObject box;
  box.name = "box";
  box.mass = control::box_mass(kMass, kEdges);
  const Vec3 grip(0.0, 0.0, -0.08);  // m, of a forearm
  box.X_WO.p = 0.5 * (forearm_at(open, q, "left_forearm") * grip +
                      forearm_at(open, q, "right_forearm") * grip);
  box.hands = {"left_forearm", "right_forearm"};
  return box;
}

/// Sum of both hands on the box: [moment about its middle; force], world axes.
template <class Wrench>
Vec6 on_box(const Model& robot, const models::Kinematics& k, const Wrench& wrench) {
  const Pose& X_WO = k.X_WB.back();
  Vec6 sum = Vec6::Zero();
  for (int l = 0; l < 2; ++l) {
    const models::Force F = wrench(l);
    const Vec3 arm = X_WO.R * robot.loops()[static_cast<std::size_t>(l)].X_AL.p;
    sum.head<3>() += F.moment() + arm.cross(F.force());
    sum.tail<3>() += F.force();
  }
  return sum;
}

/// Newton and Euler: what moves the box so, its weight carried; world axes, about its middle.
Vec6 newton(const Model& robot, const Pose& X_WO, const JointVector& v, const JointVector& vdot) {
  const Mat3 I = control::box_mass(kMass, kEdges).I_com;
  const Vec3 w = v.tail<6>().head<3>();
  const Vec3 a = Vec3(vdot.tail<3>()) + w.cross(Vec3(v.tail<3>()));
  const Vec3 moment = I * Vec3(vdot.tail<6>().head<3>()) + w.cross(Vec3(I * w));
  Vec6 rate;
  rate << X_WO.R * moment, kMass * (X_WO.R * a - robot.gravity());
  return rate;
}

std::vector<Claim> claims_of(const Trace& trace, bool whole) {
  const auto most = [&trace](const std::string& column) {
    return drift_of(trace, "", "", {column}, true).largest;
  };
  const auto last = [&trace, whole](const std::string& column) {
    return whole ? trace.column(column).back() : std::numeric_limits<double>::quiet_NaN();
  };
  return {{"difference from the requested acceleration of the closed chain, as a part of it", "",
           most("asked_gap"), 0.0, 1e-9},
          {"the chain's hands on the box off what the controller counts on", "N, N m",
           most("hands_gap"), 0.0, 1e-9},
          {"the same off the rate of the box's momentum, weight carried", "N, N m",
           most("newton_gap"), 0.0, 1e-9},
          {"the grasps open by", "m", most("grasp_gap"), 0.0, 1e-9},
          {"the hands' force up at the end, as a part of the weight", "", last("up"), 1.0, 1e-3},
          {"the box off its place at the end", "m", last("place_gap"), 0.0, 1e-3}};
}

Figure figure_of(const ExperimentInfo& i) {
  return {i.name,
          i.title + " (" + i.figures + ")",
          {{"(a) the box since the start",
            "m",
            {{"box_x", "x"}, {"box_y", "y", 1.0, true}, {"box_z", "z"}}},
           {"(b) both hands on the box",
            "force (N)",
            {{"hands_x", "x"}, {"hands_y", "y", 1.0, true}, {"hands_z", "z"}}},
           {"(c) shoulders",
            "torque (mN m)",
            {{"tau:left_shoulder_pitch", "l. pitch", 1e3},
             {"tau:right_shoulder_pitch", "r. pitch", 1e3, true},
             {"tau:left_shoulder_roll", "l. roll", 1e3},
             {"tau:right_shoulder_roll", "r. roll", 1e3, true}}},
           {"(d) Newton's law of the box: gap", "N", {{"newton_gap", "gap"}}, true}}};
}

ExperimentResult run_virtual_object(const ExperimentInfo& info, const ExperimentSettings& settings,
                                    const DataFolders& data) {
  const Model open =
      models::read_robot_folder(find_robot(data, "khr1"), models::BaseKind::kFixed).model;
  const JointVector q_start = arms(open, kStartPitch, 0.0);
  const control::HeldObject box = box_between_hands(open, q_start);
  const Model robot = control::holding(open, box, q_start);
  const Model mechanism = control::virtual_mechanism(robot, {});
  control::VirtualLoop loop(robot, mechanism, {});
  control::FrameFeedback draw;
  draw.frame = robot.frame("box");
  draw.kp << 0.2, 0.2, 0.2, 40.0, 40.0, 40.0;
  draw.kd << 0.03, 0.03, 0.03, 7.0, 7.0, 7.0;
  draw.target = forearm_at(open, arms(open, kEndPitch, kEndRoll), "left_forearm") *
                (models::inverse(forearm_at(open, q_start, "left_forearm")) * box.X_WO);
  loop.set_feedback(draw);
  Carrier source(robot, loop);
  models::Integrator integrator = integrator_of(robot, settings);
  models::State s = models::neutral_state(robot);
  s.q = control::with_object(q_start, box.X_WO);

  ExperimentResult result;
  Trace& trace = result.trace;
  trace.columns = state_columns(robot);
  for (const std::string& name : prefixed("tau:", velocity_names(robot)))
    trace.columns.push_back(name);
  for (const char* name : {"box_x", "box_y", "box_z", "hands_x", "hands_y", "hands_z", "up",
                           "asked_gap", "hands_gap", "newton_gap", "grasp_gap", "place_gap"})
    trace.columns.emplace_back(name);
  models::Kinematics k(robot);
  JointVector vdot;
  double t = 0.0;
  for (const double next : times_of(settings)) {
    if ((next > t && integrator.advance(source, next - t, t, s) != models::StepStatus::kOk) ||
        !source.acceleration(next, s.q, s.v, vdot))
      throw Error("the simulation stopped at t = " + full_digits(t) + " s");
    t = next;
    std::vector<double>& row = trace.rows.emplace_back(state_row(t, s, vdot));
    row.insert(row.end(), source.tau().data(), source.tau().data() + source.tau().size());
    models::forward_kinematics(robot, s.q, s.v, k);
    const Pose& X_WO = k.X_WB.back();
    const Vec3 way = X_WO.p - box.X_WO.p;
    const Vec6 hands = on_box(robot, k, [&](int l) { return source.plant().wrench(l); });
    const Vec6 counted = on_box(robot, k, [&](int l) { return loop.own_wrench(l); });
    const Vec3 force = hands.tail<3>();
    row.insert(row.end(), way.data(), way.data() + 3);
    row.insert(row.end(), force.data(), force.data() + 3);
    row.insert(
        row.end(),
        {force.z() / (kMass * robot.gravity().norm()),
         (vdot - loop.acceleration()).cwiseAbs().maxCoeff() / (1.0 + vdot.cwiseAbs().maxCoeff()),
         (hands - counted).norm(), (counted - newton(robot, X_WO, s.v, vdot)).norm(),
         source.plant().gap(), (X_WO.p - draw.target.p).norm()});
  }
  result.drifts = {drift_of(trace, "the grasps", "m", {"grasp_gap"}, true)};
  result.claims = claims_of(trace, settings.duration >= info.defaults.duration - 1e-9);
  result.figures = {figure_of(info)};
  return result;
}

}  // namespace

void add_virtual_object(Experiments& experiments) {
  add_experiment(
      experiments,
      ExperimentInfo{
          "virtual-object",
          "KHR-1 carries a box with both hands",
          "ours",
          "after Takahashi 2012, sec. 7.4",
          "An object with mass in a virtual loop: its weight and inertia are in the torques.",
          {"khr1"},
          {1e-3, 2.5, "rk4", "crba"},
          {"semi-implicit-euler", "rk4", "rkg"},
          {"crba"}},
      run_virtual_object);
}

}  // namespace kagami::tools
