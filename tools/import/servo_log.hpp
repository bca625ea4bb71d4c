/// Angles of servos over time as another program wrote them: inspected as a whole, and read row by
/// row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/base/wiring.hpp"
#include "tools/import/csv_table.hpp"
#include "tools/import/log_columns.hpp"

namespace kagami::tools {

struct ServoLogOptions {
  RequestedColumns columns;
  std::optional<TimeUnit> time_unit;      ///< empty: by the column's name, else by the steps
  std::optional<AngleUnit> angle_unit;    ///< empty: by the columns' names, else by the numbers
  std::optional<double> counts_per_turn;  ///< of AngleUnit::kCounts; empty: the boards' counts
  std::optional<double> center;           ///< count at angle 0; empty: half a turn
  bool skip_bad_rows = false;
  std::function<void(double)> progress;  ///< gets 0..1; may be empty
};

/// How the numbers of a table become angles of a joint.
struct AngleScale {
  AngleUnit unit = AngleUnit::kRad;
  double zero = 0.0;     ///< number at angle 0
  double per_one = 1.0;  ///< rad
};

/// What the whole table holds, and how it is read.
struct ServoLogFacts {
  CsvForm form;
  std::vector<std::string> header;
  LogColumns columns;
  TimeUnit time_unit = TimeUnit::kS;
  std::string time_unit_why;  ///< "by its name", ...
  std::vector<AngleScale> scales;
  std::string angle_unit_why;
  std::uint64_t rows = 0;                              ///< good ones
  std::uint64_t skipped = 0;                           ///< bad ones that were left out
  double duration = 0.0;                               ///< s
  double step = 0.0;                                   ///< s, median of the first ones
  std::vector<std::optional<double>> first_measured;   ///< rad, per joint
  std::vector<std::optional<double>> first_commanded;  ///< rad
};

/// One row. Where a cell is empty, the optional is.
struct ServoLogRow {
  std::uint64_t row = 0;     ///< line of the file
  std::int64_t time_ns = 0;  ///< since the first row
  std::optional<int> phase;
  std::vector<std::optional<double>> commanded;   ///< rad
  std::vector<std::optional<double>> measured;    ///< rad
  std::vector<std::optional<double>> reference;   ///< rad
  std::vector<std::optional<double>> speed_code;  ///< per board
};

/// Reads the table twice: first for columns and units, then every cell. Throws ConfigError with
/// every fault of the file, each with row and column.
ServoLogFacts inspect_servo_log(const std::filesystem::path& file, const RobotWiring& wiring,
                                const ServoLogOptions& options);

/// The good rows of a table, in order.
class ServoLogReader {
 public:
  /// `problems` gets the faults; null: bad rows are left out. `facts` outlives the reader.
  ServoLogReader(const std::filesystem::path& file, const RobotWiring& wiring,
                 const ServoLogFacts& facts, motions::Problems* problems);

  /// False at the end.
  bool next(ServoLogRow& row);
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }
  [[nodiscard]] const CsvTable& table() const { return table_; }

 private:
  bool read_row(ServoLogRow& row);
  void add_fault(std::optional<std::size_t> column, const std::string& problem);
  std::optional<double> number(std::size_t column);
  void read_time(ServoLogRow& row);
  void read_angles(ServoLogRow& row);

  CsvTable table_;
  const RobotWiring& wiring_;
  const ServoLogFacts& facts_;
  motions::Problems* problems_;
  bool is_bad_ = false;  // the present row
  std::optional<double> first_time_;
  std::optional<double> last_time_;  // in the table's unit
  std::uint64_t last_row_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace kagami::tools
