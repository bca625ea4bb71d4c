#include "tools/experiments/test/experiment_runs.hpp"

#include <sstream>

#include "tools/cli/console.hpp"
#include "tools/experiments/registry.hpp"

namespace kagami::test {

using namespace tools;

DataFolders shipped_data() {
  std::istringstream in;
  std::ostringstream out;
  const Console io(in, out, out, {});
  return find_data(io, "");
}

ExperimentSettings settings_of(const std::string& experiment) {
  const Experiments experiments = all_experiments();
  return find_experiment(experiments, experiment).info().defaults;
}

ExperimentResult result_of(const std::string& experiment) {
  return result_of(experiment, settings_of(experiment));
}

ExperimentResult result_of(const std::string& experiment, const ExperimentSettings& settings) {
  const Experiments experiments = all_experiments();
  return find_experiment(experiments, experiment).run(settings, shipped_data());
}

}  // namespace kagami::test
