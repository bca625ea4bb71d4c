/// Plain text tables: texts to the left, numbers to the right, nothing drawn.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kagami::tools {

enum class Align { kLeft, kRight };

/// One row per `add_row`; columns are as wide as their widest cell, two blanks apart.
class Table {
 public:
  struct Column {
    std::string header;
    Align align = Align::kRight;
  };

  explicit Table(std::vector<Column> columns);

  /// One cell per column; throws std::logic_error otherwise.
  void add_row(std::vector<std::string> cells);
  /// Header and rows, each line ended, no blanks at line ends. `width` > 0 cuts a last left-aligned
  /// column at word ends so that lines fit, the rest goes into lines below.
  [[nodiscard]] std::string text(int width = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// "12.35"; never "-0.00". Not finite: "-".
std::string fixed(double value, int decimals);
/// The same; absent: "-".
std::string fixed(const std::optional<double>& value, int decimals);
/// "1.4 kB", "23.0 MB" (powers of 1000).
std::string size_text(double bytes);
/// Lines of at most `width` screen columns, broken at blanks; a longer word stays whole.
std::vector<std::string> wrap_text(const std::string& text, int width);
/// Screen columns of a UTF-8 text; wide characters count as one.
int text_width(const std::string& text);

}  // namespace kagami::tools
