// A chain of boxes swings down from 60 deg and comes to rest on the ground.
// [WS13] = Wakisaka & Sugihara 2013, sec. 3: Table 1, Figs. 4-7, all by Runge-Kutta-Gill. It gives
// neither the number of links nor the pivot's height, spring or damper: three links, 0.20 m (0.10 m
// more per link), and springs that sink in as little as the proposed method are ours, and so is a
// damping of 0.005 N m s/rad that lets the chain rest.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tools/experiments/ground_pendulum.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/registry.hpp"

namespace kagami::tools {
namespace {

constexpr GroundMethod kMethods[] = {GroundMethod::kRelaxed, GroundMethod::kMultipoint,
                                     GroundMethod::kSpringDamper};
constexpr int kLinks = 3;
constexpr int kMostLinks = 12;
constexpr double kForceShown = 5.0;      // N, where the axes of forces end
constexpr double kFullDuration = 5.0;    // s, [WS13]; a shorter run has not come to lie
constexpr double kRestPerLink = 5.0;     // s, per link beyond two, until all joints rest
constexpr double kSpringStep = 0.02e-3;  // s, where no stable step was looked for
constexpr double kPaperStep[] = {1e-3, 1e-3, 1e-5};  // s, [WS13] Table 1
constexpr double kPaperTime[] = {31.3, 6.9, 187.5};  // s
// N, corners of the last link without friction: two of 1.4715 and two of 0.73575 by statics
constexpr double kFrictionless[] = {1.4715, 1.4715, 0.73575, 0.73575};
constexpr double kFrictionlessDuration = 20.0;  // s, until the damping has it at rest

// vertices of the last link, the four that carried most in the last quarter, in order
std::vector<std::size_t> resting_corners(const GroundRun& run) {
  const std::size_t count = run.forces.empty() ? 8 : run.forces.front().size();
  std::vector<double> sums(count, 0.0);
  for (std::size_t r = run.forces.size() - run.forces.size() / 4; r < run.forces.size(); ++r)
    for (std::size_t i = 0; i < count; ++i) sums[i] += run.forces[r][i];
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sums[a] > sums[b]; });
  order.resize(4);
  std::sort(order.begin(), order.end());
  return order;
}

// mean of each of the corners over the last `share` of the run
std::vector<double> means(const GroundRun& run, const std::vector<std::size_t>& corners,
                          double share) {
  const auto rows = static_cast<std::size_t>(share * static_cast<double>(run.forces.size()));
  std::vector<double> mean(corners.size(), 0.0);
  for (std::size_t r = run.forces.size() - rows; r < run.forces.size(); ++r)
    for (std::size_t i = 0; i < corners.size(); ++i)
      mean[i] += run.forces[r][corners[i]] / static_cast<double>(rows);
  return mean;
}

// rows of the last fifth in which one of the four corners carries nothing
double rows_at_zero(const GroundRun& run, const std::vector<std::size_t>& corners) {
  int count = 0;
  for (std::size_t r = run.forces.size() - run.forces.size() / 5; r < run.forces.size(); ++r)
    count += std::any_of(corners.begin(), corners.end(),
                         [&](std::size_t i) { return run.forces[r][i] <= 0.0; })
                 ? 1
                 : 0;
  return count;
}

// largest difference within the two pairs across the chain, as a share of a pair's sum
double pair_difference(const GroundRun& run, const std::vector<std::size_t>& corners) {
  const std::vector<double> f = means(run, corners, 0.1);
  double largest = 0.0;
  // a box's vertices count x fastest, then y: partners across differ by 2
  for (std::size_t i = 0; i < corners.size(); ++i)
    for (std::size_t k = i + 1; k < corners.size(); ++k)
      if ((corners[i] ^ corners[k]) == 2)
        largest = std::max(largest, std::abs(f[i] - f[k]) / (f[i] + f[k]));
  return largest;
}

// change from row to row in the last fifth, root of the mean square over the mean force
double jitter(const GroundRun& run, const std::vector<std::size_t>& corners) {
  double squares = 0.0, sum = 0.0;
  const std::size_t rows = run.forces.size() / 5;
  for (std::size_t r = run.forces.size() - rows; r < run.forces.size(); ++r)
    for (const std::size_t i : corners) {
      const double change = run.forces[r][i] - run.forces[r - 1][i];
      squares += change * change;
      sum += run.forces[r][i];
    }
  const auto count = static_cast<double>(4 * rows);
  return std::sqrt(squares / count) / (sum / count);
}

