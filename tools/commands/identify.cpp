// kagami identify RECORD...: the servos of the robot, fitted to records of its runs.
#include "tools/identify/identify.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "motions/file/motion_json.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/subprogram.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/commands.hpp"
#include "tools/identify/plan.hpp"

namespace kagami::tools {
namespace {

struct IdentifyOptions {
  std::vector<std::string> records;
  std::vector<std::string> held_back;
  std::string out;
  std::string plan;
  int rounds = 2;
  bool no_cross_validation = false;
  bool masses = false;
};

/// "36.2 +-0.5", in the file's unit; "(16.0)" where the readings do not determine it.
std::string value_text(const FitParameter& parameter, const FittedValue& value) {
  const double scale = parameter.per_unit;
  const double digits = std::floor(std::log10(std::max(scale * value.sigma, 1e-9)));
  const int decimals = static_cast<int>(std::clamp(1.0 - digits, 0.0, 4.0));
  const std::string number = fixed(scale * value.value, decimals);
  if (!value.is_known) return "(" + number + ")";
  return number + " +-" + fixed(scale * value.sigma, decimals);
}

std::string servos_text(const Identification& found) {
  std::vector<Table::Column> columns = {{"joint", Align::kLeft}};
  for (const FitParameter& parameter : fit_parameters()) {
    if (!is_extra(parameter.effect)) columns.push_back({parameter.key});
  }
  Table table(std::move(columns));
  for (std::size_t j = 0; j < found.joints.size(); ++j) {
    const FitParameters& parameters = fit_parameters();
    std::vector<std::string> row = {found.joints[j]};
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (is_extra(parameters[i].effect)) continue;
      const bool has_readings = found.fits[j].readings > 0;
      row.push_back(has_readings ? value_text(parameters[i], found.fits[j].values[i]) : "-");
    }
    table.add_row(std::move(row));
  }
  return table.text() +
         "\nIn parentheses: the readings do not determine it; it stays near the model's own.\n";
}

/// "delay_s, filter_1_s", of one direction.
std::string names_of(const OpenDirection& direction, const FitParameters& parameters) {
  std::string names;
  for (const std::size_t i : direction.parameters) {
    names += std::string(names.empty() ? "" : ", ") + parameters[i].key;
  }
  return names;
}

/// What the readings determine only in combination, joints with the same combination in one line.
std::string combinations_text(const Identification& found) {
  std::map<std::string, std::string> joints_of;
  for (std::size_t j = 0; j < found.joints.size(); ++j) {
    const FitParameters& parameters = fit_parameters();
    for (const OpenDirection& direction : found.fits[j].open) {
      if (direction.parameters.size() < 2) continue;
      std::string& joints = joints_of[names_of(direction, parameters)];
      joints += (joints.empty() ? "" : ", ") + found.joints[j];
    }
  }
  if (joints_of.empty()) return "";
  std::string text = "\nKnown in combination only, not each by itself:\n";
  for (const auto& [names, joints] : joints_of) text += "  " + names + ": " + joints + "\n";
  return text;
}

std::string effects_text(const Identification& found) {
  std::string text;
  for (std::size_t j = 0; j < found.joints.size(); ++j) {
    const FitParameters& parameters = fit_parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!is_extra(parameters[i].effect)) continue;
      if (!found.fits[j].has_effect[place_of(parameters[i].effect)]) continue;
      text += "  " + found.joints[j] + ": " + parameters[i].key + " " +
              value_text(parameters[i], found.fits[j].values[i]) + "\n";
    }
  }
  return text.empty() ? "" : "\nEffects that the model did not have:\n" + text;
}

std::string masses_text(const Identification& found) {
  if (found.masses.empty()) return "";
  Table table({{"link behind", Align::kLeft}, {"mass"}, {"+-"}, {"", Align::kLeft}});
  for (std::size_t j = 0; j < found.joints.size(); ++j) {
    const LinkMass& mass = found.masses[j];
    table.add_row({found.joints[j], fixed(mass.scale, 3), fixed(mass.sigma, 3),
                   mass.is_known ? "" : "not identifiable"});
  }
  return "\nMasses of the links, in those of the robot's folder:\n" + table.text();
}

