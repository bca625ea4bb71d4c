#include "tools/experiments/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/base/file_replacement.hpp"
#include "tools/cli/table.hpp"
#include "tools/experiments/figure.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// what was not measured is null
json number(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

std::string with_unit(const std::string& value, const std::string& unit) {
  return unit.empty() ? value : value + " " + unit;
}

std::string short_number(double value) {
  return fmt::format("{:.3g}", value == 0.0 ? 0.0 : value);
}

std::string expectation(const Claim& c) {
  if (c.tolerance == 0.0) return fmt::format("{:g}", c.expected);
  if (c.expected == 0.0) return with_unit("at most " + short_number(c.tolerance), c.unit);
  return with_unit(fmt::format("{:.10g} ± {}", c.expected, short_number(c.tolerance)), c.unit);
}

std::string measured_text(const Claim& c) {
  if (!c.was_measured()) return "-";
  return with_unit(
      c.expected == 0.0 ? short_number(c.measured) : fmt::format("{:.10g}", c.measured), c.unit);
}

json settings_json(const ExperimentSettings& s) {
  json settings = {{"dt_s", s.dt},
                   {"duration_s", s.duration},
                   {"integrator", s.integrator},
                   {"algorithm", s.algorithm}};
  if (s.links > 0) settings["links"] = s.links;
  if (!s.contact.empty()) settings["contact"] = s.contact;
  return settings;
}

std::string result_table_text(const ResultTable& result_table, int width) {
  std::vector<Table::Column> columns = {{result_table.title, Align::kLeft}};
  for (const std::string& column : result_table.columns) columns.push_back({column});
  Table table(columns);
  for (const ResultTable::Row& row : result_table.rows) {
    std::vector<std::string> cells = {row.name};
    for (const double value : row.values)
      cells.push_back(std::isfinite(value) ? fmt::format("{:.4g}", value) : "-");
    table.add_row(cells);
  }
  return table.text(width);
}

json result_table_json(const ResultTable& result_table) {
  json rows = json::array();
  for (const ResultTable::Row& row : result_table.rows) {
    json values = json::array();
    for (const double value : row.values) values.push_back(number(value));
    rows.push_back({{"name", row.name}, {"values", values}});
  }
  return {{"title", result_table.title}, {"columns", result_table.columns}, {"rows", rows}};
}

std::string file_in(const fs::path& folder, const std::string& name) {
  return (folder / name).string();
}

}  // namespace

ExperimentReport run_experiment(const Experiment& experiment, const ExperimentSettings& settings,
                                const DataFolders& data, const fs::path& folder,
                                const fs::path& gnuplot) {
  const ExperimentInfo& info = experiment.info();
  ExperimentResult result = experiment.run(settings, data);
  ExperimentReport report;
  report.info = info;
  report.settings = settings;
  if (!result.ran.list().empty()) {
    report.settings.algorithm = result.ran.text();
    for (std::string& s : result.ran.substitutes(models::algorithm(settings.algorithm)))
      result.notices.push_back(std::move(s));
  }
  report.problem = result.problem;
  report.drifts = result.drifts;
  report.claims = result.claims;
  report.tables = result.tables;
  report.notices = result.notices;
  report.rows = result.trace.rows.size();
  report.holds = all_hold(result);

  const std::string csv = info.name + ".csv";
  report.csv = file_in(folder, csv);
  write_file_atomically(report.csv, trace_csv(result.trace));
  const std::string below =
      settings_text(report.settings) + "; largest change of " + result.drifts.front().name + " " +
      with_unit(short_number(result.drifts.front().largest), result.drifts.front().unit);
  for (const Figure& figure : result.figures) {
    report.scripts.push_back(file_in(folder, figure.file + ".gp"));
    write_file_atomically(report.scripts.back(), gnuplot_script(figure, result.trace, csv, below));
    if (gnuplot.empty()) continue;
    draw(gnuplot, report.scripts.back());
    report.figures.push_back(file_in(folder, figure.file + ".svg"));
  }
  return report;
}

