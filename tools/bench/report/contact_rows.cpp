// The rows of `kagami bench contact`.
#include <cmath>

#include "tools/bench/report/row_specs.hpp"

namespace kagami::tools {
namespace {

constexpr const char* kMujoco = "mujoco 2.2.2";
constexpr const char* kBullet = "bullet 3.24";

/// Printed for every engine's robot beside its time.
const std::vector<std::string> kRobot = {"pen_um", "slip_um", "std_W",     "dF_W",
                                         "lost",   "mean_W",  "energy_uJ", "inexact"};

/// "SCENE/METHOD" against the peers' "SCENE".
RowSpec row_of(const std::string& scene, const std::string& method,
               std::map<std::string, double> bound) {
  RowSpec row;
  row.name = scene + "/" + method;
  row.ours = {row.name};
  row.peers = scene;
  row.bound = std::move(bound);
  row.quality = kRobot;
  return row;
}

RowSpec tail_row(const std::string& method) {
  RowSpec row = row_of("khr1/tail", method, {{"tail", 1.5}, {"least_tail", 1.5}});
  for (const char* name : {"p50_us", "p99_us", "p999_us", "max_us", "tail", "least_tail"})
    row.quality.push_back(name);
  return row;
}

RowSpec rollouts_row(const std::string& method) {
  RowSpec row = row_of("khr1/rollouts", method, {{kMujoco, 1.0 / 2.2}});
  row.not_below = {{"speed_up", kMujoco}};
  for (const char* name : {"speed_up", "best_speed_up", "cpu_speed_up"})
    row.quality.push_back(name);
  row.pinned = false;
  return row;
}

/// At 10 ms the deepest penetration counts, at 1 ms the time; nowhere a gain of energy.
RowSpec pendulum_row(const std::string& step, const std::string& method) {
  RowSpec row = row_of("pendulum/" + step, method, {{"gain_J", 1e-3}});
  if (step == "1ms") row.bound[kMujoco] = 0.5;
  if (step == "10ms") row.bound["pen_mm"] = 5.0;
  row.quality = {"pen_mm", "rest_mm", "gain_J", "speed", "std_F", "stable"};
  return row;
}

RowSpec stack_row(int boxes) {
  RowSpec row = row_of("boxes/" + std::to_string(boxes), "volumetric",
                       {{"std_F", 0.01}, {"zero", 0.0}, {"pen_mm", 0.02}, {"diverged", 0.0}});
  if (boxes == 50) row.bound[kBullet] = 1.0;
  row.quality = {"pen_mm", "slip_mm", "std_F", "zero", "gain_J", "mean_W", "diverged"};
  return row;
}

/// t(50) / t(10) <= 5.5, as a slope over all sizes.
RowSpec stack_slope() {
  RowSpec row;
  row.name = "boxes/slope/volumetric";
  for (int boxes = 10; boxes <= 50; boxes += 10) {
    row.ours.push_back("boxes/" + std::to_string(boxes) + "/volumetric");
    row.sizes.push_back(boxes);
  }
  row.bound = {{"slope", std::log(5.5) / std::log(5.0)}};
  return row;
}

/// Ten times finer steps; no peer is run, they need many seconds.
RowSpec fine_stack_row() {
  RowSpec row = stack_row(50);
  row.name = "boxes/50/0.1ms/volumetric";
  row.ours = {row.name};
  row.peers.clear();
  row.bound = {{"diverged", 0.0}};
  return row;
}

}  // namespace

std::vector<RowSpec> contact_rows() {
  std::vector<RowSpec> rows;
  for (const std::string method : {"relaxed", "multipoint", "volumetric"}) {
    // rest_depth of `volumetric` is 1 um, a hundredth above for what the servos' motion adds
    const double depth_um = method == "volumetric" ? 1.01 : 0.5;
    rows.push_back(row_of("khr1/stand", method,
                          {{kMujoco, 0.37},
                           {"pen_um", depth_um},
                           {"slip_um", 1.0},
                           {"std_W", 1e-5},
                           {"dF_W", 1e-5},
                           {"lost", 0.0}}));
    rows.push_back(row_of("khr1/squat", method,
                          {{kMujoco, 0.47},
                           {"pen_um", depth_um},
                           {"slip_um", 1.6},
                           {"excess_W", 1e-4},
                           {"lost", 0.0}}));
    rows.push_back(tail_row(method));
    rows.push_back(rollouts_row(method));
    for (const char* step : {"1ms", "2ms", "5ms", "10ms"})
      rows.push_back(pendulum_row(step, method));
  }
  for (int boxes = 10; boxes <= 50; boxes += 10) rows.push_back(stack_row(boxes));
  rows.push_back(stack_slope());
  rows.push_back(fine_stack_row());
  return rows;
}

}  // namespace kagami::tools