std::string plan_text(const ExperimentPlan& plan, const Identification& found) {
  if (plan.values.empty()) return "\nThe records determine every parameter; no plan is needed.\n";
  Table table({{"joint", Align::kLeft}, {"parameter", Align::kLeft}, {"+- now"}, {"+- after"}});
  for (const PlannedValue& v : plan.values) {
    const FitParameter& p = fit_parameters()[v.parameter];
    table.add_row({found.joints[v.joint], p.key, fmt::format("{:.3g}", p.per_unit * v.sigma),
                   fmt::format("{:.3g}", p.per_unit * v.expected)});
  }
  return "\nPlanned for:\n" + table.text() + "\nThe plan takes " +
         fixed(plan.motion.duration(), 0) + " s. Play it on the stand.\n";
}

nlohmann::json plan_json(const ExperimentPlan& plan, const Identification& found,
                         const std::string& file) {
  if (file.empty()) return nullptr;
  nlohmann::json values = nlohmann::json::array();
  for (const PlannedValue& v : plan.values) {
    const FitParameter& p = fit_parameters()[v.parameter];
    values.push_back({{"joint", found.joints[v.joint]},
                      {"parameter", p.key},
                      {"sigma", p.per_unit * v.sigma},
                      {"expected_sigma", p.per_unit * v.expected}});
  }
  return {{"file", plan.values.empty() ? nlohmann::json(nullptr) : nlohmann::json(file)},
          {"duration_s", plan.values.empty() ? 0.0 : plan.motion.duration()},
          {"values", values},
          {"findings", plan.findings}};
}

std::string records_text(const Identification& found) {
  Table table(
      {{"record", Align::kLeft}, {"before deg RMS"}, {"after deg RMS"}, {"predicted deg RMS"}});
  for (const RecordFit& r : found.records) {
    table.add_row({r.record + (r.held_back ? " (held back)" : ""), fixed(to_deg(r.before), 3),
                   fixed(to_deg(r.after), 3),
                   r.predicted < 0.0 ? "-" : fixed(to_deg(r.predicted), 3)});
  }
  return table.text() + "\nPredicted: by servos that were identified without this record.\n";
}

nlohmann::json joint_json(const Identification& found, std::size_t j) {
  const FitParameters& parameters = fit_parameters();
  nlohmann::json values = nlohmann::json::object();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const FitParameter& p = parameters[i];
    const FittedValue& value = found.fits[j].values[i];
    values[p.key] = {{"before", p.per_unit * value.before},
                     {"value", p.per_unit * value.value},
                     {"sigma", p.per_unit * value.sigma},
                     {"identifiable", value.is_known}};
  }
  nlohmann::json open = nlohmann::json::array();
  for (const OpenDirection& direction : found.fits[j].open) {
    nlohmann::json keys = nlohmann::json::array();
    for (const std::size_t i : direction.parameters) keys.push_back(parameters[i].key);
    open.push_back({{"singular_value", direction.singular_value}, {"parameters", keys}});
  }
  nlohmann::json joint = {{"name", found.joints[j]},
                          {"readings", found.fits[j].readings},
                          {"noise_deg", to_deg(found.fits[j].noise)},
                          {"parameters", values},
                          {"open", open}};
  if (!found.masses.empty()) {
    const LinkMass& mass = found.masses[j];
    joint["link_mass_scale"] = {{"before", found.before.joints[j].link_mass_scale},
                                {"value", mass.scale},
                                {"sigma", mass.sigma},
                                {"identifiable", mass.is_known}};
  }
  return joint;
}

