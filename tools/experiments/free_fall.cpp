// Open chains with a held base that fall from rest under gravity, no friction, no joint torque.
// [T12] = Takahashi 2012, secs. 3.1, 4.4.1, 5.3: l = 1 m, m = 1 kg, 1 ms. Figures that must come
// out are those of independent calculations at 40 digits or of two tolerances that agree.
#include <utility>

#include "tools/experiments/measures.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/experiments/tree_run.hpp"

namespace kagami::tools {
namespace {

struct FreeFallCase {
  ExperimentInfo info;
  std::vector<double> start_deg;     ///< joint angles
  double energy = 0.0;               ///< J
  std::vector<double> acceleration;  ///< at the start, rad/s^2
  double energy_tolerance = 0.0;     ///< J, fourth order at 1 ms
  double angles_at = 0.0;            ///< s
  std::vector<double> angles;        ///< rad, then
  double angle_tolerance = 0.0;      ///< rad: what the motion makes of an error of 1e-10
};

class FreeFall final : public Experiment {
 public:
  explicit FreeFall(FreeFallCase c) : case_(std::move(c)) {}
  [[nodiscard]] const ExperimentInfo& info() const override { return case_.info; }
  [[nodiscard]] ExperimentResult run(const ExperimentSettings& settings,
                                     const DataFolders& data) const override;

 private:
  [[nodiscard]] std::vector<Claim> claims_of(const Trace& trace,
                                             const std::vector<std::string>& joints) const;
  [[nodiscard]] Figure figure_of(const std::vector<std::string>& joints) const;

  FreeFallCase case_;
};

ExperimentResult FreeFall::run(const ExperimentSettings& settings, const DataFolders& data) const {
  const int n = static_cast<int>(case_.start_deg.size());
  const models::Model model =
      experiment_model(case_.info.name, data, case_.info.robots.front(), n, n, 0);
  models::State start = models::neutral_state(model);
  for (int i = 0; i < n; ++i)
    start.q[i] = case_.start_deg[static_cast<std::size_t>(i)] / kDegPerRad;
  const std::vector<std::string> joints = velocity_names(model);

  ExperimentResult result;
  run_tree(model, start, settings, result);
  result.drifts = mechanics_drifts(result.trace, false);
  result.claims = claims_of(result.trace, joints);
  result.figures = {figure_of(joints)};
  return result;
}

std::vector<Claim> FreeFall::claims_of(const Trace& trace,
                                       const std::vector<std::string>& joints) const {
  std::vector<Claim> claims = {energy_claim(trace, case_.energy_tolerance),
                               no_torque_claim(trace, 1e-9)};
  claims.push_back({"total energy", "J", trace.rows.front()[trace.index("E")], case_.energy, 1e-9});
  claims.push_back(values_claim(trace, "accelerations at the start, off by", "rad/s^2",
                                prefixed("vdot:", joints), 0.0, case_.acceleration, 1e-9));
  claims.push_back(
      values_claim(trace, "angles at " + std::to_string(int(case_.angles_at)) + " s, off by", "rad",
                   prefixed("q:", joints), case_.angles_at, case_.angles, case_.angle_tolerance));
  return claims;
}

Figure FreeFall::figure_of(const std::vector<std::string>& joints) const {
  const ExperimentInfo& i = case_.info;
  return {i.name,
          i.title + " (" + i.paper + ", " + i.figures + ")",
          {{"(a) joint angle", "angle (deg)", curves_of(joints, "q:", kDegPerRad)},
           {"(b) joint velocity", "velocity (rad/s)", curves_of(joints, "v:")},
           {"(c) joint acceleration", "acceleration (rad/s²)", curves_of(joints, "vdot:")},
           {"(d) joint torque that the motion needs", "N m", {{"tau", "largest"}}, true},
           energy_panel("e"),
           energy_error_panel("f")}};
}

ExperimentInfo info_of(const std::string& name, const std::string& title,
                       const std::string& figures, const std::string& shows,
                       const std::string& robot, double duration) {
  return {name,
          title,
          "Takahashi 2012",
          figures,
          shows,
          {robot},
          {1e-3, duration, "rk4", "ada"},
          {"semi-implicit-euler", "rk4", "rkg", "rkf45"},
          {"crba", "aba", "dca", "ada", "hybrid"}};
}

FreeFallCase planar_3r() {
  return {info_of("planar-3r", "Planar 3R free fall", "Fig. 3.3",
                  "A serial chain falls from rest; its energy stays constant.", "planar_3r", 3.0),
          {135.0, -45.0, 225.0},
          -13.87343504688006,
          {4.676438779847212, 4.251763467343799, -2.848831833389636},
          1e-6,
          3.0,
          {2.571335128241752, -0.910343653749781, 3.826305966230832},
          5e-6};
}

FreeFallCase branch_4() {
  return {info_of("branch-4", "Branching chain of four links", "Fig. 3.7",
                  "A tree falls from rest: links 1-2-3, link 4 at the tip of link 1 (the text's "
                  "reading).",
                  "planar_branch_4", 3.0),
          {0.0, 0.0, 90.0, 90.0},
          49.05,
          {0.0, 0.0, 14.715, 14.715},
          2e-5,
          3.0,
          {4.71328052219056, -3.69080145890077, -4.34274993601716, 23.1141835715208},
          1e-4};
}

FreeFallCase branch_5() {
  return {
      info_of("branch-5", "Branching chain of five links", "Fig. 3.7",
              "A tree falls from rest: links 1-2-3 and 1-4-5 (the caption's reading).",
              "planar_branch_5", 3.0),
      {0.0, 0.0, 90.0, 90.0, 0.0},
      58.86,
      {0.0, 0.0, 14.715, 12.6128571428571, -16.8171428571429},
      2e-5,
      3.0,
      {2.30310851057568, 13.6885890995952, 8.46378863577143, 9.43486732842075, -33.2105714164757},
      2e-3};
}

FreeFallCase planar_7r() {
  return {info_of("planar-7r", "Planar 7R free fall", "Fig. 4.7",
                  "Seven links fall from the horizontal; their energy stays constant.", "planar_7r",
                  3.0),
          {90.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
          0.0,
          {12.4385819119397, -15.7714914716382, 4.22596588655296, -1.13237207457358,
           0.303522411741372, -0.081717572391908, 0.0233478778262594},
          5e-6,
          3.0,
          {3.62504593996205, 0.395325762826216, 0.153594946916265, 0.929207338213665,
           0.320173195390145, -0.601256972881914, -0.49544320931205},
          1e-6};
}

FreeFallCase pa10() {
  return {info_of("pa10", "PA-10 free fall", "Fig. 5.5",
                  "A seven-joint arm falls for 10 s, chaotically; its energy stays constant.",
                  "pa10", 10.0),
          {0.0, 45.0, 10.0, 0.0, 0.0, 0.0, 0.0},
          137.147242897791,
          {0.73610797645915, 8.85593791912167, -0.520506941839772, -6.58084273496119, 0.0,
           -2.26076413530386, 0.0},
          1e-6,
          4.0,
          {2.66675647016193, 2.94922058847667, -3.42372130084761, 11.7620070897784,
           3.96470383626907, -10.7949114744148, 11.2881209046124},
          1e-5};
}

}  // namespace

void add_free_fall(Experiments& experiments) {
  for (FreeFallCase c : {planar_3r(), branch_4(), branch_5(), planar_7r(), pa10()})
    experiments.push_back(std::make_unique<FreeFall>(std::move(c)));
}

}  // namespace kagami::tools