// largest error of the corner forces without friction, relative
double frictionless_error(Scenario s, models::Scheme scheme, double dt) {
  for (models::BodyShape& shape : s.scene.systems.front().shapes) shape.surface = {0.0, 0.0, 0.0};
  s.duration = kFrictionlessDuration;
  const GroundRun run = run_on_ground(s, GroundMethod::kRelaxed, scheme, dt, 1);
  if (!run.stable) return std::numeric_limits<double>::infinity();
  std::vector<double> f = means(run, resting_corners(run), 0.025);
  std::sort(f.rbegin(), f.rend());
  double error = 0.0;
  for (std::size_t i = 0; i < f.size(); ++i)
    error = std::max(error, std::abs(f[i] / kFrictionless[i] - 1.0));
  return error;
}

struct Compared {
  GroundRun run;
  std::vector<std::size_t> corners;
  std::optional<LargestStep> largest;
};

Compared compare(const Scenario& s, GroundMethod method, models::Scheme scheme, double dt,
                 bool full, std::vector<std::string>& notices) {
  Compared c;
  if (full) c.largest = largest_stable_step(s, method, scheme);
  double h = dt;
  if (method == GroundMethod::kSpringDamper)
    h = std::min(dt, c.largest ? c.largest->h : kSpringStep);
  const int substeps = static_cast<int>(std::ceil(dt / h - 1e-9));
  c.run = run_on_ground(s, method, scheme, dt, substeps);
  c.corners = resting_corners(c.run);
  if (!c.run.stable)
    notices.push_back(fmt::format("{}: not stable at {:g} ms, its rows end early", name(method),
                                  1e3 * dt / substeps));
  return c;
}

double per_step(const GroundRun& run) {
  return 1e6 * run.cpu / static_cast<double>(run.steps);
}

// [WS13] Table 1
ResultTable step_table(const std::vector<Compared>& all, double dt) {
  ResultTable result_table{
      "largest stable step",
      {"ms", "deepest mm", "CPU s", "us a step", fmt::format("at {:g} ms: s", 1e3 * dt),
       "its us a step", "paper: ms", "paper: s"},
      {}};
  for (std::size_t m = 0; m < all.size(); ++m) {
    const Compared& c = all[m];
    if (!c.largest) continue;
    const GroundRun& run = c.largest->run;
    result_table.rows.push_back({name(kMethods[m]),
                                 {1e3 * c.largest->h, 1e3 * run.deepest, run.cpu, per_step(run),
                                  c.run.cpu, per_step(c.run), 1e3 * kPaperStep[m], kPaperTime[m]}});
  }
  return result_table;
}

// what Figs. 5-7 show at their right ends
ResultTable corner_table(const std::vector<Compared>& all) {
  ResultTable result_table{
      "corners at rest",
      {"f1 N", "f2 N", "f3 N", "f4 N", "pairs differ", "rows with a zero", "change/force"},
      {}};
  for (std::size_t m = 0; m < all.size(); ++m) {
    const Compared& c = all[m];
    if (!c.run.stable) continue;
    std::vector<double> values = means(c.run, c.corners, 0.1);
    for (const double x : {pair_difference(c.run, c.corners), rows_at_zero(c.run, c.corners),
                           jitter(c.run, c.corners)})
      values.push_back(x);
    result_table.rows.push_back({name(kMethods[m]), values});
  }
  return result_table;
}

Trace trace_of(const std::vector<Compared>& all, double dt, std::size_t rows) {
  Trace trace;
  trace.columns = {"t"};
  for (const GroundMethod method : kMethods) {
    for (int i = 1; i <= 4; ++i)
      trace.columns.push_back(std::string(name(method)) + ":f" + std::to_string(i));
    trace.columns.push_back(std::string(name(method)) + ":E");
  }
  for (std::size_t r = 0; r <= rows; ++r) {
    std::vector<double>& row = trace.rows.emplace_back();
    row.push_back(static_cast<double>(r) * dt);
    for (const Compared& c : all) {
      const bool there = r > 0 && r <= c.run.forces.size();
      for (const std::size_t i : c.corners)
        row.push_back(r == 0 ? 0.0 : (there ? c.run.forces[r - 1][i] : models::kNaN));
      row.push_back(r == 0 ? c.run.E_start : (there ? c.run.E[r - 1] : models::kNaN));
    }
  }
  return trace;
}

