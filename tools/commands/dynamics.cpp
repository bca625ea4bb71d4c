// kagami dynamics MODEL [STATES]: a calculator for one's own dynamics code to be checked against.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/robot/euler_state.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/robot_choice.hpp"
#include "tools/cli/subprogram.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/dynamics_columns.hpp"
#include "tools/commands/dynamics_input.hpp"
#include "tools/commands/dynamics_results.hpp"
#include "tools/commands/dynamics_simulation.hpp"
#include "tools/trace/trace.hpp"

namespace kagami::tools {
namespace {

using models::JointType;
using models::Model;
using nlohmann::json;

json list_of(const JointVector& v) {
  return std::vector<double>(v.data(), v.data() + v.size());
}
json list_of(const Vec3& v) {
  return std::vector<double>(v.data(), v.data() + 3);
}
json rows_of(const Eigen::MatrixXd& m) {
  json rows = json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    json row = json::array();
    for (Eigen::Index k = 0; k < m.cols(); ++k) row.push_back(m(i, k));
    rows.push_back(row);
  }
  return rows;
}

json wrenches_json(const std::vector<Vec6>& wrenches) {
  json list = json::array();
  for (const Vec6& w : wrenches) list.push_back(std::vector<double>(w.data(), w.data() + 6));
  return list;
}

json poses_json(const std::vector<models::Pose>& poses) {
  json list = json::array();
  for (const models::Pose& X : poses) list.push_back({{"R", rows_of(X.R)}, {"xyz", list_of(X.p)}});
  return list;
}

// what a model with loops has besides; names of degrees of freedom, not indices
void add_loops(const Model& model, const DynamicsResults& f, json& state) {
  const LoopClosure& loops = *f.loops;
  const std::vector<std::string> names = velocity_names(model);
  json independent = json::array();
  for (const int k : loops.independent) independent.push_back(names[static_cast<std::size_t>(k)]);
  json held = json::array();
  for (const int k : loops.held) held.push_back(names[static_cast<std::size_t>(k)]);
  state["loop_wrench_on_a"] = wrenches_json(loops.wrench_on_a);
  state["loop_pose"] = poses_json(loops.X_WL);
  state["loop_jacobian"] = rows_of(loops.J);
  state["constraints"] = model.num_loop_constraints();
  state["rank"] = loops.rank;
  state["degrees_of_freedom"] = model.num_v() - loops.rank;
  state["singular_values"] = loops.singular_values;
  state["smallest_singular_value"] = loops.smallest_singular_value;
  state["gap"] = loops.gap;
  state["gap_rate"] = loops.gap_rate;
  state["independent"] = independent;
  state["held"] = held;
  state["inverse"]["loop_wrench_on_a"] = wrenches_json(loops.inverse_wrench_on_a);
  state["inverse"]["forces_on"] = loops.base_helps ? "joints and base" : "joints";
}

json zmp_json(const DynamicsResults& f) {
  if (f.zmp_status != models::BalanceStatus::kOk) return nullptr;
  return {{"point", list_of(f.zmp.point)},
          {"force", list_of(f.zmp.force)},
          {"normal_moment", f.zmp.normal_moment}};
}

// Euler angles z-y-z in place of the quaternions; rates null at the chart's singularity
json zyz_json(const Model& model, const models::State& s) {
  JointVector q;
  JointVector rates;
  const double sigma = q_to_zyz(model, s.q, q);
  const bool regular = zyz_rates(model, q, s.v, rates);
  return {{"q", list_of(q)},
          {"rates", regular ? list_of(rates) : json(nullptr)},
          {"sigma", sigma},
          {"singular", !regular}};
}

json state_json(const Model& model, const StateEntry& entry, const DynamicsResults& f) {
  json state = {{"q", list_of(entry.state.q)},
                {"v", list_of(entry.state.v)},
                {"tau", list_of(entry.tau)},
                {"vdot", list_of(f.vdot)},
                {"H", rows_of(f.H)},
                {"b", list_of(f.b)},
                {"Q_external", list_of(f.Q_external)},
                {"inverse", {{"vdot", list_of(f.inverse_vdot)}, {"tau", list_of(f.inverse_tau)}}},
                {"joint_wrench_world_at_child_origin", wrenches_json(f.joint_wrench)},
                {"body_pose", poses_json(f.X_WB)},
                {"kinetic_energy", f.balance.kinetic_energy},
                {"potential_energy", f.balance.potential_energy},
                {"power", {{"stored", f.power.stored}, {"supplied", f.power.supplied}}},
                {"com", list_of(f.balance.com)},
                {"linear_momentum", list_of(f.balance.linear_momentum)},
                {"angular_momentum_about_com", list_of(f.balance.angular_momentum)},
                {"centroidal_momentum_matrix", rows_of(f.A)},
                {"zmp", zmp_json(f)},
                {"zmp_status", name(f.zmp_status)}};
  if (!model.quaternions().empty()) state["zyz"] = zyz_json(model, entry.state);
  if (f.loops) add_loops(model, f, state);
  return state;
}

models::Algorithm algorithm_of(const DynamicsOptions& opt, const Model& model) {
  if (!opt.algorithm.empty()) return models::algorithm(opt.algorithm);
  return model.loops().empty() ? models::Algorithm::kAba : models::Algorithm::kCrba;
}

json head_json(const AlgorithmsRan& ran, const DynamicsInput& input) {
  json bodies = json::array();
  json loops = json::array();
  for (const models::Loop& loop : input.model.loops()) loops.push_back(loop.name);
  for (int i = 0; i < input.model.num_bodies(); ++i) bodies.push_back(input.model.body(i).name);
  return {{"schema", "kagami.dynamics/1"},
          {"model", input.name},
          {"algorithm", ran.list().empty() ? json(nullptr) : json(ran.text())},
          {"bodies", bodies},
          {"loops", loops},
          {"q_names", coordinate_names(input.model)},
          {"v_names", velocity_names(input.model)}};
}

// one line per quantity and degree of freedom, for people
std::string state_text(const Model& model, const StateEntry& entry, const DynamicsResults& f) {
  std::string text = fmt::format("{:<24} {:>24} {:>24} {:>24} {:>24}\n", "degree of freedom", "v",
                                 "tau", "vdot", "tau for inverse vdot");
  const std::vector<std::string> names = velocity_names(model);
  for (int k = 0; k < model.num_v(); ++k)
    text += fmt::format("{:<24} {:>24} {:>24} {:>24} {:>24}\n", names[static_cast<std::size_t>(k)],
                        full_digits(entry.state.v[k]), full_digits(entry.tau[k]),
                        full_digits(f.vdot[k]), full_digits(f.inverse_tau[k]));
  std::vector<double> balance;
  append(balance, f.balance);
  for (std::size_t i = 0; i < balance.size(); ++i)
    text += fmt::format("{:<24} {:>24}\n", balance_names()[i], full_digits(balance[i]));
  if (!f.loops) return text;
  text += fmt::format("{:<24} {:>24}\n{:<24} {:>24}\n{:<24} {:>24}\n", "gap",
                      full_digits(f.loops->gap), "independent equations", f.loops->rank,
                      "smallest singular value", full_digits(f.loops->smallest_singular_value));
  for (std::size_t l = 0; l < model.loops().size(); ++l)
    for (int k = 0; k < 6; ++k)
      text += fmt::format("{:<24} {:>24}\n", "loop " + model.loops()[l].name + kWrenchParts[k],
                          full_digits(f.loops->wrench_on_a[l][k]));
  return text;
}

// resolves the options; remarks for the user are printed once
Chosen chosen_by(const DynamicsOptions& opt, const DynamicsInput& input, Console& io) {
  Chosen chosen{input.model, algorithm_of(opt, input.model), std::nullopt};
  if (!input.model.loops().empty()) return chosen;
  chosen.tree.emplace(models::robot_forward_dynamics(input.model, chosen.algorithm, input.folder));
  if (!chosen.tree->notice().empty()) io.warn(chosen.tree->notice());
  return chosen;
}

void calculate(const DynamicsOptions& opt, const DynamicsInput& input, Console& io) {
  Chosen chosen = chosen_by(opt, input, io);
  AlgorithmsRan ran;
  json states = json::array();
  Trace table;
  append_names(table.columns, "q", coordinate_names(input.model));
  for (const char* what : {"v", "tau", "vdot", "b", "inverse_vdot", "inverse_tau"})
    append_names(table.columns, what, velocity_names(input.model));
  table.columns.insert(table.columns.end(), balance_names().begin(), balance_names().end());
  append_matrix_names(table.columns, input.model);
  append_loop_names(table.columns, input.model);
  std::string text;
  for (const StateEntry& entry : input.states) {
    const DynamicsResults f = results_of(chosen, entry);
    ran.add(f.ran);
    if (f.loops)
      for (const std::string& notice : loop_notices(input.model, *f.loops))
        io.say(entry.where + ": " + notice);
    if (io.json) {
      states.push_back(state_json(input.model, entry, f));
    } else if (opt.csv) {
      std::vector<double>& row = table.rows.emplace_back();
      for (const JointVector* v : {&entry.state.q, &entry.state.v, &entry.tau, &f.vdot, &f.b,
                                   &f.inverse_vdot, &f.inverse_tau})
        append(row, *v);
      append(row, f.balance);
      append_matrices(row, f);
      if (f.loops)
        append_loops(row, f.loops->gap, f.loops->rank, f.loops->smallest_singular_value,
                     f.loops->wrench_on_a);
    } else {
      text += (text.empty() ? "" : "\n") + state_text(input.model, entry, f);
    }
  }
  for (const std::string& sentence : ran.substitutes(chosen.algorithm)) io.warn(sentence);
  if (io.json) {
    json object = head_json(ran, input);
    object["states"] = states;
    return io.print_json(object);
  }
  io.print(opt.csv ? trace_csv(table) : text);
}

void simulate(const DynamicsOptions& opt, const DynamicsInput& input, Console& io) {
  if (input.states.size() > 1)
    io.warn("the file has " + std::to_string(input.states.size()) +
            " states; the simulation starts from the first");
  Chosen chosen = chosen_by(opt, input, io);
  SimulationEnd end;
  const Trace table = trajectory(opt, input, chosen, end);
  for (const std::string& sentence : end.ran.substitutes(chosen.algorithm)) io.warn(sentence);
  if (io.json) {
    json object = head_json(end.ran, input);
    object["integrator"] = opt.integrator;
    object["dt_s"] = opt.dt;
    object["steps"] = end.steps;
    object["rejected_steps"] = end.rejected;
    object["complete"] = end.problem.empty();
    object["problem"] = end.problem.empty() ? json(nullptr) : json(end.problem);
    object["columns"] = table.columns;
    object["rows"] = table.rows;
    io.print_json(object);
  } else {
    io.print(trace_csv(table));
  }
  if (!end.problem.empty())
    throw Error(end.problem + "; the " + std::to_string(table.rows.size()) +
                " rows before that are in the output");
}

void run(const DynamicsOptions& opt, Console& io) {
  if (opt.csv && io.json) throw ConfigError("--csv and --json exclude each other");
  // wrong names before any file is read
  if (!opt.algorithm.empty()) static_cast<void>(models::algorithm(opt.algorithm));
  static_cast<void>(models::scheme(opt.integrator));
  const DynamicsInput input = read_dynamics_input(opt, io);
  if (opt.duration) return simulate(opt, input, io);
  calculate(opt, input, io);
}

}  // namespace

