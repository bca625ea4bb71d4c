// The virtual loop in three dimensions, which Takahashi 2012, sec. 7.4, leaves for later; ours. The
// KHR-1 on its stand swings both arms as if its forearms held one rod between them: the left arm is
// led by (7.9), the right one follows the rod alone. In ideal simulation the open robot must do as
// the closed mechanism does: the rod neither stretches nor bends, and both arms, mirror images of
// each other, turn alike.
#include <algorithm>
#include <cmath>
#include <limits>

#include "control/virtual/virtual_loop.hpp"
#include "models/base/errors.hpp"
#include "models/dynamics/aba.hpp"
#include "models/dynamics/integrator.hpp"
#include "models/robot/robot_folder.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/experiments/tree_run.hpp"

namespace kagami::tools {
namespace {

using models::Model;
using models::Pose;

constexpr double kPitch = -0.8;  // rad, where the left shoulder is led to
constexpr double kRoll = 0.3;

/// The open robot under gravity and its controller.
class Hands final : public models::AccelerationSource {
 public:
  Hands(const Model& robot, control::VirtualLoop& loop)
      : robot_(robot), loop_(loop), aba_(robot), tau_(JointVector::Zero(robot.num_v())) {}
  bool acceleration(double, const JointVector& q, const JointVector& v,
                    JointVector& vdot) noexcept override {
    if (loop_.update(q, v, tau_) != control::VirtualLoopStatus::kOk) return false;
    vdot.resize(v.size());
    models::aba(robot_, q, v, tau_, aba_, vdot);
    return true;
  }
  [[nodiscard]] const JointVector& tau() const { return tau_; }

