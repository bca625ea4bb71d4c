// kagami check MOTION...: what a motion does on the twin, before it moves a robot.
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "tools/check/check_picture.hpp"
#include "tools/check/check_text.hpp"
#include "tools/check/twin_check.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/stop_signals.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/replay_options.hpp"

namespace kagami::tools {
namespace {

struct CheckOptions {
  ReplayOptions run;  ///< the motion is set for each
  std::vector<std::string> motions;
  std::string picture;
};

MotionCheck check_one(const CheckOptions& opt, const runtime::RunConfig& config,
                      const runtime::StopRequest& stop, Console& io) {
  TwinCheckOptions options;
  options.stop = &stop;
  options.progress = [&](double share) {
    io.progress(share, "checking " + config.motion_file.stem().string());
  };
  std::string picture;
  options.seen = [&](const MotionCheck& check, const MotionWatch& watch) {
    if (!opt.picture.empty()) picture = check_picture(check, watch);
  };
  MotionCheck check = check_on_twin(config, options);
  io.end_progress();
  if (!picture.empty()) write_file_atomically(opt.picture, picture);
  if (!opt.picture.empty() && picture.empty()) {
    io.warn(opt.picture + ": not written, because the motion cannot be played");
  }
  return check;
}

void check_motions(const CheckOptions& opt, Console& io) {
  if (!opt.picture.empty() && opt.motions.size() > 1) {
    throw ConfigError("--picture: " + std::to_string(opt.motions.size()) +
                      " motions are given; expected one");
  }
  // names and robot are checked before the first motion takes its time
  std::vector<runtime::RunConfig> configs;
  for (const std::string& motion : opt.motions) {
    ReplayOptions run = opt.run;
    run.motion = motion;
    configs.push_back(run_config_of(run, io));
  }
  (void)models::read_robot_folder(configs.front().robot_folder, models::BaseKind::kFixed);
  runtime::StopRequest stop;
  const StopSignals signals(stop);
  std::vector<MotionCheck> checks;
  Verdict worst = Verdict::kGreen;
  for (const runtime::RunConfig& config : configs) {
    checks.push_back(check_one(opt, config, stop, io));
    if (stop.level() != runtime::StopLevel::kNone) return io.exit_with(ExitCode::kInterrupted);
    worst = std::max(worst, checks.back().verdict());
  }
  if (worst == Verdict::kRed) io.exit_with(ExitCode::kFinding);
  if (io.json) {
    if (checks.size() == 1) return io.print_json(motion_check_json(checks.front()));
    nlohmann::json list = nlohmann::json::array();
    for (const MotionCheck& check : checks) list.push_back(motion_check_json(check));
    return io.print_json({{"schema", "kagami.motion_checks/1"},
                          {"verdict", name(worst)},
                          {"checks", std::move(list)}});
  }
  io.print(checks.size() == 1 ? check_text(checks.front()) : checks_table(checks, io.out_width()));
}

void add_check_options(Command& cmd, CheckOptions& opt) {
  cmd.add_option("motion", opt.motions,
                 "Names of shipped motions ('kagami motion list' prints them), or motion files.")
      .value("NAME|FILE")
      .required();
  cmd.start_group("Motion");
  cmd.add_option("--speed", opt.run.speed, "Factor on the speed of the motion.")
      .value("FACTOR")
      .range(0.1, 2.0)
      .with_default();
  cmd.add_option("--mode", opt.run.mode,
                 "How the servos get from pose to pose. Default: as 'kagami replay' does.")
      .value("keyframe|ramp|stream|stored")
      .one_of({"keyframe", "ramp", "stream", "stored"});
  cmd.add_option("--on", opt.run.on,
                 "Where the robot is. floor: it stands on the floor. stand: its pelvis is fixed.")
      .one_of({"floor", "stand"})
      .with_default();
  cmd.add_option("--friction", opt.run.friction, "Friction coefficient of the floor.")
      .value("NUMBER")
      .range(0.0, 2.0)
      .with_default();
  cmd.add_option("--twin", opt.run.twin,
                 "Servo parameters of the model. Default: those in the robot's folder.")
      .existing_file();
  add_robot_options(cmd, opt.run.robot);
  cmd.start_group("Output");
  cmd.add_option("--picture", opt.picture,
                 "Write an SVG file: balance, torque, speed and heat, with the findings.")
      .value("FILE");
}

}  // namespace

void add_check(Command& app, Console& io) {
  auto opt = std::make_shared<CheckOptions>();
  Command cmd = app.add_command(
      "check", "Check a motion on the model before it moves a robot: green, amber or red.");
  add_check_options(cmd, *opt);
  add_json_option(cmd, io);
  add_common_options(cmd, io, "check walk_forward --picture check.svg",
                     "check wave bow squat --on stand --json");
  cmd.on_run([opt, &io] { check_motions(*opt, io); });
}

}  // namespace kagami::tools
