#include "tools/check/check_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drivers/rcb1/turnaround.hpp"

namespace kagami::tools {
namespace {

constexpr double kMm = 1e3;  // mm in a metre

double at(const std::vector<double>& times, std::size_t sample) {
  return sample < times.size() ? times[sample] : 0.0;
}

// of the model: the joint that moves a body, "" for the root
std::string joint_of(const models::RobotDescription& robot, BodyIndex body) {
  for (; body >= 0; body = robot.model.body(body).parent) {
    const std::string& joint = robot.model.body(body).joint_name;
    const auto& names = robot.joint_names;
    if (std::find(names.begin(), names.end(), joint) != names.end()) return joint;
  }
  return "";
}

// the joint between two bodies that the motion turns by most
std::string mover(const models::RobotDescription& robot, const MotionCheck& check, BodyIndex a,
                  BodyIndex b) {
  std::vector<bool> is_between(check.joints.size(), false);
  for (BodyIndex end : {a, b}) {
    for (; end >= 0; end = robot.model.body(end).parent) {
      const auto& names = robot.joint_names;
      const auto found = std::find(names.begin(), names.end(), robot.model.body(end).joint_name);
      if (found == names.end()) continue;
      const auto j = static_cast<std::size_t>(found - names.begin());
      if (j < is_between.size()) is_between[j] = !is_between[j];  // twice: above both
    }
  }
  std::string joint;
  double farthest = -1.0;
  for (std::size_t j = 0; j < is_between.size(); ++j) {
    const double travel = check.joints[j].most - check.joints[j].least;
    if (!is_between[j] || !(travel > farthest)) continue;
    farthest = travel;
    joint = check.joints[j].name;
  }
  return joint;
}

double shortest_pose(const motions::Motion& motion, double speed) {
  double shortest = 0.0;
  for (std::size_t k = 1; k < motion.poses.size(); ++k) {
    const double pose = motion.poses[k].duration / speed;
    shortest = k == 1 ? pose : std::min(shortest, pose);
  }
  return shortest;
}

LineBudget budget_of(const runtime::LineResult& line, double shortest) {
  LineBudget budget;
  budget.shortest_pose = shortest;
  if (!(line.cycle_hz > 0.0) || !(line.bytes_limit_hz > 0.0)) return budget;
  budget.round = 1.0 / line.cycle_hz;
  budget.byte_share = line.shares.bytes;
  budget.bytes_per_round =
      1e9 / (line.bytes_limit_hz * static_cast<double>(drivers::rcb1::kByteTimeNs));
  return budget;
}

/// The findings of one run, in the order of what matters.
class Findings {
 public:
  Findings(MotionCheck& check, const models::RobotDescription& robot, const MotionWatch& watch)
      : check_(check), robot_(robot), watch_(watch), times_(watch.times()) {}

  void add_end(const runtime::RunResult& run) {
    const bool falls = run.fell_shadow.value_or(false);
    if (run.end != runtime::RunEnd::kCompleted) add(Verdict::kRed, "run", "", {}, run.end_text);
    if (falls) {
      const std::optional<double> when =
          watch_.lying.empty() ? std::nullopt : std::optional(time(watch_.lying.back().first));
      add(Verdict::kRed, "fall", "", when, "the twin falls and does not stand at the end");
    }
    if (run.fell_robot.value_or(false)) {
      add(Verdict::kRed, "fall", "", {},
          "the virtual robot, a second simulation with other servos, does not stand at the end");
    }
  }

  void add_lying(motions::Start start) {
    for (const Lying& lying : watch_.lying) {
      const bool at_start = start != motions::Start::kStanding && lying.first == 0;
      const bool at_end = lying.last + 1 >= times_.size();
      if (at_start || at_end) continue;  // as the file says, or a fall
      add(Verdict::kAmber, "lying", "", time(lying.first),
          fmt::format("the robot is on the floor until {:.2f} s and stands at the end; it needs "
                      "room and a soft floor",
                      time(lying.last)));
    }
  }

