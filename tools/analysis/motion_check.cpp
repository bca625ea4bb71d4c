#include "tools/analysis/motion_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

using motions::PlayCommand;
using motions::PlayMode;
using motions::PlayPhase;

constexpr double kTick = 1e-3;                        // s
constexpr double kStartDeg = 3.0;                     // faults row 36: above it a jump
constexpr double kSlack = 1e-9;                       // rad and rad/s: rounding of sums
constexpr double kFarBeyond = 2.0;                    // times the speed that can be reached: red
constexpr std::int64_t kMostTicks = 4 * 3600 * 1000;  // of a motion: four hours

std::string one_decimal(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::string degrees(double angle) {
  return one_decimal(to_deg(angle)) + " deg";
}

/// The worst of what a joint does, and when.
struct PlayedJoint {
  CheckedJoint demand;
  double out_by = 0.0;  // rad beyond a soft limit
  double out_at = 0.0;  // s

  void add(double q, double qd, double time) {
    demand.least = std::min(demand.least, q);
    demand.most = std::max(demand.most, q);
    const double out = std::max(q - demand.soft_max, demand.soft_min - q);
    if (out > out_by) {
      out_by = out;
      out_at = time;
    }
    if (std::abs(qd) > demand.top_speed + kSlack) {
      demand.top_speed = std::abs(qd);
      demand.top_speed_at = time;
    }
  }
};

std::vector<PlayedJoint> play(const motions::Motion& bound, const RobotWiring& wiring,
                              PlayMode mode, double speed) {
  motions::PlayOptions options;
  options.mode = mode;
  options.speed = speed;
  options.settle = 0.0;
  motions::Player player(bound, wiring, options);
  JointArray<double> first{};
  std::vector<PlayedJoint> played(wiring.joints.size());
  for (std::size_t j = 0; j < played.size(); ++j) {
    first[j] = bound.poses.front().angle[j].value_or(0.0);
    const JointWiring& joint = wiring.joints[j];
    played[j].demand = {joint.joint,    first[j], first[j], joint.soft_min,
                        joint.soft_max, 0.0,      0.0,      std::nullopt};
  }
  player.start(first);
  PlayCommand command;
  for (std::int64_t tick = 0; tick < kMostTicks; ++tick) {
    player.step(kTick, command);
    if (command.phase == PlayPhase::kDone || command.phase == PlayPhase::kHeld) break;
    if (command.phase != PlayPhase::kPlaying) continue;
    for (std::size_t j = 0; j < played.size(); ++j) {
      played[j].add(command.q_ref[j], command.qd_ref[j], command.motion_time);
    }
  }
  return played;
}

void find(MotionCheck& check, const PlayedJoint& played) {
  const CheckedJoint& j = played.demand;
  if (played.out_by > kSlack) {
    check.findings.push_back({Verdict::kAmber, "angle", j.name, played.out_at,
                              j.name + " would go " + degrees(played.out_by) +
                                  " beyond its soft limits " + degrees(j.soft_min) + ".." +
                                  degrees(j.soft_max) + "; it will be held there"});
  }
  if (j.top_speed > check.speed_limit + kSlack) {
    check.findings.push_back(speed_finding(j, check.speed_limit, "the boards' fastest code"));
  }
}

void find_start(MotionCheck& check, const motions::Motion& bound,
                const JointArray<double>& present) {
  std::size_t farthest = 0;
  double most = 0.0;
  int count = 0;
  for (std::size_t j = 0; j < bound.joints.size(); ++j) {
    const double away = std::abs(bound.poses.front().angle[j].value_or(0.0) - present[j]);
    if (!(to_deg(away) > kStartDeg)) continue;  // also where there is no reading
    ++count;
    if (!(away > most)) continue;
    most = away;
    farthest = j;
  }
  if (count == 0) return;
  const std::string others =
      count == 1 ? "" : ", the farthest of " + std::to_string(count) + " joints";
  check.findings.push_back({Verdict::kAmber, "start", bound.joints[farthest], 0.0,
                            bound.joints[farthest] + " is " + degrees(most) +
                                " away from the first pose" + others + "; a lead-in goes there"});
}

const char* name(PlayMode mode) noexcept {
  // in the order of PlayMode
  constexpr const char* kNames[] = {"keyframe", "stream", "ramp", "stored"};
  return kNames[static_cast<std::size_t>(mode)];
}

nlohmann::json or_null(const std::optional<double>& value, double factor = 1.0) {
  return value ? nlohmann::json(*value * factor) : nlohmann::json(nullptr);
}

nlohmann::json or_null(const std::optional<bool>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

constexpr double kMilli = 1e3;  // mm in a metre

nlohmann::json twin_json(const TwinPlay& twin) {
  const auto text = [](const std::string& name) {
    return name.empty() ? nlohmann::json(nullptr) : nlohmann::json(name);
  };
  return {
      {"fell_robot", or_null(twin.fell_robot)},
      {"fell_shadow", or_null(twin.fell_shadow)},
      {"rms_deg", or_null(twin.rms_deg)},
      {"line_cycle_hz", twin.line_cycle_hz},
      {"line",
       {{"bytes_per_round", twin.line.bytes_per_round},
        {"round_s", twin.line.round},
        {"byte_share", twin.line.byte_share},
        {"shortest_pose_s", twin.line.shortest_pose > 0.0 ? nlohmann::json(twin.line.shortest_pose)
                                                          : nlohmann::json(nullptr)}}},
      {"least_margin_mm", or_null(twin.least_margin, kMilli)},
      {"least_margin_at_s", or_null(twin.least_margin_at)},
      {"outside_share", or_null(twin.outside_share)},
      {"longest_slip_mm", or_null(twin.longest_slip, kMilli)},
      {"nearest_links_mm", or_null(twin.nearest_links, kMilli)},
      {"nearest_links", {text(twin.nearest_link_a), text(twin.nearest_link_b)}}};
}

nlohmann::json load_json(const JointLoad& load) {
  return {{"stall_torque_nm", load.stall_torque},
          {"top_torque_nm", load.top_torque},
          {"top_torque_at_s", load.top_torque_at},
          {"rms_torque_nm", load.rms_torque},
          {"heat_w", load.heat},
          {"longest_at_limit_s", load.longest_at_limit}};
}

}  // namespace

const char* name(Verdict verdict) noexcept {
  return verdict == Verdict::kGreen ? "green" : verdict == Verdict::kAmber ? "amber" : "red";
}

CheckFinding speed_finding(const CheckedJoint& joint, double limit, const std::string& whose) {
  const bool is_far = joint.top_speed > kFarBeyond * limit;
  return {is_far ? Verdict::kRed : Verdict::kAmber, "speed", joint.name, joint.top_speed_at,
          joint.name + " would turn at " + degrees(joint.top_speed) + "/s, " + whose + " reaches " +
              degrees(limit) + "/s; it will come " + (is_far ? "much later" : "later")};
}

Verdict MotionCheck::verdict() const noexcept {
  Verdict worst = Verdict::kGreen;
  for (const CheckFinding& finding : findings) worst = std::max(worst, finding.level);
  return worst;
}

MotionCheck check_motion(const motions::Motion& bound, const RobotWiring& wiring, PlayMode mode,
                         const std::optional<JointArray<double>>& present, double speed) {
  MotionCheck check;
  check.motion = bound.name;
  check.file = bound.file;
  check.mode = mode;
  check.duration = bound.duration();
  check.speed_limit = to_rad(1.0 / wiring.speed.seconds_per_degree[0]);
  for (const std::string& warning : bound.warnings) {
    check.findings.push_back({Verdict::kAmber, "file", "", std::nullopt, warning});
  }
  for (const PlayedJoint& played : play(bound, wiring, mode, speed)) {
    check.joints.push_back(played.demand);
    find(check, played);
  }
  if (present) find_start(check, bound, *present);
  return check;
}

nlohmann::json motion_check_json(const MotionCheck& check) {
  nlohmann::json findings = nlohmann::json::array();
  for (const CheckFinding& f : check.findings) {
    findings.push_back(
        {{"level", name(f.level)},
         {"kind", f.kind},
         {"joint", f.joint.empty() ? nlohmann::json(nullptr) : nlohmann::json(f.joint)},
         {"at_s", f.at ? nlohmann::json(*f.at) : nullptr},
         {"text", f.text}});
  }
  nlohmann::json joints = nlohmann::json::array();
  for (const CheckedJoint& j : check.joints) {
    joints.push_back({{"name", j.name},
                      {"min_deg", to_deg(j.least)},
                      {"max_deg", to_deg(j.most)},
                      {"soft_min_deg", to_deg(j.soft_min)},
                      {"soft_max_deg", to_deg(j.soft_max)},
                      {"top_speed_deg_s", to_deg(j.top_speed)},
                      {"top_speed_at_s", j.top_speed_at},
                      {"load", j.load ? load_json(*j.load) : nlohmann::json(nullptr)}});
  }
  return {{"schema", "kagami.motion_check/1"},
          {"motion", check.motion},
          {"file", check.file},
          {"verdict", name(check.verdict())},
          {"mode", name(check.mode)},
          {"duration_s", check.duration},
          {"speed_limit_deg_s", to_deg(check.speed_limit)},
          {"findings", std::move(findings)},
          {"joints", std::move(joints)},
          {"twin", check.twin ? twin_json(*check.twin) : nlohmann::json(nullptr)}};
}

}  // namespace kagami::tools
