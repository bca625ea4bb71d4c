// The HOAP-1 walks [Sugihara 2002, Fig. 4]. The paper gives no trajectory: eight steps from our
// planner; the servos follow its angles and torques without looking at the ground.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/spatial/vectors.hpp"
#include "motions/planner/walk.hpp"
#include "tools/experiments/hoap_run.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/registry.hpp"

namespace kagami::tools {
namespace {

using motions::Instant;
using motions::make_plan;
using motions::Plan;
using motions::standing_feet;
using motions::straight_walk;
using motions::support_area;
using motions::Walk;
using motions::WalkingRobot;
using motions::WalkSettings;

constexpr int kSteps = 8;
constexpr double kStepLength = 0.04;  // m
constexpr double kWay = kStepLength * (kSteps - 1);
constexpr double kDuration = 10.0;  // s
using models::kNaN;

// farthest that the centre of pressure lay outside the soles that should stand; m
double outside(const WalkingRobot& robot, const Plan& plan, const std::vector<HoapRow>& rows) {
  double most = 0.0;
  for (const HoapRow& r : rows) {
    if (!(r.normal > 0.0)) continue;
    const Instant& now = plan.instants[plan.index(r.t)];
    const std::array<Vec3, 2> feet = {now.targets.foot[0].p, now.targets.foot[1].p};
    most = std::max(
        most, -support_area(robot.sole, now.support, feet).margin(Vec3(r.cop.x(), r.cop.y(), 0.0)));
  }
  return most;
}

double way(const std::vector<HoapRow>& rows) {
  return rows.back().base.x() - rows.front().base.x();
}

double com_error(const Plan& plan, const std::vector<HoapRow>& rows) {
  double most = 0.0;
  for (const HoapRow& r : rows)
    most = std::max(most, (r.com - plan.instants[plan.index(r.t)].targets.com.p).norm());
  return most;
}

// root mean square distance of the centre of pressure from the planned zero-moment point
double zmp_error(const Plan& plan, const std::vector<HoapRow>& rows) {
  double sum = 0.0;
  int count = 0;
  for (const HoapRow& r : rows) {
    if (!(r.normal > 0.0)) continue;
    sum += (r.cop - plan.zmp[plan.index(r.t)]).squaredNorm();
    ++count;
  }
  return std::sqrt(sum / std::max(count, 1));
}

std::vector<Claim> claims_of(const WalkingRobot& robot, const Plan& plan,
                             const std::vector<HoapRow>& rows, double h, bool full) {
  const auto later = [full](double x) { return full ? x : kNaN; };
  const HoapRow& end = rows.back();
  const HoapMost most = most_of(rows);
  return {{"tilt of the trunk at the end", "deg", later(end.tilt * kDegPerRad), 0.0, 3.0},
          {"way of the trunk", "m", later(way(rows)), kWay, 0.01 * kWay},
          {"planned zero-moment point to the edge of its soles, at least", "m",
           plan.metrics.zmp_margin, robot.sole.y_max, 0.2 * robot.sole.y_max},
          {"centre of pressure outside the soles that should stand", "mm",
           1e3 * outside(robot, plan, rows), 0.0, 1.0},
          {"centre of pressure off the planned point, root mean square", "mm",
           1e3 * zmp_error(plan, rows), 0.0, 1.0},
          {"mass centre off its plan", "mm", 1e3 * com_error(plan, rows), 0.0, 1.0},
          {"normal force over the weight, mean of the last 0.5 s", "",
           later(mean_load(rows, 0.5, h, weight_of(robot))), 1.0, 1e-3},
          {"largest torque of a servo", "N m", most.torque, 0.0, 9.0},
          {"largest speed of a joint", "rad/s", most.speed, 0.0, 5.0},
          {"energy that contacts fed in, against the weight times the deepest", "J",
           end.contact_gain, 0.0, gain_allowed(rows, weight_of(robot))},
          {"deepest", "mm", 1e3 * most.deepest, 0.0, 0.1}};
}

// the same without the plan's torques: servos that sag, soles that land early
void add_sagging(const WalkingRobot& robot, const Plan& plan, const ExperimentSettings& settings,
                 ExperimentResult& result) {
  const std::vector<HoapRow> rows = follow_plan(robot, plan, settings, false);
  result.claims.push_back({"nothing fed forward: tilt of the trunk at the end", "deg",
                           rows.back().tilt * kDegPerRad, 0.0, 3.0});
  result.claims.push_back(
      {"nothing fed forward: way of the trunk", "m", way(rows), kWay, 0.05 * kWay});
  result.notices.push_back(fmt::format(
      "nothing fed forward: mass centre up to {:.2g} mm off its plan, centre of pressure "
      "{:.2g} mm (root mean square)",
      1e3 * com_error(plan, rows), 1e3 * zmp_error(plan, rows)));
}

std::vector<Figure> figures_of(const ExperimentInfo& i) {
  return {{i.name,
           i.title + " (" + i.paper + ", " + i.figures + ")",
           {{"(a) ahead",
             "x (m)",
             {{"comx", "centre"},
              {"planned:comx", "its plan", 1.0, true},
              {"copx", "pressure"},
              {"planned:zmpx", "ZMP, plan", 1.0, true}}},
            {"(b) to the left",
             "y (mm)",
             {{"comy", "centre", 1e3},
              {"planned:comy", "its plan", 1e3, true},
              {"copy", "pressure", 1e3},
              {"planned:zmpy", "ZMP, plan", 1e3, true}}},
            {"(c) normal force", "force (N)", {{"left", "left foot"}, {"right", "right foot"}}},
            {"(d) contact points that press", "number", {{"contacts", "points"}}},
            {"(e) servos", "torque (N m)", {{"torque", "largest"}}},
            {"(f) energy", "energy (J)", {{"E", "stored"}, {"E_less", "less work", 1.0, true}}}}}};
}

ExperimentResult run_hoap_walk(const ExperimentInfo& info, const ExperimentSettings& settings,
                               const DataFolders& data) {
  const WalkingRobot robot = hoap1(data);
  const Walk walk(robot, straight_walk(standing_feet(robot), kSteps, kStepLength), WalkSettings{});
  const Plan plan = make_plan(robot, walk, settings.dt);
  const std::vector<HoapRow> rows = follow_plan(robot, plan, settings, true);
  const bool full = settings.duration >= walk.duration() - 1e-9;
  ExperimentResult result;
  result.trace = hoap_trace(rows, &plan);
  result.drifts = {hoap_energy(rows)};
  result.claims = claims_of(robot, plan, rows, settings.dt, full);
  result.figures = figures_of(info);
  result.notices = {plan_sentence(plan)};
  if (full) add_sagging(robot, plan, settings, result);
  return result;
}

}  // namespace

void add_hoap_walk(Experiments& experiments) {
  add_experiment(
      experiments,
      hoap_info("hoap1-walk", "HOAP-1 walks", "Fig. 4",
                "Eight steps by preview control of the zero-moment point, on many contact "
                "points.",
                kDuration),
      run_hoap_walk);
}

}  // namespace kagami::tools
