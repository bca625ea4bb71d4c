#include "tools/identify/plan.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/temporary_folder.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/motion_json.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/app/run.hpp"
#include "tools/analysis/motion_check.hpp"
#include "tools/check/check_findings.hpp"
#include "tools/check/posed_body.hpp"
#include "tools/check/self_collision.hpp"
#include "tools/gap/run_analysis.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

constexpr double kLeastStroke = to_rad(20.0);
constexpr double kSmall = to_rad(4.0);  // amplitude of slow strokes
constexpr double kHold = 0.5;           // s
constexpr double kClear = 0.005;        // m between links that may meet; a servo overshoots
constexpr int kFast = 0;                // speed codes
constexpr int kMedium = 3;
constexpr int kSlow = 7;

fs::path write(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  const fs::path file = folder.path() / name;
  std::ofstream(file) << text;
  return file;
}

/// What a joint shows where.
enum class Stroke { kFull, kHeld, kSmallAndSlow };

std::vector<Stroke> strokes_for(const ServoFit& fit, std::vector<std::size_t>& open) {
  std::array<bool, 3> has{};
  for (std::size_t i = 0; i < kNumFitParameters; ++i) {
    const Effect effect = fit_parameters()[i].effect;
    const bool is_asked = !is_extra(effect) || effect == Effect::kPlay ||
                          effect == Effect::kDeadBand || effect == Effect::kCoulomb;
    if (!is_asked || !fit.free[i] || fit.values[i].is_known) continue;
    open.push_back(i);
    const bool is_trim = i == kTrimPlace;
    has[0] = has[0] || (!is_extra(effect) && !is_trim);
    has[1] = has[1] || is_trim || i == kLoopGain;
    has[2] = has[2] || is_extra(effect);
  }
  std::vector<Stroke> strokes;
  for (const Stroke s : {Stroke::kFull, Stroke::kHeld, Stroke::kSmallAndSlow}) {
    if (has[static_cast<std::size_t>(s)]) strokes.push_back(s);
  }
  return strokes;
}

/// Poses of one joint after the other.
class Strokes {
 public:
  Strokes(motions::Motion& motion, std::size_t joints) : motion_(motion), joints_(joints) {}

  void move(std::size_t joint, double angle, int speed) {
    motions::Pose pose;
    pose.angle.assign(joints_, 0.0);
    pose.angle[joint] = std::round(to_deg(angle)) * to_rad(1.0);
    pose.speed = speed;
    motion_.poses.push_back(pose);
  }
  void hold() {
    motions::Pose pose = motion_.poses.back();
    pose.duration = kHold;
    motion_.poses.push_back(pose);
  }
  void add(std::size_t joint, Stroke stroke, double least, double most) {
    const double middle = std::clamp(0.0, least + kSmall, most - kSmall);
    switch (stroke) {
      case Stroke::kFull:
        for (const int speed : {kFast, kFast, kMedium}) {
          move(joint, most, speed);
          move(joint, least, speed);
        }
        // shorter ones, whose turns show the filters
        for (const double share : {0.7, 0.4, 0.9, 0.3, 0.6}) {
          move(joint, least + share * (most - least), kFast);
        }
        break;
      case Stroke::kHeld:
        for (const double angle : {most, least}) {
          move(joint, angle, kMedium);
          hold();
        }
        break;
      case Stroke::kSmallAndSlow:
        for (int k = 0; k < 3; ++k) {
          move(joint, middle + kSmall, kSlow);
          move(joint, middle - kSmall, kSlow);
        }
        break;
    }
  }

 private:
  motions::Motion& motion_;
  std::size_t joints_;
};

/// rad, where the readings of a joint have been; at least kLeastStroke within the soft limits.
std::pair<double, double> range_of(const JointRange& seen, const JointWiring& joint) {
  double least = std::max(std::min(seen.least, 0.0), joint.soft_min);
  double most = std::min(std::max(seen.most, 0.0), joint.soft_max);
  const double missing = 0.5 * std::max(0.0, kLeastStroke - (most - least));
  least = std::max(least - missing, joint.soft_min);
  most = std::min(most + missing, joint.soft_max);
  // whole degrees inside
  return {std::ceil(to_deg(least) - 1e-9) * to_rad(1.0),
          std::floor(to_deg(most) + 1e-9) * to_rad(1.0)};
}

