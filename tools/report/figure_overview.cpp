// The whole run on one time axis: what happened, and where robot and model were apart.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/analysis/happenings.hpp"
#include "tools/report/figures.hpp"

namespace kagami::tools {
namespace {

using runtime::EventLevel;

constexpr double kLane = 24.0;   // px
constexpr double kRow = 24.0;    // px of a joint: its name and its strip
constexpr double kStrip = 10.0;  // px
constexpr std::size_t kMostColumns = 320;

void draw_spans(Svg& svg, const SvgScale& time, const std::vector<RunSpan>& spans, double top,
                const std::string& classes) {
  for (const RunSpan& span : spans) {
    const double left = time(span.from);
    const double width = time(span.to) - left;
    svg.rect(left, top, std::max(width, 1.0), kLane - 8.0, classes,
             fmt::format("{}: {:.2f} to {:.2f} s", span.what, span.from, span.to));
    if (width > 7.0 * static_cast<double>(span.what.size())) {
      svg.text(left + 4.0, top + 12.0, span.what, "small");
    }
  }
}

std::string timeline_csv(const RunCourse& course) {
  std::string csv = "kind,from_s,to_s,level,what\n";
  const auto add = [&](const char* kind, double from, double to, EventLevel level,
                       const std::string& what) {
    csv += std::string(kind) + "," + csv_number(from) + "," + csv_number(to) + "," +
           event_level_name(level) + "," + csv_text(what) + "\n";
  };
  for (const RunSpan& s : course.states) add("state", s.from, s.to, s.level, s.what);
  for (const RunSpan& s : course.controllers) add("controller", s.from, s.to, s.level, s.what);
  for (const GainMark& g : course.gains) {
    add(g.is_applied ? "gains" : "gains refused", g.time, g.time, EventLevel::kInfo, g.what);
  }
  for (const RunSpan& s : course.faults) add("fault", s.from, s.to, s.level, s.what);
  for (const RunEvent& e : course.events) {
    add("event", e.time, e.time, runtime::event_level(e.event.code), e.sentence);
  }
  return csv;
}

/// Largest absolute difference of each stretch, deg; NaN: not known. A stretch without a reading
/// has the value of the one before, as long as that is no gap.
std::vector<double> strip_of(const Envelope& difference, std::size_t count) {
  std::vector<double> strip(count, NAN);
  const auto reach = static_cast<std::size_t>(difference.longest_bridge() / difference.width());
  std::size_t last = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const bool is_known =
        k < difference.stretches().size() && !std::isnan(difference.stretches()[k].first);
    if (is_known) {
      const Extremes e = difference.stretches()[k];
      strip[k] = static_cast<double>(std::max(std::abs(e.first), std::abs(e.second)));
      last = k;
    } else if (k > 0 && k - last <= reach && k < difference.stretches().size()) {
      strip[k] = strip[last];
    }
  }
  return strip;
}

int level_of(double difference_deg) {
  if (std::isnan(difference_deg)) return -1;
  const std::vector<double>& limits = heat_limits();
  return static_cast<int>(std::upper_bound(limits.begin(), limits.end(), difference_deg) -
                          limits.begin());
}

/// Neighbours of one colour are one rectangle.
void draw_strip(Svg& svg, const SvgScale& time, const std::vector<double>& strip, double width,
                double top) {
  for (std::size_t k = 0; k < strip.size();) {
    std::size_t end = k + 1;
    while (end < strip.size() && level_of(strip[end]) == level_of(strip[k])) ++end;
    const double left = time(width * static_cast<double>(k));
    const double right = std::min(time(width * static_cast<double>(end)), kTimeRight);
    if (level_of(strip[k]) >= 0) {
      svg.rect(left, top, right - left, kStrip, "h" + std::to_string(level_of(strip[k])));
    }
    k = end;
  }
}

}  // namespace

const std::vector<double>& heat_limits() {
  static const std::vector<double> limits = {0.5, 1.0, 2.0, 3.0, 5.0, 8.0};
  return limits;
}

