// Boxes fall and form a stack: the ground's force on the lowest one, and time by their number.
// [Z18] = Zhang, Wakisaka & Sugihara 2018, sec. 4: Figs. 3-5 (seven boxes), 7 and 8 (10 to 50).
// 0.2 x 0.1 x 0.05 m, 1 g, mu 0.5 and 0.45; the paper's random poses are not given: those of the
// shipped scenes. Iterations of the paper are sweeps here, over all patches once. The methods that
// it compares with are not here: points by Gauss-Seidel (kagami bench contact runs ODE's and
// Bullet's) and a direct solution, of which 200 sweeps come near.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/experiments/box_stack.hpp"
#include "tools/experiments/registry.hpp"

namespace kagami::tools {
namespace {

constexpr double kFullDuration = 4.0;  // s, until they lie
constexpr int kCutOffSweeps = 10;
constexpr double kCalm = 1e-2;     // std of the force over it, as required of the benchmark's stack
constexpr double kDeepest = 0.02;  // mm, the same

/// Few boxes over time, or several numbers of boxes, a row each.
ExperimentInfo falling_boxes_info(bool few) {
  ExperimentInfo info{"falling-boxes-7",
                      "Seven boxes fall and form a stack",
                      "Zhang et al. 2018",
                      "Figs. 3-5",
                      "The ground's force on the lowest box, by 10, 50 and 200 iterations.",
                      {},
                      {1e-4, kFullDuration, "semi-implicit-euler", "aba"},
                      {"semi-implicit-euler"},
                      {"aba"}};
  if (few) return info;
  info.name = "falling-boxes";
  info.title = "10 to 50 boxes fall and form a stack";
  info.figures = "Figs. 7, 8";
  info.shows = "Time by the number of boxes; force, depth and load when they lie.";
  info.defaults.dt = 1e-3;
  return info;
}

std::vector<double> rest_values(const StackRun& run) {
  return {run.rest.load,        run.rest.spread, static_cast<double>(run.rest.zeros),
          1e6 * run.rest.depth, run.sweeps,      1e6 * run.cpu / static_cast<double>(run.E.size())};
}

const std::vector<std::string> kRestColumns = {"load/weight", "std/force", "zeros",
                                               "depth um",    "sweeps",    "us a step"};

// of one run, the worst of several: what Figs. 4 and 5 compare
struct Worst {
  double load = 0.0;  // off 1
  double spread = 0.0, zeros = 0.0, depth = 0.0, lost = 0.0;
  double gain = 0.0;  // over what taking back the deepest overlap of the run lifts of the weight