  void add_overlaps() {
    for (const Overlap& overlap : watch_.overlaps) {
      const models::CollisionBox& a = robot_.boxes[overlap.pair.a];
      const models::CollisionBox& b = robot_.boxes[overlap.pair.b];
      add(Verdict::kRed, "collision", mover(robot_, check_, a.body, b.body), time(overlap.first),
          fmt::format("{} and {} run into each other, {:.1f} mm deep at {:.2f} s, until {:.2f} s",
                      a.link, b.link, overlap.depth * kMm, time(overlap.deepest),
                      time(overlap.last)));
    }
  }

  void add_speeds() {
    for (std::size_t j = 0; j < check_.joints.size(); ++j) {
      const CheckedJoint& joint = check_.joints[j];
      const double limit = robot_.servos.joints[j].free_speed;
      const double reached = (1.0 + kSpeedTolerance) * limit;
      // the boards' own limit has been looked at
      if (joint.top_speed > check_.speed_limit && check_.speed_limit <= reached) continue;
      if (joint.top_speed > reached) {
        check_.findings.push_back(speed_finding(joint, limit, "its servo without load"));
      }
    }
  }

  void add_margin() {
    if (!(watch_.least_margin.value < 0.0)) return;
    add(Verdict::kAmber, "margin", "", time(watch_.least_margin.sample),
        fmt::format("the mass centre is up to {:.0f} mm outside what carries the robot, for {:.0f} "
                    "% of the time: it stands by its motion, and depends on the robot's timing",
                    -watch_.least_margin.value * kMm, 100.0 * watch_.outside / watch_.supported));
  }

  void add_slips() {
    for (const FootSlip& slip : watch_.slips) {
      if (!(slip.distance > kSlipAmber)) continue;
      add(Verdict::kAmber, "slip", joint_of(robot_, slip.body), time(slip.sample),
          fmt::format("{} slides {:.0f} mm on the floor; the way of the robot is not certain",
                      robot_.model.body(slip.body).name, slip.distance * kMm));
    }
  }

  void add_loads() {
    for (std::size_t j = 0; j < watch_.loads.size(); ++j) {
      const ServoLoad& load = watch_.loads[j];
      const std::string& joint = robot_.joint_names[j];
      const double limit = load.longest_at_limit();
      if (limit >= kLimitAmber) {
        const bool stalls = limit >= kLimitRed;
        add(stalls ? Verdict::kRed : Verdict::kAmber, "torque", joint, time(load.limit_sample()),
            fmt::format("{} drives at its torque limit for {:.2f} s; {}", joint, limit,
                        stalls ? "it stalls and overheats" : "it comes later than the motion"));
      }
      if (load.top_braking() > 0.0) {
        add(Verdict::kAmber, "braking", joint, time(load.braking_sample()),
            fmt::format(
                "{} is turned against its drive with {:.2f} N m, its stall torque is {:.2f} "
                "N m; its gears carry that",
                joint, load.top_braking(), load.stall_torque()));
      }
      const double share = load.rms_torque() / load.stall_torque();
      if (share > kLoadAmber) {
        add(Verdict::kAmber, "heat", joint, {},
            fmt::format("{} needs {:.0f} % of its stall torque on average, {:.2f} W become heat in "
                        "its motor; let it cool before a repetition",
                        joint, 100.0 * share, load.heat()));
      }
    }
  }

  void add_line(const LineBudget& line, motions::PlayMode mode) {
    if (!(line.shortest_pose > 0.0) || !(line.round > 0.0)) return;
    if (line.shortest_pose >= kRoundsAmber * line.round) return;
    const bool is_lost = mode == motions::PlayMode::kKeyframe && line.shortest_pose < line.round;
    add(is_lost ? Verdict::kRed : Verdict::kAmber, "line", "", {},
        fmt::format(
            "the shortest pose lasts {:.1f} ms, the line takes {:.1f} ms for one command: {}",
            1e3 * line.shortest_pose, 1e3 * line.round,
            is_lost ? "poses are lost" : "short poses are blurred"));
  }

