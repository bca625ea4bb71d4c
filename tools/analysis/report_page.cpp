// The page of a comparison: a table and, per joint, both curves as SVG lines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "tools/analysis/report.hpp"
#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

constexpr double kWidth = 640.0;          // of a plot, px
constexpr double kHeight = 130.0;         // px
constexpr double kMargin = 6.0;           // px above and below the curves
constexpr std::size_t kMostPoints = 640;  // per curve: one a pixel

constexpr const char* kStyle = R"(
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1b1f24; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; } h3 { font-size: 1rem; margin: 1rem 0 .2rem; font-weight: 600; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .8rem; text-align: right; border-bottom: 1px solid #d8dee4; }
th:first-child, td:first-child { text-align: left; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt { color: #57606a; } dd { margin: 0; overflow-wrap: anywhere; }
svg { width: 100%; height: auto; background: #f6f8fa; }
polyline { fill: none; stroke-width: 1.2; }
.measured { stroke: #0b66c3; } .simulated { stroke: #d9730d; stroke-dasharray: 5 2; }
.key-measured { color: #0b66c3; } .key-simulated { color: #b35c00; }
small { color: #57606a; }
@media (prefers-color-scheme: dark) { body { color: #e6edf3; background: #0d1117; } svg { background: #161b22; } th, td { border-color: #30363d; } small, dt { color: #9198a1; } }
)";

struct Axes {
  double t_min = 0.0;  // s
  double t_max = 1.0;
  double q_min = 0.0;  // deg
  double q_max = 1.0;

  double x(double t) const { return kWidth * (t - t_min) / (t_max - t_min); }
  double y(double q) const {
    return kHeight - kMargin - (kHeight - 2.0 * kMargin) * (q - q_min) / (q_max - q_min);
  }
};

/// "x,y x,y ..." of a curve between the axes' times, thinned to about a point a pixel.
std::string points(const std::vector<double>& time, const std::vector<double>& angle,
                   const Axes& axes) {
  const auto first = static_cast<std::size_t>(
      std::lower_bound(time.begin(), time.end(), axes.t_min) - time.begin());
  const auto last = static_cast<std::size_t>(
      std::upper_bound(time.begin(), time.end(), axes.t_max) - time.begin());
  const std::size_t stride = (last - first) / kMostPoints + 1;
  std::string text;
  for (std::size_t i = first; i < last; i += stride) {
    if (!std::isfinite(angle[i])) continue;
    text += fmt::format("{:.1f},{:.1f} ", axes.x(time[i]), axes.y(to_deg(angle[i])));
  }
  return text;
}

std::string plot(const JointReadings& readings, const std::vector<double>& tick_time,
                 const std::vector<double>& simulated) {
  if (readings.time.size() < 2) return "<p><small>No readings.</small></p>\n";
  Axes axes{readings.time.front(), readings.time.back(), INFINITY, -INFINITY};
  const auto widen = [&](double angle) {
    if (!std::isfinite(angle)) return;
    axes.q_min = std::min(axes.q_min, std::floor(to_deg(angle)));
    axes.q_max = std::max(axes.q_max, std::ceil(to_deg(angle)));
  };
  for (const double angle : readings.angle) widen(angle);
  for (std::size_t i = 0; i < simulated.size(); ++i)
    if (tick_time[i] >= axes.t_min && tick_time[i] <= axes.t_max) widen(simulated[i]);
  if (!(axes.q_max > axes.q_min)) axes.q_max = axes.q_min + 1.0;  // one flat line
  return fmt::format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\"><polyline class=\"measured\" points=\"{}\"/>"
      "<polyline class=\"simulated\" points=\"{}\"/></svg>\n"
      "<small>{:.0f} to {:.0f} deg over {:.2f} s</small>\n",
      kWidth, kHeight, points(readings.time, readings.angle, axes),
      points(tick_time, simulated, axes), axes.q_min, axes.q_max, axes.t_max - axes.t_min);
}

std::string table(const Comparison& comparison) {
  std::string rows;
  for (const JointComparison& joint : comparison.joints)
    rows += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</"
        "td>"
        "</tr>\n",
        html_escaped(joint.name), joint.channel, joint.samples, fixed(joint.rms_deg, 2),
        fixed(joint.max_deg, 2), fixed(joint.bias_deg, 2), fixed(joint.lag_ms, 1),
        fixed(joint.floor_deg, 2));
  return "<table>\n<tr><th>joint</th><th>channel</th><th>samples</th><th>RMS deg</th><th>max "
         "deg</th>"
         "<th>bias deg</th><th>lag ms</th><th>floor deg</th></tr>\n" +
         rows + "</table>\n";
}

}  // namespace

std::string comparison_page(const PageHead& head, const Comparison& comparison,
                            const RunSeries& run) {
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      html_escaped(head.title) + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<h1>" +
      html_escaped(head.title) + "</h1>\n";
  for (const std::string& sentence : head.conclusion)
    page += "<p>" + html_escaped(sentence) + "</p>\n";
  page += "<dl>\n";
  for (const auto& [name, value] : head.facts)
    page += "<dt>" + html_escaped(name) + "</dt><dd>" + html_escaped(value) + "</dd>\n";
  page += "</dl>\n<h2>Simulated minus measured</h2>\n" + table(comparison);
  page += fmt::format(
      "<p>All joints: {} deg RMS over {} readings.</p>\n<p><small>RMS, maximum and bias compare "
      "the "
      "unrounded model angle at each reading's own time. Lag: how much later than the model the "
      "joint "
      "moves; a dash where it rests. Floor: what reading in whole degrees alone would "
      "show.</small></p>\n",
      fixed(comparison.rms_deg, 3), comparison.samples);
  page +=
      "<h2>Curves</h2>\n<p><span class=\"key-measured\">measured</span>, "
      "<span class=\"key-simulated\">simulated (dashed)</span></p>\n";
  for (std::size_t j = 0; j < run.joints.size(); ++j)
    page += "<h3>" + html_escaped(run.joints[j].name) + "</h3>\n" +
            plot(run.joints[j], run.simulated.time, run.simulated.angle[j]);
  return page + "</body>\n</html>\n";
}

}  // namespace kagami::tools
