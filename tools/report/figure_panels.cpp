// Step responses and durations as small plots, and the list of all figures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "tools/report/figures.hpp"

namespace kagami::tools {
namespace {

constexpr std::size_t kMostSteps = 12;

std::string ms_text(const std::optional<double>& time) {
  return time ? fmt::format("{:.0f} ms", 1e3 * *time) : "-";
}

/// "rise 110 ms, twin 120 ms; over 2 %, 0 %"
std::string step_note(const StepResponse& step) {
  if (!step.measured || !step.simulated) return "";
  return fmt::format("rise {}, twin {}", ms_text(step.measured->rise),
                     ms_text(step.simulated->rise));
}

}  // namespace

SmallMultiples step_multiples(const ReportData& data) {
  SmallMultiples multiples;
  multiples.id = "steps";
  multiples.title = "Step responses";
  multiples.meaning =
      "The largest jumps of the command between two rests. 0 is the angle before the jump, 1 the "
      "commanded one, so that steps of different size can be compared.";
  multiples.x_label = "time from the jump, s";
  multiples.y_label = "share of the step";
  std::vector<const StepResponse*> steps;
  for (const StepResponse& step : data.run.course.steps) {
    if (step.measured && step.simulated) steps.push_back(&step);
  }
  const auto size = [](const StepResponse* s) { return std::abs(s->to_deg - s->from_deg); };
  std::stable_sort(steps.begin(), steps.end(),
                   [&](const auto* a, const auto* b) { return size(a) > size(b); });
  if (steps.size() > kMostSteps) steps.resize(kMostSteps);
  for (const StepResponse* step : steps) {
    const auto shares = [&](std::vector<double> angles) {
      for (double& angle : angles)
        angle = (angle - step->from_deg) / (step->to_deg - step->from_deg);
      return angles;
    };
    // every fifth tick draws the twin's smooth curve
    std::vector<double> time;
    std::vector<double> twin;
    for (std::size_t i = 0; i < step->simulated_time.size(); i += 5) {
      time.push_back(step->simulated_time[i]);
      twin.push_back(step->simulated_deg[i]);
    }
    SmallPanel panel;
    panel.title = fmt::format(
        "{} {:+.0f} deg", data.run.comparison.joints[static_cast<std::size_t>(step->joint)].name,
        step->to_deg - step->from_deg);
    panel.note = fmt::format("at {:.2f} s; ", step->time) + step_note(*step);
    panel.series = {
        {"measured", step->measured_time, shares(step->measured_deg), false, false, false},
        {"twin", time, shares(twin), false, true, false}};
    multiples.panels.push_back(std::move(panel));
  }
  return multiples;
}

SmallMultiples duration_multiples(const ReportData& data) {
  SmallMultiples multiples;
  multiples.id = "timing";
  multiples.title = "Timing";
  multiples.meaning =
      "How often each duration occurred. The median, the value that 99 % stay below and the "
      "maximum are in the table.";
  multiples.x_label = "duration, us";
  multiples.y_label = "number";
  multiples.is_log_x = true;
  multiples.has_common_x = false;
  multiples.has_common_y = false;
  multiples.begins_at_zero = true;
  std::vector<DurationHistogram> all = run_durations(data.run.facts);
  all.insert(all.end(), data.run.course.durations.begin(), data.run.course.durations.end());
  for (const DurationHistogram& histogram : all) {
    if (histogram.bars.empty()) continue;
    SmallSeries series;
    series.label = "durations";
    series.has_bars = true;
    for (const DurationBar& bar : histogram.bars) {
      series.x.push_back(std::max(bar.upper, 1e-3));
      series.y.push_back(bar.count);
    }
    // the bar before the first ends a twelfth below it, as the bars are eight to a doubling
    series.x.insert(series.x.begin(), series.x.front() / 1.09);
    series.y.insert(series.y.begin(), 0.0);
    multiples.panels.push_back({histogram.name,
                                {std::move(series)},
                                fmt::format("median {} us", short_number(histogram.p50))});
  }
  return multiples;
}

std::vector<ReportFigure> other_figures(const ReportData& data) {
  std::vector<ReportFigure> figures = {timeline_figure(data)};
  if (!data.run.explanation.empty()) figures.push_back(causes_figure(data));
  for (const SmallMultiples& more : data.more) {
    if (!more.panels.empty()) figures.push_back(figure_of(more));
  }
  for (const SmallMultiples& m : {step_multiples(data), duration_multiples(data)}) {
    if (!m.panels.empty()) figures.push_back(figure_of(m));
  }
  if (!line_shares(data.run.facts).empty()) figures.push_back(line_figure(data));
  return figures;
}

std::vector<ReportFigure> all_figures(const ReportData& data) {
  std::vector<ReportFigure> figures = other_figures(data);
  figures.push_back(heat_figure(data));
  for (const std::size_t joint : by_error(data.run.comparison)) {
    figures.push_back(joint_figure(data, joint));
    figures.back().csv = joint_csv(data, joint);
  }
  return figures;
}

}  // namespace kagami::tools
