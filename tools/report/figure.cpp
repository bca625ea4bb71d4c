#include "tools/report/figure.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kagami::tools {

std::string safe_name(const std::string& name) {
  std::string safe;
  for (const char c : name.substr(0, 64)) {
    const bool is_safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    safe += is_safe ? c : '_';
  }
  return safe.empty() ? "_" : safe;
}

// a cell that begins like a formula stays a text in a spreadsheet
std::string csv_text(const std::string& text) {
  std::string cell = "\"";
  if (!text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos) {
    cell += '\'';
  }
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "";
}

}  // namespace kagami::tools
