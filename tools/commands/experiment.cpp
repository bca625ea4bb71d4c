// kagami experiment list|run: the papers' simulations, with figures and expected results.
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/base/errors.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/robot_choice.hpp"
#include "tools/cli/subprogram.hpp"
#include "tools/commands/commands.hpp"
#include "tools/experiments/figure.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/experiments/report.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct ExperimentOptions {
  std::string name;
  std::string out;
  std::string data;
  std::optional<double> dt;
  std::optional<double> duration;
  std::string integrator;
  std::string algorithm;
  std::optional<int> links;
  std::string contact;
};

ExperimentSettings settings_of(const ExperimentOptions& opt, const ExperimentInfo& info) {
  ExperimentSettings s = info.defaults;
  s.dt = opt.dt.value_or(s.dt);
  s.duration = opt.duration.value_or(s.duration);
  if (!opt.integrator.empty()) s.integrator = opt.integrator;
  if (!opt.algorithm.empty()) s.algorithm = opt.algorithm;
  s.links = opt.links.value_or(s.links);
  if (!opt.contact.empty()) s.contact = opt.contact;
  check_settings(info, s);
  return s;
}

fs::path made_folder(const ExperimentOptions& opt, const Console& io) {
  const fs::path folder =
      opt.out.empty() ? sessions_folder(io).parent_path() / "experiments" : fs::path(opt.out);
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw Error("folder '" + folder.string() + "' cannot be created: " + failed.message());
  return folder;
}

void list(Console& io) {
  std::vector<ExperimentInfo> infos;
  for (const auto& experiment : all_experiments()) infos.push_back(experiment->info());
  if (io.json) return io.print_json(list_json(infos));
  io.print(list_text(infos, io.out_width()));
}

std::vector<const Experiment*> chosen(const Experiments& experiments, const std::string& name) {
  if (name != "all") return {&find_experiment(experiments, name)};
  std::vector<const Experiment*> all;
  for (const auto& experiment : experiments) all.push_back(experiment.get());
  return all;
}

void run(const ExperimentOptions& opt, Console& io) {
  const Experiments experiments = all_experiments();
  const std::vector<const Experiment*> todo = chosen(experiments, opt.name);
  // invalid options are found before anything is computed
  std::vector<ExperimentSettings> settings;
  for (const Experiment* experiment : todo)
    settings.push_back(settings_of(opt, experiment->info()));
  const DataFolders data = find_data(io, opt.data);
  const fs::path folder = made_folder(opt, io);
  const fs::path gnuplot = find_gnuplot(io);
  if (gnuplot.empty())
    io.warn(
        "no gnuplot on PATH (Debian package gnuplot-nox): figures are written as .gp scripts only");

  json answers = json::array();
  std::string problems;
  for (std::size_t i = 0; i < todo.size(); ++i) {
    io.detail("running " + todo[i]->info().name);
    const ExperimentReport report = run_experiment(*todo[i], settings[i], data, folder, gnuplot);
    for (const std::string& notice : report.notices) io.say(notice);
    if (!report.problem.empty())
      problems += (problems.empty() ? "" : "; ") + report.info.name + ": " + report.problem +
                  ", the " + std::to_string(report.rows) + " rows up to there are in " + report.csv;
    if (!report.holds) io.exit_with(ExitCode::kFinding);
    if (io.json)
      answers.push_back(report_json(report));
    else
      io.print((i > 0 ? "\n" : "") + report_text(report, io.out_width()));
  }
  if (io.json && opt.name != "all") io.print_json(answers.front());
  if (io.json && opt.name == "all")
    io.print_json({{"schema", "kagami.experiments/1"}, {"experiments", answers}});
  if (!problems.empty()) throw Error(problems);
}

void add_experiment_options(Command& command, ExperimentOptions& opt) {
  command.start_group("Simulation");
  command.add_option("--dt", opt.dt, "Integration step, s. Default: the one of the experiment.")
      .value("SECONDS");
  command.add_option("--duration", opt.duration, "Simulated time, s.").value("SECONDS");
  command.add_option("--integrator", opt.integrator, "Integrator.")
      .value("semi-implicit-euler|rk4|rkg|rkf45");
  command.add_option("--algorithm", opt.algorithm, "Forward dynamics algorithm.")
      .value("aba|crba|ada|dca|hybrid");
  command.add_option("--links", opt.links, "Number of links, for pendulum-on-ground.").value("N");
  command.add_option("--contact", opt.contact, "Contact method, for the experiments hoap1-*.")
      .value("relaxed|multipoint|volumetric");
  command.start_group("Output");
  command
      .add_option("--out", opt.out,
                  "Folder for the files. Default: $XDG_DATA_HOME/kagami/experiments.")
      .value("DIR");
  command.start_group("General");
  add_data_option(command, opt.data);
}

}  // namespace

void add_experiment(Command& app, Console& io) {
  Command cmd = add_subprogram(app, "experiment");
  cmd.require_command();
  add_common_options(cmd, io, "experiment list", "experiment run planar-3r");

  Command listing = cmd.add_command("list", "List the experiments with their sources.");
  add_json_option(listing, io);
  add_common_options(listing, io, "experiment list", "experiment list --json");
  listing.on_run([&io] { list(io); });

  auto opt = std::make_shared<ExperimentOptions>();
  Command running =
      cmd.add_command("run", "Run one experiment, or all, and write data and figures.");
  running.add_option("name", opt->name, "Name of an experiment ('kagami experiment list'), or all.")
      .required();
  add_experiment_options(running, *opt);
  add_json_option(running, io);
  add_common_options(running, io, "experiment run four-bar-singular --out figures",
                     "experiment run pa10 --algorithm hybrid --integrator rkf45 --json");
  running.on_run([opt, &io] { run(*opt, io); });
}

}  // namespace kagami::tools
