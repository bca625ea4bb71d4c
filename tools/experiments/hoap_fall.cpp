// The HOAP-1 falls [Sugihara 2002, Fig. 5]: it stands with bent knees, is pushed forward at the
// trunk, and its servos go on holding the posture until it lies. Push and posture are ours.
#include <algorithm>
#include <cmath>

#include "models/spatial/vectors.hpp"
#include "motions/planner/jump.hpp"
#include "tools/experiments/hoap_run.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/registry.hpp"

namespace kagami::tools {
namespace {

using motions::Jump;
using motions::JumpSettings;
using motions::LegIk;
using motions::PlanSample;
using motions::standing_guess;
using motions::WalkingRobot;

constexpr double kDuration = 3.0;  // s
constexpr double kPushFrom = 0.2;  // s
constexpr double kPushTo = 0.4;    // s
const Vec3 kPush(25.0, 0.0, 0.0);  // N
constexpr double kRest = 0.5;      // s at the end in which it lies
using models::kNaN;

std::vector<Claim> claims_of(const std::vector<HoapRow>& rows, double h, double weight, bool full) {
  const auto later = [full](double x) { return full ? x : kNaN; };
  const auto rest = static_cast<std::size_t>(std::lround(kRest / h));
  double speed = 0.0;
  for (std::size_t i = rows.size() - std::min(rest, rows.size()); i < rows.size(); ++i)
    speed = std::max(speed, rows[i].speed);
  const HoapMost most = most_of(rows);
  const HoapRow& end = rows.back();
  return {{"tilt of the trunk at the end", "deg", later(end.tilt * kDegPerRad), 90.0, 30.0},
          {"joint speed in the last 0.5 s", "rad/s", later(speed), 0.0, 1e-2},
          {"normal force over the weight, mean of the last 0.5 s", "",
           later(mean_load(rows, kRest, h, weight)), 1.0, 1e-3},
          {"energy that contacts fed in, against the weight times the deepest", "J",
           end.contact_gain, 0.0, gain_allowed(rows, weight)},
          {"energy less work of push and servos rises, against h/2 M g v of the fall", "J",
           hoap_energy(rows).largest, 0.0, rise_allowed(rows, weight, h)},
          {"largest torque of a servo", "N m", most.torque, 0.0, 9.0},
          {"deepest", "mm", 1e3 * most.deepest, 0.0, 1.0},
          {"at rest: deepest", "mm", later(1e3 * end.deepest), 0.0, 0.1}};
}

std::vector<Figure> figures_of(const ExperimentInfo& i) {
  return {{i.name,
           i.title + " (" + i.paper + ", " + i.figures + ")",
           {{"(a) trunk", "tilt (deg)", {{"tilt", "tilt", kDegPerRad}}},
            {"(b) mass centre", "m", {{"comx", "ahead"}, {"comz", "up"}}},
            {"(c) normal force", "force (N)", {{"force", "all"}}},
            {"(d) contact points that press", "number", {{"contacts", "points"}}},
            {"(e) servos", "torque (N m)", {{"torque", "largest"}}},
            {"(f) energy", "energy (J)", {{"E", "stored"}, {"E_less", "less work", 1.0, true}}}}}};
}

ExperimentResult run_hoap_fall(const ExperimentInfo& info, const ExperimentSettings& settings,
                               const DataFolders& data) {
  const WalkingRobot robot = hoap1(data);
  const Jump stand(robot, JumpSettings{});  // its start: standing on bent knees
  models::State state = standing_guess(robot, 0.6);
  const PlanSample posture = LegIk(robot.model, robot.feet).solve(stand.at(0.0).targets, state);
  HoapRun run(robot, posture.q, settings.contact, settings.dt);
  std::vector<HoapRow> rows = {run.row()};
  const long steps = std::lround(settings.duration / settings.dt);
  for (long k = 1; k <= steps; ++k) {
    const double t = (static_cast<double>(k) - 0.5) * settings.dt;
    run.step(posture, nullptr, t > kPushFrom && t < kPushTo ? kPush : Vec3(Vec3::Zero()));
    rows.push_back(run.row());
  }
  ExperimentResult result;
  result.trace = hoap_trace(rows, nullptr);
  result.drifts = {hoap_energy(rows)};
  result.claims =
      claims_of(rows, settings.dt, weight_of(robot), settings.duration >= kDuration - 1e-9);
  result.figures = figures_of(info);
  return result;
}

}  // namespace

void add_hoap_fall(Experiments& experiments) {
  add_experiment(
      experiments,
      hoap_info("hoap1-fall", "HOAP-1 falls", "Fig. 5",
                "Pushed forward it tips over and comes to rest on whatever touches.", kDuration),
      run_hoap_fall);
}

}  // namespace kagami::tools
