// Reaction null space: Takahashi 2012, Eqs. (6.3), (6.4), (6.8), (6.9). The HOAP-2 of ten joints
// stands on its right foot and swings its joints inside the null space; the foot's force and moment
// by inverse dynamics, which shares no line with the null space, must stay those of the robot at
// rest in the same pose. The motion (zeta) is ours, the thesis shows none by itself.
#include <cmath>

#include "control/balance/reaction_null_space.hpp"
#include "models/base/errors.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/read_model.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/registry.hpp"

namespace kagami::tools {
namespace {

constexpr int kJoints = 10;
constexpr int kBase = 6;

/// Force of the held foot (about its frame, its axes) by inverse dynamics.
class FootForce {
 public:
  explicit FootForce(const models::Model& model)
      : model_(model), w_(model), q_(models::neutral_state(model).q) {}

  [[nodiscard]] JointVector with_base(const JointVector& theta) {
    q_.tail(kJoints) = theta;
    return q_;
  }
  Vec6 operator()(const JointVector& theta, const JointVector& rate, const JointVector& theta_dd) {
    JointVector v = JointVector::Zero(model_.num_v());
    JointVector vdot = v;
    v.tail(kJoints) = rate;
    vdot.tail(kJoints) = theta_dd;
    JointVector tau;
    models::rnea(model_, with_base(theta), v, vdot, w_, tau);
    return tau.head<kBase>();
  }

 private:
  const models::Model& model_;
  models::RneaWorkspace w_;
  JointVector q_;
};

Figure figure_of(const ExperimentInfo& i, const std::vector<std::string>& joints) {
  return {i.name,
          i.title + " (" + i.paper + ", " + i.figures + ")",
          {{"(a) joint angle", "angle (deg)", curves_of(joints, "q:", kDegPerRad)},
           {"(b) joint velocity", "velocity (rad/s)", curves_of(joints, "v:")},
           {"(c) moment on the foot beside the static one", "N m", {{"moment", "(6.4)"}}, true},
           {"(d) force on the foot beside the static one", "N", {{"force", "(6.4)"}}, true},
           {"(e) the same accelerations without Mdot_fl theta'",
            "moment (N m)",
            {{"moment_without", "moment"}}},
           {"(f) coupling momentum M_fl theta'", "N m s", {{"momentum", "norm"}}, true}}};
}

ExperimentResult run_null_space_motion(const ExperimentInfo& info,
                                       const ExperimentSettings& settings,
                                       const DataFolders& data) {
  const models::Model model =
      models::read_model(find_robot(data, "hoap2_10dof"), models::BaseKind::kFloating).model;
  if (model.num_v() != kBase + kJoints)
    throw ModelError("robot hoap2_10dof has " + std::to_string(model.num_v()) +
                     " degrees of freedom, expected 16");
  control::ReactionNullSpace rns(model, model.frame("link5"));
  FootForce foot(model);
  std::vector<std::string> joints;
  for (int i = 1; i < model.num_bodies(); ++i) joints.push_back(model.body(i).joint_name);

  ExperimentResult result;
  Trace& trace = result.trace;
  trace.columns = {"t"};
  for (const char* prefix : {"q:", "v:"})
    for (const std::string& name : prefixed(prefix, joints)) trace.columns.push_back(name);
  for (const char* name : {"moment", "force", "moment_without", "momentum", "free"})
    trace.columns.emplace_back(name);

  JointVector theta = JointVector::Zero(kJoints);
  JointVector rate = JointVector::Zero(kJoints);
  JointVector theta_dd;
  JointVector inside;
  const std::vector<double> times = times_of(settings);
  for (std::size_t k = 0; k < times.size(); ++k) {
    JointVector zeta(kJoints);
    for (int j = 0; j < kJoints; ++j) zeta[j] = 3.0 * std::sin(12.0 * times[k] + 0.7 * j);
    if (rns.evaluate(foot.with_base(theta), rate) != control::ReactionStatus::kOk)
      throw Error("the simulation stopped at t = " + full_digits(times[k]) + " s: not finite");
    rns.acceleration(zeta, theta_dd);  // (6.4)
    inside = zeta;
    rns.project(inside);  // its second term alone
    const JointVector zero = JointVector::Zero(kJoints);
    const Vec6 at_rest = foot(theta, zero, zero);
    const Vec6 beside = foot(theta, rate, theta_dd) - at_rest;
    const Vec6 without = foot(theta, rate, inside) - at_rest;
    std::vector<double>& row = trace.rows.emplace_back(std::vector<double>{times[k]});
    row.insert(row.end(), theta.data(), theta.data() + kJoints);
    row.insert(row.end(), rate.data(), rate.data() + kJoints);
    row.insert(row.end(),
               {beside.head<3>().norm(), beside.tail<3>().norm(), without.head<3>().norm(),
                rns.momentum().c.norm(), static_cast<double>(rns.report().free)});
    if (k + 1 == times.size()) break;
    const double h = times[k + 1] - times[k];
    rate += h * theta_dd;
    theta += h * rate;
  }
  const auto most = [&trace](const std::string& column) {
    return drift_of(trace, "", "", {column}, true).largest;
  };
  double fastest = 0.0;
  for (const std::string& name : prefixed("v:", joints)) fastest = std::max(fastest, most(name));
  result.drifts = {
      drift_of(trace, "moment on the foot beside the static one", "N m", {"moment"}, true)};
  const double moved = settings.duration >= info.defaults.duration - 1e-9 ? fastest : NAN;
  result.claims = {
      {"moment on the foot beside the static one (6.4)", "N m", most("moment"), 0.0, 1e-9},
      {"force on the foot beside the static one", "N", most("force"), 0.0, 1e-9},
      {"free motions: ten joints less six reactions", "", trace.rows.front().back(), 4.0, 0.0},
      // at rest at first; first order in the step: (6.8) is the integral of (6.3)
      {"coupling momentum, which starts as 0", "N m s", most("momentum"), 0.0, 1e-3},
      {"fastest joint: it does move", "rad/s", moved, 1.0, 0.7}};
  result.figures = {figure_of(info, joints)};
  return result;
}

}  // namespace

void add_null_space(Experiments& experiments) {
  add_experiment(experiments,
                 ExperimentInfo{"reaction-null-space",
                                "Motion in the reaction null space",
                                "Takahashi 2012",
                                "Eqs. (6.3), (6.4), (6.8)",
                                "All joints swing; the foot's force stays the static one.",
                                {"hoap2_10dof"},
                                {1e-3, 1.0, "semi-implicit-euler", "aba"},
                                {"semi-implicit-euler"},
                                {"aba"}},
                 run_null_space_motion);
}

}  // namespace kagami::tools
