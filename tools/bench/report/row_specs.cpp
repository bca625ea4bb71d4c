#include "tools/bench/report/row_specs.hpp"

namespace kagami::tools {
namespace {

constexpr const char* kMujoco = "mujoco 2.2.2";

/// "khr1/forward_dynamics/aba", ...
std::vector<std::string> forward(const std::string& model, std::vector<std::string> algorithms) {
  for (std::string& algorithm : algorithms) algorithm = model + "/forward_dynamics/" + algorithm;
  return algorithms;
}

const std::vector<std::string> kRunTime = {"aba", "crba", "dca", "ada"};
const std::vector<std::string> kBuildTime = {"generated", "hybrid"};

RowSpec forward_row(const std::string& model, const std::string& name,
                    const std::vector<std::string>& algorithms, double bound) {
  RowSpec row;
  row.name = model + "/forward_dynamics/" + name;
  row.ours = forward(model, algorithms);
  row.peers = model + "/forward_dynamics";
  row.bound = {{kMujoco, bound}};
  return row;
}

/// Hybrid against our own assembly-disassembly algorithm, as the thesis compares them; in whichever
/// order of the joints is faster.
RowSpec hybrid_row(const std::string& model, double bound) {
  RowSpec row;
  row.name = model + "/forward_dynamics/hybrid";
  row.ours = forward(model, {"hybrid"});
  row.peers = model + "/forward_dynamics";
  row.own_peers = forward(model, {"ada", "ada_tips_first"});
  row.own_column = "kagami ada";
  row.bound = {{"kagami ada", bound}};
  return row;
}

RowSpec other_row(const std::string& ours, const std::string& peers, double bound) {
  RowSpec row;
  row.name = ours;
  row.ours = {ours};
  row.peers = peers;
  row.bound = {{kMujoco, bound}};
  return row;
}

/// Against the peer's forward dynamics, as the bounds are stated.
RowSpec yardstick_row(const std::string& ours, double bound) {
  RowSpec row = other_row(ours, ours.substr(0, ours.find('/')) + "/forward_dynamics", bound);
  row.same_work = false;
  return row;
}

/// A robot that we ship. It is not the comparison's model of the same name: no bound.
std::vector<RowSpec> shipped_rows(const std::string& robot) {
  std::vector<RowSpec> rows = {forward_row(robot + "_shipped", "run_time", kRunTime, 0),
                               forward_row(robot + "_shipped", "build_time", kBuildTime, 0)};
  for (RowSpec& row : rows) row.bound.clear();
  return rows;
}

/// Chains of 12 to 384 links.
RowSpec slope_row(const std::string& algorithm) {
  RowSpec row;
  row.name = "chain3d/slope/" + algorithm;
  for (const int links : {12, 24, 48, 96, 192, 384}) {
    row.ours.push_back("chain3d_" + std::to_string(links) + "/forward_dynamics/" + algorithm);
    row.sizes.push_back(links);
  }
  row.bound = {{"slope", 1.1}};
  return row;
}

RowSpec four_bar_row(const std::string& name, std::map<std::string, double> bound) {
  RowSpec row;
  row.name = row.peers = "four_bar/" + name;
  row.ours = {row.name};
  row.bound = std::move(bound);
  row.quality = {"gap_m", "energy"};
  return row;
}

}  // namespace

std::vector<RowSpec> dynamics_rows() {
  std::vector<RowSpec> rows = {
      forward_row("khr1", "run_time", kRunTime, 0.37),
      forward_row("khr1", "build_time", kBuildTime, 0.21),
      forward_row("khr1", "ada", {"ada_forces"}, 0.62),
      forward_row("planar7R", "build_time", kBuildTime, 0.105),
      hybrid_row("planar7R", 0.30),
      forward_row("chain3d_12", "build_time", kBuildTime, 0.19),
      hybrid_row("chain3d_12", 0.50),
      forward_row("hoap2", "run_time", kRunTime, 0.34),
      forward_row("hoap2", "build_time", kBuildTime, 0.19),
      other_row("khr1/inverse_dynamics/rnea", "khr1/inverse_dynamics", 0.21),
      other_row("khr1/inverse_dynamics/generated", "khr1/inverse_dynamics", 0.095),
      other_row("khr1/mass_matrix/crba", "khr1/mass_matrix", 0.17),
      yardstick_row("khr1/joint_jacobians", 0.085),
      yardstick_row("khr1/com_jacobian", 0.10),
      yardstick_row("khr1/centroidal_momentum_matrix", 0.13),
      four_bar_row("semi_implicit", {{kMujoco, 0.5}, {"gap_m", 1e-6}}),
      four_bar_row("fourth_order", {{kMujoco, 0.58}, {"gap_m", 1e-10}, {"energy", 1e-10}}),
      slope_row("aba"),
      slope_row("ada"),
      slope_row("hybrid"),
  };
  // beside the table of bounds
  RowSpec com = other_row("khr1/com_jacobian", "khr1/com_jacobian", 0);
  com.name += "/like_for_like";
  com.bound.clear();
  rows.push_back(com);
  for (const char* robot : {"khr1", "hoap2"})
    for (const RowSpec& row : shipped_rows(robot)) rows.push_back(row);
  return rows;
}

}  // namespace kagami::tools
