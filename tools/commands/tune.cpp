// kagami tune: the dashboard of a run; or gains changed, tried, tested and found without one.
#include <memory>

#include "models/base/errors.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/subprogram.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/tune_live.hpp"
#include "tools/tune/tune_options.hpp"

namespace kagami::tools {
namespace {

struct TuneCommandOptions {
  TuneOptions bench;
  LiveOptions live;
};

// Without the dashboard, gains are tested on the twins and a virtual robot on the stand. An option
// that states otherwise is an error.
void check_bench(const ReplayOptions& run) {
  if (run.port != "virtual") {
    throw ConfigError("tune --robot " + run.port +
                      ": this command tests gains on the virtual robot, expected virtual; "
                      "test the robot itself in the dashboard, or with kagami replay "
                      "--at SECONDS:test=KIND:JOINT:DEGREES:SECONDS and kagami log tests");
  }
  if (run.on != "stand") {
    throw ConfigError("tune --on " + run.on + ": gains are tested on the stand, expected stand");
  }
}

// robot, plant and gains are options of both
void tune(const Command& cmd, TuneCommandOptions& opt, Console& io) {
  const bool has_motion = !opt.live.run.motion.empty();
  if (is_tuning_requested(opt.bench)) {
    if (has_motion) {
      throw ConfigError("tune " + opt.live.run.motion +
                        ": the dashboard of a run; expected none of --set, --step, --ramp, "
                        "--chirp, --relay, --try, --autotune and --track beside it");
    }
    check_bench(opt.live.run);
    return tune_without_page(opt.bench, io);
  }
  ReplayOptions& run = opt.live.run;
  if (!has_motion) run.motion = "walk_forward";
  run.robot = opt.bench.robot;
  run.plant = opt.bench.plant;
  if (cmd.is_given("--gains")) run.gains = opt.bench.gains;
  if (run.controller.empty() && run.gains.empty()) run.controller = "pid";
  tune_live(opt.live, io);
}

}  // namespace

void add_tune(Command& app, Console& io) {
  auto opt = std::make_shared<TuneCommandOptions>();
  opt->live.run.on = "stand";
  Command cmd = add_subprogram(app, "tune");
  cmd.add_option("motion", opt->live.run.motion,
                 "Motion of the dashboard's run: a shipped name, or a file. Default: walk_forward.")
      .value("NAME|FILE");
  add_live_run_options(cmd, opt->live.run);
  add_live_options(cmd, opt->live);
  add_tune_options(cmd, opt->bench);
  add_json_option(cmd, io);
  add_common_options(cmd, io, "tune walk_forward --on stand",
                     "tune --set left_knee/kp=4.2 --step left_knee 10deg --json");
  cmd.on_run([cmd, opt, &io] { tune(cmd, *opt, io); });
}

}  // namespace kagami::tools
