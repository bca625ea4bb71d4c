/// A sweep file: one scenario, the values that its runs differ in, and what of each run is kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "models/base/config.hpp"

namespace kagami::tools {

/// Most runs of one sweep.
inline constexpr std::uint64_t kMaxSweepRuns = 10'000'000;

/// How a random parameter is distributed.
enum class Distribution { kNone, kUniform, kLogUniform, kNormal };

/// A value that the runs differ in. It belongs to the grid, or is drawn.
struct SweepParameter {
  std::string name;                 ///< column of the table
  std::vector<std::string> at;      ///< JSON pointers into the scenario, all set to the value
  std::vector<std::string> values;  ///< of the grid, JSON texts; empty: drawn
  Distribution distribution = Distribution::kNone;
  double a = 0.0;          ///< lower end, or mean
  double b = 0.0;          ///< upper end, or deviation
  double lowest = -1e300;  ///< of a normal distribution: draws outside are repeated
  double highest = 1e300;
  bool integer = false;

  [[nodiscard]] bool is_drawn() const { return distribution != Distribution::kNone; }
};

/// A value of a run's JSON that becomes a column.
struct SweepResult {
  std::string name;
  std::string at;         ///< JSON pointer
  bool optional = false;  ///< may be absent: null
};

/// A sweep as read. Everything that a run is given follows from it and the number of the run.
struct SweepPlan {
  std::filesystem::path file;
  std::string name;
  std::string note;
  std::string scenario;  ///< name or path, a path from the folder of the file
  std::vector<SweepParameter> parameters;
  std::uint64_t draws = 1;
  std::uint64_t seed = 0;
  std::vector<SweepResult> results;  ///< empty: those that suit the scenario
  std::string text;                  ///< of the file

  /// Points of the grid times draws.
  [[nodiscard]] std::uint64_t runs() const;
  /// JSON texts, one per parameter. Runs count from 0; the draw varies fastest, then the last
  /// parameter of the grid. All points of the grid have the same draws.
  [[nodiscard]] std::vector<std::string> values_of(std::uint64_t run) const;
  /// Values that stand for all that a parameter can have, for checks before the first run: what is
  /// no number, the smallest and the largest number, and a fraction.
  [[nodiscard]] std::vector<std::string> samples_of(const SweepParameter& parameter) const;
};

/// Reads `kagami.sweep/1` (docs/sweeps.md). Throws ConfigError that names file, key, value and what
/// was expected.
SweepPlan read_sweep(const std::filesystem::path& file);

}  // namespace kagami::tools