  [[nodiscard]] double time(std::size_t sample) const { return at(times_, sample); }

 private:
  void add(Verdict level, const char* kind, const std::string& joint, std::optional<double> when,
           std::string text) {
    check_.findings.push_back({level, kind, joint, when, std::move(text)});
  }

  MotionCheck& check_;
  const models::RobotDescription& robot_;
  const MotionWatch& watch_;
  std::vector<double> times_;
};

template <class T>
std::optional<T> if_finite(T value) {
  return std::isfinite(value) ? std::optional<T>(value) : std::nullopt;
}

TwinPlay twin_of(const models::RobotDescription& robot, const MotionWatch& watch,
                 const runtime::RunResult& run, const Findings& findings) {
  TwinPlay twin;
  twin.fell_robot = run.fell_robot;
  twin.fell_shadow = run.fell_shadow;
  twin.rms_deg = run.running_rms_deg;
  twin.line_cycle_hz = run.line.cycle_hz;
  twin.least_margin = if_finite(watch.least_margin.value);
  if (twin.least_margin) {
    twin.least_margin_at = findings.time(watch.least_margin.sample);
    twin.outside_share = watch.supported > 0.0 ? watch.outside / watch.supported : 0.0;
  }
  for (const FootSlip& slip : watch.slips) {
    twin.longest_slip = std::max(twin.longest_slip.value_or(0.0), slip.distance);
  }
  twin.nearest_links = if_finite(watch.nearest.value);
  if (twin.nearest_links > kFarApart) {
    twin.nearest_links = kFarApart;  // beyond, no distance is known, nor the nearest pair
  } else if (twin.nearest_links) {
    twin.nearest_link_a = robot.boxes[watch.nearest_pair.a].link;
    twin.nearest_link_b = robot.boxes[watch.nearest_pair.b].link;
  }
  return twin;
}

}  // namespace

void add_twin_findings(MotionCheck& check, const models::RobotDescription& robot,
                       const motions::Motion& motion, double speed, const MotionWatch& watch,
                       const runtime::RunResult& run) {
  Findings findings(check, robot, watch);
  check.twin = twin_of(robot, watch, run, findings);
  check.twin->line = budget_of(run.line, shortest_pose(motion, speed));
  for (std::size_t j = 0; j < std::min(check.joints.size(), watch.loads.size()); ++j) {
    const ServoLoad& load = watch.loads[j];
    check.joints[j].load =
        JointLoad{load.stall_torque(), load.top_torque(), findings.time(load.top_sample()),
                  load.rms_torque(),   load.heat(),       load.longest_at_limit()};
  }
  findings.add_end(run);
  findings.add_overlaps();
  findings.add_speeds();
  findings.add_line(check.twin->line, check.mode);
  findings.add_lying(motion.start);
  findings.add_margin();
  findings.add_slips();
  findings.add_loads();
  std::stable_sort(check.findings.begin(), check.findings.end(),
                   [](const CheckFinding& a, const CheckFinding& b) { return a.level > b.level; });
}

std::string findings_summary(const MotionCheck& check) {
  std::vector<std::string> kinds;
  std::vector<int> counts;
  for (const CheckFinding& finding : check.findings) {
    const auto found = std::find(kinds.begin(), kinds.end(), finding.kind);
    if (found == kinds.end()) {
      kinds.push_back(finding.kind);
      counts.push_back(1);
    } else {
      ++counts[static_cast<std::size_t>(found - kinds.begin())];
    }
  }
  std::string text;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    text += (k == 0 ? "" : ", ") + kinds[k];
    if (counts[k] > 1) text += fmt::format(" ({})", counts[k]);
  }
  return text;
}

}  // namespace kagami::tools
