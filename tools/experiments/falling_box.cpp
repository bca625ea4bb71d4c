// One box falls 1 m and comes to rest: the impulse by iterations.
// [Z18] = Zhang, Wakisaka & Sugihara 2018, sec. 4.1, Fig. 6: z-y-z Euler angles (60, 45, 30) deg,
// altitude 1.0 m (read as the centre's), 0.2 x 0.1 x 0.05 m, 1 g, steps of 0.1 ms, 10 and 100
// iterations beside the direct solution. A box alone has one patch; ours finds its best impulse in
// one visit for a given slip, so that further ones only bring slip and friction together.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "tools/experiments/box_stack.hpp"
#include "tools/experiments/registry.hpp"

namespace kagami::tools {
namespace {

using models::MethodName;

constexpr double kHeight = 1.0;                      // m
constexpr double kFullDuration = 2.0;                // s, until it lies
constexpr double kFirstTouch = 0.42916304707267133;  // s, of the lowest corner in free fall
constexpr double kFastest = 4.4294469180700204;      // m/s, of a fall of 1 m
constexpr double kHalfEdges[] = {0.025, 0.05, 0.1};  // m
constexpr double kLeastImpulse = 1e-8;               // N s, shown; m g h is 1e-6
constexpr double kExactly = 1e-9;                    // m/s^2: all sweeps are run

struct Variant {
  const char* name;
  MethodName method;
  int sweeps;
};
constexpr Variant kVariants[] = {{"volumetric, 1 sweep", MethodName::kVolumetric, 1},
                                 {"volumetric, 10 sweeps", MethodName::kVolumetric, 10},
                                 {"volumetric, 100 sweeps", MethodName::kVolumetric, 100},
                                 {"relaxed", MethodName::kRelaxed, 1},
                                 {"multipoint", MethodName::kMultipoint, 1}};
constexpr const char* kColumns[] = {"volumetric-1", "volumetric-10", "volumetric-100", "relaxed",
                                    "multipoint"};
constexpr const char* kLabels[] = {"1 sweep", "10 sweeps", "100 sweeps", "relaxed", "multipoint"};

Scenario box_in_the_air(const DataFolders& data) {
  Scenario s = stack_of(data, "seven_boxes", 1);
  const double deg = M_PI / 180.0;
  const Eigen::Quaterniond turn = Eigen::AngleAxisd(60.0 * deg, Vec3::UnitZ()) *
                                  Eigen::AngleAxisd(45.0 * deg, Vec3::UnitY()) *
                                  Eigen::AngleAxisd(30.0 * deg, Vec3::UnitZ());
  s.scene.systems.front().start.q << 0.0, 0.0, kHeight, turn.w(), turn.x(), turn.y(), turn.z();
  return s;
}

// to the nearest height of a box that lies on a face
double off_a_face(double height) {
  double least = std::abs(height - kHalfEdges[0]);
  for (const double edge : kHalfEdges) least = std::min(least, std::abs(height - edge));
  return least;
}

// over the largest impulse of b
double difference(const StackRun& a, const StackRun& b) {
  if (a.impulse.size() != b.impulse.size()) return INFINITY;
  double largest = 0.0, size = 0.0;
  for (std::size_t k = 0; k < a.impulse.size(); ++k) {
    largest = std::max(largest, std::abs(a.impulse[k] - b.impulse[k]));
    size = std::max(size, b.impulse[k]);
  }
  return largest == 0.0 ? 0.0 : largest / size;
}

Trace trace_of(const std::vector<StackRun>& runs, double dt) {
  Trace trace;
  trace.columns = {"t"};
  for (const char* column : kColumns) {
    trace.columns.push_back(std::string(column) + ":impulse");
    trace.columns.push_back(std::string(column) + ":E");
  }
  std::size_t rows = 0;
  for (const StackRun& run : runs) rows = std::max(rows, run.E.size());
  for (std::size_t k = 0; k <= rows; ++k) {
    std::vector<double>& row = trace.rows.emplace_back();
    row.push_back(static_cast<double>(k) * dt);
    for (const StackRun& run : runs) {
      const bool there = k > 0 && k <= run.E.size();
      row.push_back(there ? run.impulse[k - 1] : (k == 0 ? 0.0 : models::kNaN));
      row.push_back(there ? run.E[k - 1] : (k == 0 ? run.E_start : models::kNaN));
    }
  }
  return trace;
}

// [Zhang 2018] Fig. 6, and what O14 j requires of the drop
std::vector<Claim> claims_of(const std::vector<StackRun>& runs, double dt, bool full) {
  const StackRun& shown = runs[1];
  const auto later = [full](double x) { return full ? x : models::kNaN; };
  return {
      {"10 sweeps: impulse off that of 100, share of the largest", "",
       later(difference(runs[1], runs[2])), 0.0, 1e-3},
      {"first touch", "s", later(shown.first_touch), kFirstTouch, 2.0 * dt},
      {"energy rises, against h/2 m g v of the fall and the weight times the deepest", "J",
       shown.largest_rise, 0.0, shown.weight * (0.5 * dt * kFastest + shown.deepest)},
      {"at rest: force of the ground over the weight", "", later(shown.rest.load), 1.0, 1e-3},
      {"at rest: its standard deviation over the weight", "", later(shown.rest.spread), 0.0, 5e-3},
      {"at rest: steps without a force", "", later(shown.rest.zeros), 0.0, 0.0},
      {"at rest: deepest corner", "mm", later(1e3 * shown.rest.depth), 0.0, 0.02},
      {"at rest: centre off the height of a box on one of its faces", "mm",
       later(1e3 * off_a_face(shown.rest.height)), 0.0, 0.02}};
}

// from just before the impact until it lies, as the paper has it
std::vector<Figure> figures_of(const ExperimentInfo& i) {
  const auto panel = [](const std::string& title, const std::string& axis, const char* quantity,
                        const std::vector<std::size_t>& which) {
    Panel p{title, axis, {}};
    for (const std::size_t m : which)
      p.curves.push_back(
          {std::string(kColumns[m]) + ":" + quantity, kLabels[m], 1.0, m > which.front()});
    return p;
  };
  Figure figure{i.name, i.title + " (" + i.paper + ", " + i.figures + ")", {}};
  figure.from = 0.42;
  figure.to = 0.7;
  figure.panels = {panel("impulse of a step by sweeps", "norm (N s)", "impulse", {0, 1, 2}),
                   panel("by the point methods", "norm (N s)", "impulse", {3, 4}),
                   panel("kinetic and potential energy", "energy (J)", "E", {1, 3, 4})};
  figure.panels[0].bottom = figure.panels[1].bottom = kLeastImpulse;
  return {figure};
}

ExperimentResult run_falling_box(const ExperimentInfo& info, const ExperimentSettings& settings,
                                 const DataFolders& data) {
  const Scenario box = box_in_the_air(data);
  const bool full = settings.duration >= kFullDuration;
  ExperimentResult result;
  std::vector<StackRun> runs;
  ResultTable result_table{
      "at rest",
      {"force/weight", "std/force", "zeros", "depth um", "height mm", "rise J", "us a step"},
      {}};
  for (const Variant& v : kVariants) {
    runs.push_back(run_stack(box, {v.method, v.sweeps, kExactly, settings.dt, settings.duration}));
    const StackRun& run = runs.back();
    if (!run.stable)
      result.notices.push_back(std::string(v.name) + ": not stable, its rows end early");
    result_table.rows.push_back(
        {v.name,
         {run.rest.load, run.rest.spread, static_cast<double>(run.rest.zeros), 1e6 * run.rest.depth,
          1e3 * run.rest.height, run.largest_rise,
          1e6 * run.cpu / static_cast<double>(run.E.size())}});
  }
  if (full) result.tables = {result_table};
  result.trace = trace_of(runs, settings.dt);
  result.drifts = {
      {"energy, above its lowest value so far", "J", runs[1].E_start, runs[1].largest_rise}};
  result.claims = claims_of(runs, settings.dt, full);
  result.figures = figures_of(info);
  return result;
}

}  // namespace

void add_falling_box(Experiments& experiments) {
  add_experiment(
      experiments,
      ExperimentInfo{
          "falling-box",
          "A box falls 1 m onto the ground",
          "Zhang et al. 2018",
          "Fig. 6",
          "Norm of the contact impulse by 1, 10 and 100 iterations, and by the point methods.",
          {},
          {1e-4, kFullDuration, "semi-implicit-euler", "aba"},
          {"semi-implicit-euler"},
          {"aba"}},
      run_falling_box);
}

}  // namespace kagami::tools
