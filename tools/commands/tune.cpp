// kagami tune: the dashboard of a run; or gains turned, tried, tested and found without one.
#include <memory>

#include "models/base/errors.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/tune_live.hpp"
#include "tools/tune/tune_options.hpp"

namespace kagami::tools {
namespace {

struct Words {
  TuneOptions bench;
  LiveOptions live;
};

// What is tried and found without the page runs on twins and a virtual robot, on the stand: a word
// that says otherwise must not be passed over.
void check_bench(const ReplayOptions& run) {
  if (run.port != "virtual") {
    throw ConfigError("tune --robot " + run.port +
                      ": gains are tried and tested on a virtual robot here, expected virtual; "
                      "the robot itself is tested from the dashboard, or by kagami replay "
                      "--at SECONDS:test=KIND:JOINT:DEGREES:SECONDS and kagami log tests");
  }
  if (run.on != "stand") {
    throw ConfigError("tune --on " + run.on + ": gains are tested on the stand, expected stand");
  }
}

// the run's robot, plant and gains are words of both
void tune(const CLI::App& cmd, Words& words, Console& io) {
  const bool wants_page = !words.live.run.motion.empty();
  if (wants_tuning(words.bench)) {
    if (wants_page) {
      throw ConfigError("tune " + words.live.run.motion +
                        ": the dashboard of a run; expected none of --set, --step, --ramp, "
                        "--chirp, --relay, --try, --autotune and --track beside it");
    }
    check_bench(words.live.run);
    return tune_without_page(words.bench, io);
  }
  ReplayOptions& run = words.live.run;
  if (!wants_page) run.motion = "walk_forward";
  run.robot = words.bench.robot;
  run.plant = words.bench.plant;
  if (cmd.count("--gains") > 0) run.gains = words.bench.gains;
  if (run.controller.empty() && run.gains.empty()) run.controller = "pid";
  tune_live(words.live, io);
}

}  // namespace

void add_tune(CLI::App& app, Console& io) {
  auto words = std::make_shared<Words>();
  words->live.run.on = "stand";
  CLI::App* cmd = app.add_subcommand("tune",
                                     "The dashboard of a run, until it is stopped; or gains of a "
                                     "PID on the stand: try, test, find");
  cmd->add_option("motion", words->live.run.motion,
                  "of the dashboard's run: a shipped name, or a file; default: walk_forward");
  add_tune_options(*cmd, words->bench);
  add_live_run_options(*cmd, words->live.run);
  add_live_options(*cmd, words->live);
  add_json_word(*cmd, io);
  add_common_options(*cmd, io, "tune walk_forward --on stand",
                     "tune --set left_knee/kp=4.2 --step left_knee 10deg --json");
  cmd->callback([cmd, words, &io] { tune(*cmd, *words, io); });
}

}  // namespace kagami::tools
