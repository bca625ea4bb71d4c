// Causes of the gap as stacked bars, and the shares of the line's time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/base/angle.hpp"
#include "tools/gap/gap_report.hpp"
#include "tools/report/figures.hpp"

namespace kagami::tools {
namespace {

constexpr double kBarRow = 22.0;  // px
constexpr double kBarLeft = 150.0;
constexpr double kBarRight = 880.0;
constexpr std::size_t kOwnColours = 7;

/// One part of a bar; the parts of a bar add up to 1.
struct BarPart {
  std::string name;
  double share = 0.0;
};

double gap_deg(const JointExplanation& joint) {
  return to_deg(std::sqrt(std::max(0.0, joint.mean_square)));
}

std::vector<BarPart> parts_of(const JointExplanation& joint) {
  std::vector<BarPart> parts;
  const auto add = [&](const std::string& name, double square) {
    if (square > 0.0 && joint.mean_square > 0.0)
      parts.push_back({name, square / joint.mean_square});
  };
  for (const FoundCause& found : joint.causes) add(cause_name(found.cause), found.square);
  add("resolution", joint.resolution);
  add("unexplained", joint.unexplained);
  return parts;
}

/// Class of each cause: the largest have colours of their own.
std::map<std::string, std::string> classes_of(const std::vector<CauseShare>& shares) {
  std::map<std::string, std::string> classes;
  for (const CauseShare& share : shares) {
    const bool is_rest = share.cause == "resolution" || share.cause == "unexplained";
    const std::size_t place = classes.size();
    classes[share.cause] = is_rest               ? share.cause
                           : place < kOwnColours ? "k" + std::to_string(place)
                                                 : "rest";
  }
  return classes;
}

void draw_bar(Svg& svg, double top, double length, const std::vector<BarPart>& parts,
              const std::map<std::string, std::string>& classes, const std::string& of) {
  double left = kBarLeft;
  for (const BarPart& part : parts) {
    const double width = length * part.share;
    const auto known = classes.find(part.name);
    svg.rect(left, top, width, kBarRow - 8.0, known == classes.end() ? "rest" : known->second,
             fmt::format("{}: {} {:.1f} %", of, part.name, 100.0 * part.share));
    left += width;
  }
}

}  // namespace

ReportFigure causes_figure(const ReportData& data) {
  const std::vector<JointExplanation>& joints = data.run.explanation;
  const std::vector<CauseShare> shares = cause_shares(joints);
  const std::map<std::string, std::string> classes = classes_of(shares);
  std::vector<const JointExplanation*> order;
  double longest = 0.0;
  double square = 0.0;
  double readings = 0.0;
  for (const JointExplanation& joint : joints) {
    if (joint.readings == 0) continue;
    order.push_back(&joint);
    longest = std::max(longest, gap_deg(joint));
    square += joint.mean_square * static_cast<double>(joint.readings);
    readings += static_cast<double>(joint.readings);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->mean_square > b->mean_square; });
  const double bottom = 10.0 + kBarRow * static_cast<double>(order.size() + 1);
  Svg svg(960.0, bottom + 36.0, "Gap of each joint, divided by cause");
  const SvgScale scale{0.0, std::max(longest, 0.1) * 1.02, kBarLeft, kBarRight, false};
  const std::vector<double> ticks = round_ticks(scale.from, scale.to, 8);
  for (const double tick : ticks) {
    svg.line(scale(tick), 6.0, scale(tick), bottom, "grid");
    svg.text(scale(tick), bottom + 15.0, tick_text(tick, ticks.size() > 1 ? ticks[1] : 1.0),
             "tick middle");
  }
  svg.text(kBarRight, bottom + 29.0, "gap, deg RMS", "label end");
  std::string csv = "joint,gap_rms_deg,part,share,rms_deg\n";
  double top = 10.0;
  const auto bar = [&](const std::string& name, double gap, const std::vector<BarPart>& parts,
                       const char* classes_of_name) {
    svg.text(kBarLeft - 8.0, top + 11.0, name, std::string("end ") + classes_of_name);
    draw_bar(svg, top, scale(gap) - kBarLeft, parts, classes, name);
    svg.text(scale(gap) + 6.0, top + 11.0, fmt::format("{:.2f} deg", gap), "faint small");
    for (const BarPart& part : parts) {
      csv += csv_text(name) + "," + csv_number(gap) + "," + part.name + "," +
             csv_number(part.share) + "," + csv_number(gap * std::sqrt(part.share)) + "\n";
    }
    top += kBarRow;
  };
  std::vector<BarPart> all;
  for (const CauseShare& share : shares) all.push_back({share.cause, share.share});
  bar("all joints", readings > 0.0 ? to_deg(std::sqrt(square / readings)) : 0.0, all, "strong");
  for (const JointExplanation* joint : order) {
    bar(joint->joint, gap_deg(*joint), parts_of(*joint), "");
  }
  Keys keys;
  for (const CauseShare& share : shares) {
    if (share.share < 5e-4) continue;
    keys.emplace_back(classes.at(share.cause),
                      fmt::format("{} {:.1f} %", share.cause, 100.0 * share.share));
  }
  return {"causes", "Why", std::move(svg), std::move(csv), std::move(keys)};
}

ReportFigure line_figure(const ReportData& data) {
  Svg svg(960.0, 44.0, "Shares of the serial line's time");
  Keys keys;
  std::string csv = "part,share\n";
  double left = kTimeLeft;
  int place = 0;
  for (const auto& [name, share] : line_shares(data.run.facts)) {
    const double width = (kTimeRight - kTimeLeft) * share;
    const std::string colour = "k" + std::to_string(place++);
    const std::string text = fmt::format("{} {:.1f} %", name, 100.0 * share);
    svg.rect(left, 8.0, width, 24.0, colour, text);
    keys.emplace_back(colour, text);
    csv += name + "," + csv_number(share) + "\n";
    left += width;
  }
  return {"line", "Time of the serial line", std::move(svg), std::move(csv), std::move(keys)};
}

}  // namespace kagami::tools
