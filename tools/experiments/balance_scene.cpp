#include "tools/experiments/balance_scene.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <string_view>

#include "models/balance/capture_point.hpp"
#include "models/base/errors.hpp"
#include "models/closed_chains/closed_chain_dynamics.hpp"
#include "models/dynamics/balance_point.hpp"
#include "models/dynamics/integrator.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/read_model.hpp"
#include "models/spatial/vectors.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/tree_run.hpp"

namespace kagami::tools {
namespace {

using control::Balance;
using control::BalanceControlStatus;
using models::Model;

constexpr std::array<std::string_view, control::kLegJoints> kJoints = {
    "joint1", "joint2", "joint3", "joint4", "joint5",
    "joint6", "joint7", "joint8", "joint9", "joint10"};
using models::kNaN;
// m, from the ankles (O12)
constexpr double kToe = 0.059;
constexpr double kHeel = -0.039;
constexpr double kSoleSide = 0.0315;
constexpr double kSoleBelow = 0.04;

/// Measures one row.
class PushProbe {
 public:
  explicit PushProbe(const BalanceScene& scene)
      : scene_(scene), kinematics_(scene.model), centroidal_(scene.model) {
    models::forward_kinematics(scene.model, scene.start.q, scene.start.v, kinematics_);
    std::vector<Vec3> corners;
    for (const models::Frame& f : scene.robot.sole_corners)
      corners.push_back(models::frame_pose(kinematics_, f).p);
    soles_.set(corners, scene.robot.ground);
  }

  [[nodiscard]] const models::Kinematics& kinematics() const { return kinematics_; }
  void place(const models::State& s) {
    models::forward_kinematics(scene_.model, s.q, s.v, kinematics_);
  }
  void append(const models::State& s, const JointVector& vdot,
              const std::vector<models::Force>& F_ext, const control::BalanceReport& report,
              std::vector<double>& row);

