#include "tools/report/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "tools/analysis/html.hpp"
#include "tools/report/figures.hpp"
#include "tools/report/page_data.hpp"
#include "tools/report/page_sections.hpp"
#include "tools/report/report_script.hpp"
#include "tools/report/report_style.hpp"
#include "tools/report/terms.hpp"

namespace kagami::tools {
namespace {

constexpr std::size_t kCurveBytes = std::size_t{5} << 19;  // of the page's data, at first
constexpr std::size_t kLeastCurveBytes = 4096;

std::string title_of(const ReportData& data) {
  return data.run.facts.motion.empty() ? "Run" : data.run.facts.motion;
}

std::string subtitle_of(const ReportData& data) {
  const RecordFacts& facts = data.run.facts;
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : " \xC2\xB7 ") + part;
  };
  add(facts.robot);
  add(facts.date);
  add(fmt::format("{:.2f} s", data.run.course.duration));
  const std::string on = text_at(facts.config, "on");
  add(on.empty() ? "" : "on the " + on);
  const std::string clock = text_at(facts.config, "clock");
  add(clock.empty() ? "" : clock + " clock");
  if (data.baseline) add("baseline " + data.baseline->facts.file);
  return text;
}

// the policy refuses every request, whatever a text of the record tries
std::string head_element(const ReportData& data, const ReportScript& script) {
  const std::string scripts =
      script.text.empty() ? "'none'" : "'" + std::string(script.sha256) + "'";
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'; img-src data:; script-src " +
         scripts +
         "; form-action 'none'; base-uri 'none'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Kagami: " +
         html_escaped(title_of(data)) + "</title>\n<style>" + page_style() + "</style>\n</head>\n";
}

std::string navigation(const ReportData& data) {
  std::string links;
  const auto add = [&](const std::string& id, const std::string& name) {
    links += "<a class=\"to\" href=\"#" + id + "\">" + html_escaped(name) + "</a>\n";
  };
  add("conclusion", "Conclusion");
  add("overview", "Overview");
  add("joints", "Joints");
  add("causes", "Causes");
  add("curves", "Curves");
  for (const SmallMultiples& more : data.more) {
    if (!more.panels.empty()) add(more.id + "-section", more.title);
  }
  if (!step_multiples(data).panels.empty()) add("steps-section", "Steps");
  if (!duration_multiples(data).panels.empty()) add("timing-section", "Timing");
  add("line-section", "Line");
  add("reproduction", "Reproduce");
  add("terms", "Definitions");
  return "<nav class=\"bar\" aria-label=\"Sections\"><div>\n" + links +
         "<div class=\"zoom\"></div>\n</div></nav>\n";
}

std::string body_of(const ReportData& data) {
  std::string text = conclusion_section(data) + overview_section(data) + joints_section(data) +
                     causes_section(data) + curves_section(data);
  for (const SmallMultiples& more : data.more) text += multiples_section(more);
  text +=
      steps_section(data) + timing_section(data) + line_section(data) + reproduction_section(data);
  return text +
         "<section id=\"terms\" aria-labelledby=\"terms-title\"><h2 id=\"terms-title\">Definitions"
         "</h2>\n" +
         terms_list() + "</section>\n";
}

std::string data_element(const ReportData& data, std::size_t curve_bytes) {
  return "<script type=\"application/json\" id=\"report-data\">" +
         script_safe(page_data(data, curve_bytes)) + "</script>\n";
}

}  // namespace

std::string report_page(const ReportData& data) {
  const ReportScript script = report_script();
  const std::string page =
      head_element(data, script) + "<body>\n<header class=\"page\"><h1>" +
      html_escaped(title_of(data)) + "</h1>\n<p class=\"subtitle\">" +
      html_escaped(subtitle_of(data)) + "</p></header>\n" + navigation(data) + "<main>\n" +
      body_of(data) +
      "</main>\n<footer><p>Written by Kagami. This file needs no network.</p></footer>\n";
  const std::string end = "</body>\n</html>\n";
  if (script.text.empty()) return page + end;
  const std::string code = "<script>" + std::string(script.text) + "</script>\n";
  // the record decides how much room its texts take; the curves get what is left
  for (std::size_t curve_bytes = kCurveBytes;; curve_bytes /= 2) {
    std::string curves = data_element(data, curve_bytes);
    const std::size_t size = page.size() + curves.size() + code.size() + end.size();
    if (size < kMostReportBytes || curve_bytes < kLeastCurveBytes) {
      return page + curves + code + end;
    }
  }
}

void write_figures(const std::filesystem::path& folder, const ReportData& data) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw RecordError("'" + folder.string() + "' cannot be created: " + error.message());
  }
  std::set<std::string> used;
  for (const ReportFigure& figure : all_figures(data)) {
    std::string name = figure.id;
    for (int k = 2; !used.insert(name).second; ++k) name = figure.id + "_" + std::to_string(k);
    write_file_atomically(folder / (name + ".svg"), figure.svg.file_text());
    write_file_atomically(folder / (name + ".csv"), figure.csv);
  }
}

}  // namespace kagami::tools
