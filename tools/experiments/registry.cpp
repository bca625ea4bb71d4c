#include "tools/experiments/registry.hpp"

#include <utility>

#include "models/base/errors.hpp"
#include "tools/cli/common_options.hpp"

namespace kagami::tools {
namespace {

class SimulationExperiment final : public Experiment {
 public:
  SimulationExperiment(ExperimentInfo info, Simulation simulation)
      : info_(std::move(info)), simulation_(simulation) {}
  [[nodiscard]] const ExperimentInfo& info() const override { return info_; }
  [[nodiscard]] ExperimentResult run(const ExperimentSettings& settings,
                                     const DataFolders& data) const override {
    return simulation_(info_, settings, data);
  }

 private:
  ExperimentInfo info_;
  Simulation simulation_;
};

}  // namespace

void add_experiment(Experiments& experiments, ExperimentInfo info, Simulation simulation) {
  experiments.push_back(std::make_unique<SimulationExperiment>(std::move(info), simulation));
}

Experiments all_experiments() {
  Experiments experiments;
  add_free_fall(experiments);
  add_four_bar(experiments);
  add_free_body(experiments);
  add_floating_arm(experiments);
  add_null_space(experiments);
  add_balance(experiments);
  add_push_survival(experiments);
  add_push_factors(experiments);
  add_virtual_loops(experiments);
  add_virtual_hands(experiments);
  add_virtual_object(experiments);
  add_awa_walk(experiments);
  add_awa_leg(experiments);
  add_hoap_walk(experiments);
  add_hoap_fall(experiments);
  add_hoap_jump(experiments);
  add_pendulum_on_ground(experiments);
  add_falling_box(experiments);
  add_falling_boxes(experiments);
  return experiments;
}

const Experiment& find_experiment(const Experiments& experiments, const std::string& name) {
  std::vector<std::string> names;
  std::string list;
  for (const std::unique_ptr<Experiment>& experiment : experiments) {
    if (experiment->info().name == name) return *experiment;
    names.push_back(experiment->info().name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  const std::string nearest = nearest_name(name, names);
  throw ConfigError("unknown experiment '" + name + "'" +
                    (nearest.empty() ? "" : ", did you mean '" + nearest + "'?") + "; there are " +
                    list + ", or all");
}

}  // namespace kagami::tools
