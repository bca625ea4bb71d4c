#include "tools/check/check_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "tools/check/check_findings.hpp"
#include "tools/check/self_collision.hpp"
#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

std::string line_of(const char* name, const std::string& value) {
  return fmt::format("{:<9}{}\n", name, value);
}

std::string standing(const TwinPlay& twin) {
  if (!twin.fell_shadow) return "on the stand nothing can fall";
  const auto ends = [](bool fell) { return fell ? "does not stand" : "stands"; };
  std::string text = std::string("the twin ") + ends(*twin.fell_shadow);
  if (twin.fell_robot) text += std::string(", the virtual robot ") + ends(*twin.fell_robot);
  return text;
}

std::string balance_line(const TwinPlay& twin) {
  if (!twin.least_margin) return "";
  const bool is_outside = *twin.least_margin < 0.0;
  return line_of(
      "balance",
      fmt::format("mass centre {} {:.0f} mm {} what carries the robot (at {:.2f} s), outside for "
                  "{:.0f} % of the time; feet slide {:.0f} mm",
                  is_outside ? "up to" : "at least", 1e3 * std::abs(*twin.least_margin),
                  is_outside ? "outside" : "inside", *twin.least_margin_at,
                  100.0 * twin.outside_share.value_or(0.0), 1e3 * twin.longest_slip.value_or(0.0)));
}

std::string load_line(const MotionCheck& check) {
  const CheckedJoint* most = nullptr;
  const CheckedJoint* hottest = nullptr;
  for (const CheckedJoint& joint : check.joints) {
    if (!joint.load) continue;
    if (most == nullptr || joint.load->top_torque > most->load->top_torque) most = &joint;
    if (hottest == nullptr || joint.load->heat > hottest->load->heat) hottest = &joint;
  }
  if (most == nullptr) return "";
  const JointLoad& load = *most->load;
  return line_of(
      "torque",
      fmt::format("{} {:.2f} N m at {:.2f} s ({:.0f} % of stall); most heat: {}, {:.2f} "
                  "W ({:.0f} % of stall on average)",
                  most->name, load.top_torque, load.top_torque_at,
                  100.0 * load.top_torque / load.stall_torque, hottest->name, hottest->load->heat,
                  100.0 * hottest->load->rms_torque / hottest->load->stall_torque));
}

std::string speed_line(const MotionCheck& check) {
  const auto fastest = std::max_element(
      check.joints.begin(), check.joints.end(),
      [](const CheckedJoint& a, const CheckedJoint& b) { return a.top_speed < b.top_speed; });
  if (fastest == check.joints.end()) return "";
  return line_of("speed", fmt::format("{} {:.0f} deg/s at {:.2f} s, the boards reach {:.0f} deg/s",
                                      fastest->name, to_deg(fastest->top_speed),
                                      fastest->top_speed_at, to_deg(check.speed_limit)));
}

std::string links_line(const TwinPlay& twin) {
  if (!twin.nearest_links) return "";
  if (twin.nearest_link_a.empty()) {
    return line_of("links", fmt::format("all more than {:.0f} mm apart", 1e3 * kFarApart));
  }
  return line_of("links", fmt::format("nearest: {} and {}, {:.1f} mm {}", twin.nearest_link_a,
                                      twin.nearest_link_b, 1e3 * std::abs(*twin.nearest_links),
                                      *twin.nearest_links < 0.0 ? "in each other" : "apart"));
}

std::string line_line(const TwinPlay& twin) {
  const LineBudget& line = twin.line;
  if (!(line.round > 0.0)) return "";
  const std::string pose =
      line.shortest_pose > 0.0
          ? fmt::format("; the shortest pose lasts {:.0f} ms", 1e3 * line.shortest_pose)
          : "";
  return line_of(
      "line", fmt::format("{:.0f} bytes take {:.0f} % of a round of {:.1f} ms{}",
                          line.bytes_per_round, 100.0 * line.byte_share, 1e3 * line.round, pose));
}

}  // namespace

std::string findings_text(const MotionCheck& check) {
  std::string text;
  for (const CheckFinding& finding : check.findings) {
    const std::string when = finding.at ? fmt::format("{:.2f} s", *finding.at) : "";
    text += fmt::format("{:<7}{:<11}{:>8}  {}\n", name(finding.level), finding.kind, when,
                        finding.text);
  }
  return text;
}

std::string check_text(const MotionCheck& check) {
  std::string text = check.motion + ": " + name(check.verdict()) + "\n\n";
  const std::string findings = findings_text(check);
  text += findings.empty() ? "nothing found\n\n" : findings + "\n";
  if (!check.joints.empty()) text += speed_line(check);
  if (!check.twin) return text;
  return text + line_of("standing", standing(*check.twin)) + balance_line(*check.twin) +
         links_line(*check.twin) + load_line(check) + line_line(*check.twin);
}

std::string checks_table(const std::vector<MotionCheck>& checks, int width) {
  Table table({{"motion", Align::kLeft}, {"verdict", Align::kLeft}, {"findings", Align::kLeft}});
  for (const MotionCheck& check : checks) {
    const std::string findings = findings_summary(check);
    table.add_row({check.motion, name(check.verdict()), findings.empty() ? "-" : findings});
  }
  return table.text(width);
}

}  // namespace kagami::tools
