// A rod that tumbles freely on a six-degree-of-freedom joint at its end, no gravity.
// [T12] = Takahashi 2012, sec. 3.4: l = 1 m, m = 1 kg, start at the origin, upright. The printed
// axial inertia of 0 has no inverse: the robot has 1e-3 kg m^2. With it the closed form is, a the
// transverse inertia, C the axial one, L the angular momentum about the mass centre (axes of W),
//   R(t) = exp([L / a] t) exp([z] wz(0) (1 - C / a) t),  r(t) = (0, 0, l/2) - R(t) (0, 0, l/2)
// so w is not constant as sec. 3.4.2 has it: its transverse part turns about the rod's axis.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "tools/experiments/measures.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/experiments/tree_run.hpp"

namespace kagami::tools {
namespace {

constexpr double kTurn[] = {0.72, 0.48, 0.24};    // w(0), rad/s, [T12] p. 41
constexpr double kSpeed[] = {-0.24, 0.36, 0.00};  // v(0), m/s

Mat3 turn(const Vec3& rotation) {
  const double angle = rotation.norm();
  if (angle == 0.0) return Mat3::Identity();
  return Eigen::AngleAxisd(angle, rotation / angle).toRotationMatrix();
}

// columns: |quaternion| - 1, and the distance from the closed form in attitude (rad) and place (m)
void add_exact(const models::Model& model, Trace& trace) {
  const models::Body& body = model.body(0);
  const Vec3 com = body.inertia.com();
  const double a = body.inertia.about_com()(0, 0);
  const double C = body.inertia.about_com()(2, 2);
  const Vec3 w(kTurn[0], kTurn[1], kTurn[2]);
  const Vec3 L(a * w[0], a * w[1], C * w[2]);
  for (const char* name : {"quaternion_gap", "attitude_gap", "place_gap"})
    trace.columns.emplace_back(name);
  for (std::vector<double>& row : trace.rows) {
    const double t = row[0];
    const Vec3 p(row[1], row[2], row[3]);
    const Eigen::Quaterniond quaternion(row[4], row[5], row[6], row[7]);
    const Mat3 R = turn(L / a * t) * turn(Vec3(0.0, 0.0, w[2] * (1.0 - C / a) * t));
    row.push_back(quaternion.norm() - 1.0);
    // of two nearby rotations the chord, which keeps its digits where the angle's cosine loses them
    row.push_back((quaternion.toRotationMatrix() - R).norm() / std::sqrt(2.0));
    row.push_back((p - (com - R * com)).norm());
  }
}

double largest(const Trace& trace, const std::vector<std::string>& columns, bool from_zero) {
  return drift_of(trace, "", "", columns, from_zero).largest;
}

std::vector<Claim> claims_of(const Trace& s) {
  return {
      energy_claim(s, 1e-9),
      {"mass centre stays at rest", "m", largest(s, {"comx", "comy", "comz"}, false), 0.0, 1e-9},
      {"mass centre's momentum is zero", "kg m/s", largest(s, {"Px", "Py", "Pz"}, true), 0.0, 1e-9},
      {"angular momentum stays constant", "kg m^2/s", largest(s, {"Lx", "Ly", "Lz"}, false), 0.0,
       1e-9},
      {"quaternion keeps unit length", "", largest(s, {"quaternion_gap"}, true), 0.0, 1e-12},
      {"attitude is the closed form's, off by", "rad", largest(s, {"attitude_gap"}, true), 0.0,
       1e-8},
      {"place is the closed form's, off by", "m", largest(s, {"place_gap"}, true), 0.0, 1e-8},
      no_torque_claim(s, 1e-9)};
}

std::vector<Curve> parts(const std::string& prefix, const std::vector<std::string>& names) {
  std::vector<Curve> curves;
  for (const std::string& name : names) curves.push_back({prefix + name, name});
  return curves;
}

std::vector<Figure> figures_of(const ExperimentInfo& i, const std::string& base) {
  const std::vector<std::string> w = {"wx", "wy", "wz"};
  const std::vector<std::string> v = {"vx", "vy", "vz"};
  const std::vector<Curve> com = {{"comx", "x"}, {"comy", "y", 1.0, true}, {"comz", "z"}};
  return {
      {i.name + "-rotation",
       i.title + ": rotation (" + i.paper + ", Fig. 3.21)",
       {{"(a, b) force and torque that the motion needs", "N, N m", {{"tau", "largest"}}},
        {"(c) angular velocity, body axes", "velocity (rad/s)", parts("v:" + base, w)},
        {"(d) angular acceleration, body axes", "acceleration (rad/s²)", parts("vdot:" + base, w)},
        {"(e) unit quaternion", "", parts("q:" + base, {"qx", "qy", "qz", "qw"})},
        {"length of the quaternion less 1", "", {{"quaternion_gap", "gap"}}},
        {"distance from the closed form", "rad", {{"attitude_gap", "attitude"}}, true}}},
      {i.name + "-translation",
       i.title + ": translation (" + i.paper + ", Fig. 3.22)",
       {{"(a) base position", "position (m)", parts("q:" + base, {"px", "py", "pz"})},
        {"(b) base velocity, body axes", "velocity (m/s)", parts("v:" + base, v)},
        {"(c) base acceleration, body axes", "acceleration (m/s²)", parts("vdot:" + base, v)},
        {"(d) mass centre", "position (m)", com},
        {"(e) momentum of the mass centre",
         "N s",
         {{"Px", "x"}, {"Py", "y", 1.0, true}, {"Pz", "z"}},
         true},
        energy_panel("f")}}};
}

ExperimentResult run_free_body(const ExperimentInfo& info, const ExperimentSettings& settings,
                               const DataFolders& data) {
  const models::Model model = experiment_model(info.name, data, info.robots.front(), 7, 6, 0);
  models::State start = models::neutral_state(model);
  for (int i = 0; i < 3; ++i) {
    start.v[i] = kTurn[i];
    start.v[i + 3] = kSpeed[i];
  }
  ExperimentResult result;
  run_tree(model, start, settings, result);
  add_exact(model, result.trace);
  result.drifts = mechanics_drifts(result.trace, true);
  result.drifts.push_back(drift_of(result.trace, "mass centre", "m", {"comx", "comy", "comz"}));
  result.drifts.push_back(
      drift_of(result.trace, "length of the quaternion less 1", "", {"quaternion_gap"}, true));
  result.claims = claims_of(result.trace);
  result.figures = figures_of(info, model.body(0).joint_name + ".");
  return result;
}

}  // namespace

void add_free_body(Experiments& experiments) {
  add_experiment(
      experiments,
      ExperimentInfo{
          "free-body",
          "Free body on a unit quaternion",
          "Takahashi 2012",
          "Figs. 3.21, 3.22",
          "A rod tumbles without forces; mass centre at rest, momenta and energy constant.",
          {"free_rod"},
          {1e-3, 10.0, "rk4", "ada"},
          {"semi-implicit-euler", "rk4", "rkg", "rkf45"},
          {"crba", "aba", "dca", "ada", "hybrid"}},
      run_free_body);
}

}  // namespace kagami::tools
