#include "tools/report/health_section.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

SmallPanel joint_panel(const HealthHistory& history, std::size_t joint, HealthValue value) {
  const HealthScale scale = health_scale(value);
  SmallPanel panel;
  panel.title = history.joints[joint];
  SmallSeries series;
  series.label = scale.name;
  series.has_dots = true;
  for (std::size_t run = 0; run < history.runs.size(); ++run) {
    const auto& reading = history.runs[run].joints[joint][static_cast<std::size_t>(value)].value;
    series.x.push_back(static_cast<double>(run + 1));
    series.y.push_back(reading ? scale.per_unit * *reading
                               : std::numeric_limits<double>::quiet_NaN());
  }
  const HealthTrend trend = health_trend(history, joint, value);
  if (trend.is_notable) {
    panel.note = "changes by " + fixed(scale.per_unit * *trend.per_run, scale.decimals) + " " +
                 scale.unit + " per run";
  }
  panel.series.push_back(std::move(series));
  return panel;
}

bool has_values(const SmallPanel& panel) {
  const std::vector<double>& y = panel.series.front().y;
  return std::any_of(y.begin(), y.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

std::vector<SmallMultiples> health_sections(const HealthHistory& history) {
  std::vector<SmallMultiples> sections;
  for (const HealthValue value : kHealthValues) {
    const HealthScale scale = health_scale(value);
    SmallMultiples section;
    section.id = std::string("history-") + scale.name;
    section.title = std::string("Over the runs: ") + scale.name;
    section.meaning =
        "Each point is a run, in the order of their dates; a gap is a run that does "
        "not show the value.";
    section.x_label = "run";
    section.y_label = std::string(scale.name) + ", " + scale.unit;
    for (std::size_t joint = 0; joint < history.joints.size(); ++joint) {
      SmallPanel panel = joint_panel(history, joint, value);
      if (has_values(panel)) section.panels.push_back(std::move(panel));
    }
    if (!section.panels.empty()) sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace kagami::tools
