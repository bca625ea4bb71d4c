#include "tools/cli/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace kagami::tools {
namespace {

constexpr int kGap = 2;
constexpr int kLeastLastColumn = 20;

std::string padded(const std::string& cell, int width, Align align) {
  const std::string blanks(static_cast<std::size_t>(std::max(0, width - text_width(cell))), ' ');
  return align == Align::kRight ? blanks + cell : cell + blanks;
}

void put_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

}  // namespace

std::vector<std::string> wrap_text(const std::string& text, int width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (text_width(line) + 1 + text_width(word) <= width) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) throw std::logic_error("table row of a wrong length");
  rows_.push_back(std::move(cells));
}

std::string Table::text(int width) const {
  std::vector<int> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    int widest = text_width(columns_[c].header);
    for (const auto& row : rows_) widest = std::max(widest, text_width(row[c]));
    widths.push_back(widest);
  }
  int indent = 0;
  for (std::size_t c = 0; c + 1 < widths.size(); ++c) indent += widths[c] + kGap;
  const bool wraps = width > 0 && columns_.back().align == Align::kLeft;
  const int last_width = std::max(kLeastLastColumn, width - indent);

  std::string text;
  const auto put_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t c = 0; c + 1 < row.size(); ++c)
      line += padded(row[c], widths[c], columns_[c].align) + std::string(kGap, ' ');
    if (!wraps)
      return put_line(text, line + padded(row.back(), widths.back(), columns_.back().align));
    const std::vector<std::string> parts = wrap_text(row.back(), last_width);
    put_line(text, line + parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i)
      put_line(text, std::string(static_cast<std::size_t>(indent), ' ') + parts[i]);
  };
  std::vector<std::string> headers;
  for (const Column& column : columns_) headers.push_back(column.header);
  put_row(headers);
  for (const auto& row : rows_) put_row(row);
  return text;
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_not_of("-0.") == std::string::npos && text[0] == '-') text.erase(0, 1);
  return text;
}

std::string fixed(const std::optional<double>& value, int decimals) {
  return value ? fixed(*value, decimals) : "-";
}

std::string size_text(double bytes) {
  constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 999.95 && unit + 1 < kUnits.size()) {
    bytes /= 1000.0;
    ++unit;
  }
  return fixed(bytes, unit == 0 ? 0 : 1) + " " + kUnits[unit];
}

int text_width(const std::string& text) {
  const auto starts_character = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  };
  return static_cast<int>(std::count_if(text.begin(), text.end(), starts_character));
}

}  // namespace kagami::tools