std::string settings_text(const ExperimentSettings& s) {
  return fmt::format("{}, {:g} ms, {:g} s, {}", s.integrator, 1e3 * s.dt, s.duration, s.algorithm) +
         (s.links > 0 ? fmt::format(", {} links", s.links) : "") +
         (s.contact.empty() ? "" : ", " + s.contact);
}

std::string report_text(const ExperimentReport& r, int width) {
  std::string text = fmt::format("{}: {} ({}, {})\n{}\n\n", r.info.name, r.info.title, r.info.paper,
                                 r.info.figures, settings_text(r.settings));
  Table drifts({{"kept", Align::kLeft}, {"at the start"}, {"largest change"}});
  for (const Drift& d : r.drifts)
    drifts.add_row({d.name, with_unit(fmt::format("{:.10g}", d.start), d.unit),
                    with_unit(short_number(d.largest), d.unit)});
  text += drifts.text(width) + "\n";
  Table claims({{"", Align::kLeft}, {"claim", Align::kLeft}, {"expected"}, {"measured"}});
  for (const Claim& c : r.claims)
    claims.add_row({!c.was_measured() ? "-" : (c.holds() ? "ok" : "NO"), c.text, expectation(c),
                    measured_text(c)});
  text += claims.text(width) + "\n";
  for (const ResultTable& result_table : r.tables)
    text += result_table_text(result_table, width) + "\n";
  text += fmt::format("csv      {} ({} rows)\n", r.csv, r.rows);
  const bool drawn = !r.figures.empty();
  for (const std::string& file : drawn ? r.figures : r.scripts)
    text += fmt::format("{:<8} {}\n", drawn ? "figure" : "script", file);
  return text;
}

json report_json(const ExperimentReport& r) {
  json drifts = json::array();
  for (const Drift& d : r.drifts)
    drifts.push_back({{"name", d.name},
                      {"unit", d.unit},
                      {"start", number(d.start)},
                      {"largest_change", number(d.largest)}});
  json claims = json::array();
  for (const Claim& c : r.claims)
    claims.push_back({{"text", c.text},
                      {"unit", c.unit},
                      {"measured", number(c.measured)},
                      {"expected", c.expected},
                      {"tolerance", c.tolerance},
                      {"pass", c.was_measured() ? json(c.holds()) : json(nullptr)}});
  json tables = json::array();
  for (const ResultTable& result_table : r.tables)
    tables.push_back(result_table_json(result_table));
  return {{"schema", "kagami.experiment/1"},
          {"name", r.info.name},
          {"paper", r.info.paper},
          {"figures", r.info.figures},
          {"settings", settings_json(r.settings)},
          {"rows", r.rows},
          {"drifts", drifts},
          {"claims", claims},
          {"sheets", tables},
          {"holds", r.holds},
          {"complete", r.problem.empty()},
          {"problem", r.problem.empty() ? json(nullptr) : json(r.problem)},
          {"notices", r.notices},
          {"files", {{"csv", r.csv}, {"scripts", r.scripts}, {"figures", r.figures}}}};
}

std::string list_text(const std::vector<ExperimentInfo>& infos, int width) {
  Table table({{"experiment", Align::kLeft},
               {"source", Align::kLeft},
               {"robot", Align::kLeft},
               {"what it shows", Align::kLeft}});
  for (const ExperimentInfo& i : infos)
    table.add_row(
        {i.name, i.paper + ", " + i.figures, i.robots.empty() ? "-" : i.robots.front(), i.shows});
  return table.text(width);
}

json list_json(const std::vector<ExperimentInfo>& infos) {
  json list = json::array();
  for (const ExperimentInfo& i : infos)
    list.push_back({{"name", i.name},
                    {"title", i.title},
                    {"paper", i.paper},
                    {"figures", i.figures},
                    {"shows", i.shows},
                    {"robots", i.robots},
                    {"defaults", settings_json(i.defaults)},
                    {"integrators", i.integrators},
                    {"algorithms", i.algorithms}});
  return {{"schema", "kagami.experiment_list/1"}, {"experiments", list}};
}

}  // namespace kagami::tools
