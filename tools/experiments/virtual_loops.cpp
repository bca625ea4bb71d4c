// An open arm controlled as a closed mechanism: Takahashi 2012, ch. 7, and what it could not do.
// Signs and gravity: plus before the velocity error in (7.9) and (7.15), no gravity in the virtual
// mechanism (docs/math/virtual_closed_loop.md). The printed angles of the slider-crank are rounded;
// it starts where it closes exactly.
// Tolerances. Fourth order at 1 ms is within 1e-11 of the exact motion, 1e-8 where the four-bar's
// branches cross; bounds are about a hundred times that. Next to a crossing a robot that is off its
// branch by 1e-13 m has accelerations off by that over the square of the distance, 1e-4 at least.
// "Converge to zero" is read off a figure: within 1 % of the start, the width of its line.
#include <algorithm>
#include <cmath>
#include <utility>

#include "models/spatial/vectors.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/experiments/tree_run.hpp"
#include "tools/experiments/virtual_arm.hpp"

namespace kagami::tools {
namespace {

using models::kNaN;
constexpr double kHalfTurn = 180.0 / kDegPerRad;

using ClaimsOf = std::vector<Claim> (*)(const Trace&, bool);

struct VirtualCase {
  ExperimentInfo info;
  ArmMechanism mechanism = ArmMechanism::kOpen;
  double theta1_deg = 0.0;  ///< at the start
  ArmLaw law;
  double theta1_tolerance = 0.0;  ///< rad, from the exact motion
  double vdot1_tolerance = 0.0;   ///< rad/s^2
  ClaimsOf own = nullptr;         ///< the case's; true: the run has its whole length
  std::string first, second;      ///< figures' numbers
};

class VirtualArmExperiment final : public Experiment {
 public:
  explicit VirtualArmExperiment(VirtualCase c) : case_(std::move(c)) {}
  [[nodiscard]] const ExperimentInfo& info() const override { return case_.info; }
  [[nodiscard]] ExperimentResult run(const ExperimentSettings& settings,
                                     const DataFolders& data) const override;

 private:
  [[nodiscard]] std::vector<Figure> figures() const;

