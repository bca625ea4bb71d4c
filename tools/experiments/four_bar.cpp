// The parallelogram four-bar falls from rest, clear of and through its singular poses.
// [T12] = Takahashi 2012, secs. 3.1.3, 3.3: three rods of l = 1 m, m = 1 kg, ground of 1 m, angles
// from +z about +y, theta4 that of link 3 measured from ground joint 4. Exact mechanics, from the
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

#include "tools/experiments/loop_run.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/experiments/tree_run.hpp"

namespace kagami::tools {
namespace {

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

// columns: joint 4, which turns with the sum of all, seen from the ground; det(J J')
void add_joint_4(const std::string& name, Trace& trace) {
  for (const std::string& column : {"q:" + name, "v:" + name, "vdot:" + name})
    trace.columns.push_back(column);
  trace.columns.emplace_back("detJJt");
  for (std::vector<double>& row : trace.rows) {
    const double angle = row[1] + row[2] + row[3] - 2.0 * kRightAngle;
    Eigen::Matrix<double, 3, 4> J;
    double phi = 0.0;
    double x = -1.0;  // of the joint, seen from joint 4
    double z = 0.0;
    for (int i = 0; i < 4; ++i) {
      J.col(i) = Vec3(1.0, -z, x);
      if (i == 3) break;
      phi += row[static_cast<std::size_t>(i) + 1];
      x += std::sin(phi);
      z += std::cos(phi);
    }
    const Mat3 JJt = J * J.transpose();
    row.insert(row.end(),
               {angle, row[4] + row[5] + row[6], row[7] + row[8] + row[9], JJt.determinant()});
  }
}

// columns: distances from the parallelogram's own equation in theta1, its acceleration and the
// forces (times cos^2 theta1), det(J J')
void add_exact(double theta1, Trace& trace) {
  const std::size_t F = trace.index("F:joint1.x");
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
    // joints 1, 2, 3 (on its child: the other way), 4, in x and z
    const double exact[4][2] = {{ax, az + 1.5 * kGravity},
                                {0.5 * ax, 0.5 * (az + kGravity)},
                                {-0.5 * ax, -0.5 * (az + kGravity)},
                                {ax, az + 1.5 * kGravity}};
    double force = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
      force = std::max(force, std::abs(row[F + 3 * i] - exact[i][0]));
      force = std::max(force, std::abs(row[F + 3 * i + 2] - exact[i][1]));
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
      {"multipliers and ADA's assembly agree in accelerations, off by", "rad/s^2",
       worst("other_gap"), 0.0, 1e-8}};
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
       {"(d) joint forces (3 as 2 reversed, 4 as 1)",
        "force (N)",
        {{"F:joint1.x", "joint1 x"},
         {"F:joint1.z", "joint1 z"},
         {"F:joint2.x", "joint2 x"},
         {"F:joint2.z", "joint2 z"}}},
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
  run_loops(model, state, settings, result);
  add_joint_4(model.loops().front().name, result.trace);
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
                       const std::string& figures, const std::string& shows,
                       const std::vector<std::string>& integrators) {
  return {name,           title,        "Takahashi 2012",          figures,
          shows,          {"four_bar"}, {1e-3, 3.0, "rk4", "ada"}, integrators,
          {"crba", "ada"}};
}

FourBarCase clear_of_singular() {
  return {info_of("four-bar", "Four-bar", "Fig. 3.11",
                  "A closed chain swings from rest; energy, loop and joint forces are exact.",
                  {"semi-implicit-euler", "rk4", "rkg", "rkf45"}),
          135.0,
          1e-6,
          1e-6,
          1e-8,
          {}};
}

FourBarCase through_singular() {
  return {info_of("four-bar-singular", "Four-bar through its singular poses", "Fig. 3.17",
                  "Five singular poses in 3 s, passed without a jump.",
                  {"semi-implicit-euler", "rk4", "rkg", "rkf45"}),
          60.0,
          1e-8,
          1e-4,
          1e-6,
          {0.314266067641126, 0.942798202923378, 1.571330338205630, 2.199862473487883,
           2.828394608770135}};
}

}  // namespace

void add_four_bar(Experiments& experiments) {
  experiments.push_back(std::make_unique<FourBar>(clear_of_singular()));
  experiments.push_back(std::make_unique<FourBar>(through_singular()));
}

}  // namespace kagami::tools
