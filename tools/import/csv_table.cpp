#include "tools/import/csv_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

constexpr std::size_t kBufferBytes = 1u << 18;
constexpr int kProbedLines = 50;  // for the decimal mark
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view without_spaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

bool is_comment(const std::string& line) {
  return !line.empty() && (line[0] == '#' || line[0] == '%');
}

bool is_no_value(std::string_view text) {
  constexpr std::array<std::string_view, 4> kWords = {"nan", "null", "none", "na"};
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(c | 0x20); });
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

// tabs and semicolons do not occur in numbers; a comma may be a decimal mark
char separator_of(const std::string& header) {
  for (const char mark : {'\t', ';'}) {
    if (header.find(mark) != std::string::npos) return mark;
  }
  return ',';
}

bool is_decimal_comma(std::string_view cell) {
  const std::string_view text = without_spaces(cell);
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || text.find('.') != std::string_view::npos) return false;
  return read_cell(text, {';', true}).kind == CellKind::kNumber;
}

}  // namespace

const char* separator_name(const CsvForm& form) {
  return form.separator == ',' ? "commas" : form.separator == ';' ? "semicolons" : "tabs";
}

Cell read_cell(std::string_view cell, const CsvForm& form) {
  std::string_view text = without_spaces(cell);
  if (text.empty() || is_no_value(text)) return {};
  std::array<char, 64> copy{};
  if (text.size() > copy.size()) return {CellKind::kText, 0.0};
  if (form.decimal_comma && text.find('.') != std::string_view::npos) {
    return {CellKind::kText, 0.0};
  }
  if (text.front() == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  std::copy(text.begin(), text.end(), copy.begin());
  if (form.decimal_comma) std::replace(copy.begin(), copy.end(), ',', '.');
  double value = 0.0;
  const char* last = copy.data() + text.size();
  const auto [end, error] = std::from_chars(copy.data(), last, value);
  const bool is_number = error == std::errc{} && end == last && std::isfinite(value);
  return {is_number ? CellKind::kNumber : CellKind::kText, is_number ? value : 0.0};
}

CsvTable::CsvTable(const std::filesystem::path& file)
    : file_(file.string()), in_(file, std::ios::binary), buffer_(kBufferBytes) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    throw ConfigError(file_ + ": is a folder; expected a CSV file");
  }
  if (!in_) throw ConfigError(file_ + ": cannot be read; expected a CSV file");
  num_bytes_ = std::filesystem::file_size(file, error);
  if (error) num_bytes_ = 0;
  read_header();
  form_.decimal_comma = form_.separator != ',' && has_decimal_commas();
}

// the first line that is neither empty nor a comment; above rows of numbers the last comment, which
// is how NumPy writes it
void CsvTable::read_header() {
  const ConfigError none(file_ + ": has no header; expected the names of the columns in a row");
  std::string comment;
  bool is_found = false;
  while (!is_found && read_line()) {
    if (row_ == 1 && line_.rfind(kByteOrderMark, 0) == 0) line_.erase(0, kByteOrderMark.size());
    if (is_comment(line_)) comment = line_.substr(1);
    is_found = !is_comment(line_) && !is_blank(line_);
  }
  if (!is_found && comment.empty()) throw none;
  std::string first_row;
  if (is_found) {
    form_.separator = separator_of(line_);
    split();
    const bool is_row = std::all_of(cells_.begin(), cells_.end(), [&](const std::string& cell) {
      return read_cell(cell, {form_.separator, form_.separator != ','}).kind == CellKind::kNumber ||
             read_cell(cell, form_).kind == CellKind::kNumber;
    });
    if (is_row && comment.empty()) throw none;
    if (is_row) first_row = line_;
  }
  if (!is_found || !first_row.empty()) {
    line_ = comment;
    form_.separator = separator_of(line_);
    split();
  }
  for (const std::string& cell : cells_) header_.emplace_back(without_spaces(cell));
  line_ = first_row;
  is_read_ahead_ = !first_row.empty();
}

// in the first rows, which are in the buffer already
bool CsvTable::has_decimal_commas() const {
  const std::string first = is_read_ahead_ ? line_ + "\n" : "";
  const std::string text = first + std::string(buffer_.data() + place_, filled_ - place_);
  std::string_view rest = text;
  for (int k = 0; k < kProbedLines && !rest.empty(); ++k) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    while (!line.empty()) {
      const std::string_view cell = line.substr(0, line.find(form_.separator));
      if (is_decimal_comma(cell)) return true;
      line.remove_prefix(std::min(line.size(), cell.size() + 1));
    }
  }
  return false;
}

bool CsvTable::next() {
  while (!is_read_ahead_) {
    if (!read_line()) return false;
    if (!is_blank(line_) && !is_comment(line_)) break;
  }
  is_read_ahead_ = false;
  split();
  return true;
}

bool CsvTable::read_line() {
  line_.clear();
  bool is_whole = false;
  bool any = false;
  while (!is_whole) {
    if (place_ == filled_) {
      in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
      filled_ = static_cast<std::size_t>(in_.gcount());
      place_ = 0;
      if (filled_ == 0) break;
    }
    any = true;
    const std::string_view rest(buffer_.data() + place_, filled_ - place_);
    const std::size_t end = rest.find('\n');
    is_whole = end != std::string_view::npos;
    const std::size_t taken = is_whole ? end : rest.size();
    line_.append(rest.substr(0, taken));
    place_ += taken + (is_whole ? 1 : 0);
    bytes_read_ += taken + (is_whole ? 1 : 0);
    if (line_.size() > kLongestLine) break;
  }
  if (!any) return false;
  ++row_;
  const auto place = [&] { return file_ + ": row " + std::to_string(row_); };
  if (line_.size() > kLongestLine) {
    throw ConfigError(place() + " is longer than 1 MiB; expected a text table with a line per row");
  }
  if (line_.find('\0') != std::string::npos) {
    throw ConfigError(place() + " holds bytes that are not text; expected a CSV file in UTF-8");
  }
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  return true;
}

void CsvTable::split() {
  std::size_t count = 0;
  const auto new_cell = [&]() -> std::string& {
    if (count == cells_.size()) cells_.emplace_back();
    cells_[count].clear();
    return cells_[count++];
  };
  std::string* cell = &new_cell();
  has_open_quote_ = false;
  for (std::size_t i = 0; i < line_.size(); ++i) {
    const char c = line_[i];
    if (has_open_quote_) {
      const bool is_doubled = c == '"' && i + 1 < line_.size() && line_[i + 1] == '"';
      if (is_doubled) ++i;
      if (c == '"' && !is_doubled) {
        has_open_quote_ = false;
      } else {
        *cell += c;
      }
    } else if (c == '"' && cell->find_first_not_of(' ') == std::string::npos) {
      cell->clear();
      has_open_quote_ = true;
    } else if (c == form_.separator) {
      cell = &new_cell();
    } else {
      *cell += c;
    }
  }
  cells_.resize(count);
}

}  // namespace kagami::tools
