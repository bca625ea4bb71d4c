/// `kagami sweep --slurm`: the sweep as an array job.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/cli/console.hpp"
#include "tools/sweep/sweep_job.hpp"

namespace kagami::tools {

struct SlurmOptions {
  int tasks = 0;                     ///< 0: as many as the cluster has processors
  std::vector<std::string> options;  ///< for sbatch
  bool no_wait = false;
  double timeout_s = 3600.0;  ///< of a run
  bool retry = false;         ///< repeat runs that were killed or ran out of time
};

/// Submits the runs of `job` that are missing and waits until the tasks have ended. False when
/// it did not wait, or was stopped. Throws Error with the tasks that left runs out.
bool run_on_slurm(const SweepJob& job, const std::filesystem::path& table,
                  const SlurmOptions& options, Console& io);

}  // namespace kagami::tools
