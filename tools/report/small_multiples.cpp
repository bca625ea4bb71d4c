#include "tools/report/small_multiples.hpp"

#include <algorithm>
#include <cmath>

namespace kagami::tools {
namespace {

constexpr double kWidth = 960.0;  // px
constexpr double kCellHeight = 150.0;
constexpr double kGutter = 44.0;  // left of a panel's plot
constexpr int kMostAcross = 4;
constexpr std::size_t kColours = 7;

struct Range {
  double least = INFINITY;
  double most = -INFINITY;

  void add(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  void add(const Range& other) {
    add(other.least);
    add(other.most);
  }
  /// Never empty and never without a length.
  [[nodiscard]] Range usable(bool is_log) const {
    if (!(most >= least)) return is_log ? Range{1.0, 10.0} : Range{0.0, 1.0};
    if (is_log) return most > 2.0 * least ? *this : Range{least / 2.0, most * 2.0};
    return most > least ? *this : Range{least - 0.5, most + 0.5};
  }
};

Range x_range(const SmallPanel& panel, bool is_log) {
  Range range;
  for (const SmallSeries& series : panel.series) {
    for (const double x : series.x) {
      if (!is_log || x > 0.0) range.add(x);
    }
  }
  return range;
}

Range y_range(const SmallPanel& panel, bool begins_at_zero) {
  Range range;
  if (begins_at_zero) range.add(0.0);
  for (const SmallSeries& series : panel.series) {
    for (const double y : series.y) range.add(y);
  }
  return range;
}

/// Labels of all series in the order in which they appear.
std::vector<std::string> labels_of(const SmallMultiples& multiples) {
  std::vector<std::string> labels;
  for (const SmallPanel& panel : multiples.panels) {
    for (const SmallSeries& series : panel.series) {
      if (std::find(labels.begin(), labels.end(), series.label) == labels.end()) {
        labels.push_back(series.label);
      }
    }
  }
  return labels;
}

void draw_bars(Svg& svg, const PlotArea& area, const SmallSeries& series, const std::string& name) {
  for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    if (!(series.y[i] > 0.0)) continue;
    const double right = area.x(series.x[i]);
    const double left = i > 0 ? area.x(series.x[i - 1]) : right - 4.0;
    const double top = area.y(series.y[i]);
    svg.rect(left, top, std::max(1.0, right - left - 0.5), area.y.from_px - top, name,
             "up to " + short_number(series.x[i]) + ": " + short_number(series.y[i]));
  }
}

void draw_panel(Svg& svg, const SmallPanel& panel, const std::vector<std::string>& labels,
                const PlotArea& area) {
  const double left = area.x.from_px - kGutter + 12.0;
  svg.text(left, area.y.to_px - 20.0, panel.title, "strong");
  svg.text(left, area.y.to_px - 6.0, panel.note, "faint small");
  svg.axes(area, " ", "");
  for (const SmallSeries& series : panel.series) {
    const auto place = static_cast<std::size_t>(
        std::find(labels.begin(), labels.end(), series.label) - labels.begin());
    const std::string name = "k" + std::to_string(place % kColours);
    if (series.has_bars) {
      draw_bars(svg, area, series, name);
      continue;
    }
    svg.curve(area, series.x, series.y, name + (series.is_dashed ? " dashed" : ""));
    if (!series.has_dots) continue;
    for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
      const double x = area.x(series.x[i]);
      const double y = area.y(series.y[i]);
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      svg.circle(
          x, y, 2.5, name,
          series.label + ": " + short_number(series.y[i]) + " at " + short_number(series.x[i]));
    }
  }
}

std::string csv_of(const SmallMultiples& multiples) {
  std::string csv =
      "panel,series," + csv_text(multiples.x_label) + "," + csv_text(multiples.y_label) + "\n";
  for (const SmallPanel& panel : multiples.panels) {
    for (const SmallSeries& series : panel.series) {
      for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
        csv += csv_text(panel.title) + "," + csv_text(series.label) + "," +
               csv_number(series.x[i]) + "," + csv_number(series.y[i]) + "\n";
      }
    }
  }
  return csv;
}

}  // namespace

ReportFigure figure_of(const SmallMultiples& multiples) {
  const auto count = static_cast<int>(multiples.panels.size());
  const int columns = std::clamp(count, 1, kMostAcross);
  const int rows = (count + columns - 1) / columns;
  const double cell = kWidth / columns;
  Svg svg(kWidth, kCellHeight * rows + 20.0, multiples.title);
  Range all_x;
  Range all_y;
  for (const SmallPanel& panel : multiples.panels) {
    all_x.add(x_range(panel, multiples.is_log_x));
    all_y.add(y_range(panel, multiples.begins_at_zero));
  }
  const std::vector<std::string> labels = labels_of(multiples);
  for (int k = 0; k < count; ++k) {
    const SmallPanel& panel = multiples.panels[static_cast<std::size_t>(k)];
    const bool is_log = multiples.is_log_x;
    const Range x = (multiples.has_common_x ? all_x : x_range(panel, is_log)).usable(is_log);
    const Range y =
        (multiples.has_common_y ? all_y : y_range(panel, multiples.begins_at_zero)).usable(false);
    const double left = cell * (k % columns) + kGutter;
    const double top = kCellHeight * (k / columns) + 34.0;
    const PlotArea area{{x.least, x.most, left, left + cell - kGutter - 16.0, is_log},
                        {y.least, y.most, top + kCellHeight - 64.0, top, false}};
    draw_panel(svg, panel, labels, area);
  }
  svg.text(kWidth - 16.0, kCellHeight * rows + 10.0,
           multiples.y_label + " over " + multiples.x_label, "label end");
  ReportFigure figure{multiples.id, multiples.title, std::move(svg), csv_of(multiples), {}};
  for (std::size_t i = 0; labels.size() > 1 && i < labels.size(); ++i) {
    figure.keys.emplace_back("k" + std::to_string(i % kColours), labels[i]);
  }
  return figure;
}

}  // namespace kagami::tools
