/// Runs of experiments with the shipped data, for tests.
#pragma once

#include <string>

#include "tools/experiments/experiment.hpp"

namespace kagami::test {

/// Its own settings.
tools::ExperimentSettings settings_of(const std::string& experiment);
/// What it finds by them, or by others.
tools::ExperimentResult result_of(const std::string& experiment);
tools::ExperimentResult result_of(const std::string& experiment,
                                  const tools::ExperimentSettings& settings);
/// The folders of the source tree.
tools::DataFolders shipped_data();

}  // namespace kagami::test
