/// One sweep made ready to run: which program runs a scenario, what it is given, what is kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tools/scenario/scenario_changes.hpp"
#include "tools/sweep/children.hpp"
#include "tools/sweep/journal.hpp"
#include "tools/sweep/sweep_plan.hpp"

namespace kagami::tools {

struct SweepJob {
  SweepPlan plan;                  ///< with its results filled in
  std::string program;             ///< kagami-run, absolute
  std::filesystem::path scenario;  ///< file, absolute
  std::string scenario_name;       ///< for people: the name of a shipped one, else the file
  std::string data;                ///< --data; may be empty
  bool is_motion = false;          ///< the scenario plays a motion: its runs write records
  bool writes_files = false;       ///< a run writes files, so each runs in a folder of its own
  std::filesystem::path records;   ///< keeps these folders; empty: they are removed
  std::filesystem::path work;      ///< where they are otherwise, absolute
  JournalHead head;
};

/// The values of one run, as changes of the scenario.
std::vector<ScenarioChange> changes_of(const SweepPlan& plan, std::uint64_t run);

/// The command that repeats one run by itself, for a shell.
std::string command_of(const SweepJob& job, std::uint64_t run);

/// The program of one run; creates its folder.
ChildTask task_of(const SweepJob& job, std::uint64_t run);

/// What the sweep keeps of a run. Throws ConfigError when a successful run printed no value for a
/// column.
RunEnd run_end_of(const SweepJob& job, const ChildEnd& end);

/// Which runs, and how.
struct RunSelection {
  std::uint64_t shard = 1;  ///< 1..shards: every run whose number is shard - 1 modulo shards
  std::uint64_t shards = 1;
  int jobs = 1;
  double timeout_s = 3600.0;
};

/// How many runs of a selection have no end yet.
std::uint64_t missing_runs(const Journals& journals, const SweepJob& job,
                           const RunSelection& which);

/// Runs what is missing and writes each end. False after a stop.
bool run_missing(const SweepJob& job, const RunSelection& which, const Journals& journals,
                 JournalWriter& writer, const std::function<bool()>& is_stopped,
                 const std::function<void(std::uint64_t ended)>& progress);

}  // namespace kagami::tools
