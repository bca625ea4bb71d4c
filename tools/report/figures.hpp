/// The figures of a report, each made from its data alone.
#pragma once

#include <string>
#include <vector>

#include "tools/report/report_data.hpp"

namespace kagami::tools {

/// A curve of one joint as the figures draw it.
struct DrawnCurve {
  std::string key;    ///< "command", "reference", "measured", "twin", "loop", "difference", "base",
                      ///< "base-twin", "base-difference": also the class of its line
  std::string label;  ///< for people
  Envelope envelope;  ///< deg
};
/// Those that have values, all with stretches of one width, at least `width` s.
std::vector<DrawnCurve> drawn_curves(const ReportData& data, std::size_t joint, double width);

/// States, controllers with their gains, faults and events on one time axis.
ReportFigure timeline_figure(const ReportData& data);
/// Largest difference of each joint over time as colours.
ReportFigure heat_figure(const ReportData& data);
/// Limits of the colours, deg: below the first, between two, above the last.
const std::vector<double>& heat_limits();
/// Bars of the joints' gaps, divided by cause.
ReportFigure causes_figure(const ReportData& data);
/// Curves of one joint and, below them, their difference; without `csv`, which is long.
ReportFigure joint_figure(const ReportData& data, std::size_t joint);
std::string joint_csv(const ReportData& data, std::size_t joint);
/// Shares of the serial line's time.
ReportFigure line_figure(const ReportData& data);
SmallMultiples step_multiples(const ReportData& data);
SmallMultiples duration_multiples(const ReportData& data);

/// All that have something to show, without those of the joints and the strips of their
/// differences.
std::vector<ReportFigure> other_figures(const ReportData& data);
/// All that have something to show, each with its CSV.
std::vector<ReportFigure> all_figures(const ReportData& data);

/// Left and right end of the time axis in all figures over time, px of 960.
inline constexpr double kTimeLeft = 56.0;
inline constexpr double kTimeRight = 944.0;
/// The axis of all figures over time, s.
SvgScale time_scale(const ReportData& data);

}  // namespace kagami::tools
