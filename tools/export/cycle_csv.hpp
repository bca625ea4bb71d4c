/// A run as a table for spreadsheets and PlotJuggler.
#pragma once

#include <cstdint>
#include <ostream>

#include "models/base/wiring.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "tools/export/cycle_lines.hpp"

namespace kagami::tools {

/// One line per tick: `t` in s, strictly rising, then phase, motion_time (s) and per joint
/// q_reference/NAME, q_commanded/NAME, q_simulated/NAME, q_measured/NAME, residual/NAME (rad) and
/// torque_simulated/NAME (N m). Commas, points as decimal marks, one header line; a cell without a
/// value is empty, which PlotJuggler skips.
///
/// residual/NAME is the cycle's own, in the line of its reading (CycleLines).
class CycleCsv {
 public:
  CycleCsv(std::ostream& out, const RobotWiring& wiring);
  CycleCsv(const CycleCsv&) = delete;
  CycleCsv& operator=(const CycleCsv&) = delete;

  void add(const runtime::CycleRecord& row) { rows_.add(row); }
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
  std::size_t num_joints_;
  CycleLines rows_;
  std::uint64_t lines_ = 0;
};

}  // namespace kagami::tools