std::vector<Claim> claims_of(const Scenario& s, const std::vector<Compared>& all,
                             models::Scheme scheme, double dt) {
  const Compared& relaxed = all[0];
  const int links = s.scene.systems.front().model.num_bodies();
  const bool full = relaxed.run.stable && s.duration >= kFullDuration;
  const bool rests = full && s.duration >= kRestPerLink * (links - 2);
  const auto later = [](bool is_known, double x) { return is_known ? x : models::kNaN; };
  const auto step = [](const Compared& c) { return c.largest ? c.largest->h : models::kNaN; };
  return {
      {"relaxed: largest stable step", "ms", 1e3 * step(relaxed), 10.0, 1e-9},
      {"relaxed: deepest at that step", "mm",
       relaxed.largest ? 1e3 * relaxed.largest->run.deepest : models::kNaN, 0.0, 5.0},
      {"springs: largest stable step over that of relaxed", "", step(all[2]) / step(relaxed), 0.0,
       0.1},
      {"relaxed: energy rises above what it had, less the dampers' work", "J",
       later(full, relaxed.run.largest_rise), 0.0, 1e-3},
      {"relaxed: joint speed in the last fifth", "rad/s", later(rests, relaxed.run.fastest_late),
       0.0, 1e-2},
      {"relaxed: deepest in the last fifth", "m", later(full, relaxed.run.deepest_late), 0.0, 1e-3},
      {"relaxed: rows in the last fifth in which a corner carries nothing", "",
       later(rests, rests ? rows_at_zero(relaxed.run, relaxed.corners) : 0.0), 0.0, 0.0},
      {"relaxed: corners across the link differ by a share of", "",
       later(full, full ? pair_difference(relaxed.run, relaxed.corners) : 0.0), 0.0, 0.02},
      {"relaxed, no friction: corner forces at rest, off by a share of", "",
       rests && links == kLinks ? frictionless_error(s, scheme, dt) : models::kNaN, 0.0, 5e-3}};
}

std::vector<Figure> figures_of(const ExperimentInfo& i) {
  Figure figure{i.name, i.title + " (" + i.paper + ", Figs. 5-7)", {}};
  const char* titles[] = {"Fig. 5, proposed: relaxed", "Fig. 6, macroscopic: multipoint",
                          "Fig. 7, microscopic: springs and dampers"};
  const char* labels[] = {"relaxed", "multipoint", "springs"};
  Panel energy{"kinetic and potential energy", "energy (J)", {}};
  for (std::size_t m = 0; m < 3; ++m) {
    const std::string prefix = std::string(name(kMethods[m])) + ":";
    // impacts reach 63 N; what the paper shows is rest
    Panel panel{titles[m], "normal force (N)", {}, false, 0.0, kForceShown};
    for (int k = 1; k <= 4; ++k)
      panel.curves.push_back(
          {prefix + "f" + std::to_string(k), "corner " + std::to_string(k), 1.0, k % 2 == 0});
    figure.panels.push_back(panel);
    energy.curves.push_back({prefix + "E", labels[m], 1.0, m > 0});
  }
  figure.panels.push_back(energy);
  return {figure};
}

ExperimentResult run_pendulum_on_ground(const ExperimentInfo& info,
                                        const ExperimentSettings& settings,
                                        const DataFolders& data) {
  const Scenario three = read_scenario(find_scenario(data, "pendulum_3"), data);
  Scenario s = chain_of(three, settings.links);
  s.duration = settings.duration;
  const models::Scheme scheme = models::scheme(settings.integrator);
  const bool full = settings.duration >= kFullDuration;
  const auto rows = static_cast<std::size_t>(std::lround(settings.duration / settings.dt));
  ExperimentResult result;
  std::vector<Compared> all;
  for (const GroundMethod method : kMethods)
    all.push_back(compare(s, method, scheme, settings.dt, full, result.notices));
  result.trace = trace_of(all, settings.dt, rows);
  for (std::size_t m = 0; m < all.size() - 1; ++m)
    result.drifts.push_back({"energy less the dampers' work, " + std::string(name(kMethods[m])),
                             "J", all[m].run.E_start, all[m].run.largest_rise});
  result.claims = claims_of(s, all, scheme, settings.dt);
  if (full) result.tables = {step_table(all, settings.dt), corner_table(all)};
  result.figures = figures_of(info);
  return result;
}

}  // namespace

void add_pendulum_on_ground(Experiments& experiments) {
  add_experiment(
      experiments,
      ExperimentInfo{
          "pendulum-on-ground",
          "Chain of boxes falls onto the ground",
          "Wakisaka and Sugihara 2013",
          "Table 1, Figs. 5-7",
          "Contact by relaxed constraints, by rigid ones, and by springs: step, time, forces.",
          {},
          {1e-3, kFullDuration, "rkg", "aba", kLinks},
          {"semi-implicit-euler", "rkg"},
          {"aba"},
          kMostLinks},
      run_pendulum_on_ground);
}

}  // namespace kagami::tools
