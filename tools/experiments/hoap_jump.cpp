// The HOAP-1 jumps [Sugihara 2002, Fig. 6]: crouch, stretch, flight, landing, from our planner. Its
// servos' 5 rad/s allow a take-off at about 0.25 m/s: 51 ms in the air.
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
using motions::make_plan;
using motions::Plan;
using motions::WalkingRobot;

constexpr double kDuration = 3.4;  // s
constexpr double kErrors = 3.0;    // of h B, see below
using models::kNaN;

// the longest run of rows without any force: [from, to), from 0: none
struct Flight {
  std::size_t from = 0;
  std::size_t to = 0;
};

Flight flight_of(const std::vector<HoapRow>& rows) {
  Flight longest;
  std::size_t from = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].normal > 0.0) {
      from = 0;
      continue;
    }
    if (from == 0) from = i;
    if (i + 1 - from > longest.to - longest.from) longest = {from, i + 1};
  }
  return longest;
}

// what only gravity should change between take-off and touch-down
struct Airborne {
  double v = 0.0;         // m/s, at take-off
  double time = 0.0;      // s
  double rise = 0.0;      // m
  double momentum = 0.0;  // N s, largest distance from that under gravity alone
  double spin = 0.0;      // N m s, largest change of the angular momentum
  double flight = 0.0;    // s, free flight at v between the mass centre's heights at both ends
  double momentum_error = 0.0, spin_error = 0.0;  // N s, N m s: what the step may cost
};

Airborne airborne(const std::vector<HoapRow>& rows, const Flight& flight, double h, double weight,
                  double g) {
  // the last row with a force holds the state at take-off
  const HoapRow& off = rows[flight.from - 1];
  Airborne a;
  a.v = off.P.z() * g / weight;
  a.time = static_cast<double>(flight.to - flight.from) * h;
  for (std::size_t i = flight.from; i < flight.to; ++i) {
    const HoapRow& r = rows[i];
    a.rise = std::max(a.rise, r.com.z() - off.com.z());
    const Vec3 gained = r.P - off.P + Vec3(0.0, 0.0, weight * (r.t - off.t));
    a.momentum = std::max(a.momentum, gained.norm());
    a.spin = std::max(a.spin, (r.L - off.L).norm());
    a.momentum_error = std::max(a.momentum_error, kErrors * h * r.bias_force);
    a.spin_error = std::max(a.spin_error, kErrors * h * r.bias_moment);
  }
  const double up = rows[flight.to - 1].com.z() - off.com.z();
  a.flight = (a.v + std::sqrt(std::max(0.0, a.v * a.v - 2.0 * g * up))) / g;
  return a;
}

// With A v the momentum and B = A' v its rate by velocities alone, a semi-implicit step uses B of
// its start and moves the pose with the velocities of its end: the sum over a flight is off by
// h (B_end - B_start) and by h/2 of the integral of B', three terms of h times the largest B at
// most.
std::vector<Claim> claims_of(const WalkingRobot& robot, const std::vector<HoapRow>& rows,
                             double wanted_v, double h, bool full) {
  const Flight flight = flight_of(rows);
  if (flight.from == 0)
    return {{"take-off speed", "m/s", full ? 0.0 : kNaN, wanted_v, 0.05 * wanted_v}};
  const auto later = [full](double x) { return full ? x : kNaN; };
  const double g = robot.model.gravity().norm();
  const double weight = weight_of(robot);
  const Airborne a = airborne(rows, flight, h, weight, g);
  const HoapMost most = most_of(rows);
  return {{"take-off speed", "m/s", a.v, wanted_v, 0.05 * wanted_v},
          {"time in the air, against free flight between the heights at its ends", "s",
           later(a.time), a.flight, 2.0 * (h + a.momentum_error / weight)},
          {"height won, against v^2 / 2 g - v h / 2", "mm", 1e3 * a.rise,
           1e3 * (0.5 * a.v * a.v / g - 0.5 * a.v * h),
           1e3 * (a.momentum_error * a.v / weight + 0.125 * g * h * h)},
          {"momentum in the air, against gravity alone", "N s", a.momentum, 0.0, a.momentum_error},
          {"angular momentum in the air, change", "N m s", a.spin, 0.0, a.spin_error},
          {"tilt of the trunk at the end", "deg", later(rows.back().tilt * kDegPerRad), 0.0, 3.0},
          {"normal force over the weight, mean of the last 0.5 s", "",
           later(mean_load(rows, 0.5, h, weight)), 1.0, 1e-3},
          {"largest torque of a servo", "N m", most.torque, 0.0, 9.0},
          {"largest speed of a joint", "rad/s", most.speed, 0.0, 5.0},
          {"energy that contacts fed in, against the weight times the deepest", "J",
           rows.back().contact_gain, 0.0, gain_allowed(rows, weight)},
          {"deepest", "mm", 1e3 * most.deepest, 0.0, 0.1}};
}

std::vector<Figure> figures_of(const ExperimentInfo& i) {
  return {{i.name,
           i.title + " (" + i.paper + ", " + i.figures + ")",
           {{"(a) mass centre",
             "z (m)",
             {{"comz", "measured"}, {"planned:comz", "planned", 1.0, true}}},
            {"(b) vertical momentum", "N s", {{"Pz", "measured"}}},
            {"(c) normal force",
             "force (N)",
             {{"left", "left foot"}, {"right", "right foot", 1.0, true}}},
            {"(d) contact points that press", "number", {{"contacts", "points"}}},
            {"(e) servos", "torque (N m)", {{"torque", "largest"}}},
            {"(f) energy", "energy (J)", {{"E", "stored"}, {"E_less", "less work", 1.0, true}}}}}};
}

ExperimentResult run_hoap_jump(const ExperimentInfo& info, const ExperimentSettings& settings,
                               const DataFolders& data) {
  const WalkingRobot robot = hoap1(data);
  const JumpSettings wanted;
  const Jump jump(robot, wanted);
  const Plan plan = make_plan(robot, jump, settings.dt);
  const std::vector<HoapRow> rows = follow_plan(robot, plan, settings, true);
  ExperimentResult result;
  result.trace = hoap_trace(rows, &plan);
  result.drifts = {hoap_energy(rows)};
  result.claims = claims_of(robot, rows, wanted.take_off_speed, settings.dt,
                            settings.duration >= jump.duration() - 1e-9);
  result.figures = figures_of(info);
  result.notices = {plan_sentence(plan)};
  return result;
}

}  // namespace

void add_hoap_jump(Experiments& experiments) {
  add_experiment(experiments,
                 hoap_info("hoap1-jump", "HOAP-1 jumps", "Fig. 6",
                           "Crouch, stretch, flight, landing on bent knees.", kDuration),
                 run_hoap_jump);
}

}  // namespace kagami::tools
