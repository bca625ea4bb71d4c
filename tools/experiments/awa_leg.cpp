// Awa 2009, sec. 4.2.2, Figs. 12, 13: what the sample walk's angles alone make of the KHR-1's right
// leg, the trunk held, no floor: place and motion of its end by Eqs. (19), (31), momenta and forces
// by (40), (42), the ankle's torque by (43), angles differentiated by (44), (45). World axes, world
// origin, as there. In our letters, V and A spatial about the world's origin:
//   V_n = V_(n-1) + S_n q_n'                                        (19)
//   A_n = A_(n-1) + S_n q_n'' + V_(n-1) x S_n q_n'                  (31), the inverse for T'
//   H   = I V,  F = I A + V x* H - I g,  u = S' F                   (40), (42), (43)
// The thesis's second difference looks ahead: a corner of the angles of D rad/s becomes D / dt.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "models/base/errors.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/robot/state.hpp"
#include "models/spatial/vectors.hpp"
#include "motions/file/library.hpp"
#include "motions/play/player.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/registry.hpp"

namespace kagami::tools {
namespace {

using models::kNaN;
constexpr const char* kLast = "right_ankle_roll";  // motor 23 of the thesis
constexpr const char* kEnd = "r_sole";

/// Angles of all joints by time steps of dt.
struct Angles {
  double dt = 0.0;
  std::vector<JointVector> q;

  // forward differences (44), (45)
  [[nodiscard]] JointVector rate(std::size_t k) const { return (q[k + 1] - q[k]) / dt; }
  [[nodiscard]] JointVector rate_of_rate(std::size_t k) const {
    return (q[k + 2] - 2.0 * q[k + 1] + q[k]) / (dt * dt);
  }
  [[nodiscard]] std::size_t rows() const { return q.size() < 2 ? 0 : q.size() - 2; }
};

// straight lines from pose to pose, as the boards move
Angles walk_angles(const models::RobotDescription& robot, const motions::Motion& motion, double dt,
                   double duration) {
  motions::PlayOptions options;
  options.mode = motions::PlayMode::kRamp;
  motions::Player player(motion, robot.wiring, options);
  player.start({});
  Angles angles{dt, {JointVector::Zero(robot.model.num_q())}};
  motions::PlayCommand command;
  for (double t = 0.0; t < duration + 2.0 * dt; t += dt) {
    player.step(dt, command);
    JointVector q(robot.model.num_q());
    for (Eigen::Index j = 0; j < q.size(); ++j) q[j] = command.q_ref[static_cast<std::size_t>(j)];
    angles.q.push_back(q);
  }
  return angles;
}

// each angle held for `hold` s: commands as steps
Angles stepped(const Angles& smooth, double hold) {
  Angles angles = smooth;
  const auto every = static_cast<std::size_t>(std::lround(hold / smooth.dt));
  for (std::size_t k = 0; k < angles.q.size(); ++k) angles.q[k] = smooth.q[k - k % every];
  return angles;
}

/// The leg's last link, all about the world's origin in world axes.
struct LegEnd {
  models::Motion V;
  models::Motion A;
  models::Force H;
  models::Force F;
  Vec3 p;        ///< m, sole
  Vec3 p_g;      ///< m, mass centre
  double u = 0;  ///< N m
  double u_rnea = 0;
};

class RightLeg {
 public:
  explicit RightLeg(const models::Model& model)
      : model_(model),
        k_(model),
        rnea_(model),
        tau_(JointVector::Zero(model.num_v())),
        last_(model.find_joint(kLast)),
        end_(model.frame(kEnd)) {
    if (last_ < 0) throw ModelError(std::string("no joint ") + kLast);
  }
  [[nodiscard]] double weight() const {
    return model_.body(last_).inertia.mass * model_.gravity().norm();
  }
  LegEnd at(const JointVector& q, const JointVector& v, const JointVector& a);

