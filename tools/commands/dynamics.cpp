// kagami dynamics MODEL [STATES]: a calculator for one's own dynamics code to be checked against.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/hybrid/hybrid_algorithm.hpp"
#include "tools/cli/words.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/dynamics_figures.hpp"
#include "tools/commands/dynamics_input.hpp"

namespace kagami::tools {
namespace {

using models::JointType;
using models::Model;
using nlohmann::json;

constexpr double kMaxRows = 1e6;

// 17 significant digits: every bit of the number
std::string digits(double value) {
  return fmt::format("{:.17g}", value);
}

// RFC 4180
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::vector<std::string> names_of(const Model& model, bool velocities) {
  // what follows the joint's name, by type: coordinates, velocities
  static const std::vector<std::string> kQ[] = {{},
                                                {""},
                                                {""},
                                                {"1", "2"},
                                                {"qw", "qx", "qy", "qz"},
                                                {"px", "py", "pz", "qw", "qx", "qy", "qz"}};
  static const std::vector<std::string> kV[] = {
      {}, {""}, {""}, {"1", "2"}, {"wx", "wy", "wz"}, {"wx", "wy", "wz", "vx", "vy", "vz"}};
  std::vector<std::string> names;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const models::Body& b = model.body(i);
    const auto type = static_cast<std::size_t>(b.joint.type);
    for (const std::string& part : velocities ? kV[type] : kQ[type])
      names.push_back(b.joint_name + (part.empty() ? "" : "." + part));
  }
  return names;
}

void append_names(std::vector<std::string>& header, const std::string& what,
                  const std::vector<std::string>& names) {
  for (const std::string& name : names) header.push_back(what + ":" + name);
}

void append(std::vector<double>& row, const JointVector& v) {
  row.insert(row.end(), v.data(), v.data() + v.size());
}

const std::vector<std::string> kBalanceNames = {"PE", "KE", "E",  "comx", "comy", "comz",
                                                "Px", "Py", "Pz", "Lx",   "Ly",   "Lz"};

void append(std::vector<double>& row, const Balance& b) {
  row.insert(row.end(),
             {b.potential_energy, b.kinetic_energy, b.potential_energy + b.kinetic_energy});
  for (const Vec3* v : {&b.com, &b.linear_momentum, &b.angular_momentum})
    row.insert(row.end(), v->data(), v->data() + 3);
}

struct Sheet {
  std::vector<std::string> header;
  std::vector<std::vector<double>> rows;
};

std::string csv_text(const Sheet& sheet) {
  std::string text;
  for (const std::string& name : sheet.header) text += (text.empty() ? "" : ",") + csv_cell(name);
  text += "\n";
  for (const std::vector<double>& row : sheet.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i > 0 ? "," : "") + digits(row[i]);
    text += "\n";
  }
  return text;
}

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

json state_json(const StateEntry& entry, const Figures& f) {
  json wrenches = json::array();
  for (const Vec6& w : f.joint_wrench)
    wrenches.push_back(std::vector<double>(w.data(), w.data() + 6));
  json poses = json::array();
  for (const models::Pose& X : f.X_WB)
    poses.push_back({{"R", rows_of(X.R)}, {"xyz", list_of(X.p)}});
  return {{"q", list_of(entry.state.q)},
          {"v", list_of(entry.state.v)},
          {"tau", list_of(entry.tau)},
          {"vdot", list_of(f.vdot)},
          {"H", rows_of(f.H)},
          {"b", list_of(f.b)},
          {"Q_external", list_of(f.Q_external)},
          {"inverse", {{"vdot", list_of(f.inverse_vdot)}, {"tau", list_of(f.inverse_tau)}}},
          {"joint_wrench_world_at_child_origin", wrenches},
          {"body_pose", poses},
          {"kinetic_energy", f.balance.kinetic_energy},
          {"potential_energy", f.balance.potential_energy},
          {"com", list_of(f.balance.com)},
          {"linear_momentum", list_of(f.balance.linear_momentum)},
          {"angular_momentum_about_com", list_of(f.balance.angular_momentum)}};
}