  void add(const StackRun& run) {
    lost += run.stable ? 0.0 : 1.0;
    load = std::max(load, std::abs(run.rest.load - 1.0));
    spread = std::max(spread, run.rest.spread);
    zeros = std::max(zeros, static_cast<double>(run.rest.zeros));
    depth = std::max(depth, 1e3 * run.rest.depth);
    if (run.deepest > 0.0) gain = std::max(gain, run.gain / (run.weight * run.deepest));
  }
};

std::vector<Claim> claims_of(const Worst& worst, const std::string& whose, bool full) {
  const auto later = [full](double x) { return full ? x : models::kNaN; };
  return {{whose + "boxes blown away, lost or not finite: runs", "", worst.lost, 0.0, 0.0},
          {whose + "energy that contacts fed in, over weight times the deepest overlap", "",
           worst.gain, 0.0, 1.0},
          {whose + "at rest: load off the weight, share", "", later(worst.load), 0.0, 1e-3},
          {whose + "at rest: lowest box, std of its force over it", "", later(worst.spread), 0.0,
           kCalm},
          {whose + "at rest: steps in which it carries nothing", "", later(worst.zeros), 0.0, 0.0},
          {whose + "at rest: deepest corner", "mm", later(worst.depth), 0.0, kDeepest}};
}

constexpr int kSevenSweeps[] = {10, 50, 200};
constexpr double kImpulseShown = 1e-7;  // N s, least
constexpr double kForceShown = 0.1;     // N; all weigh 0.069 N, impacts are 50 times as strong

// force on the box that lies lowest in the end; total impulse; energy
Trace seven_trace(const std::vector<StackRun>& runs, double dt) {
  Trace trace;
  trace.columns = {"t"};
  for (const int sweeps : kSevenSweeps)
    for (const char* quantity : {"lowest", "ground", "impulse", "E"})
      trace.columns.push_back(fmt::format("{}:{}", sweeps, quantity));
  std::size_t rows = 0;
  for (const StackRun& run : runs) rows = std::max(rows, run.E.size());
  for (std::size_t k = 0; k <= rows; ++k) {
    std::vector<double>& row = trace.rows.emplace_back();
    row.push_back(static_cast<double>(k) * dt);
    for (const StackRun& run : runs) {
      if (k == 0 || k > run.E.size()) {
        const double nothing = k == 0 ? 0.0 : models::kNaN;
        row.insert(row.end(), {nothing, nothing, nothing, k == 0 ? run.E_start : nothing});
        continue;
      }
      double ground = 0.0;
      for (const double f : run.force[k - 1]) ground += f;
      row.insert(row.end(), {run.force[k - 1][static_cast<std::size_t>(run.rest.lowest)], ground,
                             run.impulse[k - 1], run.E[k - 1]});
    }
  }
  return trace;
}

std::vector<Figure> seven_figures(const ExperimentInfo& i) {
  Figure figure{i.name, i.title + " (" + i.paper + ", " + i.figures + ")", {}};
  for (const int sweeps : kSevenSweeps)
    figure.panels.push_back({fmt::format("Fig. 5: force on the lowest box, {} sweeps", sweeps),
                             "force (N)",
                             {{fmt::format("{}:lowest", sweeps), "lowest box"}},
                             false,
                             0.0,
                             kForceShown});
  Panel energy{"kinetic and potential energy", "energy (J)", {}};
  for (const int sweeps : kSevenSweeps)
    energy.curves.push_back(
        {fmt::format("{}:E", sweeps), fmt::format("{} sweeps", sweeps), 1.0, sweeps > 10});
  figure.panels.push_back(energy);
  Panel impulse{"all impulses of a step", "norm (N s)", {}, false, kImpulseShown};
  for (const int sweeps : kSevenSweeps)
    impulse.curves.push_back(
        {fmt::format("{}:impulse", sweeps), fmt::format("{} sweeps", sweeps), 1.0, sweeps > 10});
  figure.panels.push_back(impulse);
  return {figure};
}

ExperimentResult run_seven(const ExperimentInfo& info, const ExperimentSettings& settings,
                           const DataFolders& data) {
  const Scenario stack = stack_of(data, "seven_boxes", 7);
  const bool full = settings.duration >= kFullDuration;
  ExperimentResult result;
  std::vector<StackRun> runs;
  Worst cut_off, ended;
  ResultTable result_table{"at rest", kRestColumns, {}};
  for (const int sweeps : kSevenSweeps) {
    StackStepping stepping;
    stepping.max_sweeps = sweeps;
    stepping.dt = settings.dt;
    stepping.duration = settings.duration;
    runs.push_back(run_stack(stack, stepping));
    const StackRun& run = runs.back();
    (sweeps > kCutOffSweeps ? ended : cut_off).add(run);
    const std::string name = fmt::format("{} sweeps", sweeps);
    if (!run.stable) result.notices.push_back(name + ": not stable, its rows end early");
    result_table.rows.push_back({name + " at most", rest_values(run)});
    result.drifts.push_back(
        {"energy above its lowest so far, " + name, "J", run.E_start, run.largest_rise});
  }
  if (full) result.tables = {result_table};
  result.trace = seven_trace(runs, settings.dt);
  result.claims = claims_of(cut_off, "10 sweeps: ", full);
  for (const Claim& claim : claims_of(ended, "50, 200 sweeps: ", full))
    result.claims.push_back(claim);
  result.figures = seven_figures(info);
  return result;
}

// of Fig. 8: the paper's count, and the residual of the settings as shipped
constexpr int kManySweeps[] = {10, 50};
constexpr int kMost = 50;

std::vector<Figure> many_figures(const ExperimentInfo& i) {
  Figure figure{i.name, i.title + " (" + i.paper + ", " + i.figures + ")", {}, "boxes", true};
  const auto panel = [&](const std::string& title, const std::string& axis,
                         const std::string& quantity, double scale) {
    Panel p{title, axis, {}};
    for (const int sweeps : kManySweeps)
      p.curves.push_back(
          {fmt::format("{}:{}", sweeps, quantity), fmt::format("{} sweeps", sweeps), scale});
    figure.panels.push_back(p);
  };
  panel("Fig. 8: CPU time of a step", "time (us)", "cpu", 1e6);
  panel("sweeps of a step", "sweeps", "sweeps", 1.0);
  panel("lowest box: std of its force over it", "share", "std", 1.0);
  panel("deepest corner at rest", "depth (um)", "depth", 1e6);
  return {figure};
}

ExperimentResult run_many(const ExperimentInfo& info, const ExperimentSettings& settings,
                          const DataFolders& data) {
  const bool full = settings.duration >= kFullDuration;
  ExperimentResult result;
  result.trace.columns = {"boxes"};
  for (const int sweeps : kManySweeps)
    for (const char* quantity : {"cpu", "sweeps", "load", "std", "zeros", "depth", "E", "rise"})
      result.trace.columns.push_back(fmt::format("{}:{}", sweeps, quantity));
  Worst worst[std::size(kManySweeps)];
  std::vector<ResultTable> tables;
  for (const int sweeps : kManySweeps)
    tables.push_back({fmt::format("boxes, {} sweeps at most", sweeps), kRestColumns, {}});
  for (int boxes = 10; boxes <= kMost; boxes += 10) {
    const Scenario stack = stack_of(data, "fifty_boxes", boxes);
    std::vector<double>& row = result.trace.rows.emplace_back();
    row.push_back(boxes);
    for (std::size_t m = 0; m < std::size(kManySweeps); ++m) {
      StackStepping stepping;
      stepping.max_sweeps = kManySweeps[m];
      stepping.dt = settings.dt;
      stepping.duration = settings.duration;
      const StackRun run = run_stack(stack, stepping);
      worst[m].add(run);
      const double step = run.cpu / static_cast<double>(run.E.size());
      row.insert(row.end(), {step, run.sweeps, run.rest.load, run.rest.spread,
                             static_cast<double>(run.rest.zeros), run.rest.depth,
                             run.E.empty() ? run.E_start : run.E.back(), run.largest_rise});
      tables[m].rows.push_back({std::to_string(boxes), rest_values(run)});
      if (m > 0)
        result.drifts.push_back({fmt::format("energy above its lowest so far, {} boxes", boxes),
                                 "J", run.E_start, run.largest_rise});
    }
  }
  if (full) result.tables = tables;
  for (std::size_t m = 0; m < std::size(kManySweeps); ++m) {
    const std::string whose = fmt::format("{} sweeps: ", kManySweeps[m]);
    for (const Claim& claim : claims_of(worst[m], whose, full)) result.claims.push_back(claim);
  }
  result.figures = many_figures(info);
  return result;
}

}  // namespace

void add_falling_boxes(Experiments& experiments) {
  add_experiment(experiments, falling_boxes_info(true), run_seven);
  add_experiment(experiments, falling_boxes_info(false), run_many);
}

}  // namespace kagami::tools
