/// Simulates a tree without joint forces: the part that the open-chain experiments share.
#pragma once

#include "models/dynamics/integrator.hpp"
#include "models/robot/model.hpp"
#include "models/robot/state.hpp"
#include "tools/experiments/experiment.hpp"

namespace kagami::tools {

/// The model of a shipped robot. Throws ConfigError or ModelError, also when the numbers of its
/// coordinates, velocities and loops are not those that `experiment` is about.
models::Model experiment_model(const std::string& experiment, const DataFolders& data,
                               const std::string& robot, int num_q, int num_v, int num_loops);

/// The integrator of the settings; with rkf45, 1e-9 a step and no step longer than dt.
models::Integrator integrator_of(const models::Model& model, const ExperimentSettings& settings);

/// Fills the result's trace, notices, ran and problem. One row per time: state, accelerations
/// (state_columns), mechanics, and dE; where the simulation stops, those up to there. Throws Error
/// where there is no finite acceleration at the start.
void run_tree(const models::Model& model, const models::State& start,
              const ExperimentSettings& settings, ExperimentResult& result);
/// Ends the rows of a run with the reason; throws it as Error where there is none yet.
void stop_run(double t, const std::string& why, ExperimentResult& result);

}  // namespace kagami::tools