json head_json(const DynamicsWords& words, const DynamicsInput& input) {
  json bodies = json::array();
  for (int i = 0; i < input.model.num_bodies(); ++i) bodies.push_back(input.model.body(i).name);
  return {{"schema", "kagami.dynamics/1"},
          {"model", input.name},
          {"algorithm", words.algorithm},
          {"bodies", bodies},
          {"q_names", names_of(input.model, false)},
          {"v_names", names_of(input.model, true)}};
}

// one line per figure and degree of freedom, for eyes
std::string state_text(const Model& model, const StateEntry& entry, const Figures& f) {
  std::string text = fmt::format("{:<24} {:>24} {:>24} {:>24} {:>24}\n", "degree of freedom", "v",
                                 "tau", "vdot", "tau for inverse vdot");
  const std::vector<std::string> names = names_of(model, true);
  for (int k = 0; k < model.num_v(); ++k)
    text += fmt::format("{:<24} {:>24} {:>24} {:>24} {:>24}\n", names[static_cast<std::size_t>(k)],
                        digits(entry.state.v[k]), digits(entry.tau[k]), digits(f.vdot[k]),
                        digits(f.inverse_tau[k]));
  std::vector<double> balance;
  append(balance, f.balance);
  for (std::size_t i = 0; i < balance.size(); ++i)
    text += fmt::format("{:<24} {:>24}\n", kBalanceNames[i], digits(balance[i]));
  return text;
}

// the algorithm that the words ask for; what the user should know about it is said once
models::ForwardDynamics dynamics_of(const DynamicsWords& words, const DynamicsInput& input,
                                    Console& io) {
  models::ForwardDynamics dynamics =
      models::robot_forward_dynamics(input.model, models::algorithm(words.algorithm), input.folder);
  if (!dynamics.notice().empty()) io.warn(dynamics.notice());
  return dynamics;
}

void calculate(const DynamicsWords& words, const DynamicsInput& input, Console& io) {
  models::ForwardDynamics dynamics = dynamics_of(words, input, io);
  json object = head_json(words, input);
  json states = json::array();
  Sheet sheet;
  append_names(sheet.header, "q", names_of(input.model, false));
  for (const char* what : {"v", "tau", "vdot", "b", "inverse_vdot", "inverse_tau"})
    append_names(sheet.header, what, names_of(input.model, true));
  sheet.header.insert(sheet.header.end(), kBalanceNames.begin(), kBalanceNames.end());
  std::string text;
  for (const StateEntry& entry : input.states) {
    const Figures f = figures_of(dynamics, entry);
    if (io.json) {
      states.push_back(state_json(entry, f));
    } else if (words.csv) {
      std::vector<double>& row = sheet.rows.emplace_back();
      for (const JointVector* v : {&entry.state.q, &entry.state.v, &entry.tau, &f.vdot, &f.b,
                                   &f.inverse_vdot, &f.inverse_tau})
        append(row, *v);
      append(row, f.balance);
    } else {
      text += (text.empty() ? "" : "\n") + state_text(input.model, entry, f);
    }
  }
  object["states"] = states;
  if (io.json) return io.print_json(object);
  io.print(words.csv ? csv_text(sheet) : text);
}

void check_times(const DynamicsWords& words) {
  const double duration = *words.duration;
  // written so that NaN fails
  if (!(duration >= 0.0 && words.dt > 0.0 && duration / words.dt <= kMaxRows))
    throw ConfigError("--simulate " + digits(duration) + " --dt " + digits(words.dt) +
                      ": expected seconds not below 0, steps above 0, at most a million steps");
}

