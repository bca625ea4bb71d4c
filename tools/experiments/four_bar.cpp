// The parallelogram four-bar falls from rest, clear of and through its singular poses.
// [T12] = Takahashi 2012, secs. 3.1.3, 3.3: three rods of l = 1 m, m = 1 kg, ground of 1 m, angles
// from +z about +y, theta4 that of link 3 seen from ground joint 4. Exact mechanics, from the
// parallelogram's one degree of freedom (a: acceleration of the coupler, z upwards):
//   theta1'' = 1.2 (g / l) sin theta1,  F2 = F3 = m (a + g z) / 2,  F1 = F4 = m a + 1.5 m g z
//   det(J J') = 4 cos^2 theta1, J: 3 x 4, rows wy, vx, vz of joint 4's point
// also at theta1 = +-90 deg, where the paper's simulation jumps: velocity, acceleration, forces and
// energy are continuous there. The paper's 6 x 4 J has rank 3 at most, its determinant is always 0.
// Next to these poses a coupler that is off by e makes the accelerations off by e / cos^2 theta1
// and the bars' axial forces likewise: those two are held against the exact ones times cos^2.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "models/base/errors.hpp"
#include "models/loops/loop_assembly.hpp"
#include "models/loops/loop_stepper.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/mechanics.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/experiments/tree_run.hpp"

namespace kagami::tools {
namespace {

using models::Force;
using models::LoopStatus;

constexpr double kGravity = 9.81;       // m/s^2
constexpr double kW2 = 1.2 * kGravity;  // 1/s^2, l = 1 m
constexpr double kRightAngle = 90.0 / kDegPerRad;

struct FourBarCase {
  ExperimentInfo info;
  double theta1_deg = 0.0;        ///< at the start; the parallelogram does the rest
  double energy_tolerance = 0.0;  ///< J
  double angle_tolerance = 0.0;   ///< rad
  double force_tolerance = 0.0;   ///< N
  std::vector<double> passes;     ///< s, within the first 3 s
};

class FourBar final : public Experiment {
 public:
  explicit FourBar(FourBarCase c) : case_(std::move(c)) {}
  [[nodiscard]] const ExperimentInfo& info() const override { return case_.info; }
  [[nodiscard]] ExperimentResult run(const ExperimentSettings& settings,
                                     const DataFolders& data) const override;

 private:
  [[nodiscard]] std::vector<Claim> claims_of(const Trace& s) const;
  [[nodiscard]] Figure figure_of(const std::vector<std::string>& joints) const;

  FourBarCase case_;
};

[[noreturn]] void stop(double t, const char* why) {
  throw Error("the simulation stopped at t = " + full_digits(t) + " s: " + why);
}

/// Steps the bar and measures rows; the step and the rows have workspaces of their own.
class Simulation {
 public:
  Simulation(const models::Model& model, std::string integrator)
      : model_(model),
        semi_implicit_(integrator == "semi-implicit-euler"),
        tau_(JointVector::Zero(model.num_v())),
        vdot_(tau_),
        vdot_ada_(tau_),
        stepper_(model),
        dynamics_(model),
        assembly_(model),
        probe_(model),
        loop_forces_(static_cast<std::size_t>(model.num_bodies())) {}

  void step(double t, double dt, models::State& state);
  std::vector<double> measure(double t, const models::State& state);
  [[nodiscard]] std::vector<std::string> columns() const;

 private:
  void append_joint_4(const models::State& state, std::vector<double>& row) const;
  void append_forces(std::vector<double>& row) const;
  void append_loop(std::vector<double>& row) const;
  [[nodiscard]] double determinant() const;
  [[nodiscard]] Vec3 joint_4() const { return model_.loops().front().X_BJ.p; }

