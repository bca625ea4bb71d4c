/// Output of a benchmark program: samples per row, gathered over several rounds.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kagami::tools {

/// One row of one program.
struct RowSamples {
  std::vector<double> ns;                  ///< per repetition, one call
  std::map<int, double> round_ns;          ///< by round: the median of its repetitions
  std::map<std::string, double> counters;  ///< of the last repetition, such as "checksum", "gap_m"
  std::string error;                       ///< why there are no samples; empty = fine
};

struct ProgramResult {
  std::string engine;    ///< "mujoco 2.2.2"; what was expected when the program never spoke
  std::string compiler;  ///< "g++ 12.2.0"
  std::map<std::string, RowSamples> rows;
  std::string error;  ///< why the program gave nothing, or stopped; empty = fine
};

/// Reads Google Benchmark's JSON, as kagami-bench-* programs print it. A text that is none gives a
/// result with `error`.
ProgramResult read_program_output(const std::string& text);

/// Adds the output of the same program in round number `index`. A row that was requested twice in
/// one round keeps its first median.
void add_round(ProgramResult& all, const ProgramResult& round, int index);

/// Median and quartiles by linear interpolation; values must not be empty.
double quantile(std::vector<double> values, double share);

}  // namespace kagami::tools