 private:
  const models::Model& model_;
  models::Kinematics k_;
  models::RneaWorkspace rnea_;
  JointVector tau_;
  BodyIndex last_;
  models::Frame end_;
};

LegEnd RightLeg::at(const JointVector& q, const JointVector& v, const JointVector& a) {
  models::forward_kinematics(model_, q, JointVector::Zero(model_.num_v()), k_);
  std::vector<BodyIndex> way;
  for (BodyIndex i = last_; i != kWorld; i = model_.body(i).parent) way.push_back(i);
  LegEnd e;
  e.V = e.A = models::Motion::zero();
  models::Motion S = models::Motion::zero();
  for (auto i = way.rbegin(); i != way.rend(); ++i) {
    const models::Body& b = model_.body(*i);
    if (b.nv == 0) continue;
    models::joint_subspace(b.joint, q.data() + b.q_index, &S);
    S = k_.X_WB[static_cast<std::size_t>(*i)] * S;
    e.A += S * a[b.v_index] + models::cross(e.V, S * v[b.v_index]);  // (31)
    e.V += S * v[b.v_index];                                         // (19)
  }
  const models::Pose& X_WB = k_.X_WB[static_cast<std::size_t>(last_)];
  const models::SpatialInertia I = X_WB * model_.body(last_).inertia;
  const models::Motion g = models::Motion::from(Vec3::Zero(), model_.gravity());
  e.H = I * e.V;                                       // (40)
  e.F = I * e.A + models::cross(e.V, e.H) + -(I * g);  // (42)
  e.u = models::power(S, e.F);                         // (43)
  models::rnea(model_, q, v, a, rnea_, tau_);
  const int k = model_.body(last_).v_index;
  e.u_rnea = tau_[k] - model_.rotor_inertia()[k] * a[k];  // (43) has no rotor
  e.p = models::frame_pose(k_, end_).p;
  e.p_g = I.com();
  return e;
}

// velocity and acceleration of a point that rides on the link: (16), (28)
Vec3 velocity(const LegEnd& e, const Vec3& p) {
  return e.V.linear() + e.V.angular().cross(p);
}
Vec3 acceleration(const LegEnd& e, const Vec3& p) {
  return e.A.linear() + e.A.angular().cross(p) + e.V.angular().cross(velocity(e, p));
}

void append(std::vector<double>& row, const Vec3& x) {
  row.insert(row.end(), {x.x(), x.y(), x.z()});
}

/// Largest force on the link, over its weight, and torque (N m).
struct Peak {
  double force = 0.0;
  double torque = 0.0;
};

Peak peak_of(const Angles& angles, RightLeg& leg) {
  Peak peak;
  for (std::size_t k = 0; k < angles.rows(); ++k) {
    const LegEnd e = leg.at(angles.q[k], angles.rate(k), angles.rate_of_rate(k));
    peak.force = std::max(peak.force, e.F.force().norm() / leg.weight());
    peak.torque = std::max(peak.torque, std::abs(e.u));
  }
  return peak;
}

const std::array<const char*, 13> kQuantities = {
    "p", "vo", "vodot", "w", "wdot", "pg", "pgdot", "pgddot", "P", "L", "f", "tau", "u"};

std::vector<Figure> figures_of(const ExperimentInfo& i) {
  const std::array<const char*, 13> axes = {"m", "m/s", "m/s^2", "rad/s",  "rad/s^2",
                                            "m", "m/s", "m/s^2", "kg m/s", "kg m^2/s",
                                            "N", "N m", "N m"};
  const std::array<const char*, 13> titles = {"place of the end",
                                              "v_o",
                                              "its rate",
                                              "angular velocity",
                                              "its rate",
                                              "mass centre",
                                              "its velocity",
                                              "acceleration",
                                              "momentum P",
                                              "angular momentum L",
                                              "force f",
                                              "moment",
                                              "torque u of the ankle's roll"};
  Figure kinematics{i.name + "-12", i.title + " (" + i.paper + ", Fig. 12)", {}};
  Figure dynamics{i.name + "-13", i.title + " (" + i.paper + ", Fig. 13)", {}};
  for (std::size_t n = 0; n < kQuantities.size(); ++n) {
    Panel panel{titles[n], axes[n], {}};
    if (n + 1 == kQuantities.size()) {
      panel.curves.push_back({"u", "u"});
    } else {
      for (const char* axis : {"x", "y", "z"}) {
        panel.curves.push_back({std::string(kQuantities[n]) + axis, axis});
      }
    }
    (n < 8 ? kinematics : dynamics).panels.push_back(std::move(panel));
  }
  return {kinematics, dynamics};
}

// largest difference between the sole's displacement in a step and its velocity (m/s), between
// the ankle's torque and rnea's (N m)
struct Gaps {
  double velocity = 0.0;
  double torque = 0.0;
};

Gaps fill(const Angles& angles, RightLeg& leg, Trace& trace) {
  Gaps gaps;
  Vec3 before = Vec3::Zero();
  Vec3 v_before = Vec3::Zero();
  for (std::size_t k = 0; k < angles.rows(); ++k) {
    const LegEnd e = leg.at(angles.q[k], angles.rate(k), angles.rate_of_rate(k));
    std::vector<double>& row =
        trace.rows.emplace_back(std::vector<double>{static_cast<double>(k) * angles.dt});
    for (const Vec3& x :
         {e.p, e.V.linear(), e.A.linear(), e.V.angular(), e.A.angular(), e.p_g, velocity(e, e.p_g),
          acceleration(e, e.p_g), e.H.force(), e.H.moment(), e.F.force(), e.F.moment()}) {
      append(row, x);
    }
    row.push_back(e.u);
    if (k > 0)
      gaps.velocity = std::max(gaps.velocity, ((e.p - before) / angles.dt - v_before).norm());
    gaps.torque = std::max(gaps.torque, std::abs(e.u - e.u_rnea));
    before = e.p;
    v_before = velocity(e, e.p);
  }
  return gaps;
}

ExperimentResult run_awa_leg(const ExperimentInfo& info, const ExperimentSettings& settings,
                             const DataFolders& data) {
  const models::RobotDescription robot =
      models::read_robot_folder(find_robot(data, "khr1"), models::BaseKind::kFixed);
  const motions::Motion motion =
      motions::load_motion(find_motion(data, "walk_forward"), robot.wiring);
  RightLeg leg(robot.model);
  ExperimentResult result;
  result.trace.columns = {"t"};
  for (const char* quantity : kQuantities) {
    if (std::string(quantity) == "u") continue;
    for (const char* axis : {"x", "y", "z"})
      result.trace.columns.push_back(std::string(quantity) + axis);
  }
  result.trace.columns.push_back("u");
  const Gaps gaps =
      fill(walk_angles(robot, motion, settings.dt, settings.duration), leg, result.trace);

  ResultTable result_table{
      "step dt",
      {"force (weights)", "torque (N m)", "held 40 ms: force (weights)", "torque (N m)"},
      {}};
  std::vector<Peak> ramps;
  std::vector<Peak> steps;
  for (const double dt : {10e-3, 5e-3, 2.5e-3, 1.25e-3}) {
    const Angles angles = walk_angles(robot, motion, dt, settings.duration);
    ramps.push_back(peak_of(angles, leg));
    steps.push_back(peak_of(stepped(angles, 40e-3), leg));
    result_table.rows.push_back(
        {std::to_string(1e3 * dt).substr(0, 4) + " ms",
         {ramps.back().force, ramps.back().torque, steps.back().force, steps.back().torque}});
  }
  result.drifts = {{"torque of the ankle against inverse dynamics", "N m", 0.0, gaps.torque}};
  result.tables = {result_table};
  const bool whole = settings.duration >= 2.0;
  const auto later = [whole](double x) { return whole ? x : kNaN; };
  const std::size_t n = ramps.size();
  result.claims = {{"(42), (43) give the ankle's torque as inverse dynamics does; gap", "N m",
                    gaps.torque, 0.0, 1e-12},
                   // half a step of the centripetal acceleration: 6 rad/s, 0.25 m, 5 ms
                   {"the end moves with v_o + w x p; largest gap", "m/s", gaps.velocity, 0.0,
                    0.5 * settings.dt * 36.0 * 0.25},
                   {"sec. 4.3, forces larger than real: largest force over the link's weight, 5 ms",
                    "", later(ramps[1].force), 8.5, 1.5},
                   {"because (45) makes D / dt of a corner: twice the force from 2.5 to 1.25 ms",
                    "", later(ramps[n - 1].force / ramps[n - 2].force), 2.0, 0.3},
                   {"and of steps D / dt^2: four times", "",
                    later(steps[n - 1].force / steps[n - 2].force), 4.0, 0.6}};
  result.figures = figures_of(info);
  return result;
}

}  // namespace

void add_awa_leg(Experiments& experiments) {
  add_experiment(
      experiments,
      ExperimentInfo{"awa-leg",
                     "The end of the KHR-1's right leg while it walks",
                     "Awa 2009",
                     "Figs. 12, 13",
                     "Kinematics and inverse dynamics of the walk's angles, the trunk held.",
                     {"khr1"},
                     {5e-3, 8.0, "semi-implicit-euler", "aba"},
                     {"semi-implicit-euler"},
                     {"aba"}},
      run_awa_leg);
}

}  // namespace kagami::tools
