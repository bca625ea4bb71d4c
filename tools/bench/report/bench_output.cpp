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
                           {"ratio_quartiles", row.ratio_quartiles},
                           {"ratio_of_minima", row.ratio_of_minima},
                           {"bound", row.bound},
                           {"not_below", row.not_below},
                           {"holds", nullptr},
                           {"also", nlohmann::json::object()}};
  for (const auto& [engine, values] : row.peers_also)
    for (const auto& [key, value] : values) object["peers_also"][engine][key] = number(value);
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

/// "p99_us 3.31, steps 4020": shown beside the time of a row without bounds.
std::string also_text(const BenchRow& row) {
  std::string text;
  for (const auto& [key, value] : row.also)
    if (key != "min_ns") text += (text.empty() ? "" : ", ") + key + " " + short_number(value);
  return text;
}

/// "mujoco 2.2.2 0.312 of 0.370 (minima 0.309)" for each bound.
std::string bounds_text(const BenchRow& row) {
  if (row.bound.empty() && row.not_below.empty()) return also_text(row);
  std::string text;
  for (const auto& [key, greatest] : row.bound) {
    text += (text.empty() ? "" : ", ") + key + " " + short_number(value_of(row, key)) + " of " +
            short_number(greatest);
    if (const auto least = row.ratio_of_minima.find(key); least != row.ratio_of_minima.end())
      text += " (minima " + short_number(least->second) + ")";
  }
  for (const auto& [name, peer] : row.not_below)
    text += (text.empty() ? "" : ", ") + name + " " + short_number(value_of(row, name)) +
            ", not below " + short_number(value_of_peer(row, peer, name)) + " of " + peer;
  return text;
}

/// "4150 (0.209)": the peer's result and the ratio to it.
std::string peer_text(const BenchRow& row, const std::string& column) {
  const auto at = row.peers.find(column);
  if (at == row.peers.end() || !at->second) return "-";
  const auto ratio = row.ratio.find(column);
  const bool compared = ratio != row.ratio.end() && ratio->second;
  return short_number(at->second) + (compared ? " (" + short_number(ratio->second) + ")" : "");
}

/// What both tables show.
struct Cells {
  std::vector<Table::Column> heads;
  std::vector<std::vector<std::string>> rows;
};

Cells cells_of(const BenchReport& report) {
  bool any_native = false;
  for (const BenchRow& row : report.rows) any_native = any_native || row.native;
  Cells cells{{{"row", Align::kLeft}, {"unit", Align::kLeft}, {"ours"}, {"quartiles"}}, {}};
  if (any_native) cells.heads.push_back({"native"});
  for (const std::string& column : report.columns) cells.heads.push_back({column});
  cells.heads.push_back({"holds", Align::kLeft});
  cells.heads.push_back({"ratio or value, of its bound", Align::kLeft});
  for (const BenchRow& row : report.rows) {
    std::vector<std::string> line = {row.name, row.unit, short_number(row.ours), "-"};
    if (row.quartiles)
      line[3] = short_number((*row.quartiles)[0]) + ".." + short_number((*row.quartiles)[1]);
    if (any_native) line.push_back(short_number(row.native));
    for (const std::string& column : report.columns) line.push_back(peer_text(row, column));
    line.push_back(row.holds ? (*row.holds ? "yes" : "NO") : "-");
    line.push_back(bounds_text(row));
    cells.rows.push_back(line);
  }
  return cells;
}

/// Header of the table: where, when, how busy.
std::string head_text(const BenchReport& report) {
  return report.machine + "; " + report.compiler + "; " + report.date + "; load average " +
         fixed(report.load[0], 2) + " at the start, " + fixed(report.load[1], 2) + " at the end";
}

constexpr int kMarkdownWidth = 117;  // without the mark of a list

/// Errors and notes, one a line.
std::vector<std::string> remarks(const BenchReport& report) {
  std::vector<std::string> lines;
  for (const BenchRow& row : report.rows) {
    if (!row.error.empty()) lines.push_back("error: " + row.name + ": " + row.error);
    if (!row.note.empty()) lines.push_back(row.name + ": " + row.note);
  }
  lines.insert(lines.end(), report.notes.begin(), report.notes.end());
  return lines;
}

}  // namespace

nlohmann::json bench_json(const BenchReport& report) {
  nlohmann::json rows = nlohmann::json::array();
  for (const BenchRow& row : report.rows) rows.push_back(row_json(row));
  return {{"schema", "kagami.bench/1"}, {"machine", report.machine},   {"date", report.date},
          {"load", report.load},        {"compiler", report.compiler}, {"rows", rows},
          {"notes", report.notes}};
}

std::string bench_text(const BenchReport& report) {
  const Cells cells = cells_of(report);
  Table table(cells.heads);
  for (const std::vector<std::string>& row : cells.rows) table.add_row(row);
  std::string text = head_text(report) + "\n\n" + table.text();
  const char* gap = "\n";
  for (const std::string& line : remarks(report)) {
    text += gap + line + "\n";
    gap = "";
  }
  return text;
}

std::string bench_markdown(const BenchReport& report) {
  const Cells cells = cells_of(report);
  std::string text = head_text(report) + "\n\n|";
  for (const Table::Column& head : cells.heads) text += " " + head.header + " |";
  text += "\n|";
  for (const Table::Column& head : cells.heads)
    text += head.align == Align::kLeft ? " --- |" : " ---: |";
  text += "\n";
  for (const std::vector<std::string>& row : cells.rows) {
    text += "|";
    for (const std::string& cell : row) text += " " + cell + " |";
    text += "\n";
  }
  const char* gap = "\n";
  for (const std::string& line : remarks(report)) {
    const char* mark = "- ";
    for (const std::string& part : wrap_text(line, kMarkdownWidth)) {
      text += gap + (mark + part) + "\n";
      gap = "";
      mark = "  ";
    }
  }
  return text;
}

}  // namespace kagami::tools
