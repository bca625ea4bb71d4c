/// Makes the record of a run out of angles that another program measured.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "runtime/app/assemble.hpp"
#include "runtime/app/run_config.hpp"
#include "tools/import/servo_log.hpp"

namespace kagami::tools {

struct ImportedRun {
  std::filesystem::path record;
  std::uint64_t samples = 0;
  std::uint64_t readings = 0;  ///< rows that became readings
  std::uint64_t crowded = 0;   ///< rows that left nothing: a later one is in the same tick
  double duration = 0.0;       ///< s
  double rms = 0.0;            ///< rad, simulated minus measured; NaN without readings
};

/// What the model is built from, for `config` with the file as its motion. Throws as read_setup.
runtime::RunSetup read_import_setup(const runtime::RunConfig& config);

/// Runs the shadow model over the commands of the file and records it beside the readings, tick by
/// tick, as in a run. Throws RecordError where the record cannot be written.
ImportedRun write_imported_run(const std::filesystem::path& file, const ServoLogFacts& facts,
                               const runtime::RunSetup& setup,
                               const std::function<void(double)>& progress);

}  // namespace kagami::tools
