/// Runs the benchmark programs round by round and gathers what they say.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tools/bench/report/merge.hpp"

namespace kagami::tools {

/// A program and what its column is called when it never speaks.
struct BenchProgram {
  std::string expected;        ///< "mujoco 2.2.2"
  std::filesystem::path file;  ///< empty = not built here
  std::string package;         ///< what to install
};

struct BenchSettings {
  std::filesystem::path ours;    ///< kagami-bench-dynamics
  std::filesystem::path native;  ///< the same built for this processor; may be empty
  std::vector<BenchProgram> peers;
  int repetitions = 15;  ///< samples of each row, over all rounds
  std::vector<RowSpec> rows;
  std::function<void(double share, const std::string& words)> progress;
};

/// The programs in turn, round after round, pinned to one core: what slows the machine down slows
/// all of them alike. A program that fails is asked no more and hides nothing of the others.
BenchReport run_bench(const BenchSettings& settings);

/// Processor, cores and kernel of this machine.
std::string machine_text();

}  // namespace kagami::tools
