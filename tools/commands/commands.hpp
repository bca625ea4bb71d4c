/// One function per command of docs/commands.md; each adds its options and its action.
#pragma once

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

void add_bench(Command& app, Console& io);
void add_board(Command& app, Console& io);
/// The same with its option --view: of the program kagami-board, which has the dashboard.
void add_board_with_view(Command& app, Console& io);
/// The pre-flight check of motions: tools/check.
void add_check(Command& app, Console& io);
void add_compare(Command& app, Console& io);
void add_completion(Command& app, Console& io);
void add_dynamics(Command& app, Console& io);
/// The papers' simulations: tools/experiments.
void add_experiment(Command& app, Console& io);
/// Prints what `app` contains when it is called, so it may be added before the other commands.
void add_help(Command& app, Console& io);
/// Servo parameters out of records: tools/identify.
void add_identify(Command& app, Console& io);
void add_log(Command& app, Console& io);
void add_motion(Command& app, Console& io);
void add_ports(Command& app, Console& io);
/// `robot generate`, below the command `robot`, which is added if it does not exist.
void add_robot_generate(Command& app, Console& io);
void add_replay(Command& app, Console& io);
/// Scenes under contact: tools/scenario.
void add_run(Command& app, Console& io);
/// Scenarios over many values: tools/sweep.
void add_sweep(Command& app, Console& io);
/// Gains: tools/tune.
void add_tune(Command& app, Console& io);
void add_verify(Command& app, Console& io);
void add_version(Command& app, Console& io);

/// The commands of the program `kagami`, in the order of its help. Those of
/// tools/cli/subprogram.hpp have a name and a text here, and fail when they are called: their
/// programs are missing then.
void add_main_commands(Command& app, Console& io);

}  // namespace kagami::tools
