// kagami experiment list|run: the papers' simulations, with figures and what must come out.
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/base/errors.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/commands/commands.hpp"
#include "tools/experiments/figure.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/experiments/report.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct ExperimentWords {
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

ExperimentSettings settings_of(const ExperimentWords& words, const ExperimentInfo& info) {
  ExperimentSettings s = info.defaults;
  s.dt = words.dt.value_or(s.dt);
  s.duration = words.duration.value_or(s.duration);
  if (!words.integrator.empty()) s.integrator = words.integrator;
  if (!words.algorithm.empty()) s.algorithm = words.algorithm;
  s.links = words.links.value_or(s.links);
  if (!words.contact.empty()) s.contact = words.contact;
  check_settings(info, s);
  return s;
}

fs::path made_folder(const ExperimentWords& words, const Console& io) {
  const fs::path folder =
      words.out.empty() ? sessions_folder(io).parent_path() / "experiments" : fs::path(words.out);
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error("folder '" + folder.string() + "' cannot be made: " + failed.message());
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

void run(const ExperimentWords& words, Console& io) {
  const Experiments experiments = all_experiments();
  const std::vector<const Experiment*> todo = chosen(experiments, words.name);
  // wrong words before anything is computed
  std::vector<ExperimentSettings> settings;
  for (const Experiment* experiment : todo)
    settings.push_back(settings_of(words, experiment->info()));
  const DataFolders data = find_data(io, words.data);
  const fs::path folder = made_folder(words, io);
  const fs::path gnuplot = find_gnuplot(io);
  if (gnuplot.empty())
    io.warn("no gnuplot on PATH (Debian package gnuplot-nox): figures are left as .gp scripts");

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
  if (io.json && words.name != "all") io.print_json(answers.front());
  if (io.json && words.name == "all")
    io.print_json({{"schema", "kagami.experiments/1"}, {"experiments", answers}});
  if (!problems.empty()) throw Error(problems);
}

}  // namespace

void add_experiment(CLI::App& app, Console& io) {
  CLI::App* cmd = app.add_subcommand(
      "experiment", "The papers' simulations: numbers, figures, and what must come out");
  cmd->require_subcommand(1);
  add_common_options(*cmd, io, "experiment list", "experiment run planar-3r");

  CLI::App* listing = cmd->add_subcommand("list", "Every experiment with its source");
  add_json_word(*listing, io);
  add_common_options(*listing, io, "experiment list", "experiment list --json");
  listing->callback([&io] { list(io); });

  auto words = std::make_shared<ExperimentWords>();
  CLI::App* running = cmd->add_subcommand("run", "Simulates one, or all, and writes its files");
  running->add_option("name", words->name, "an experiment of the list, or all")->required();
  running->add_option("--out", words->out,
                      "folder for the files (default: $XDG_DATA_HOME/kagami/experiments)");
  running->add_option("--dt", words->dt, "s, from row to row: the integrator's step");
  running->add_option("--duration", words->duration, "s");
  running->add_option("--integrator", words->integrator, "semi-implicit-euler, rk4, rkg, rkf45");
  running->add_option("--algorithm", words->algorithm, "crba, aba, dca, ada, hybrid");
  running->add_option("--links", words->links, "links of the chain: pendulum-on-ground");
  running->add_option("--contact", words->contact, "hoap1-...: multipoint, relaxed, volumetric");
  running->add_option("--data", words->data, "folder with robots and motions (or KAGAMI_DATA)");
  add_json_word(*running, io);
  add_common_options(*running, io, "experiment run four-bar-singular --out figures",
                     "experiment run pa10 --algorithm hybrid --integrator rkf45 --json");
  running->callback([words, &io] { run(*words, io); });
}

}  // namespace kagami::tools
