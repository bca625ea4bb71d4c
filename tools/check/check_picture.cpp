#include "tools/check/check_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/report/svg.hpp"

namespace kagami::tools {
namespace {

constexpr double kWidth = 1040.0;  // px, as all lengths here
constexpr double kLeft = 70.0;
constexpr double kRight = 1020.0;
constexpr double kPanel = 130.0;
constexpr double kGap = 46.0;
constexpr double kTop = 70.0;
constexpr double kRow = 17.0;
constexpr double kNames = 190.0;
constexpr std::size_t kMostFindings = 30;
constexpr std::size_t kMostPoints = 4000;  // of a curve

/// One panel over the motion's time.
struct CheckPanel {
  std::string label;
  std::vector<double> value;
  std::vector<double> limits;  // lines across
};

const char* level_class(Verdict level) {
  return level == Verdict::kRed ? "error" : level == Verdict::kAmber ? "warning" : "info";
}

// extremes of stretches where there are more samples than the picture shows: no peak is lost
void thin_out(std::vector<double>& x, std::vector<double>& y) {
  const std::size_t stretch = (2 * x.size() + kMostPoints - 1) / kMostPoints;
  if (stretch <= 2) return;
  std::vector<double> thin_x;
  std::vector<double> thin_y;
  for (std::size_t from = 0; from < x.size(); from += stretch) {
    const std::size_t to = std::min(from + stretch, x.size());
    std::size_t least = from;
    std::size_t most = from;
    for (std::size_t k = from; k < to; ++k) {
      if (!(y[k] >= y[least])) least = k;
      if (!(y[k] <= y[most])) most = k;
    }
    for (const std::size_t k : {std::min(least, most), std::max(least, most)}) {
      thin_x.push_back(x[k]);
      thin_y.push_back(y[k]);
    }
  }
  x = std::move(thin_x);
  y = std::move(thin_y);
}

SvgScale scale_of(const CheckPanel& panel, double top) {
  double low = 0.0;
  double high = 0.0;
  const auto include = [&](double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const double value : panel.value) include(value);
  for (const double value : panel.limits) include(value);
  const double room = 0.05 * std::max(high - low, 1e-9);
  return {low < 0.0 ? low - room : 0.0, high + room, top + kPanel, top};
}

void draw_panel(Svg& svg, const CheckPanel& panel, const SvgScale& time,
                const std::vector<double>& times, const MotionCheck& check, double top,
                bool is_last) {
  const PlotArea area{time, scale_of(panel, top)};
  svg.axes(area, is_last ? "time of the motion, s" : "", panel.label);
  for (const double limit : panel.limits) {
    svg.line(area.x.from_px, area.y(limit), area.x.to_px, area.y(limit), "gain dashed marker");
  }
  for (const CheckFinding& finding : check.findings) {
    if (!finding.at || finding.level == Verdict::kGreen) continue;
    const double x = time(*finding.at);
    svg.rect(x - 0.75, top, 1.5, kPanel, level_class(finding.level), finding.text);
  }
  std::vector<double> x = times;
  std::vector<double> y = panel.value;
  thin_out(x, y);
  svg.curve(area, x, y, "measured");
}

std::vector<double> times_of(const std::vector<double>& values, double factor) {
  std::vector<double> scaled = values;
  for (double& value : scaled) value *= factor;
  return scaled;
}

double draw_heat(Svg& svg, const MotionCheck& check, double top) {
  constexpr double kFull = 0.5;  // of stall torque at the right edge
  const SvgScale share{0.0, kFull, kNames, kRight - 90.0};
  svg.text(kLeft, top, "torque on average (root mean square) in % of stall, heat in the motor",
           "label");
  double y = top + 8.0;
  for (const CheckedJoint& joint : check.joints) {
    if (!joint.load) continue;
    const JointLoad& load = *joint.load;
    const double part = load.rms_torque / load.stall_torque;
    svg.text(kNames - 6.0, y + 12.0, joint.name, "tick end");
    svg.rect(kNames, y + 3.0, share(std::min(part, kFull)) - kNames, kRow - 6.0, "bar");
    svg.text(share(std::min(part, kFull)) + 5.0, y + 12.0,
             fmt::format("{:.0f} %, {:.2f} W", 100.0 * part, load.heat), "tick");
    y += kRow;
  }
  return y;
}

void draw_findings(Svg& svg, const MotionCheck& check, double y) {
  std::size_t shown = 0;
  for (const CheckFinding& finding : check.findings) {
    if (++shown > kMostFindings) {
      svg.text(kLeft, y + 12.0, fmt::format("and {} more", check.findings.size() - kMostFindings),
               "label");
      return;
    }
    svg.circle(kLeft - 12.0, y + 8.0, 4.0, level_class(finding.level));
    const std::string when = finding.at ? fmt::format("{:.2f} s: ", *finding.at) : "";
    svg.text(kLeft, y + 12.0, finding.kind + ", " + when + finding.text, "small");
    y += kRow;
  }
}

}  // namespace

std::string check_picture(const MotionCheck& check, const MotionWatch& watch) {
  const std::vector<double> times = watch.times();
  std::vector<CheckPanel> panels;
  if (check.twin && check.twin->least_margin) {
    panels.push_back(
        {"mass centre inside what carries the robot, mm", times_of(watch.margin, 1e3), {0.0}});
  }
  panels.push_back(
      {"largest torque of all joints, % of stall", times_of(watch.torque_share, 100.0), {100.0}});
  panels.push_back({"largest speed that the motion requires, % of what boards and servo reach",
                    times_of(watch.speed_share, 100.0),
                    {100.0}});
  const double plots = kTop + static_cast<double>(panels.size()) * (kPanel + kGap);
  const double joints = static_cast<double>(check.joints.size());
  const double lines =
      static_cast<double>(std::min(check.findings.size(), kMostFindings + 1)) + 1.0;
  Svg svg(kWidth, plots + 40.0 + kRow * (joints + lines), "Check of " + check.motion);
  svg.text(kLeft, 28.0, check.motion + ": " + name(check.verdict()), "strong");
  svg.circle(kLeft - 14.0, 24.0, 6.0,
             check.verdict() == Verdict::kGreen ? "k2" : level_class(check.verdict()));
  const double from = times.empty() ? 0.0 : times.front();
  const double to = times.empty() ? 1.0 : std::max(times.back(), from + 0.1);
  const SvgScale time{from, to, kLeft, kRight};
  double top = kTop;
  for (std::size_t k = 0; k < panels.size(); ++k) {
    draw_panel(svg, panels[k], time, times, check, top, k + 1 == panels.size());
    top += kPanel + kGap;
  }
  draw_findings(svg, check, draw_heat(svg, check, top + 20.0) + 10.0);
  return svg.file_text();
}

}  // namespace kagami::tools
