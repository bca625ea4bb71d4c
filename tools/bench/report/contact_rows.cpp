// The rows of `kagami bench contact`.
#include "tools/bench/report/row_specs.hpp"

namespace kagami::tools {
namespace {

constexpr const char* kMujoco = "mujoco 2.2.2";

/// What is said of every engine's robot beside its time.
const std::vector<std::string> kRobot = {"pen_um", "slip_um", "std_W",    "dF_W",
                                         "lost",   "mean_W",  "energy_uJ"};

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
  row.quality.push_back("speed_up");
  row.pinned = false;
  return row;
}

}  // namespace

std::vector<RowSpec> contact_rows() {
  std::vector<RowSpec> rows;
  for (const char* method : {"relaxed", "multipoint"}) {
    rows.push_back(row_of("khr1/stand", method,
                          {{kMujoco, 0.37},
                           {"pen_um", 0.5},
                           {"slip_um", 1.0},
                           {"std_W", 1e-5},
                           {"dF_W", 1e-5},
                           {"lost", 0.0}}));
    rows.push_back(row_of(
        "khr1/squat", method,
        {{kMujoco, 0.47}, {"pen_um", 0.5}, {"slip_um", 1.6}, {"excess_W", 1e-4}, {"lost", 0.0}}));
    rows.push_back(tail_row(method));
    rows.push_back(rollouts_row(method));
  }
  return rows;
}

}  // namespace kagami::tools
