/// Runs an experiment, writes its files, and prints the result as text and as JSON.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/cli/console.hpp"
#include "tools/experiments/experiment.hpp"

namespace kagami::tools {

/// An experiment that was run, and where its files lie.
struct ExperimentReport {
  ExperimentInfo info;
  ExperimentSettings settings;  ///< algorithm: the one, or those, that ran
  std::vector<Drift> drifts;
  std::vector<Claim> claims;
  std::vector<ResultTable> tables;
  std::vector<std::string> notices;
  std::size_t rows = 0;
  std::string csv;
  std::vector<std::string> scripts;  ///< .gp, one per figure
  std::vector<std::string> figures;  ///< .svg, one per script; none without gnuplot
  bool holds = false;                ///< every claim that was measured
  std::string problem;               ///< as ExperimentResult's
};

/// Runs with `settings`, writes NAME.csv and per figure a .gp and, with gnuplot (its path, or
/// empty), an .svg into `folder`, which must exist. Throws what Experiment::run and the writing
/// throw.
ExperimentReport run_experiment(const Experiment& experiment, const ExperimentSettings& settings,
                                const DataFolders& data, const std::filesystem::path& folder,
                                const std::filesystem::path& gnuplot);

/// "rk4, 1 ms, 3 s, ada".
std::string settings_text(const ExperimentSettings& settings);
std::string report_text(const ExperimentReport& report, int width);
/// `kagami.experiment/1`.
nlohmann::json report_json(const ExperimentReport& report);

/// Name, source and sentence of each.
std::string list_text(const std::vector<ExperimentInfo>& infos, int width);
/// `kagami.experiment_list/1`.
nlohmann::json list_json(const std::vector<ExperimentInfo>& infos);

}  // namespace kagami::tools
