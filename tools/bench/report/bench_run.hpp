/// Runs the benchmark programs round by round and gathers what they say.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tools/bench/report/merge.hpp"

namespace kagami::tools {

/// A program and the name of its column when it prints nothing.
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
  int rounds = 15;       ///< at most so many; each starts every program again
  std::vector<RowSpec> rows;
  std::function<void(double share, const std::string& text)> progress;
};

/// Round after round and group by group (groups.hpp), the programs in turn, each a process of its
/// own on the one core: what slows the machine down for a while slows all that is compared. A
/// program that fails is not run again and does not hide the results of the others.
BenchReport run_bench(const BenchSettings& settings);

/// Processor, cores and kernel of this machine.
std::string machine_text();

}  // namespace kagami::tools
