#include "tools/sweep/sweep_table.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;

// a text in quotation marks where CSV requires them (RFC 4180)
std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_cell(const std::string& json_text) {
  if (json_text == "null") return "";
  if (json_text.front() != '"') return csv_text(json_text);
  return csv_text(json::parse(json_text).get<std::string>());
}

std::string csv_head(const SweepPlan& plan) {
  std::string line = "run";
  for (const SweepParameter& p : plan.parameters) line += "," + csv_text(p.name);
  line += ",outcome";
  for (const SweepResult& r : plan.results) line += "," + csv_text(r.name);
  return line + ",message\n";
}

std::string csv_row(const SweepPlan& plan, const RunEnd& end) {
  std::string line = std::to_string(end.run);
  for (const std::string& value : plan.values_of(end.run)) line += "," + csv_cell(value);
  line += "," + csv_text(end.outcome);
  for (std::size_t i = 0; i < plan.results.size(); ++i)
    line += "," + (i < end.results.size() ? csv_cell(end.results[i]) : "");
  return line + "," + csv_text(end.message) + "\n";
}

// by hand: the columns keep their order
std::string json_row(const SweepPlan& plan, const RunEnd& end) {
  const std::vector<std::string> values = plan.values_of(end.run);
  std::string line = "{\"run\":" + std::to_string(end.run) + ",\"parameters\":{";
  for (std::size_t i = 0; i < values.size(); ++i)
    line += (i > 0 ? "," : "") + json(plan.parameters[i].name).dump() + ":" + values[i];
  line += "},\"outcome\":" + json(end.outcome).dump() + ",\"results\":{";
  for (std::size_t i = 0; i < plan.results.size(); ++i)
    line += (i > 0 ? "," : "") + json(plan.results[i].name).dump() + ":" +
            (i < end.results.size() ? end.results[i] : "null");
  return line + "},\"message\":" + json(end.message).dump() + "}\n";
}

}  // namespace

TableFormat table_format_of(const std::filesystem::path& table) {
  if (table.extension() == ".csv") return TableFormat::kCsv;
  if (table.extension() == ".jsonl") return TableFormat::kJsonLines;
  throw ConfigError("--out '" + table.string() +
                    "': expected a file that ends in .csv (CSV) or .jsonl (JSON lines)");
}

std::string table_row(TableFormat format, const SweepPlan& plan, const RunEnd& end) {
  return format == TableFormat::kCsv ? csv_row(plan, end) : json_row(plan, end);
}

TableCounts write_table(const std::filesystem::path& table, const SweepPlan& plan,
                        const Journals& journals) {
  const TableFormat format = table_format_of(table);
  FileReplacement file(table);
  TableCounts counts;
  {
    std::ofstream out(file.beside(), std::ios::binary);
    if (format == TableFormat::kCsv) out << csv_head(plan);
    for (std::uint64_t run = 0; run < plan.runs() && out; ++run) {
      const RunEnd end = journals.read(run);
      ++counts.outcomes[end.outcome];
      if (end.outcome != "ok" && counts.first_failure.outcome.empty()) counts.first_failure = end;
      out << table_row(format, plan, end);
    }
    if (!out.flush()) throw RecordError(table.string() + ": cannot be written: is the disk full?");
  }
  file.commit();
  return counts;
}

}  // namespace kagami::tools
