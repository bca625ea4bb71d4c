/// A sweep as an array job of Slurm: its script, its submission, its tasks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kagami::tools {

/// The largest array that Slurm accepts by its own default (MaxArraySize 1001).
inline constexpr std::uint64_t kMaxSlurmTasks = 1000;

/// Programs of Slurm on this machine, absolute; an empty one is missing.
struct SlurmPrograms {
  std::string sbatch, squeue, sinfo, sacct;
};

/// Looks along `path` (the variable PATH). Throws Error with the package when sbatch or squeue is
/// missing.
SlurmPrograms find_slurm(const std::string& path);

struct SlurmJob {
  std::string name;                  ///< for squeue
  std::uint64_t tasks = 1;           ///< shards
  std::vector<std::string> command;  ///< of a task, before --shard
  std::filesystem::path folder;      ///< of the script and of the logs, absolute
  std::vector<std::string> options;  ///< "partition=short", "--mem=1G": for sbatch
};

/// The batch script: task i of n runs shard i/n on the cores it was given.
std::string slurm_script(const SlurmJob& job);

/// Processors of all nodes, or 1 when sinfo does not print them.
std::uint64_t slurm_cores(const SlurmPrograms& slurm);

/// Writes the script and submits it. The number of the job. Throws Error with what sbatch printed.
std::string submit(const SlurmPrograms& slurm, const SlurmJob& job);

/// Tasks that have not ended; nothing when Slurm does not answer.
std::optional<std::uint64_t> tasks_left(const SlurmPrograms& slurm, const std::string& job);

/// Why a task ended, as far as is known: its state by sacct, and the last line of its log.
std::string task_end(const SlurmPrograms& slurm, const SlurmJob& job, const std::string& number,
                     std::uint64_t task);

}  // namespace kagami::tools
