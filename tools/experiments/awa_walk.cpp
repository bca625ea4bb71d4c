// Awa 2009, secs. 2.4 and 4.2.1, Fig. 9: the KHR-1 walks in the Open Dynamics Engine, every joint
// led to the sample motion's angle by the PID law of Eq. (1) with K_p = 5, T_i = 0.5, T_d = 0.1,
// whose output is the speed that the engine's motor receives. Here as there: the motor obeys it
// without a limit of torque. The shipped motion replaces the thesis's file, the boards' ramp for
// its timing ("not clearly laid down", sec. 4.3), the KHR-1's measures for its boxes. At the
// motion's own speed the robot falls (in stream mode at every speed tried, down to 0.12), as the
// thesis's did "unless step, dt and PID parameters were adjusted"; of 1, 0.5, 0.25, 0.12 the last
// one walks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "control/pid/gain_set.hpp"
#include "models/base/errors.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/spatial/vectors.hpp"
#include "motions/file/library.hpp"
#include "tools/experiments/awa_run.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/registry.hpp"

namespace kagami::tools {
namespace {

using models::kNaN;
constexpr double kSpeed = 0.12;       // of the motion's own
constexpr double kWholeMotion = 8.0;  // s, at its own speed
constexpr int kEvery = 20;            // steps from row to row
const std::array<const char*, 5> kShown = {"right_hip_roll", "right_hip_pitch", "right_knee",
                                           "right_ankle_pitch", "right_ankle_roll"};

Figure figure_of(const ExperimentInfo& i) {
  std::vector<Curve> angles;
  std::vector<Curve> errors;
  for (const char* joint : kShown) {
    angles.push_back({std::string("q:") + joint, joint + 6, kDegPerRad});
    errors.push_back({std::string("error:") + joint, joint + 6, kDegPerRad});
  }
  return {i.name,
          i.title + " (" + i.paper + ", " + i.figures + ")",
          {{"(a) right leg", "angle (deg)", angles},
           {"(b) its distance from the reference", "error (deg)", errors},
           {"(c) base", "place (mm)", {{"basex", "ahead", 1e3}, {"basey", "left", 1e3}}},
           {"(d) base",
            "angle (deg)",
            {{"tilt", "tilt", kDegPerRad}, {"heading", "heading", kDegPerRad}}},
           {"(e) right hip pitch",
            "angle (deg)",
            {{"reference:right_hip_pitch", "requested", kDegPerRad},
             {"q:right_hip_pitch", "is", kDegPerRad}}},
           {"(f) distance from joints that obey at once",
            "deg",
            {{"obeys_gap", "largest", kDegPerRad}},
            true}}};
}

/// What a row does not say.
struct WalkSeen {
  double done = kNaN;           ///< s, the motion was over
  double fell_at = kNaN;        ///< s
  std::vector<double> squares;  ///< of the errors, per joint, over the rows (rad^2)
};

WalkSeen follow(WalkRun& walk, const std::vector<double>& times, std::size_t n, Trace& trace) {
  WalkSeen seen;
  seen.squares.assign(n, 0.0);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (i > 0) walk.step();
    const BasePose base = walk.plant().base();
    const bool fell = walk.plant().fell();
    if (fell && std::isnan(seen.fell_at)) seen.fell_at = times[i];
    if (walk.command().phase == motions::PlayPhase::kSettling && std::isnan(seen.done))
      seen.done = times[i];
    if (i % kEvery != 0) continue;
    std::vector<double>& row = trace.rows.emplace_back(std::vector<double>{
        times[i], base.x, base.y, base.z, base.heading, base.tilt, fell ? 1.0 : 0.0, 0.0});
    std::vector<double> errors;
    for (std::size_t j = 0; j < n; ++j) row.push_back(walk.reference()[j]);
    for (std::size_t j = 0; j < n; ++j) {
      const double q = walk.plant().angle(static_cast<int>(j));
      if (i > 0) row[7] = std::max(row[7], std::abs(q - walk.ideal(j)));
      row.push_back(q);
      errors.push_back(i > 0 ? walk.reference()[j] - q : 0.0);
      seen.squares[j] += errors.back() * errors.back();
    }
    row.insert(row.end(), errors.begin(), errors.end());
  }
  return seen;
}

// K_p times k with the derivative as it was: kd answers the engine's own speed and must stay small
control::ParallelGains quick(const control::ParallelGains& g, double k) {
  return {k * g.kp, k * g.ki, g.kd};
}

/// The law in another form; what is not named stays Awa's.
struct Variant {
  const char* name;
  void (*change)(control::PidSettings&);
};

// at the motion's own speed
const std::array<Variant, 11> kVariants = {{
    {"derivative on the measurement (awa_2009)", [](control::PidSettings&) {}},
    {"derivative on the error, as printed",
     [](control::PidSettings& s) { s.derivative = control::DerivativeOn::kError; }},
    {"the same filtered, 50 ms",
     [](control::PidSettings& s) {
       s.derivative = control::DerivativeOn::kError;
       s.filter_time = 0.05;
     }},
    {"gravity fed forward, 0.2 rad/s per N m",
     [](control::PidSettings& s) { s.gravity_feed_forward = 0.2; }},
    {"half the integral", [](control::PidSettings& s) { s.gains.ki *= 0.5; }},
    {"no integral", [](control::PidSettings& s) { s.gains.ki = 0.0; }},
    {"no integral, derivative on the error",
     [](control::PidSettings& s) {
       s.gains.ki = 0.0;
       s.derivative = control::DerivativeOn::kError;
     }},
    {"twice K_p, T_d / 2", [](control::PidSettings& s) { s.gains = quick(s.gains, 2.0); }},
    {"twice K_p, no integral",
     [](control::PidSettings& s) {
       s.gains = quick(s.gains, 2.0);
       s.gains.ki = 0.0;
     }},
    {"eight times K_p, T_d / 8", [](control::PidSettings& s) { s.gains = quick(s.gains, 8.0); }},
    {"the reference's rate fed forward",
     [](control::PidSettings& s) { s.rate_feed_forward = 1.0; }},
}};

// what each makes of the motion at its own speed
ResultTable table_of_variants(const models::RobotDescription& robot, const motions::Motion& motion,
                              const std::vector<control::PidSettings>& pid, double duration) {
  ResultTable result_table{
      "at the motion's own speed",
      {"falls at (s)", "legs' error (deg rms)", "speed limit (share)", "ahead (m)"},
      {}};
  for (const Variant& variant : kVariants) {
    std::vector<control::PidSettings> changed = pid;
    for (control::PidSettings& s : changed) variant.change(s);
    WalkRun walk(robot, motion, changed, 1.0);
    const WalkMeasure m = measure_walk(walk, duration);
    result_table.rows.push_back(
        {variant.name, {m.fell_at, kDegPerRad * m.leg_error, m.limited, m.ahead}});
  }
  return result_table;
}

double fell(const ResultTable& result_table, const std::string& variant) {
  for (const ResultTable::Row& row : result_table.rows) {
    if (row.name == variant) return std::isnan(row.values.front()) ? 0.0 : 1.0;
  }
  return kNaN;
}

ExperimentResult run_awa_walk(const ExperimentInfo& info, const ExperimentSettings& settings,
                              const DataFolders& data) {
  constexpr double h = drivers::virtual_robot::kPlantStep;
  if (std::abs(settings.dt - h) > 1e-12)
    throw ConfigError("--dt: experiment awa-walk runs the engine at 0.001 s");
  const models::RobotDescription robot =
      models::read_robot_folder(find_robot(data, "khr1"), models::BaseKind::kFixed);
  const motions::Motion motion =
      motions::load_motion(find_motion(data, "walk_forward"), robot.wiring);
  // sec. 2.4; their limit is the servo's speed of Table 2, 0.17 s for 60 deg
  const control::PidGainSet gains = control::read_pid_gain_set(find_gains(data, "awa_2009"));
  const std::vector<control::PidSettings> pid =
      control::settings_for(gains, "khr1", robot.joint_names, h);
  ExperimentResult result;
  Trace& trace = result.trace;
  trace.columns = {"t", "basex", "basey", "basez", "heading", "tilt", "fell", "obeys_gap"};
  for (const char* prefix : {"reference:", "q:", "error:"})
    for (const std::string& name : prefixed(prefix, robot.joint_names))
      trace.columns.push_back(name);
  const std::size_t n = robot.joint_names.size();
  WalkRun walk(robot, motion, pid, kSpeed);
  const WalkSeen seen = follow(walk, times_of(settings), n, trace);
  WalkRun own_speed(robot, motion, pid, 1.0);
  const double fell_at = falls_at(own_speed, settings.duration);
  if (!std::isnan(fell_at))
    result.notices.push_back(
        fmt::format("at the motion's own speed the robot falls at t = {:.2f} s", fell_at));
  const StepAnswer a = step_answer(gains.all, h);
  const BasePose end = walk.plant().base();
  const auto later = [&seen](double x) { return std::isnan(seen.done) ? kNaN : x; };
  // O15: exact answers of the continuous loop; 1 ms steps: 1 % of the step, 5 ms
  result.claims = {
      {"a step overshoots by", "%", a.overshoot, 23.013604070874006, 1.0},
      {"rises from 10 to 90 % in", "s", a.rise, 0.33822865304440275, 5e-3},
      {"is within 2 % after", "s", a.settling, 1.8588, 5e-3},
      {"the robot does not fall, the motion at 0.12 of its speed", "falls",
       later(std::isnan(seen.fell_at) ? 0.0 : 1.0), 0.0, 0.0},
      // 0.23 m: the stock walk at its own speed (docs/floor.md); slower steps slip less
      {"it walks forward by", "m", later(end.x), 0.23, 0.1}};
  ResultTable result_table{"joint", {"rms error (deg)"}, {}};
  for (std::size_t j = 0; j < n; ++j)
    result_table.rows.push_back(
        {robot.joint_names[j],
         {kDegPerRad * std::sqrt(seen.squares[j] / static_cast<double>(trace.rows.size()))}});
  result.tables = {result_table};
  // as many walks more
  if (settings.duration >= kWholeMotion) {
    result.tables.push_back(table_of_variants(robot, motion, pid, settings.duration));
    result.claims.push_back({"at its own speed it walks without the integral", "falls",
                             fell(result.tables.back(), "no integral"), 0.0, 0.0});
  }
  result.drifts = {
      drift_of(trace, "distance from joints that obey at once", "rad", {"obeys_gap"}, true)};
  result.figures = {figure_of(info)};
  return result;
}

}  // namespace

void add_awa_walk(Experiments& experiments) {
  add_experiment(
      experiments,
      ExperimentInfo{"awa-walk",
                     "KHR-1 walks by PID in ODE",
                     "Awa 2009",
                     "Fig. 9",
                     "K_p = 5, T_i = 0.5, T_d = 0.1 lead every joint along the sample motion.",
                     {"khr1"},
                     {1e-3, 62.0, "semi-implicit-euler", "aba"},
                     {"semi-implicit-euler"},
                     {"aba"}},
      run_awa_walk);
}

}  // namespace kagami::tools