  const models::Model& model_;
  bool semi_implicit_;
  JointVector tau_;
  JointVector vdot_;
  JointVector vdot_ada_;
  models::LoopStepper stepper_;
  models::LoopDynamics dynamics_;
  models::LoopAssembly assembly_;
  MechanicsProbe probe_;
  std::vector<Force> loop_forces_;
};

void Simulation::step(double t, double dt, models::State& state) {
  const LoopStatus status = semi_implicit_ ? stepper_.semi_implicit(tau_, dt, state)
                                           : stepper_.runge_kutta_4(tau_, dt, state);
  if (status != LoopStatus::kOk) stop(t, models::name(status));
}

std::vector<std::string> Simulation::columns() const {
  std::vector<std::string> columns = state_columns(model_);
  const std::string loop = model_.loops().front().name;
  for (const std::string& name : prefixed("", {"q:" + loop, "v:" + loop, "vdot:" + loop}))
    columns.push_back(name);
  for (const std::string& name : mechanics_columns()) columns.push_back(name);
  for (const char* name : {"F1x", "F1z", "F2x", "F2z", "F3x", "F3z", "F4x", "F4z", "detJJt",
                           "smallest_singular_value", "rank", "loop_gap", "ada_gap"})
    columns.emplace_back(name);
  return columns;
}

std::vector<double> Simulation::measure(double t, const models::State& state) {
  const models::Extras none;
  LoopStatus status = dynamics_.run(state.q, state.v, tau_, none, vdot_);
  if (status == LoopStatus::kOk) status = assembly_.run(state.q, state.v, tau_, none, vdot_ada_);
  if (status != LoopStatus::kOk) stop(t, models::name(status));
  for (Force& F : loop_forces_) F = Force::zero();
  dynamics_.add_forces(loop_forces_);
  const Force F4 = dynamics_.wrench(0);  // about joint 4, from the ground
  const Force ground = Force::from(F4.moment() + joint_4().cross(F4.force()), F4.force());

  std::vector<double> row = state_row(t, state, vdot_);
  append_joint_4(state, row);
  append(row, probe_.measure(state, vdot_, loop_forces_, ground));
  append_forces(row);
  append_loop(row);
  return row;
}

// link 3 turns with the sum of all joints; seen from joint 4 it points the other way
void Simulation::append_joint_4(const models::State& state, std::vector<double>& row) const {
  row.insert(row.end(), {state.q.sum() - 2.0 * kRightAngle, state.v.sum(), vdot_.sum()});
}

void Simulation::append_forces(std::vector<double>& row) const {
  const Vec3 F[] = {probe_.joint_force(0).force(), probe_.joint_force(1).force(),
                    -probe_.joint_force(2).force(),  // of link 3 on link 2
                    dynamics_.wrench(0).force()};
  for (const Vec3& f : F) row.insert(row.end(), {f.x(), f.z()});
}

void Simulation::append_loop(std::vector<double>& row) const {
  row.insert(row.end(), {determinant(), dynamics_.smallest_singular_value(),
                         static_cast<double>(dynamics_.rank()), dynamics_.gap(),
                         (vdot_ - vdot_ada_).cwiseAbs().maxCoeff()});
}

double Simulation::determinant() const {
  Eigen::Matrix<double, 3, 4> J;
  for (int i = 0; i < 4; ++i) {
    const Vec3 p = i < 3 ? probe_.kinematics().X_WB[static_cast<std::size_t>(i)].p : joint_4();
    const Vec3 arm = joint_4() - p;
    J.col(i) = Vec3(1.0, arm.z(), -arm.x());
  }
  const Mat3 JJt = J * J.transpose();
  return JJt.determinant();
}

// columns: distances from the parallelogram's own equation in theta1, its acceleration and the
// forces (times cos^2 theta1), det(J J')
void add_exact(double theta1, Trace& trace) {
  const std::size_t F1x = trace.index("F1x");
  const std::size_t det = trace.index("detJJt");
  for (const char* name : {"theta1_gap", "acceleration_gap", "exact_force_gap", "det_gap"})
    trace.columns.emplace_back(name);
  double theta = theta1;
  double rate = 0.0;
  double t = 0.0;
  for (std::vector<double>& row : trace.rows) {
    constexpr int kParts = 8;  // so fine that its error, 1e-13, counts as none
    const double h = (row[0] - t) / kParts;
    for (int i = 0; i < kParts; ++i) {
      const double k1 = kW2 * std::sin(theta);
      const double k2 = kW2 * std::sin(theta + 0.5 * h * rate);
      const double k3 = kW2 * std::sin(theta + 0.5 * h * rate + 0.25 * h * h * k1);
      const double k4 = kW2 * std::sin(theta + h * rate + 0.5 * h * h * k2);
      theta += h * rate + h * h / 6.0 * (k1 + k2 + k3);
      rate += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    t = row[0];

    const double s = std::sin(row[1]);
    const double c = std::cos(row[1]);
    const double ax = kW2 * s * c - row[4] * row[4] * s;
    const double az = -kW2 * s * s - row[4] * row[4] * c;
    const double ends[] = {ax, az + 1.5 * kGravity, 0.5 * ax, 0.5 * (az + kGravity)};
    double force = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
      force = std::max(force, std::abs(row[F1x + i] - ends[i]));
      force = std::max(force, std::abs(row[F1x + 4 + i] - ends[(i + 2) % 4]));
    }
    row.insert(row.end(),
               {row[1] - theta, c * c * (row[7] - kW2 * s), c * c * force, row[det] - 4.0 * c * c});
  }
}

// when theta1 went through +-90 deg, s
std::vector<double> passes_of(const Trace& trace) {
  std::vector<double> passes;
  for (std::size_t i = 1; i < trace.rows.size(); ++i) {
    const double before = std::cos(trace.rows[i - 1][1]);
    const double after = std::cos(trace.rows[i][1]);
    const double t = trace.rows[i - 1][0];
    if ((before < 0.0) != (after < 0.0))
      passes.push_back(t + (trace.rows[i][0] - t) * before / (before - after));
  }
  return passes;
}

void add_pass_claims(const Trace& trace, const std::vector<double>& expected,
                     std::vector<Claim>& claims) {
  Claim count{"singular poses passed in 3 s", "", std::numeric_limits<double>::quiet_NaN(),
              static_cast<double>(expected.size()), 0.0};
  Claim times{"instants of the passes, off by", "s", count.measured, 0.0, 1e-3};
  if (trace.row_at(3.0) != nullptr) {
    std::vector<double> passes = passes_of(trace);
    passes.erase(std::remove_if(passes.begin(), passes.end(), [](double t) { return t > 3.0; }),
                 passes.end());
    count.measured = static_cast<double>(passes.size());
    if (passes.size() == expected.size()) {
      times.measured = 0.0;
      for (std::size_t i = 0; i < passes.size(); ++i)
        times.measured = std::max(times.measured, std::abs(passes[i] - expected[i]));
    }
  }
  claims.push_back(count);
  if (!expected.empty()) claims.push_back(times);
}

std::vector<Claim> FourBar::claims_of(const Trace& s) const {
  const auto worst = [&s](const char* column) {
    return drift_of(s, "", "", {column}, true).largest;
  };
  double coupler = 0.0;
  for (const std::vector<double>& row : s.rows)
    coupler = std::max(coupler, std::abs(row[1] + row[2] - kRightAngle));
  std::vector<Claim> claims = {
      energy_claim(s, case_.energy_tolerance),
      no_torque_claim(s, 1e-8),
      {"loop stays closed", "m", worst("loop_gap"), 0.0, 1e-8},
      {"coupler stays level, off by", "rad", coupler, 0.0, 1e-5},
      {"acceleration is 1.2 (g/l) sin theta1; off by, times cos^2 theta1", "rad/s^2",
       worst("acceleration_gap"), 0.0, 1e-8},
      {"theta1 follows that equation, off by", "rad", worst("theta1_gap"), 0.0,
       case_.angle_tolerance},
      {"joint forces are the closed form's; off by, times cos^2 theta1", "N",
       worst("exact_force_gap"), 0.0, case_.force_tolerance},
      {"det(J J') is 4 cos^2 theta1, off by", "", worst("det_gap"), 0.0, 1e-6},
      {"ADA's assembly gives the same accelerations, off by", "rad/s^2", worst("ada_gap"), 0.0,
       1e-8}};
  add_pass_claims(s, case_.passes, claims);
  return claims;
}

Figure FourBar::figure_of(const std::vector<std::string>& joints) const {
  const ExperimentInfo& i = case_.info;
  // joint 4 turns as joint 1 does
  const auto curves = [&joints](const std::string& prefix, double scale) {
    std::vector<Curve> all = curves_of(joints, prefix, scale);
    all.back().dashed = true;
    return all;
  };
  Figure figure{
      i.name,
      i.title + " (" + i.paper + ", " + i.figures + ")",
      {{"(a) joint angle", "angle (deg)", curves("q:", kDegPerRad)},
       {"(b) joint velocity", "velocity (rad/s)", curves("v:", 1.0)},
       {"(c) joint acceleration", "acceleration (rad/s²)", curves("vdot:", 1.0)},
       {"(d) joint forces (joints 3, 4 as 2, 1)",
        "force (N)",
        {{"F1x", "F1 x"}, {"F1z", "F1 z"}, {"F2x", "F2 x"}, {"F2z", "F2 z"}}},
       energy_panel("e"),
       {std::string(case_.passes.empty() ? "" : "(f) ") + "determinant of J Jᵀ",
        "m⁴",
        {{"detJJt", "det"}}},
       {"smallest singular value of the loop", "kg^{-1/2}", {{"smallest_singular_value", "σ min"}}},
       energy_error_panel("")}};
  figure.panels.back().title = "energy since the start";
  return figure;
}

ExperimentResult FourBar::run(const ExperimentSettings& settings, const DataFolders& data) const {
  const models::Model model =
      experiment_model(case_.info.name, data, case_.info.robots.front(), 3, 3, 1);
  const double theta1 = case_.theta1_deg / kDegPerRad;
  models::State state = models::neutral_state(model);
  state.q << theta1, kRightAngle - theta1, kRightAngle + theta1;

  ExperimentResult result;
  Simulation simulation(model, settings.integrator);
  result.trace.columns = simulation.columns();
  double t = 0.0;
  for (const double next : times_of(settings)) {
    if (next > t) simulation.step(t, next - t, state);
    t = next;
    result.trace.rows.push_back(simulation.measure(t, state));
  }
  add_energy_error(result.trace);
  add_exact(theta1, result.trace);

  std::vector<std::string> joints = velocity_names(model);
  joints.push_back(model.loops().front().name);
  result.drifts = mechanics_drifts(result.trace, false);
  result.drifts.push_back(drift_of(result.trace, "gap of the loop", "m", {"loop_gap"}, true));
  result.claims = claims_of(result.trace);
  result.figures = {figure_of(joints)};
  return result;
}

ExperimentInfo info_of(const std::string& name, const std::string& title,
                       const std::string& figures, const std::string& shows) {
  return {name,    title,        "Takahashi 2012",           figures,
          shows,   {"four_bar"}, {1e-3, 3.0, "rk4", "crba"}, {"semi-implicit-euler", "rk4"},
          {"crba"}};
}

}  // namespace

void add_four_bar(Experiments& experiments) {
  experiments.push_back(std::make_unique<FourBar>(FourBarCase{
      info_of("four-bar", "Four-bar", "Fig. 3.11",
              "A closed chain swings from rest; energy, loop and joint forces are exact."),
      135.0,
      1e-6,
      1e-6,
      1e-8,
      {}}));
  experiments.push_back(std::make_unique<FourBar>(
      FourBarCase{info_of("four-bar-singular", "Four-bar through its singular poses", "Fig. 3.17",
                          "Five singular poses in 3 s, passed without a jump."),
                  60.0,
                  1e-8,
                  1e-4,
                  1e-6,
                  {0.314266067641126, 0.942798202923378, 1.571330338205630, 2.199862473487883,
                   2.828394608770135}}));
}

}  // namespace kagami::tools
