#include "tools/bench/report/row_specs.hpp"

namespace kagami::tools {
namespace {

RowSpec row(const char* name, std::map<std::string, double> bound) {
  RowSpec spec;
  spec.name = name;
  spec.ours = {spec.name};
  spec.bound = std::move(bound);
  return spec;
}

}  // namespace

std::vector<RowSpec> cycle_rows() {
  // us: an update's median; p99_us: of a whole cycle with contact, controller, comparison, record
  return {row("khr1/cycle/step", {}),
          row("khr1/cycle/dynamics_crba", {}),
          row("khr1/cycle/dynamics_aba", {}),
          row("khr1/cycle/dynamics_dca", {}),
          row("khr1/cycle/dynamics_ada", {}),
          row("khr1/cycle/dynamics_hybrid", {}),
          row("khr1/cycle/pid_floor", {{"p99_us", 60.0}}),
          row("khr1/cycle/balance_floor", {{"p99_us", 60.0}}),
          row("khr1/cycle/virtual_loop_stand", {{"p99_us", 60.0}}),
          row("khr1/control/pid", {{"us", 0.5}}),
          row("khr1/control/balance", {{"us", 15.0}}),
          row("khr1/control/virtual_loop", {{"us", 15.0}})};
}

std::vector<RowSpec> dashboard_rows() {
  // acknowledged: median; ten clients at 60 Hz: of a core
  return {row("dashboard/row", {}), row("dashboard/acknowledged", {{"p50_us", 50'000.0}}),
          row("dashboard/10_clients_60hz", {{"server_pct", 10.0}}),
          row("dashboard/10_clients_30hz", {}), row("dashboard/1_client_60hz", {})};
}

}  // namespace kagami::tools