nlohmann::json identification_json(const Identification& found, const ExperimentPlan& plan,
                                   const IdentifyOptions& opt) {
  nlohmann::json joints = nlohmann::json::array();
  for (std::size_t j = 0; j < found.joints.size(); ++j) joints.push_back(joint_json(found, j));
  nlohmann::json records = nlohmann::json::array();
  for (const RecordFit& r : found.records) {
    records.push_back(
        {{"record", r.record},
         {"held_back", r.held_back},
         {"before_rms_deg", to_deg(r.before)},
         {"after_rms_deg", to_deg(r.after)},
         {"predicted_rms_deg",
          r.predicted < 0.0 ? nlohmann::json(nullptr) : nlohmann::json(to_deg(r.predicted))}});
  }
  return {{"schema", "kagami.identify/1"},
          {"out", opt.out.empty() ? nlohmann::json(nullptr) : nlohmann::json(opt.out)},
          {"plan", plan_json(plan, found, opt.plan)},
          {"records", records},
          {"joints", joints}};
}

std::vector<std::string> files_of(const std::vector<std::string>& names, const Console& io) {
  std::vector<std::string> files;
  for (const std::string& name : names) files.push_back(record_file(name, io));
  return files;
}

void run_identify(const IdentifyOptions& opt, Console& io) {
  IdentifySettings settings;
  settings.rounds = opt.rounds;
  settings.cross_validate = !opt.no_cross_validation;
  settings.masses = opt.masses;
  const Identification found =
      identify(files_of(opt.records, io), files_of(opt.held_back, io), settings,
               [&](double share) { io.progress(share, "fitting"); });
  io.end_progress();
  for (const std::string& finding : found.findings) io.warn(finding);
  if (!opt.out.empty()) write_file_atomically(opt.out, servo_file_text(found));
  ExperimentPlan plan;
  if (!opt.plan.empty()) plan = plan_experiment(found);
  if (!plan.values.empty()) {
    write_file_atomically(opt.plan, motions::motion_json_text(plan.motion));
  }
  for (const std::string& finding : plan.findings) io.warn(opt.plan + ": " + finding);
  if (io.json) return io.print_json(identification_json(found, plan, opt));
  io.print(servos_text(found) + effects_text(found) + masses_text(found) +
           combinations_text(found) + "\n" + records_text(found) +
           (opt.plan.empty() ? "" : plan_text(plan, found)));
  if (!opt.out.empty()) io.say("servos: " + opt.out + "; 'kagami replay MOTION --twin' takes it");
}

}  // namespace

void add_identify(Command& app, Console& io) {
  auto opt = std::make_shared<IdentifyOptions>();
  Command cmd = add_subprogram(app, "identify");
  cmd.add_option(
         "record", opt->records,
         "Records of runs of one robot with one model: .mcap files, folders of sessions, or "
         "latest.")
      .value("FILE|DIR|latest")
      .required();
  cmd.add_option("--hold-back", opt->held_back,
                 "A further record that is predicted, not fitted. May be repeated.")
      .value("FILE|DIR|latest")
      .repeatable();
  cmd.add_option("--out", opt->out, "Write the servos to this file, for 'kagami replay --twin'.")
      .value("FILE");
  cmd.add_option("--plan", opt->plan,
                 "Write a motion for the stand that shows what the records leave open.")
      .value("FILE");
  cmd.add_option("--rounds", opt->rounds,
                 "Number of fits, each with the loads of the model that the one before found.")
      .value("N")
      .range(1, 10)
      .with_default();
  cmd.add_flag(
      "--masses", opt->masses,
      "Fit the links' masses in place of kp and kde, which the model then has to have right; "
      "for records on the stand.");
  cmd.add_flag("--no-cross-validation", opt->no_cross_validation,
               "Do not identify again without each record in turn.");
  add_json_option(cmd, io);
  add_common_options(cmd, io, "identify latest --out twin.json",
                     "identify a.mcap b.mcap --hold-back c.mcap --json");
  cmd.on_run([opt, &io] { run_identify(*opt, io); });
}

}  // namespace kagami::tools