// rows from t = 0 to the end, one per dt; the last step is shorter where dt does not divide
Sheet trajectory(const DynamicsWords& words, const DynamicsInput& input,
                 models::ForwardDynamics& dynamics, json& counts) {
  const Model& model = input.model;
  const StateEntry& entry = input.states.front();
  Sheet sheet;
  sheet.header.push_back("t");
  append_names(sheet.header, "q", names_of(model, false));
  append_names(sheet.header, "v", names_of(model, true));
  sheet.header.insert(sheet.header.end(), kBalanceNames.begin(), kBalanceNames.end());

  EntrySource source(dynamics, entry);
  models::Integrator integrator(
      model, models::scheme(words.integrator),
      {.tolerance = words.tolerance, .min_step = 1e-9, .max_step = std::max(1e-9, words.dt)});
  models::Kinematics kinematics(model);
  models::State state = entry.state;
  const auto steps = static_cast<long>(std::ceil(*words.duration / words.dt - 1e-9));
  double t = 0.0;
  for (long i = 0;; ++i) {
    std::vector<double>& row = sheet.rows.emplace_back();
    row.push_back(t);
    append(row, state.q);
    append(row, state.v);
    append(row, balance_of(model, state, kinematics));
    if (i == steps) break;
    const double next = i + 1 == steps ? *words.duration : static_cast<double>(i + 1) * words.dt;
    const models::StepStatus status = integrator.advance(source, next - t, t, state);
    if (status != models::StepStatus::kOk)
      throw Error("the simulation stopped at t = " + digits(t) + " s: " + models::name(status));
    t = next;
  }
  counts = {{"steps", integrator.steps()}, {"rejected", integrator.rejected()}};
  return sheet;
}

void simulate(const DynamicsWords& words, const DynamicsInput& input, Console& io) {
  check_times(words);
  if (input.states.size() > 1)
    io.warn("the file has " + std::to_string(input.states.size()) +
            " states; the simulation starts from the first");
  models::ForwardDynamics dynamics = dynamics_of(words, input, io);
  json counts;
  const Sheet sheet = trajectory(words, input, dynamics, counts);
  if (!io.json) return io.print(csv_text(sheet));
  json object = head_json(words, input);
  object["integrator"] = words.integrator;
  object["dt_s"] = words.dt;
  object["steps"] = counts["steps"];
  object["rejected_steps"] = counts["rejected"];
  object["columns"] = sheet.header;
  object["rows"] = sheet.rows;
  io.print_json(object);
}

void run(const DynamicsWords& words, Console& io) {
  if (words.csv && io.json) throw ConfigError("--csv and --json exclude each other");
  // wrong names before any file is read
  static_cast<void>(models::algorithm(words.algorithm));
  static_cast<void>(models::scheme(words.integrator));
  const DynamicsInput input = read_dynamics_input(words, io);
  if (words.duration) return simulate(words, input, io);
  calculate(words, input, io);
}

}  // namespace

void add_dynamics(CLI::App& app, Console& io) {
  auto words = std::make_shared<DynamicsWords>();
  CLI::App* command = app.add_subcommand(
      "dynamics", "Accelerations, joint forces, matrices, energies or a trajectory of any model");
  command
      ->add_option("model", words->model,
                   "a shipped robot or a folder, a model file (.json) or a .urdf")
      ->required();
  command->add_option("states", words->states, "file of states (docs/commands.md)");
  command->add_option("--case", words->case_id, "which of a file's cases");
  command->add_option("--base", words->base, "root of the tree: fixed or floating")
      ->check(CLI::IsMember({"fixed", "floating"}));
  command
      ->add_option("--algorithm", words->algorithm,
                   "aba, crba, ada, dca, hybrid (generated code where there is some)")
      ->capture_default_str();
  command->add_option("--simulate", words->duration, "a trajectory of so many seconds");
  command->add_option("--dt", words->dt, "seconds from row to row, the integrator's step")
      ->capture_default_str();
  command->add_option("--integrator", words->integrator, "semi-implicit-euler, rk4, rkg, rkf45")
      ->capture_default_str();
  command->add_option("--tolerance", words->tolerance, "error per step of rkf45")
      ->capture_default_str();
  command->add_option("--data", words->data, "folder with robots and motions (or KAGAMI_DATA)");
  command->add_flag("--csv", words->csv, "one row per state, 17 digits");
  add_json_word(*command, io);
  add_common_words(*command, io, "dynamics khr1 --base floating --json",
                   "dynamics arm.json states.json --simulate 3 --dt 0.001 --integrator rkf45");
  command->callback([words, &io] { run(*words, io); });
}

}  // namespace kagami::tools