void add_dynamics(Command& app, Console& io) {
  auto opt = std::make_shared<DynamicsOptions>();
  Command command = add_subprogram(app, "dynamics");
  command
      .add_option("model", opt->model,
                  "A shipped robot, a robot folder, a model file (.json) or a URDF (.urdf).")
      .value("NAME|DIR|FILE")
      .required();
  command
      .add_option("states", opt->states,
                  "JSON file of states. Default: the state in the model's file, else zero.")
      .value("FILE");
  command.start_group("Model");
  command.add_option("--case", opt->case_id, "The case of a model file that has several.")
      .value("ID");
  command.add_option("--base", opt->base, "How the root of the model is held.")
      .one_of({"fixed", "floating"});
  command.add_flag("--close", opt->close,
                   "Move a state with open loops to the nearest one that closes them.");
  add_data_option(command, opt->data);
  command.start_group("Computation");
  command
      .add_option("--algorithm", opt->algorithm,
                  "Forward dynamics algorithm. hybrid uses generated code where it exists. A model "
                  "with loops accepts crba and ada. Default: aba, with loops crba.")
      .value("aba|crba|ada|dca|hybrid");
  command.add_option("--simulate", opt->duration, "Compute a trajectory of this length, s.")
      .value("SECONDS");
  command.add_option("--dt", opt->dt, "Time step of the trajectory and of its rows, s.")
      .value("SECONDS")
      .with_default();
  command.add_option("--integrator", opt->integrator, "Integrator of the trajectory.")
      .value("semi-implicit-euler|rk4|rkg|rkf45")
      .with_default();
  command.add_option("--tolerance", opt->tolerance, "Error per step that rkf45 accepts.")
      .value("NUMBER")
      .with_default();
  command.add_flag("--ignore-limits", opt->ignore_limits,
                   "Simulate beyond the joint limits. Without it the trajectory ends at the first "
                   "row outside them.");
  command.start_group("Output");
  command.add_flag("--csv", opt->csv, "Print CSV, one row per state, with 17 digits.");
  add_json_option(command, io);
  add_common_options(command, io, "dynamics khr1 --base floating --json",
                     "dynamics arm.json states.json --simulate 3 --dt 0.001 --integrator rkf45");
  command.on_run([opt, &io] { run(*opt, io); });
}

}  // namespace kagami::tools