/// The part of a joint's range, from 0 on, in which it comes near no other link while the other
/// joints are at home. What is too small for a stroke stays as it is: then there is a finding.
std::pair<double, double> without_collision(const models::RobotDescription& robot,
                                            std::size_t joint, std::pair<double, double> range) {
  const SelfCollision collision(robot);
  PosedBody body(robot);
  const auto is_clear = [&](double angle) {
    JointArray<double> angles{};
    angles[joint] = angle;
    if (!body.set(angles, {})) return false;
    return std::all_of(
        collision.pairs().begin(), collision.pairs().end(),
        [&](const BoxPair& pair) { return collision.gap(pair, body.kinematics()) > kClear; });
  };
  const auto farthest = [&](double end) {
    const double step = std::copysign(to_rad(1.0), end);
    double angle = 0.0;
    while (std::abs(angle + step) < std::abs(end) + 0.5 * to_rad(1.0) && is_clear(angle + step)) {
      angle += step;
    }
    return angle;
  };
  const std::pair<double, double> clear = {std::max(range.first, farthest(range.first)),
                                           std::min(range.second, farthest(range.second))};
  return clear.second - clear.first < 2.0 * kSmall ? range : clear;
}

motions::Motion motion_for(const Identification& found, const models::RobotDescription& robot,
                           std::vector<PlannedValue>& values) {
  const RobotWiring& wiring = robot.wiring;
  motions::Motion motion;
  motion.name = "plan";
  motion.note = "Shows what the records of an identification left open; for the stand.";
  motion.source = "kagami identify --plan";
  motion.joints = found.joints;
  Strokes strokes(motion, found.joints.size());
  for (std::size_t j = 0; j < found.joints.size(); ++j) {
    std::vector<std::size_t> open;
    const std::vector<Stroke> needed = strokes_for(found.fits[j], open);
    if (needed.empty()) continue;
    if (motion.poses.empty()) strokes.move(0, 0.0, kSlow);
    const auto [least, most] =
        without_collision(robot, j, range_of(found.ranges[j], wiring.joints[j]));
    for (const Stroke stroke : needed) strokes.add(j, stroke, least, most);
    strokes.move(j, 0.0, kMedium);
    strokes.hold();
    for (const std::size_t i : open) values.push_back({j, i, found.fits[j].values[i].sigma, 0.0});
  }
  if (motion.poses.empty()) return motion;
  motion = motions::bind_motion(motion, wiring);
  const MotionCheck check = check_motion(motion, wiring, motions::PlayMode::kKeyframe);
  if (!check.findings.empty()) {
    throw ConfigError("plan: " + check.findings.front().text +
                      "; expected a motion within the limits of the robot");
  }
  return motion;
}

/// The motion on the virtual robot with the identified servos.
DriveHistory simulated_run(const Identification& found, const runtime::RunSetup& setup,
                           const motions::Motion& motion, std::vector<std::string>& collisions) {
  const TemporaryFolder folder;
  runtime::RunConfig config;
  config.dynamics = setup.config.dynamics;
  config.robot_folder = folder.path();
  static_cast<void>(write(folder, "robot.urdf", setup.robot.urdf_text));
  static_cast<void>(write(folder, "robot.json", setup.robot.json_text));
  config.motion_file = write(folder, "plan.json", motions::motion_json_text(motion));
  config.twin_file =
      write(folder, "twin.json", runtime::servo_set_text(found.servos, found.joints));
  config.plant = "twin";
  config.mode = runtime::RunMode::kKeyframe;
  config.clock = runtime::ClockKind::kVirtual;
  config.realtime = runtime::RealtimeRequest::kOff;
  config.report = false;
  config.out_dir = folder.path() / "run";
  MotionCheck check = check_motion(motion, setup.robot.wiring, motions::PlayMode::kKeyframe);
  MotionWatch watch(setup.robot, check.speed_limit);
  runtime::RunHooks hooks;
  hooks.row = [&watch](const runtime::CycleRecord& row) { watch.add(row); };
  const runtime::RunResult run = runtime::run(config, hooks);
  add_twin_findings(check, setup.robot, motion, 1.0, watch, run);
  for (const CheckFinding& finding : check.findings) {
    if (finding.kind == "collision") collisions.push_back(finding.text);
  }
  return analyse_record(RunRecord(runtime::record_file(config))).history;
}

}  // namespace

ExperimentPlan plan_experiment(const Identification& found) {
  const RunRecord record(found.records.front().record);
  const runtime::RunSetup setup =
      reading_a_record([&] { return runtime::read_setup(record.reader()); });
  ExperimentPlan plan;
  plan.motion = motion_for(found, setup.robot, plan.values);
  if (plan.values.empty()) return plan;
  const DriveHistory history = simulated_run(found, setup, plan.motion, plan.findings);
  std::size_t at = 0;
  for (std::size_t j = 0; j < found.joints.size(); ++j) {
    if (at == plan.values.size() || plan.values[at].joint != j) continue;
    const std::array<double, kNumFitParameters> expected =
        sigmas_with(found.fits[j], {&history.drive[j], &history.readings[j], history.step},
                    found.before.joints[j]);
    for (; at < plan.values.size() && plan.values[at].joint == j; ++at) {
      plan.values[at].expected = expected[plan.values[at].parameter];
    }
  }
  return plan;
}

}  // namespace kagami::tools
