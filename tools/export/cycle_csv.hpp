/// A run as a table for spreadsheets and PlotJuggler.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "models/base/wiring.hpp"
#include "runtime/channels/cycle_types.hpp"

namespace kagami::tools {

/// One line per tick: `t` in s, strictly rising, then phase, motion_time (s) and per joint
/// q_reference/NAME, q_commanded/NAME, q_simulated/NAME, q_measured/NAME, residual/NAME (rad) and
/// torque_simulated/NAME (N m). Commas, points as decimal marks, one header line; a cell without a
/// value is empty, which PlotJuggler skips.
///
/// A reading is in the line of the tick nearest to when it was taken, not to when it arrived;
/// the other lines leave its cell empty. residual/NAME is the cycle's own, aligned, in the same
/// line.
class CycleCsv {
 public:
  CycleCsv(std::ostream& out, const RobotWiring& wiring);

  void add(const runtime::CycleRecord& row);
  /// Writes what waits for late readings.
  void finish();

  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  /// Rows left out because the clock did not advance.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

  /// Length of the file, estimated from `rows` rows.
  [[nodiscard]] double expected_bytes(std::uint64_t rows) const;

 private:
  struct Line {
    std::int64_t at_ns = 0;
    std::string before;  // t .. q_simulated
    std::string after;   // torque
    std::vector<std::optional<double>> measured;
    std::vector<std::optional<double>> residual;
  };
  void place_readings(const runtime::CycleRecord& row);
  void write(const Line& line);

  std::ostream& out_;
  std::vector<int> board_;  // per joint
  std::deque<Line> waiting_;
  std::optional<std::int64_t> first_ns_;
  std::array<std::int64_t, kMaxBoards> last_sampled_ns_{};
  std::uint64_t lines_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace kagami::tools
