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

/// Name of the column of a controller's value: "gain/pid/left_knee/kp".
std::string gain_column(std::string name);

/// One line per tick: `t` in s, strictly rising, then phase, motion_time (s) and per joint
/// q_reference/NAME, q_commanded/NAME, q_simulated/NAME, q_measured/NAME, residual/NAME (rad) and
/// torque_simulated/NAME (N m); then the states of the run, its events, the age of each board's
/// reading, what each board received, and the controllers' values. csv_key.hpp describes all of
/// them. Commas, points as decimal marks, one header line; a cell without a value is empty, which
/// PlotJuggler skips.
///
/// A reading is in the line of the tick nearest to when it was taken, not to when it arrived, and
/// a command in that of the tick nearest to when the board received it; the other lines leave
/// their cells empty. residual/NAME is the cycle's own, aligned, in the same line.
class CycleCsv {
 public:
  /// `gains`: names of the controllers' values, "pid/left_knee/kp".
  CycleCsv(std::ostream& out, const RobotWiring& wiring,
           const std::vector<std::string>& gains = {});

  /// The controllers' values from the next row on, in the order of the names; NaN: not there.
  void set_gains(const std::vector<double>& values) { new_gains_ = values; }
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
    std::vector<std::optional<double>> received;
    std::vector<std::optional<double>> speed_code;  // per board
    std::string states;                             // after the torque
    std::string gains;
  };
  void place_commands(const runtime::CycleRecord& row);
  [[nodiscard]] Line& nearest_line(std::int64_t at_ns);
  void place_readings(const runtime::CycleRecord& row);
  void write(const Line& line);

  std::ostream& out_;
  RobotWiring wiring_;
  std::vector<int> board_;  // per joint
  std::size_t num_gains_ = 0;
  std::optional<std::vector<double>> new_gains_;
  std::array<drivers::BoardCommand, kMaxBoards> command_{};
  std::deque<Line> waiting_;
  std::optional<std::int64_t> first_ns_;
  std::array<std::int64_t, kMaxBoards> last_sampled_ns_{};
  std::uint64_t lines_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace kagami::tools
