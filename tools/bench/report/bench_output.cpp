// A benchmark report as JSON and as a table.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/bench/report/merge.hpp"
#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

nlohmann::json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

nlohmann::json numbers(const std::map<std::string, std::optional<double>>& values) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [key, value] : values) object[key] = number(value);
  return object;
}

nlohmann::json row_json(const BenchRow& row) {
  nlohmann::json object = {{"name", row.name},
                           {"unit", row.unit},
                           {"ours", number(row.ours)},
                           {"quartiles", nullptr},
                           {"native", number(row.native)},
                           {"peers", numbers(row.peers)},
                           {"ratio", numbers(row.ratio)},
                           {"bound", row.bound},
                           {"holds", nullptr},
                           {"also", nlohmann::json::object()}};
  if (row.quartiles) object["quartiles"] = *row.quartiles;
  if (row.holds) object["holds"] = *row.holds;
  for (const auto& [key, value] : row.also) object["also"][key] = number(value);
  if (!row.by.empty()) object["by"] = row.by;
  if (!row.note.empty()) object["note"] = row.note;
  if (!row.error.empty()) object["error"] = row.error;
  return object;
}

/// Three or four digits that count.
std::string short_number(const std::optional<double>& value) {
  if (!value) return "-";
  char buffer[32];
  const double size = std::fabs(*value);
  const char* format = size >= 100 ? "%.0f" : size >= 1 ? "%.2f" : size >= 1e-3 ? "%.3f" : "%.1e";
  std::snprintf(buffer, sizeof buffer, format, *value);
  return buffer;
}

/// Columns of all rows, each once, in alphabetical order.
std::vector<std::string> peer_columns(const BenchReport& report) {
  std::map<std::string, bool> columns;
  for (const BenchRow& row : report.rows)
    for (const auto& [column, value] : row.peers) columns[column] = true;
  std::vector<std::string> names;
  for (const auto& [column, present] : columns) names.push_back(column);
  return names;
}

/// "mujoco 2.2.2 0.312 of 0.370" for each bound.
std::string bounds_text(const BenchRow& row) {
  std::string text;
  for (const auto& [key, greatest] : row.bound) {
    std::optional<double> value;
    if (const auto at = row.ratio.find(key); at != row.ratio.end()) value = at->second;
    if (const auto at = row.also.find(key); at != row.also.end()) value = at->second;
    text += (text.empty() ? "" : ", ") + key + " " + short_number(value) + " of " +
            short_number(greatest);
  }
  return text;
}

}  // namespace

nlohmann::json bench_json(const BenchReport& report) {
  nlohmann::json rows = nlohmann::json::array();
  for (const BenchRow& row : report.rows) rows.push_back(row_json(row));
  return {{"schema", "kagami.bench/1"},
          {"machine", report.machine},
          {"compiler", report.compiler},
          {"rows", rows},
          {"notes", report.notes}};
}

std::string bench_text(const BenchReport& report) {
  const std::vector<std::string> columns = peer_columns(report);
  bool any_native = false;
  for (const BenchRow& row : report.rows) any_native = any_native || row.native;
  std::vector<Table::Column> heads = {
      {"row", Align::kLeft}, {"unit", Align::kLeft}, {"ours"}, {"quartiles"}};
  if (any_native) heads.push_back({"native"});
  for (const std::string& column : columns) heads.push_back({column});
  heads.push_back({"holds", Align::kLeft});
  heads.push_back({"ratio or value, of its bound", Align::kLeft});

  Table table(heads);
  std::string notes;
  for (const BenchRow& row : report.rows) {
    std::vector<std::string> cells = {row.name, row.unit, short_number(row.ours), "-"};
    if (row.quartiles)
      cells[3] = short_number((*row.quartiles)[0]) + ".." + short_number((*row.quartiles)[1]);
    if (any_native) cells.push_back(short_number(row.native));
    for (const std::string& column : columns) {
      const auto at = row.peers.find(column);
      cells.push_back(short_number(at == row.peers.end() ? std::nullopt : at->second));
    }
    cells.push_back(row.holds ? (*row.holds ? "yes" : "NO") : "-");
    cells.push_back(bounds_text(row));
    table.add_row(cells);
    if (!row.error.empty()) notes += "error: " + row.name + ": " + row.error + "\n";
    if (!row.note.empty()) notes += row.name + ": " + row.note + "\n";
  }
  for (const std::string& note : report.notes) notes += note + "\n";
  return report.machine + ", " + report.compiler + "\n\n" + table.text() +
         (notes.empty() ? "" : "\n" + notes);
}

}  // namespace kagami::tools
