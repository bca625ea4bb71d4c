/// A text table of numbers, read line by line: CSV files of other programs.
///
/// Debian's CSV libraries do not fit: libfccp requires the number of columns at compile time,
/// libcsv reports no row of a fault and reads no decimal commas. motions/file/csv.hpp holds a whole
/// file in memory and reads whole numbers alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace kagami::tools {

/// How a table is written.
struct CsvForm {
  char separator = ',';  ///< ',', ';' or tab
  bool decimal_comma = false;
};
/// "commas", "semicolons", "tabs"
const char* separator_name(const CsvForm& form);

enum class CellKind : std::uint8_t { kEmpty, kNumber, kText };
struct Cell {
  CellKind kind = CellKind::kEmpty;
  double value = 0.0;
};
/// The number in a cell, spaces around it left out. "nan", "null", "none" and "na" are empty; an
/// infinite number is text.
Cell read_cell(std::string_view text, const CsvForm& form);

/// The rows of a file, one after the other; only one is in memory. Empty lines, and those that
/// begin with '#' or '%', are skipped.
class CsvTable {
 public:
  /// The longest line that is read, bytes.
  static constexpr std::size_t kLongestLine = 1u << 20;

  /// Reads the header. Throws ConfigError with the row for a file that cannot be read or is not a
  /// table.
  explicit CsvTable(const std::filesystem::path& file);

  [[nodiscard]] const CsvForm& form() const { return form_; }
  /// Names of the columns, as written, spaces and quotes around them left out.
  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }

  /// The next row; false at the end of the file. Throws ConfigError for a line that is not text.
  bool next();
  /// Cells of the present row; as many as the line has.
  [[nodiscard]] const std::vector<std::string>& cells() const { return cells_; }
  /// Line of the present row in the file, from 1.
  [[nodiscard]] std::uint64_t row() const { return row_; }
  /// A quote of the present row is not closed.
  [[nodiscard]] bool has_open_quote() const { return has_open_quote_; }
  /// Bytes read so far, and of the whole file.
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }
  [[nodiscard]] std::uint64_t num_bytes() const { return num_bytes_; }

 private:
  void read_header();
  bool read_line();
  [[nodiscard]] bool has_decimal_commas() const;
  void split();

  std::string file_;
  std::ifstream in_;
  std::vector<char> buffer_;
  std::size_t place_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t num_bytes_ = 0;
  CsvForm form_;
  std::string line_;
  std::vector<std::string> header_;
  std::vector<std::string> cells_;
  std::uint64_t row_ = 0;
  bool has_open_quote_ = false;
  bool is_read_ahead_ = false;  // line_ is a row that next() gives
};

}  // namespace kagami::tools