 private:
  const BalanceScene& scene_;
  models::Kinematics kinematics_;
  models::CentroidalWorkspace centroidal_;
  models::SupportPolygon soles_;
};

void PushProbe::append(const models::State& s, const JointVector& vdot,
                       const std::vector<models::Force>& F_ext,
                       const control::BalanceReport& report, std::vector<double>& row) {
  const Vec3 L = models::momentum_about_com(scene_.model, kinematics_).moment();
  const Vec3 c = models::center_of_mass(scene_.model, kinematics_) - scene_.middle;
  models::BalancePoint zmp;
  const bool presses =
      models::zero_moment_point(scene_.model, s.q, s.v, vdot, F_ext, scene_.robot.ground,
                                centroidal_, zmp) == models::BalanceStatus::kOk;
  row.insert(row.end(), L.data(), L.data() + 3);
  row.insert(row.end(), {report.turn.yaw, report.turn.pitch});
  row.insert(row.end(), c.data(), c.data() + 3);
  row.insert(row.end(), {presses ? zmp.point.x() - scene_.middle.x() : kNaN,
                         presses ? zmp.point.y() - scene_.middle.y() : kNaN,
                         presses ? soles_.margin(zmp.point) : kNaN, report.capture_margin});
}

}  // namespace

double ShoulderPush::at(double t) const {
  if (t < from || t >= to) return 0.0;
  return smooth ? force * std::sin(180.0 / kDegPerRad * (t - from) / (to - from)) : force;
}

// root: the right foot, held; the left one is welded where it is
BalanceScene hoap2_on_both_feet(const DataFolders& data) {
  const Model robot =
      models::read_model(find_robot(data, "hoap2_10dof"), models::BaseKind::kFixed).model;
  if (robot.num_v() != control::kLegJoints)
    throw ModelError("robot hoap2_10dof has " + std::to_string(robot.num_v()) +
                     " degrees of freedom, expected 10");
  BalanceScene scene;
  scene.start = models::neutral_state(robot);
  models::Kinematics k(robot);
  models::forward_kinematics(robot, scene.start.q, scene.start.v, k);
  models::ModelBuilder builder(robot);
  const int left = robot.find_body("link10");
  builder.add_loop("left sole", left, {}, kWorld, k.X_WB[static_cast<std::size_t>(left)], {});
  scene.model = builder.build();

  std::array<double, control::kLegJoints> signs;
  signs.fill(1.0);
  scene.robot.legs = control::leg_slots(scene.model, kJoints, signs);
  scene.robot.trunk = scene.model.frame("upper");
  scene.robot.support_foot = scene.model.frame("link5");
  scene.robot.lumps = control::thesis_lumps();
  for (const char* foot : {"link5", "link10"}) {
    for (const double x : {kHeel, kToe}) {
      for (const double y : {-kSoleSide, kSoleSide}) {
        models::Frame corner = scene.model.frame(foot);
        corner.X_BF.p += Vec3(x, y, -kSoleBelow);
        scene.robot.sole_corners.push_back(corner);
      }
    }
  }
  scene.robot.ground.point = Vec3(0.0, 0.0, -kSoleBelow);
  scene.middle = 0.5 * k.X_WB[static_cast<std::size_t>(left)].p;
  return scene;
}

control::BalanceSettings only(control::Strategy strategy) {
  control::BalanceSettings s = control::thesis_settings();
  // as printed: the thesis's law has no return to what the ankle has missed
  for (int i = 0; i < control::kStrategies; ++i)
    s.strategies[static_cast<std::size_t>(i)] =
        control::thesis_gains(static_cast<control::Strategy>(i));
  s.choose = false;
  s.always = strategy;
  return s;
}

Trace push_and_trace(const BalanceScene& scene, const control::BalanceSettings& balance,
                     const ShoulderPush& push, const ExperimentSettings& settings,
                     AlgorithmsRan& ran) {
  const Model& model = scene.model;
  Balance controller(model, scene.robot, balance);
  models::ClosedChainDynamics source(model, models::algorithm(settings.algorithm));
  models::Integrator integrator = integrator_of(model, settings);
  PushProbe probe(scene);
  Trace trace;
  trace.columns = {"t",    "push", "Lx",   "Ly",   "Lz",   "yaw",        "pitch",
                   "comx", "comy", "comz", "zmpx", "zmpy", "zmp_margin", "capture_margin"};
  for (const char* prefix : {"q:", "tau:"})
    for (const std::string& name : prefixed(prefix, velocity_names(model)))
      trace.columns.push_back(name);
  trace.columns.emplace_back("feet_gap");

  models::State s = scene.start;
  if (controller.start(s.q) != BalanceControlStatus::kOk)
    throw Error("the controller cannot start from this pose");
  std::vector<models::Force> F(static_cast<std::size_t>(model.num_bodies()), models::Force::zero());
  const auto trunk = static_cast<std::size_t>(scene.robot.trunk.body);
  const std::vector<double> times = times_of(settings);
  double t = 0.0;
  JointVector tau;
  JointVector vdot;
  for (std::size_t i = 0; i < times.size(); ++i) {
    probe.place(s);
    const BalanceControlStatus status = controller.update(s.q, s.v, settings.dt, tau);
    const double force = push.at(t + 1e-9);
    const Vec3 f = probe.kinematics().X_WB[trunk].R.transpose() * Vec3(force, 0.0, 0.0);
    F[trunk] = models::Force::from(push.point.cross(f), f);
    source.set_tau(tau);
    source.set_forces(F);
    if (status != BalanceControlStatus::kOk || !source.acceleration(t, s.q, s.v, vdot))
      throw Error("the simulation stopped at t = " + full_digits(t) + " s: controller " +
                  control::name(status) + ", loops " + models::name(source.status()));
    ran.add(source.ran());
    std::vector<double>& row = trace.rows.emplace_back(std::vector<double>{t, force});
    probe.append(s, vdot, F, controller.report(), row);
    row.insert(row.end(), s.q.data(), s.q.data() + s.q.size());
    row.insert(row.end(), tau.data(), tau.data() + tau.size());
    row.push_back(source.dynamics().gap());
    if (i + 1 == times.size()) break;
    const models::StepStatus step = integrator.advance(source, times[i + 1] - t, t, s);
    ran.add(source.ran());
    if (step != models::StepStatus::kOk)
      throw Error("the simulation stopped at t = " + full_digits(t) + " s: " + models::name(step));
    t = times[i + 1];
  }
  return trace;
}

}  // namespace kagami::tools
