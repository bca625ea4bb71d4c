/// Rows of named numbers, as an experiment measures them and a CSV file holds them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "models/robot/model.hpp"

namespace kagami::tools {

/// Every row has one number per column; the first column is the time t (s).
struct Trace {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;

  /// Index of a column. Throws std::logic_error for a name that is not there.
  [[nodiscard]] std::size_t index(const std::string& name) const;
  /// One column from top to bottom. Throws as index does.
  [[nodiscard]] std::vector<double> column(const std::string& name) const;
  /// The row at time t to 1e-9 s, null when there is none.
  [[nodiscard]] const std::vector<double>* row_at(double t) const;
};

/// 17 significant digits: every bit of the number.
std::string full_digits(double value);

/// Header and rows, commas between, names quoted where RFC 4180 requires it, numbers by
/// full_digits().
std::string trace_csv(const Trace& trace);

/// Names of a model's coordinates ("hip", "base.qw") or velocities ("hip", "base.wx"), in order.
std::vector<std::string> coordinate_names(const models::Model& model);
std::vector<std::string> velocity_names(const models::Model& model);

}  // namespace kagami::tools