 private:
  const Model& robot_;
  control::VirtualLoop& loop_;
  models::AbaWorkspace aba_;
  JointVector tau_;
};

Pose between(const Model& robot, BodyIndex right, BodyIndex left, const JointVector& q,
             models::Kinematics& k) {
  models::forward_kinematics(robot, q, JointVector::Zero(robot.num_v()), k);
  return models::inverse(k.X_WB[static_cast<std::size_t>(right)]) *
         k.X_WB[static_cast<std::size_t>(left)];
}

control::JointFeedback lead_left(const Model& robot) {
  control::JointFeedback f = control::no_joint_feedback(robot);
  const int pitch = robot.body(robot.find_joint("left_shoulder_pitch")).v_index;
  const int roll = robot.body(robot.find_joint("left_shoulder_roll")).v_index;
  f.kp[pitch] = f.kp[roll] = 0.1;
  f.kd[pitch] = f.kd[roll] = 0.015;
  f.target[pitch] = kPitch;
  f.target[roll] = kRoll;
  return f;
}

std::vector<Claim> claims_of(const Trace& trace, bool whole) {
  const auto most = [&trace](const std::string& column) {
    return drift_of(trace, "", "", {column}, true).largest;
  };
  const auto last = [&trace, whole](const std::string& column) {
    return whole ? trace.column(column).back() : std::numeric_limits<double>::quiet_NaN();
  };
  // the bound of the four-bar's end; a twin of the left arm to the same
  return {
      {"the hands' distance changes by", "m", most("rod_gap"), 0.0, 1e-9},
      {"their turn against each other changes by", "rad", most("rod_turn"), 0.0, 1e-9},
      {"the right shoulder's pitch off the left one's", "rad", most("mirror_gap"), 0.0, 1e-9},
      {"the left shoulder's pitch at the end", "rad", last("q:left_shoulder_pitch"), kPitch, 0.01},
      // the elbows turn against it
      {"the left shoulder's roll at the end", "rad", last("q:left_shoulder_roll"), kRoll, 0.05}};
}

Figure figure_of(const ExperimentInfo& i) {
  const std::vector<std::string> arms = {"left_shoulder_pitch", "right_shoulder_pitch",
                                         "left_shoulder_roll", "right_shoulder_roll"};
  std::vector<Curve> angles;
  std::vector<Curve> torques;
  const char* labels[] = {"l. pitch", "r. pitch", "l. roll", "r. roll"};
  for (std::size_t j = 0; j < arms.size(); ++j) {
    angles.push_back({"q:" + arms[j], labels[j], kDegPerRad, j % 2 == 1});
    torques.push_back({"tau:" + arms[j], labels[j], 1e3, j % 2 == 1});
  }
  return {i.name,
          i.title + " (" + i.figures + ")",
          {{"(a) shoulders", "angle (deg)", angles},
           {"(b) shoulders", "torque (mN m)", torques},
           {"(c) the hands' distance since the start", "m", {{"rod_gap", "rod"}}, true},
           {"(d) their turn since the start", "rad", {{"rod_turn", "rod"}}, true}}};
}

ExperimentResult run_virtual_hands(const ExperimentInfo& info, const ExperimentSettings& settings,
                                   const DataFolders& data) {
  const Model robot =
      models::read_robot_folder(find_robot(data, "khr1"), models::BaseKind::kFixed).model;
  const BodyIndex left = robot.find_joint("left_elbow");
  const BodyIndex right = robot.find_joint("right_elbow");
  models::State s = models::neutral_state(robot);
  models::Kinematics k(robot);
  const Pose held = between(robot, right, left, s.q, k);
  models::Loop rod;
  rod.name = "rod";
  rod.body_a = left;
  rod.body_b = right;
  rod.X_BJ = held;
  rod.joint.type = models::JointType::kFixed;
  rod.joint.axis = Vec3::Zero();
  const Model mechanism = control::virtual_mechanism(robot, std::vector<models::Loop>{rod});
  control::VirtualLoop loop(robot, mechanism, {});
  loop.set_feedback(lead_left(robot));
  Hands source(robot, loop);
  models::Integrator integrator = integrator_of(robot, settings);

  ExperimentResult result;
  Trace& trace = result.trace;
  trace.columns = state_columns(robot);
  for (const std::string& name : prefixed("tau:", velocity_names(robot)))
    trace.columns.push_back(name);
  for (const char* name : {"rod_gap", "rod_turn", "mirror_gap"}) trace.columns.emplace_back(name);
  const int pitch = robot.body(robot.find_joint("left_shoulder_pitch")).q_index;
  const int other = robot.body(robot.find_joint("right_shoulder_pitch")).q_index;
  JointVector vdot;
  double t = 0.0;
  for (const double next : times_of(settings)) {
    if ((next > t && integrator.advance(source, next - t, t, s) != models::StepStatus::kOk) ||
        !source.acceleration(next, s.q, s.v, vdot))
      throw Error("the simulation stopped at t = " + full_digits(t) + " s");
    t = next;
    std::vector<double>& row = trace.rows.emplace_back(state_row(t, s, vdot));
    row.insert(row.end(), source.tau().data(), source.tau().data() + source.tau().size());
    const Pose now = between(robot, right, left, s.q, k);
    row.insert(row.end(),
               {(now.p - held.p).norm(), (now.R - held.R).norm(), s.q[other] - s.q[pitch]});
  }
  result.drifts = {drift_of(trace, "distance of the hands", "m", {"rod_gap"}, true)};
  result.claims = claims_of(trace, settings.duration >= info.defaults.duration - 1e-9);
  result.figures = {figure_of(info)};
  return result;
}

}  // namespace

void add_virtual_hands(Experiments& experiments) {
  add_experiment(
      experiments,
      ExperimentInfo{"virtual-hands",
                     "KHR-1 holds a rod with both hands",
                     "ours",
                     "after Takahashi 2012, sec. 7.4",
                     "A virtual loop in three dimensions: the right arm follows the rod alone.",
                     {"khr1"},
                     {1e-3, 1.5, "rk4", "aba"},
                     {"semi-implicit-euler", "rk4", "rkg"},
                     {"aba"}},
      run_virtual_hands);
}

}  // namespace kagami::tools
