// Causes, steps, timing, line and reproduction on the report's page.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "tools/analysis/html.hpp"
#include "tools/cli/table.hpp"
#include "tools/gap/gap_report.hpp"
#include "tools/report/figures.hpp"
#include "tools/report/page_parts.hpp"
#include "tools/report/page_sections.hpp"
#include "tools/report/terms.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;

std::string amount_cell(const json& cause) {
  if (cause.contains("with")) return "with " + html_escaped(cause["with"].get<std::string>());
  if (!cause.contains("amount")) return "-";
  std::string text = fmt::format("{:+.3g} ", cause["amount"].get<double>());
  const double uncertainty = cause.value("uncertainty", 0.0);
  if (uncertainty > 0.0) text += fmt::format("&plusmn; {:.2g} ", uncertainty);
  return text + html_escaped(cause.value("unit", ""));
}

std::string differences_table(const ReportData& data) {
  std::vector<std::vector<std::string>> rows;
  const json explanation = explanation_json(data.run.explanation);
  for (const std::size_t place : by_error(data.run.comparison)) {
    for (const json& joint : explanation["joints"]) {
      if (joint["name"] != data.run.comparison.joints[place].name) continue;
      for (const json& cause : joint["causes"]) {
        std::string name = html_escaped(cause["cause"].get<std::string>());
        if (cause.contains("or")) name += " or " + html_escaped(cause["or"].get<std::string>());
        rows.push_back({html_escaped(joint["name"].get<std::string>()), name, amount_cell(cause),
                        fmt::format("{:.1f} %", 100.0 * cause["share"].get<double>()),
                        fmt::format("{:.2f}", cause["rms_deg"].get<double>()),
                        html_escaped(cause["proposal"].get<std::string>())});
      }
    }
  }
  if (rows.empty()) return "<p>No cause was found beyond the resolution of the readings.</p>\n";
  return table_element({"joint", term("cause", "cause"), term("amount", "amount"),
                        "share of the joint's square", "RMS of this part, deg", "what to change"},
                       rows, "lllrrw");
}

std::string not_identifiable(const ReportData& data) {
  std::string rows;
  for (const JointExplanation& joint : data.run.explanation) {
    if (joint.not_identifiable.empty()) continue;
    rows += "<dt>" + html_escaped(joint.joint) + "</dt><dd>";
    for (std::size_t i = 0; i < joint.not_identifiable.size(); ++i) {
      rows += (i > 0 ? ", " : "") + html_escaped(cause_name(joint.not_identifiable[i]));
    }
    rows += "</dd>\n";
  }
  if (rows.empty()) return "";
  return "<details><summary>Causes that this motion cannot show</summary>\n<p class=\"note\">A "
         "usual "
         "amount of them would change nothing that can be read.</p><dl>" +
         rows + "</dl></details>\n";
}

std::string ms_cell(const std::optional<double>& time) {
  return fixed(time ? std::optional(1e3 * *time) : std::nullopt, 0);
}

}  // namespace

std::string causes_section(const ReportData& data) {
  std::string text = section_begin("causes", "Why, and what differs between twin and robot");
  if (data.run.explanation.empty()) {
    return text +
           "<p>The causes are not known: the record does not hold what its model was built "
           "from.</p>\n</section>\n";
  }
  text += figure_element(causes_figure(data),
                         "Length: the joint's " + term("gap", "gap") +
                             ". Colours: shares of its mean square. " +
                             term("resolution", "Resolution") + " is what rounding alone makes; " +
                             term("unexplained", "unexplained") + " is the rest.");
  text += differences_table(data) + not_identifiable(data);
  return text + "</section>\n";
}

std::string multiples_section(const SmallMultiples& multiples, const std::string& after) {
  if (multiples.panels.empty()) return "";
  return section_begin(multiples.id + "-section", multiples.title) +
         figure_element(figure_of(multiples), html_escaped(multiples.meaning)) + after +
         "</section>\n";
}

std::string steps_section(const ReportData& data) {
  std::vector<std::vector<std::string>> rows;
  for (const StepResponse& step : data.run.course.steps) {
    if (!step.measured || !step.simulated) continue;
    rows.push_back(
        {html_escaped(data.run.comparison.joints[static_cast<std::size_t>(step.joint)].name),
         fixed(step.time, 2), fmt::format("{:.1f} to {:.1f}", step.from_deg, step.to_deg),
         ms_cell(step.measured->rise), ms_cell(step.simulated->rise),
         fixed(step.measured->overshoot, 1), fixed(step.simulated->overshoot, 1),
         ms_cell(step.measured->settling), ms_cell(step.simulated->settling)});
  }
  if (rows.empty()) return "";
  const std::string table = std::string("<details") + (rows.size() <= 8 ? " open" : "") +
                            "><summary>Numbers</summary>\n" +
                            table_element({"joint", "at, s", "step, deg", term("rise", "rise, ms"),
                                           "twin", term("overshoot", "overshoot, %"), "twin",
                                           term("settling", "settling, ms"), "twin"},
                                          rows, "lrl") +
                            "</details>\n";
  return multiples_section(step_multiples(data), table);
}

std::string timing_section(const ReportData& data) {
  std::vector<Measure> rows = cycle_measures(data.run.facts);
  const double rate = number_at(data.run.facts.config, "rate_hz");
  for (const DurationHistogram& d : data.run.course.durations) {
    rows.push_back({d.name, quantiles_text(d),
                    rate > 0.0 ? fmt::format("median = {:.2f} periods", 1e-6 * rate * d.p50) : "-",
                    d.meaning});
  }
  return multiples_section(duration_multiples(data), measures_table(rows));
}

std::string line_section(const ReportData& data) {
  std::string text = section_begin("line-section", "Serial line");
  if (!line_shares(data.run.facts).empty()) {
    text += figure_element(
        line_figure(data),
        "What the line's time was used for: bytes on the wire, the boards' own latency, the "
        "program's library, and waiting for the scheduler.");
  }
  return text + measures_table(line_measures(data.run.facts, data.run.course.line)) +
         "</section>\n";
}

std::string reproduction_section(const ReportData& data) {
  std::string text = section_begin("reproduction", "How to reproduce it");
  for (const std::string& command : reproduction_commands(data.run.facts)) {
    text += "<pre tabindex=\"0\">" + html_escaped(command) + "</pre>\n";
  }
  text += "<dl>\n";
  for (const auto& [name, value] : reproduction_facts(data.run.facts)) {
    text += "<dt>" + html_escaped(name) + "</dt><dd>" + html_escaped(value) + "</dd>\n";
  }
  if (data.baseline) {
    text += "<dt>Baseline</dt><dd>" + html_escaped(data.baseline->facts.file) + "</dd>\n";
  }
  return text + "</dl>\n</section>\n";
}

}  // namespace kagami::tools
