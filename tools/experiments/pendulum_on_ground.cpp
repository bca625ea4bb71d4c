// A chain of boxes swings down from 60 deg and comes to rest on the ground.
// [WS13] = Wakisaka & Sugihara 2013, sec. 3: Table 1, Figs. 4-7. It gives neither the number of
// links nor the pivot's height, spring or damper: three links, 0.20 m, and springs that sink in as
// little as the proposed method are ours, and so is a damping of 0.005 N m s/rad that lets the
// chain rest.
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
constexpr double kFullDuration = 5.0;    // s; a shorter run has not come to rest
constexpr double kSpringStep = 0.02e-3;  // s, where no stable step was looked for
// N, corners of the last link without friction: two of 1.4715 and two of 0.73575 by statics
constexpr double kFrictionless[] = {1.4715, 1.4715, 0.73575, 0.73575};
constexpr double kFrictionlessDuration = 20.0;  // s, until the damping has it at rest

class PendulumOnGround final : public Experiment {
 public:
  PendulumOnGround();
  [[nodiscard]] const ExperimentInfo& info() const override { return info_; }
  [[nodiscard]] ExperimentResult run(const ExperimentSettings& settings,
                                     const DataFolders& data) const override;

 private:
  ExperimentInfo info_;
};

PendulumOnGround::PendulumOnGround() {
  info_ = {"pendulum-on-ground",
           "Chain of three boxes falls onto the ground",
           "Wakisaka and Sugihara 2013",
           "Table 1, Figs. 5-7",
           "Contact by relaxed constraints, by rigid ones, and by springs: step, time, forces.",
           {},
           {1e-3, kFullDuration, "semi-implicit-euler", "aba"},
           {"semi-implicit-euler"},
           {"aba"}};
}

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

// largest error of the corner forces without friction, relative
double frictionless_error(Scenario s, double dt) {
  for (models::BodyShape& shape : s.scene.systems.front().shapes) shape.surface = {0.0, 0.0, 0.0};
  s.duration = kFrictionlessDuration;
  const GroundRun run = run_on_ground(s, GroundMethod::kRelaxed, dt, 1);
  if (!run.stable) return std::numeric_limits<double>::infinity();
  std::vector<double> f = means(run, resting_corners(run), 0.025);
  std::sort(f.rbegin(), f.rend());
  double error = 0.0;
  for (std::size_t i = 0; i < f.size(); ++i)
    error = std::max(error, std::abs(f[i] / kFrictionless[i] - 1.0));
  return error;
}

std::string sentence(GroundMethod method, const LargestStep& largest, const GroundRun& at_dt,
                     double dt, double h) {
  return fmt::format(
      "{}: {} s at {:g} ms in {:.3g} ms of CPU time, {:.3g} mm deep at most; stable up to {:g} ms, "
      "then {:.3g} ms of CPU time, {:.3g} mm deep",
      name(method), dt * static_cast<double>(at_dt.E.size()), 1e3 * h, 1e3 * at_dt.cpu,
      1e3 * at_dt.deepest, 1e3 * largest.h, 1e3 * largest.run.cpu, 1e3 * largest.run.deepest);
}

struct Compared {
  GroundRun run;
  std::vector<std::size_t> corners;
  double largest_step = models::kNaN;     // s
  double largest_deepest = models::kNaN;  // m, at it
};

