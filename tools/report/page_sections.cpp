// Conclusion, overview and joints of the report's page.
#include "tools/report/page_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "tools/analysis/happenings.hpp"
#include "tools/analysis/html.hpp"
#include "tools/cli/table.hpp"
#include "tools/gap/gap_report.hpp"
#include "tools/report/figures.hpp"
#include "tools/report/page_parts.hpp"
#include "tools/report/terms.hpp"

namespace kagami::tools {
namespace {

struct Tile {
  std::string name;   ///< HTML
  std::string value;  ///< HTML
  std::string against;
  bool is_bad = false;
};

std::string tile_element(const Tile& tile) {
  return std::string("<div class=\"tile") + (tile.is_bad ? " bad" : "") + "\"><span>" + tile.name +
         "</span><b>" + tile.value + "</b><span>" + html_escaped(tile.against) + "</span></div>\n";
}

std::string with_small_unit(const std::string& value, const char* unit) {
  return value + " <small>" + unit + "</small>";
}

/// RMS over all joints that reading in whole degrees alone would show.
std::optional<double> floor_of_all(const Comparison& comparison) {
  double square = 0.0;
  double samples = 0.0;
  for (const JointComparison& joint : comparison.joints) {
    if (!joint.floor_deg) continue;
    square += *joint.floor_deg * *joint.floor_deg * static_cast<double>(joint.samples);
    samples += static_cast<double>(joint.samples);
  }
  return samples > 0.0 ? std::optional(std::sqrt(square / samples)) : std::nullopt;
}

std::string against_floor(const ReportData& data) {
  const std::optional<double> floor = floor_of_all(data.run.comparison);
  std::string text = floor ? "rounding alone " + fixed(floor, 2) + " deg" : "rounding not known";
  if (data.baseline) text += "; baseline " + fixed(data.baseline->comparison.rms_deg, 2) + " deg";
  return text;
}

std::string end_state(const nlohmann::json& result, const char* who) {
  const auto fell = result.find("fell");
  if (fell == result.end() || !fell->is_object() || !fell->contains(who)) return "not known";
  const nlohmann::json& value = (*fell)[who];
  return !value.is_boolean() ? "not known" : value.get<bool>() ? "fell" : "stands";
}

std::vector<Tile> tiles_of(const ReportData& data) {
  const Comparison& comparison = data.run.comparison;
  const nlohmann::json& result = data.run.facts.result;
  std::vector<Tile> tiles = {{term("rms", "Difference, RMS"),
                              with_small_unit(fixed(comparison.rms_deg, 2), "deg"),
                              against_floor(data)}};
  const std::vector<std::size_t> order = by_error(comparison);
  if (!order.empty() && comparison.joints[order.front()].rms_deg) {
    const JointComparison& worst = comparison.joints[order.front()];
    tiles.push_back({"Largest RMS: " + html_escaped(worst.name),
                     with_small_unit(fixed(worst.rms_deg, 2), "deg"),
                     "all joints " + fixed(comparison.rms_deg, 2) + " deg"});
    const auto peak = std::max_element(comparison.joints.begin(), comparison.joints.end(),
                                       [](const auto& a, const auto& b) {
                                         return a.max_deg.value_or(0.0) < b.max_deg.value_or(0.0);
                                       });
    tiles.push_back({term("max", "Largest difference"),
                     with_small_unit(fixed(peak->max_deg, 2), "deg"),
                     peak->name + ", RMS " + fixed(peak->rms_deg, 2) + " deg"});
  }
  const std::size_t faults = data.run.course.faults.size();
  tiles.push_back({term("fault", "Faults and limits"), std::to_string(faults),
                   fmt::format("episodes in {} events, {:.1f} s", data.run.course.events.size(),
                               data.run.course.duration),
                   faults > 0});
  if (result.is_object()) {
    const std::string robot = end_state(result, "robot");
    const std::string model = end_state(result, "shadow");
    tiles.push_back(
        {"At the end, robot", robot, "model " + model, robot == "fell" || model == "fell"});
    const double rate = number_at(result, "line/cycle_hz");
    tiles.push_back({term("rate", "Exchanges"), with_small_unit(fixed(rate, 1), "rounds/s"),
                     "possible " + fixed(number_at(result, "line/limit_hz"), 1) + " rounds/s"});
  }
  return tiles;
}

std::string largest_cause(const ReportData& data, const std::string& joint) {
  for (const JointExplanation& e : data.run.explanation) {
    if (e.joint != joint || e.causes.empty() || !(e.mean_square > 0.0)) continue;
    const auto largest = std::max_element(
        e.causes.begin(), e.causes.end(),
        [](const FoundCause& a, const FoundCause& b) { return a.square < b.square; });
    return fmt::format("{} {:.0f} %", cause_name(largest->cause),
                       100.0 * largest->square / e.mean_square);
  }
  return "-";
}

std::string event_table(const ReportData& data) {
  const RunCourse& course = data.run.course;
  if (course.events.empty() && course.gains.empty()) return "";
  std::vector<std::pair<double, std::vector<std::string>>> rows;
  for (const RunEvent& e : course.events) {
    rows.push_back(
        {e.time,
         {fmt::format("{:.3f}", e.time), event_level_name(runtime::event_level(e.event.code)),
          html_escaped(e.sentence)}});
  }
  for (const GainMark& g : course.gains) {
    rows.push_back({g.time,
                    {fmt::format("{:.3f}", g.time), g.is_applied ? "gains" : "gains refused",
                     html_escaped(g.what)}});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::vector<std::string>> cells;
  for (auto& row : rows) cells.push_back(std::move(row.second));
  std::string text = fmt::format("<details{}><summary>{} events</summary>\n",
                                 cells.size() <= 12 ? " open" : "", cells.size());
  text += table_element({"time, s", "level", "event"}, cells, "rlw");
  if (course.events_left_out > 0) {
    text +=
        fmt::format("<p class=\"note\">{} further events are in the record, channel /events.</p>\n",
                    course.events_left_out);
  }
  return text + "</details>\n";
}

}  // namespace

std::string figure_element(const ReportFigure& figure, const std::string& caption) {
  std::string keys;
  for (const auto& [name, text] : figure.keys) {
    const bool is_line = !name.empty() && name[0] != 'h' && name[0] != 'k' && name != "rest" &&
                         name != "resolution" && name != "unexplained";
    keys += "<span><svg viewBox=\"0 0 22 10\" aria-hidden=\"true\">" +
            (is_line ? "<path class=\"fine " + name + "\" transform=\"scale(.25)\" d=\"M0 20h88\"/>"
                     : "<rect class=\"" + name + "\" width=\"22\" height=\"10\"/>") +
            "</svg>" + html_escaped(text) + "</span>\n";
  }
  return "<figure id=\"figure-" + figure.id + "\">\n" +
         (caption.empty() ? "" : "<figcaption>" + caption + "</figcaption>\n") +
         (keys.empty() ? "" : "<div class=\"keys\">" + keys + "</div>\n") +
         "<div class=\"scroll\" tabindex=\"0\">" + figure.svg.inline_text() + "</div>\n</figure>\n";
}

std::string conclusion_section(const ReportData& data) {
  std::string text = section_begin("conclusion", "Conclusion") + "<ol class=\"conclusion\">\n";
  if (!data.run.facts.incomplete.empty()) {
    text += "<li>The record is incomplete: " + html_escaped(data.run.facts.incomplete) + "</li>\n";
  }
  for (const std::string& sentence : data.conclusion) {
    text += "<li>" + html_escaped(sentence) + "</li>\n";
  }
  if (data.conclusion.empty()) {
    text +=
        data.run.comparison.samples > 0
            ? "<li>Robot and model were " + fixed(data.run.comparison.rms_deg, 2) +
                  " deg RMS apart; the causes are not known, because the record does not hold "
                  "what its model was built from.</li>\n"
            : std::string(
                  "<li>There are no readings during the motion: nothing can be compared.</li>\n");
  }
  text += "</ol>\n<div class=\"tiles\">\n";
  for (const Tile& tile : tiles_of(data)) text += tile_element(tile);
  return text + "</div>\n</section>\n";
}

std::string overview_section(const ReportData& data) {
  std::string text = section_begin("overview", "What happened, where and when");
  text += figure_element(
              timeline_figure(data),
              "The run on one time axis. A mark shows its text while the pointer rests on it.") +
          event_table(data);
  text += figure_element(heat_figure(data),
                         "Largest " + term("difference", "difference") +
                             " of each joint, the joint with the largest RMS first.");
  return text + "</section>\n";
}

std::string joints_section(const ReportData& data) {
  const Comparison& comparison = data.run.comparison;
  std::vector<std::string> head = {"joint",
                                   term("rms", "RMS, deg"),
                                   "<span class=\"note\">share of the largest</span>",
                                   term("floor", "floor, deg"),
                                   term("max", "max, deg"),
                                   term("bias", "bias, deg"),
                                   term("lag", "lag, ms"),
                                   term("cause", "largest cause"),
                                   "readings"};
  std::string alignment = "lrlrrrrlr";
  if (data.baseline) {
    head.insert(head.begin() + 4, term("baseline", "baseline RMS, deg"));
    alignment.insert(4, "r");
  }
  const bool has_gate = std::any_of(comparison.joints.begin(), comparison.joints.end(),
                                    [](const auto& j) { return j.gate_shortfall_deg.has_value(); });
  if (has_gate) head.push_back(term("command", "cut by the gate, deg"));
  const std::vector<std::size_t> order = by_error(comparison);
  const double most = order.empty() ? 0.0 : comparison.joints[order.front()].rms_deg.value_or(0.0);
  std::vector<std::vector<std::string>> rows;
  for (const std::size_t j : order) {
    const JointComparison& joint = comparison.joints[j];
    const double share = most > 0.0 ? joint.rms_deg.value_or(0.0) / most : 0.0;
    std::vector<std::string> row = {
        "<a href=\"#joint-" + std::to_string(j) + "\">" + html_escaped(joint.name) + "</a>",
        fixed(joint.rms_deg, 2),
        fmt::format("<span class=\"meter\" style=\"width:{:.0f}px\"></span>", 80.0 * share),
        fixed(joint.floor_deg, 2),
        fixed(joint.max_deg, 2),
        fixed(joint.bias_deg, 2),
        fixed(joint.lag_ms, 1),
        html_escaped(largest_cause(data, joint.name)),
        std::to_string(joint.samples)};
    if (data.baseline) {
      const JointComparison* base = baseline_of(data, j);
      row.insert(row.begin() + 4, base == nullptr ? "-" : fixed(base->rms_deg, 2));
    }
    if (has_gate) row.push_back(fixed(joint.gate_shortfall_deg, 2));
    rows.push_back(std::move(row));
  }
  return section_begin("joints", "Joints") +
         "<p class=\"note\">Differences are simulated minus measured angles. Each heading leads to "
         "its definition, each joint to its curves.</p>\n" +
         table_element(head, rows, alignment) + "</section>\n";
}

std::string curves_section(const ReportData& data) {
  std::string text = section_begin("curves", "Curves") +
                     "<p class=\"note\">Sorted by RMS. All time axes are the same; " +
                     term("extremes", "no peak is left out") + ".</p>\n";
  for (const std::size_t j : by_error(data.run.comparison)) {
    const JointComparison& joint = data.run.comparison.joints[j];
    const JointComparison* base = baseline_of(data, j);
    text += fmt::format(
        "<article class=\"joint\" id=\"joint-{}\">\n<h3>{} <small>channel {}</small></h3>\n", j,
        html_escaped(joint.name), joint.channel);
    text += "<p>RMS " + fixed(joint.rms_deg, 2) + " deg (floor " + fixed(joint.floor_deg, 2) +
            (base == nullptr ? "" : ", baseline " + fixed(base->rms_deg, 2)) + "), max " +
            fixed(joint.max_deg, 2) + " deg, bias " + fixed(joint.bias_deg, 2) + " deg, lag " +
            fixed(joint.lag_ms, 1) +
            " ms, largest cause: " + html_escaped(largest_cause(data, joint.name)) + "</p>\n";
    text += figure_element(joint_figure(data, j), "") + "</article>\n";
  }
  return text + "</section>\n";
}

}  // namespace kagami::tools
