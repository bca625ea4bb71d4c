// Six rods that float freely, axes z, y, z, y, z, no gravity, no joint torque.
// [T12] = Takahashi 2012, sec. 4.4.2, Table 4.1. Its axes are not printed: of all choices of x, y,
// z these alone keep the mass centre nearly at rest. It moves at (0.0067, 0.0067, -0.0100) m/s,
// which is what two printed digits of the start leave; by mechanics this motion is uniform.
#include <algorithm>
#include <cmath>

#include "tools/experiments/measures.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/experiments/tree_run.hpp"

namespace kagami::tools {
namespace {

constexpr double kAngleDeg[] = {0.0, 90.0, 0.0, 90.0, 0.0};         // Table 4.1
constexpr double kRate[] = {-0.83, 0.86, 2.01, -0.44, -0.84};       // rad/s, Table 4.1
constexpr double kBase[] = {-1.01, -0.61, 0.0, 0.96, -1.18, 0.24};  // rad/s, m/s, p. 66

// column: how far the mass centre is from where its first speed would have taken it, m
void add_path(double mass, Trace& trace) {
  const std::size_t com = trace.index("comx");
  const std::size_t P = trace.index("Px");
  const std::vector<double> first = trace.rows.front();
  trace.columns.emplace_back("path_gap");
  for (std::vector<double>& row : trace.rows) {
    double squares = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double gap = row[com + k] - first[com + k] - first[P + k] / mass * row[0];
      squares += gap * gap;
    }
    row.push_back(std::sqrt(squares));
  }
}

double largest(const Trace& trace, const std::vector<std::string>& columns) {
  return drift_of(trace, "", "", columns).largest;
}

std::vector<Claim> claims_of(const Trace& s, const std::vector<std::string>& joints) {
  return {energy_claim(s, 1e-7),
          {"linear momentum stays constant", "kg m/s", largest(s, {"Px", "Py", "Pz"}), 0.0, 1e-8},
          {"angular momentum about the mass centre stays constant", "kg m^2/s",
           largest(s, {"Lx", "Ly", "Lz"}), 0.0, 1e-8},
          {"mass centre moves uniformly, off by", "m", largest(s, {"path_gap"}), 0.0, 1e-8},
          // 0.04, 0.04, -0.06 kg m/s of 6 kg
          values_claim(s, "momentum that the printed digits leave, off by", "kg m/s",
                       {"Px", "Py", "Pz"}, 0.0, {0.04, 0.04, -0.06}, 1e-12),
          no_torque_claim(s, 1e-9),
          values_claim(
              s, "angles at 10 s, off by", "rad", prefixed("q:", joints), 10.0,
              {-2.022164355474, 2.028495338953, -3.034298158878, -0.1278688009134, 6.983510217814},
              1e-5)};
}

std::vector<Curve> parts(const std::string& prefix, const std::vector<std::string>& names,
                         double scale = 1.0) {
  std::vector<Curve> curves;
  for (const std::string& name : names)
    curves.push_back({prefix + name, name.substr(name.size() - 1), scale});
  curves[1].dashed = true;  // the mass centre's x and y go alike
  return curves;
}

std::vector<Figure> figures_of(const ExperimentInfo& i, const std::string& base,
                               const std::vector<std::string>& joints, double mass) {
  return {
      {i.name + "-joints",
       i.title + ": joints (" + i.paper + ", Fig. 4.10)",
       {{"(a) joint angle", "angle (deg)", curves_of(joints, "q:", kDegPerRad)},
        {"(b) joint velocity", "velocity (rad/s)", curves_of(joints, "v:")},
        {"(c) joint acceleration", "acceleration (rad/s²)", curves_of(joints, "vdot:")},
        {"(d) force and torque that the motion needs", "N, N m", {{"tau", "largest"}}},
        energy_panel("e"),
        energy_error_panel("f")}},
      {i.name + "-base",
       i.title + ": base and mass centre (" + i.paper + ", Fig. 4.11)",
       {{"(a) base position", "position (m)", parts("q:" + base, {"px", "py", "pz"})},
        {"(b) base velocity, base axes", "velocity (m/s)", parts("v:" + base, {"vx", "vy", "vz"})},
        {"(c) base acceleration, base axes", "acceleration (m/s²)",
         parts("vdot:" + base, {"vx", "vy", "vz"})},
        {"(d) mass centre", "position (m)", parts("com", {"x", "y", "z"})},
        {"(e) velocity of the mass centre", "velocity (m/s)",
         parts("P", {"x", "y", "z"}, 1.0 / mass)},
        {"(f) mass centre off its straight line", "m", {{"path_gap", "distance"}}, true}}}};
}

ExperimentResult run_floating_arm(const ExperimentInfo& info, const ExperimentSettings& settings,
                                  const DataFolders& data) {
  const models::Model model = experiment_model(info.name, data, info.robots.front(), 12, 11, 0);
  models::State start = models::neutral_state(model);
  for (int i = 0; i < 6; ++i) start.v[i] = kBase[i];
  for (int i = 0; i < 5; ++i) {
    start.q[7 + i] = kAngleDeg[i] / kDegPerRad;
    start.v[6 + i] = kRate[i];
  }
  std::vector<std::string> joints = velocity_names(model);
  joints.erase(joints.begin(), joints.begin() + 6);
  const double mass = model.total_mass();

  ExperimentResult result;
  run_tree(model, start, settings, result);
  add_path(mass, result.trace);
  result.drifts = mechanics_drifts(result.trace, true);
  result.drifts.push_back(
      drift_of(result.trace, "mass centre off its straight line", "m", {"path_gap"}));
  result.claims = claims_of(result.trace, joints);
  result.figures = figures_of(info, model.body(0).joint_name + ".", joints, mass);
  return result;
}

}  // namespace

void add_floating_arm(Experiments& experiments) {
  add_experiment(
      experiments,
      ExperimentInfo{"floating-6-link",
                     "Floating arm of six links",
                     "Takahashi 2012",
                     "Figs. 4.10, 4.11",
                     "A free arm folds and turns; its momenta and energy stay constant.",
                     {"floating_6link"},
                     {1e-3, 10.0, "rkf45", "ada"},  // rk4 lets the momenta go by 1e-7 at 1 ms
                     {"semi-implicit-euler", "rk4", "rkg", "rkf45"},
                     {"crba", "aba", "dca", "ada", "hybrid"}},
      run_floating_arm);
}

}  // namespace kagami::tools