Compared compare(const Scenario& s, GroundMethod method, double dt, bool full,
                 std::vector<std::string>& notices) {
  Compared c;
  std::optional<LargestStep> largest;
  if (full) largest = largest_stable_step(s, method);
  if (largest) {
    c.largest_step = largest->h;
    c.largest_deepest = largest->run.deepest;
  }
  double h = dt;
  if (method == GroundMethod::kSpringDamper) h = std::min(dt, largest ? largest->h : kSpringStep);
  const int substeps = static_cast<int>(std::ceil(dt / h - 1e-9));
  c.run = run_on_ground(s, method, dt, substeps);
  c.corners = resting_corners(c.run);
  if (largest) notices.push_back(sentence(method, *largest, c.run, dt, dt / substeps));
  if (!c.run.stable)
    notices.push_back(fmt::format("{}: not stable at {:g} ms, its rows end early", name(method),
                                  1e3 * dt / substeps));
  return c;
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

std::vector<Claim> claims_of(const Scenario& s, const std::vector<Compared>& all, double dt,
                             bool full) {
  const Compared& relaxed = all[0];
  const auto later = [full](double x) { return full ? x : models::kNaN; };
  return {{"relaxed: largest stable step", "ms", 1e3 * relaxed.largest_step, 10.0, 1e-9},
          {"relaxed: deepest at that step", "mm", 1e3 * relaxed.largest_deepest, 0.0, 5.0},
          {"springs: largest stable step over that of relaxed", "",
           all[2].largest_step / relaxed.largest_step, 0.0, 0.1},
          {"relaxed: energy rises above what it had, less the dampers' work", "J",
           later(relaxed.run.largest_rise), 0.0, 1e-3},
          {"relaxed: joint speed after 4 s", "rad/s", later(relaxed.run.fastest_late), 0.0, 1e-2},
          {"relaxed: deepest after 4 s", "m", later(relaxed.run.deepest_late), 0.0, 1e-3},
          {"relaxed: rows after 4 s in which a corner carries nothing", "",
           later(full ? rows_at_zero(relaxed.run, relaxed.corners) : 0.0), 0.0, 0.0},
          {"relaxed: corners across the link differ by a share of", "",
           later(full ? pair_difference(relaxed.run, relaxed.corners) : 0.0), 0.0, 0.02},
          {"relaxed, no friction: corner forces at rest, off by a share of", "",
           full ? frictionless_error(s, dt) : models::kNaN, 0.0, 5e-3}};
}

std::vector<Figure> figures_of(const ExperimentInfo& i) {
  Figure figure{i.name, i.title + " (" + i.paper + ", Figs. 5-7)", {}};
  const char* titles[] = {"Fig. 5, proposed: relaxed", "Fig. 6, macroscopic: multipoint",
                          "Fig. 7, microscopic: springs and dampers"};
  const char* labels[] = {"relaxed", "multipoint", "springs"};
  Panel energy{"kinetic and potential energy", "energy (J)", {}};
  for (std::size_t m = 0; m < 3; ++m) {
    const std::string prefix = std::string(name(kMethods[m])) + ":";
    Panel panel{titles[m], "normal force (N)", {}};
    for (int k = 1; k <= 4; ++k)
      panel.curves.push_back(
          {prefix + "f" + std::to_string(k), "corner " + std::to_string(k), 1.0, k % 2 == 0});
    figure.panels.push_back(panel);
    energy.curves.push_back({prefix + "E", labels[m], 1.0, m > 0});
  }
  figure.panels.push_back(energy);
  return {figure};
}

ExperimentResult PendulumOnGround::run(const ExperimentSettings& settings,
                                       const DataFolders& data) const {
  Scenario s = read_scenario(find_scenario(data, "pendulum_3"), data);
  s.duration = settings.duration;
  const bool full = settings.duration >= kFullDuration;
  const auto rows = static_cast<std::size_t>(std::lround(settings.duration / settings.dt));
  ExperimentResult result;
  std::vector<Compared> all;
  for (const GroundMethod method : kMethods)
    all.push_back(compare(s, method, settings.dt, full, result.notices));
  result.trace = trace_of(all, settings.dt, rows);
  for (std::size_t m = 0; m < all.size() - 1; ++m)
    result.drifts.push_back({"energy less the dampers' work, " + std::string(name(kMethods[m])),
                             "J", all[m].run.E_start, all[m].run.largest_rise});
  result.claims = claims_of(s, all, settings.dt, full);
  result.figures = figures_of(info_);
  return result;
}

}  // namespace

void add_pendulum_on_ground(Experiments& experiments) {
  experiments.push_back(std::make_unique<PendulumOnGround>());
}

}  // namespace kagami::tools