ReportFigure timeline_figure(const ReportData& data) {
  const RunCourse& course = data.run.course;
  const SvgScale time = time_scale(data);
  const double bottom = 12.0 + 4.0 * (kLane + 14.0);
  Svg svg(960.0, bottom + 36.0, "States, controllers, faults and events over time");
  const std::vector<double> ticks = round_ticks(time.from, time.to, 9);
  for (const double tick : ticks) {
    svg.line(time(tick), 8.0, time(tick), bottom, "grid");
    svg.text(time(tick), bottom + 15.0,
             tick_text(tick, ticks.size() > 1 ? ticks[1] - ticks[0] : 1.0), "tick middle");
  }
  svg.line(kTimeLeft, bottom, kTimeRight, bottom, "frame");
  svg.text(kTimeRight, bottom + 29.0, "time, s", "label end");
  double top = 22.0;
  const auto lane = [&](const char* name) { svg.text(kTimeLeft, top - 4.0, name, "label small"); };
  lane("state of the run");
  draw_spans(svg, time, course.states, top, "state");
  top += kLane + 14.0;
  lane("controller; marks: gains changed");
  draw_spans(svg, time, course.controllers, top, "controller");
  for (const GainMark& mark : course.gains) {
    svg.rect(
        time(mark.time) - 1.5, top, 3.0, kLane - 8.0, mark.is_applied ? "gain" : "error",
        fmt::format("{:.3f} s: {}{}", mark.time, mark.is_applied ? "" : "refused: ", mark.what));
  }
  top += kLane + 14.0;
  lane(course.faults.empty() ? "faults and limits: none" : "faults and limits");
  for (const RunSpan& span : course.faults) {
    draw_spans(svg, time, {span}, top, event_level_name(span.level));
  }
  top += kLane + 14.0;
  lane(course.events.empty() ? "events: none" : "events");
  for (const RunEvent& event : course.events) {
    svg.circle(time(event.time), top + 8.0, 4.5,
               event_level_name(runtime::event_level(event.event.code)),
               fmt::format("{:.3f} s: {}", event.time, event.sentence));
  }
  return {"timeline", "What happened", std::move(svg), timeline_csv(course), {}};
}

ReportFigure heat_figure(const ReportData& data) {
  const SvgScale time = time_scale(data);
  const std::vector<std::size_t> order = by_error(data.run.comparison);
  std::vector<std::vector<double>> strips;
  double width = time.to / kMostColumns;
  for (const JointCurves& curves : data.run.course.curves) {
    width = std::max(width, curves.difference.widened(width).width());
  }
  const auto count = static_cast<std::size_t>(time.to / width) + 1;
  const double bottom = 6.0 + kRow * static_cast<double>(order.size());
  Svg svg(960.0, bottom + 34.0, "Largest difference of each joint over time");
  double top = 6.0;
  std::string csv = "t_s";
  for (const std::size_t j : order) {
    const std::string& name = data.run.comparison.joints[j].name;
    csv += "," + csv_text(name + "_deg");
    svg.text(kTimeLeft, top + 9.0, name, "small");
    svg.rect(kTimeLeft, top + 12.0, kTimeRight - kTimeLeft, kStrip, "area");
    std::vector<double> strip(count, NAN);
    if (j < data.run.course.curves.size()) {
      strip = strip_of(data.run.course.curves[j].difference.widened(width), count);
    }
    draw_strip(svg, time, strip, width, top + 12.0);
    strips.push_back(std::move(strip));
    top += kRow;
  }
  csv += "\n";
  for (std::size_t k = 0; k < count; ++k) {
    csv += csv_number(width * (static_cast<double>(k) + 0.5));
    for (const std::vector<double>& strip : strips) csv += "," + csv_number(strip[k]);
    csv += "\n";
  }
  const std::vector<double> ticks = round_ticks(time.from, time.to, 9);
  for (const double tick : ticks) {
    svg.line(time(tick), bottom, time(tick), bottom + 4.0, "frame");
    svg.text(time(tick), bottom + 16.0,
             tick_text(tick, ticks.size() > 1 ? ticks[1] - ticks[0] : 1.0), "tick middle");
  }
  svg.text(kTimeRight, bottom + 30.0, "time, s", "label end");
  Keys keys;
  for (std::size_t level = 0; level <= heat_limits().size(); ++level) {
    const std::string from = level == 0 ? "0" : fmt::format("{:g}", heat_limits()[level - 1]);
    keys.emplace_back("h" + std::to_string(level),
                      level < heat_limits().size()
                          ? from + " to " + fmt::format("{:g} deg", heat_limits()[level])
                          : "above " + from + " deg");
  }
  return {"heat", "Where and when", std::move(svg), std::move(csv), std::move(keys)};
}

}  // namespace kagami::tools
