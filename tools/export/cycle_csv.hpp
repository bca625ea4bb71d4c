/// A run as a table for spreadsheets and PlotJuggler.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "models/base/wiring.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "tools/export/cycle_lines.hpp"

namespace kagami::tools {

/// Name of the column of a controller's value: "gain/pid/left_knee/kp".
std::string gain_column(std::string name);

/// One line per tick: `t` in s, strictly rising, then phase, motion_time (s) and per joint
/// q_reference/NAME, q_commanded/NAME, q_simulated/NAME, q_measured/NAME, residual/NAME (rad) and
/// torque_simulated/NAME (N m); then the states of the run, its events, the age of each board's
/// reading, what each board received, and the controllers' values. csv_key.hpp describes all of
/// them. Commas, points as decimal marks, one header line; a cell without a value is empty, which
/// PlotJuggler skips.
///
/// residual/NAME is the cycle's own, in the line of its reading (CycleLines).
class CycleCsv {
 public:
  /// `gains`: names of the controllers' values, "pid/left_knee/kp".
  CycleCsv(std::ostream& out, const RobotWiring& wiring,
           const std::vector<std::string>& gains = {});

  /// The controllers' values from the next row on, in the order of the names; NaN: not there.
  void set_gains(const std::vector<double>& values) { new_gains_ = values; }
  void add(const runtime::CycleRecord& row);
  /// Writes what waits for late readings.
  void finish() { rows_.finish(); }

  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  /// Rows left out because the clock did not advance.
  [[nodiscard]] std::uint64_t left_out() const { return rows_.left_out(); }

  /// Length of the file, estimated from `rows` rows.
  [[nodiscard]] double expected_bytes(std::uint64_t rows) const;

 private:
  void write(const CycleLine& line);

  std::ostream& out_;
  std::size_t num_joints_ = 0;
  std::size_t num_boards_ = 0;
  std::size_t num_gains_ = 0;
  std::optional<std::vector<double>> new_gains_;
  /// States and gains of the lines that wait, in their order.
  std::deque<std::pair<std::string, std::string>> texts_;
  CycleLines rows_;
  std::uint64_t lines_ = 0;
};

}  // namespace kagami::tools
