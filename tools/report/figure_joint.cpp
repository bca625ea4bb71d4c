// Curves of one joint.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/report/figures.hpp"

namespace kagami::tools {
namespace {

constexpr std::size_t kStretchesDrawn = 420;
constexpr double kMostCsvStretches = 12000.0;

bool is_difference(const DrawnCurve& curve) {
  return curve.key == "difference" || curve.key == "base-difference";
}

/// Limits of an axis around the values of some curves, deg.
SvgScale angle_scale(const std::vector<DrawnCurve>& curves, bool differences, double bottom,
                     double top) {
  Extremes range{NAN, NAN};
  for (const DrawnCurve& curve : curves) {
    if (is_difference(curve) == differences) range = joined_range(range, curve.envelope.range());
  }
  if (std::isnan(range.first)) return {-1.0, 1.0, bottom, top, false};
  double low = static_cast<double>(range.first);
  double high = static_cast<double>(range.second);
  if (differences) {
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
  }
  const double margin = std::max(0.05 * (high - low), 0.25);
  return {low - margin, high + margin, bottom, top, false};
}

std::string csv_of(const std::vector<DrawnCurve>& curves) {
  std::string csv = "t_s";
  std::size_t stretches = 0;
  for (const DrawnCurve& curve : curves) {
    std::string name = curve.key;
    std::replace(name.begin(), name.end(), '-', '_');
    csv += "," + name + "_deg";
    stretches = std::max(stretches, curve.envelope.stretches().size());
  }
  csv += "\n";
  for (std::size_t row = 0; row < 2 * stretches; ++row) {
    const std::size_t k = row / 2;
    const bool is_first = row % 2 == 0;
    std::string cells;
    bool has_any = false;
    for (const DrawnCurve& curve : curves) {
      const std::vector<Extremes>& all = curve.envelope.stretches();
      const Extremes e = k < all.size() ? all[k] : Extremes{NAN, NAN};
      // the second of two equal extremes is the same value again
      const float value = is_first ? e.first : e.second == e.first ? NAN : e.second;
      has_any = has_any || !std::isnan(value);
      cells += "," + csv_number(static_cast<double>(value));
    }
    if (!has_any) continue;
    const double width = curves.front().envelope.width();
    csv += fmt::format("{:.6g}", width * (static_cast<double>(k) + (is_first ? 0.25 : 0.75))) +
           cells + "\n";
  }
  return csv;
}

void draw(Svg& svg, const PlotArea& area, const std::vector<DrawnCurve>& curves, bool differences) {
  svg.axes(area, differences ? "time, s" : "",
           differences ? "difference, deg (twin minus measured)" : "angle, deg");
  for (const DrawnCurve& curve : curves) {
    if (is_difference(curve) != differences) continue;
    const std::string classes = curve.key == "base-difference" ? "base" : curve.key;
    svg.curve(area, curve.envelope, kStretchesDrawn, classes);
  }
}

}  // namespace

std::vector<DrawnCurve> drawn_curves(const ReportData& data, std::size_t joint, double width) {
  if (joint >= data.run.course.curves.size()) return {};
  const JointCurves& own = data.run.course.curves[joint];
  // those drawn last lie on top
  std::vector<DrawnCurve> curves;
  if (const JointCurves* base = baseline_curves(data, joint)) {
    const double shift = baseline_shift(data);
    curves = {{"base", "baseline measured", base->measured.shifted(shift)},
              {"base-twin", "baseline twin", base->simulated.shifted(shift)},
              {"base-difference", "baseline difference", base->difference.shifted(shift)}};
  }
  curves.insert(curves.end(), {{"command", "command", own.command},
                               {"reference", "reference", own.reference},
                               {"measured", "measured", own.measured},
                               {"twin", "twin (simulated)", own.simulated},
                               {"loop", "loop twin", own.loop},
                               {"difference", "difference", own.difference}});
  curves.erase(std::remove_if(curves.begin(), curves.end(),
                              [](const DrawnCurve& c) { return !has_values(c.envelope); }),
               curves.end());
  double widest = width;
  for (const DrawnCurve& curve : curves) widest = std::max(widest, curve.envelope.width());
  for (DrawnCurve& curve : curves) curve.envelope = curve.envelope.widened(widest);
  return curves;
}

SvgScale time_scale(const ReportData& data) {
  return {0.0, std::max(data.run.course.duration, 1e-3), kTimeLeft, kTimeRight, false};
}

ReportFigure joint_figure(const ReportData& data, std::size_t joint) {
  const std::string& name = data.run.comparison.joints[joint].name;
  const std::vector<DrawnCurve> curves = drawn_curves(data, joint, 0.0);
  Svg svg(960.0, 340.0, name + ": angles and difference over time");
  const SvgScale time = time_scale(data);
  draw(svg, {time, angle_scale(curves, false, 190.0, 22.0)}, curves, false);
  draw(svg, {time, angle_scale(curves, true, 305.0, 218.0)}, curves, true);
  Keys keys;
  for (const DrawnCurve& curve : curves) {
    if (curve.key != "base-difference") keys.emplace_back(curve.key, curve.label);
  }
  return {"joint_" + safe_name(name), name, std::move(svg), "", std::move(keys)};
}

std::string joint_csv(const ReportData& data, std::size_t joint) {
  return csv_of(drawn_curves(data, joint, data.run.course.duration / kMostCsvStretches));
}

}  // namespace kagami::tools