  VirtualCase case_;
};

double largest(const Trace& trace, const std::string& column, double from = 0.0) {
  double most = 0.0;
  for (const double x : trace.column(column)) most = std::max(most, std::abs(x - from));
  return most;
}

double last(const Trace& trace, const std::string& column) {
  return trace.column(column).back();
}

// over all rows: |sum of columns - expected|
double largest_sum(const Trace& trace, const std::string& a, const std::string& b, double b_sign,
                   double expected) {
  double most = 0.0;
  const std::size_t i = trace.index(a);
  const std::size_t j = trace.index(b);
  for (const std::vector<double>& row : trace.rows)
    most = std::max(most, std::abs(row[i] + b_sign * row[j] - expected));
  return most;
}

// when a column goes through a value for the n-th time, s; NaN: never
double pass_of(const Trace& trace, const std::string& column, double value, int n) {
  const std::size_t at = trace.index(column);
  for (std::size_t i = 1; i < trace.rows.size(); ++i) {
    const double a = trace.rows[i - 1][at] - value;
    const double b = trace.rows[i][at] - value;
    if ((a < 0.0) == (b < 0.0) || --n > 0) continue;
    const double t = trace.rows[i - 1][0];
    return t + (trace.rows[i][0] - t) * a / (a - b);
  }
  return kNaN;
}

// largest change from one row to the next
double largest_change(const Trace& trace, const std::string& column) {
  const std::vector<double> x = trace.column(column);
  double most = 0.0;
  for (std::size_t i = 1; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - x[i - 1]));
  return most;
}

Claim converged(const Trace& trace, bool whole) {
  const std::vector<double> error = trace.column("error");
  return {"error of what is fed back at the end, over the start's", "",
          whole ? error.back() / error.front() : kNaN, 0.0, 0.01};
}

Claim came_to_rest(const Trace& trace, bool whole) {
  const double most = largest(trace, "error_rate");
  return {"its rate at the end, over the largest", "",
          whole ? last(trace, "error_rate") / most : kNaN, 0.0, 0.01};
}

// 7.4: no control input
std::vector<Claim> free_claims(const Trace& trace, bool whole) {
  return {{"total energy stays constant", "J",
           largest(trace, "E", trace.rows.front()[trace.index("E")]), 0.0, 1e-6},
          {"total energy", "J", trace.rows.front()[trace.index("E")], 7.3575, 1e-9},
          {"no joint torque acts", "N m", largest(trace, "tau:joint1"), 0.0, 1e-15},
          // O11, another program at 40 times smaller tolerances; the fall makes 1e5 of an error
          values_claim(trace, "angles at 2 s, off by", "rad",
                       {"q:joint1", "q:joint2", "q:joint3", "q:joint4"}, 2.0,
                       {1.9787751244998, 2.0926515714457, 0.65968332022598, 7.4832907841127}, 1e-4),
          // read: by a link's length and more, so that "does not move" could not be meant
          {"the end moves along x: goes from 1 m to, at 2 s", "m",
           whole ? last(trace, "endx") : kNaN, -1.055794627534, 1e-4}};
}

// 7.8, 7.18
std::vector<Claim> parallel_claims(const Trace& trace) {
  double end_speed = std::max(largest(trace, "endvx"), largest(trace, "endvz"));
  return {
      {"theta1 and theta3 change alike", "rad",
       largest_sum(trace, "q:joint3", "q:joint1", -1.0, 0.5 * kHalfTurn), 0.0, 1e-9},
      {"theta2 changes as much the other way", "rad",
       largest_sum(trace, "q:joint1", "q:joint2", 1.0, 0.5 * kHalfTurn), 0.0, 1e-9},
      {"theta4, too", "rad", largest_sum(trace, "q:joint1", "q:joint4", 1.0, 0.0), 0.0, 1e-9},
      {"the end stays where it was: off by", "m",
       std::max(largest(trace, "endx", 1.0), largest(trace, "endz", -0.5)), 0.0, 1e-9},
      {"the end's speed", "m/s", end_speed, 0.0, 1e-9},
      // link 4 hangs still: nothing turns it, gravity least of all
      {"joints 1 to 3 do it: torque of joint 4", "N m", largest(trace, "tau:joint4"), 0.0, 1e-8}};
}

// 7.8, 7.9: the start's torques by O11
std::vector<Claim> four_bar_claims(const Trace& trace, bool whole) {
  std::vector<Claim> claims = parallel_claims(trace);
  claims.push_back(values_claim(trace, "torques at the start, off by", "N m",
                                {"tau:joint1", "tau:joint2", "tau:joint3", "tau:joint4"}, 0.0,
                                {-49.473105224585, -13.978536454065, 13.2671625922863, 0.0}, 1e-9));
  claims.push_back(converged(trace, whole));
  claims.push_back(came_to_rest(trace, whole));
  return claims;
}

// 7.18, 7.19: O11's instant. In the thesis the accelerations jump at 90 degrees; exact mechanics
// has no jump there, and a row's change is at most 1 ms of the steepest theta1''' = -3
// theta1'', 1.571 rad/s^3 at the start
std::vector<Claim> crossing_claims(const Trace& trace, bool whole) {
  std::vector<Claim> claims = parallel_claims(trace);
  claims.push_back({"theta1 goes through 90 deg at", "s",
                    pass_of(trace, "q:joint1", 0.5 * kHalfTurn, 1), 0.900004701586335, 1e-5});
  claims.push_back({"acceleration jumps in 1 ms (the thesis: it does; exactly: no) by", "rad/s^2",
                    largest_change(trace, "vdot:joint1"), 0.0, 1.6e-3});
  claims.push_back({"torque of joint 1 jumps in 1 ms by", "N m",
                    largest_change(trace, "tau:joint1"), 0.0, 0.01});
  claims.push_back(converged(trace, whole));
  claims.push_back(came_to_rest(trace, whole));
  return claims;
}

// 7.13, 7.21
std::vector<Claim> slider_claims(const Trace& trace) {
  return {{"theta3 does not move", "rad", largest(trace, "q:joint3"), 0.0, 1e-9},
          {"the end does not leave its height", "m", largest(trace, "endz", -0.5), 0.0, 1e-9},
          {"the end's speed along z", "m/s", largest(trace, "endvz"), 0.0, 1e-9}};
}

// 7.13, 7.14; "mainly joints 1 to 3": ten times what joint 4 needs
std::vector<Claim> slider_crank_claims(const Trace& trace, bool whole) {
  std::vector<Claim> claims = slider_claims(trace);
  const double least = std::min(
      {largest(trace, "tau:joint1"), largest(trace, "tau:joint2"), largest(trace, "tau:joint3")});
  claims.push_back({"joints 1 to 3 do it: torque of joint 4 over the least of theirs", "",
                    largest(trace, "tau:joint4") / least, 0.0, 0.1});
  claims.push_back(converged(trace, whole));
  claims.push_back(came_to_rest(trace, whole));
  return claims;
}

// 7.21, 7.22: at the dead point gravity alone requires 73.575 N m of joint 1; 1 % for what motion
// adds
std::vector<Claim> dead_point_claims(const Trace& trace, bool whole) {
  std::vector<Claim> claims = slider_claims(trace);
  claims.push_back({"the crank goes through its dead point at", "s",
                    pass_of(trace, "q:joint1", 0.5 * kHalfTurn, 1), 4.3849041169064344, 1e-5});
  claims.push_back({"it turns back and goes through again at", "s",
                    pass_of(trace, "q:joint1", 0.5 * kHalfTurn, 2), 13.808499786563496, 1e-5});
  claims.push_back({"no torque peak: largest over the static one", "",
                    whole ? largest(trace, "tau:joint1") / 73.575 : kNaN, 1.0, 0.01});
  // O11; "draws near", but is not there: what the thesis could not do
  claims.push_back({"distance of the end from 3 m, at the end", "m",
                    whole ? last(trace, "error") : kNaN, 0.006169145959637579, 1e-6});
  return claims;
}

// ours: 90 + 5 exp(-1.5 t) (...) deg; 8 s leave 5e-5 deg
std::vector<Claim> stop_at_crossing_claims(const Trace& trace, bool whole) {
  std::vector<Claim> claims = parallel_claims(trace);
  claims.pop_back();  // joint 4 helps
  claims.push_back({"theta1 off 90 deg at the end", "rad",
                    whole ? last(trace, "q:joint1") - 0.5 * kHalfTurn : kNaN, 0.0, 1e-5});
  claims.push_back(
      {"speed of joint 1 at the end", "rad/s", whole ? last(trace, "v:joint1") : kNaN, 0.0, 1e-5});
  // u / (2 cos(theta1)) would pass 100 N within 0.01 rad of the pose
  claims.push_back(
      {"forces of the virtual loop stay: largest", "N", largest(trace, "force"), 0.0, 5.0});
  return claims;
}

// ours, O11's law 6 (90 deg - theta1) - 9 theta1': O11 ends 1.357e-4 rad short at 10 s
std::vector<Claim> stop_at_dead_point_claims(const Trace& trace, bool whole) {
  std::vector<Claim> claims = slider_claims(trace);
  claims.push_back({"theta1 short of 90 deg at 10 s", "rad", whole ? last(trace, "error") : kNaN,
                    0.00013566100652240287, 1e-8});
  claims.push_back(
      {"speed of joint 1 at the end", "rad/s", whole ? last(trace, "v:joint1") : kNaN, 0.0, 1e-3});
  claims.push_back({"passes of the dead point", "",
                    std::isnan(pass_of(trace, "q:joint1", 0.5 * kHalfTurn, 1)) ? 0.0 : 1.0, 0.0,
                    0.0});
  return claims;
}

ExperimentResult VirtualArmExperiment::run(const ExperimentSettings& settings,
                                           const DataFolders& data) const {
  const models::Model arm =
      experiment_model(case_.info.name, data, case_.info.robots.front(), 4, 4, 0);
  const models::State start = arm_start(arm, case_.mechanism, case_.theta1_deg);
  ExperimentResult result;
  result.trace = run_arm(arm, case_.mechanism, case_.law, start, settings);
  const bool whole = settings.duration >= case_.info.defaults.duration - 1e-9;
  if (case_.mechanism == ArmMechanism::kOpen) {
    result.drifts = {drift_of(result.trace, "energy", "J", {"E"})};
  } else {
    add_exact_arm(case_.mechanism, case_.law, result.trace);
    const bool still = case_.mechanism == ArmMechanism::kFourBar;
    result.drifts = {drift_of(
        result.trace, still ? "place of the end" : "height of the end", "m",
        still ? std::vector<std::string>{"endx", "endz"} : std::vector<std::string>{"endz"})};
    result.claims = {{"theta1 off the exact motion", "rad", largest(result.trace, "theta1_gap"),
                      0.0, case_.theta1_tolerance},
                     {"theta1'' off the exact one", "rad/s^2", largest(result.trace, "vdot1_gap"),
                      0.0, case_.vdot1_tolerance}};
  }
  for (const Claim& claim : case_.own(result.trace, whole)) result.claims.push_back(claim);
  result.figures = figures();
  return result;
}

std::vector<Figure> VirtualArmExperiment::figures() const {
  const ExperimentInfo& i = case_.info;
  const std::vector<std::string> joints = {"joint1", "joint2", "joint3", "joint4"};
  // joints 1 and 3, 2 and 4 of a four-bar move alike
  const auto pairs = [&joints](const std::string& prefix) {
    std::vector<Curve> curves = curves_of(joints, prefix);
    curves[2].dashed = curves[3].dashed = true;
    return curves;
  };
  std::vector<Figure> all = {
      {i.name,
       i.title + " (" + i.paper + ", " + case_.first + ")",
       {{"(a) joint angle", "angle (deg)", curves_of(joints, "q:", kDegPerRad)},
        {"(b) joint velocity", "velocity (rad/s)", pairs("v:")},
        {"(c) joint acceleration", "acceleration (rad/s²)", pairs("vdot:")},
        {"(d) joint torque", "torque (N m)", curves_of(joints, "tau:")},
        {"(e) place of the end", "place (m)", {{"endx", "x"}, {"endz", "z"}}},
        {"(f) velocity of the end", "velocity (m/s)", {{"endvx", "x"}, {"endvz", "z"}}}}}};
  if (case_.second.empty()) return all;
  const bool by_end = case_.law.end_kp > 0.0;
  all.push_back({i.name + "-feedback",
                 i.title + " (" + i.paper + ", " + case_.second + ")",
                 {{"(a) virtual external " + std::string(by_end ? "force" : "torque"),
                   by_end ? "force (N)" : "torque (N m)",
                   {{"u", by_end ? "f4x" : "tau1"}}},
                  {by_end ? "(b) error of the end's place" : "(b) error of theta1",
                   by_end ? "error (m)" : "error (deg)",
                   {{"error", by_end ? "x" : "theta1", by_end ? 1.0 : kDegPerRad}}},
                  {by_end ? "(c) error of the end's velocity" : "(c) error of theta1's rate",
                   by_end ? "error (m/s)" : "error (rad/s)",
                   {{"error_rate", by_end ? "x" : "theta1"}}},
                  {"(d) smallest singular value of the loops",
                   "value (1/√kg)",
                   {{"smallest_singular_value", "smallest"}}}}});
  return all;
}

ExperimentInfo info_of(const std::string& name, const std::string& title,
                       const std::string& figures, const std::string& shows, double duration) {
  return {name,
          title,
          "Takahashi 2012",
          figures,
          shows,
          {"planar_arm_4r"},
          {1e-3, duration, "rk4", "aba"},
          {"semi-implicit-euler", "rk4", "rkg"},
          {"aba"}};
}

ArmLaw on_joint_1(double kp, double kd, double target_deg) {
  ArmLaw law;
  law.kp[0] = kp;
  law.kd[0] = kd;
  law.target_deg[0] = target_deg;
  return law;
}

ArmLaw on_end(double target) {  // (7.18), (7.19)
  ArmLaw law;
  law.end_kp = law.end_kd = 10.0;
  law.end_target = target;
  return law;
}

// joints 1 and 4 share the torque, each by its own angle
ArmLaw shared() {
  ArmLaw law = on_joint_1(2.5, 2.5, 90.0);
  law.kp[3] = law.kd[3] = 2.5;
  law.target_deg[3] = -90.0;
  return law;
}

std::vector<VirtualCase> cases() {
  using M = ArmMechanism;
  ExperimentInfo free = info_of("arm-free", "Open arm without control", "Fig. 7.4",
                                "The arm of chapter 7 falls; its end is free.", 2.0);
  free.integrators.emplace_back("rkf45");
  free.defaults.integrator = "rkf45";  // a whip: rk4 at 1 ms lets 7e-5 J go
  return {
      {free, M::kOpen, 60.0, {}, 0.0, 0.0, free_claims, "Fig. 7.4", ""},
      {info_of("virtual-four-bar", "Arm controlled as a parallel four-bar", "Figs. 7.8, 7.9",
               "The open arm moves as a four-bar; its end stays where it is.", 5.0),
       M::kFourBar, 60.0, on_joint_1(5.0, 5.0, 0.0), 1e-9, 1e-8, four_bar_claims, "Fig. 7.8",
       "Fig. 7.9"},
      {info_of("virtual-slider-crank", "Arm controlled as a slider-crank", "Figs. 7.13, 7.14",
               "The open arm moves as a slider-crank; its end keeps its height.", 5.0),
       M::kSliderCrank, 30.0, on_end(1.49), 1e-9, 1e-8, slider_crank_claims, "Fig. 7.13",
       "Fig. 7.14"},
      {info_of("virtual-four-bar-singular", "Virtual four-bar through its singular pose",
               "Figs. 7.18, 7.19", "It passes 90 deg, where branches cross, without a jump.", 5.0),
       M::kFourBar, 85.0, on_joint_1(5.0, 5.0, 95.0), 1e-7, 1e-5, crossing_claims, "Fig. 7.18",
       "Fig. 7.19"},
      {info_of("virtual-slider-crank-singular", "Virtual slider-crank at its dead point",
               "Figs. 7.21, 7.22", "It passes its dead point, comes back, does not stop.", 20.0),
       M::kSliderCrank, 80.0, on_end(3.0), 1e-9, 1e-8, dead_point_claims, "Fig. 7.21", "Fig. 7.22"},
      {info_of("virtual-four-bar-stop", "Virtual four-bar stops at its singular pose",
               "after Fig. 7.18", "Torque shared by joints 1 and 4 stops at 90 deg.", 8.0),
       M::kFourBar, 85.0, shared(), 1e-6, 1e-4, stop_at_crossing_claims, "after Fig. 7.18",
       "after Fig. 7.19"},
      {info_of("virtual-slider-crank-stop", "Virtual slider-crank stops at its dead point",
               "after Fig. 7.21", "The crank's angle fed back in place of the end's place.", 10.0),
       M::kSliderCrank, 80.0, on_joint_1(6.0, 9.0, 90.0), 1e-9, 1e-8, stop_at_dead_point_claims,
       "after Fig. 7.21", "after Fig. 7.22"}};
}

}  // namespace

void add_virtual_loops(Experiments& experiments) {
  for (VirtualCase& c : cases())
    experiments.push_back(std::make_unique<VirtualArmExperiment>(std::move(c)));
}

}  // namespace kagami::tools
