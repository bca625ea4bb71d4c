/// One function per command of docs/commands.md; each adds its options and its action.
#pragma once

#include "tools/cli/cli_fwd.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

void add_bench(CLI::App& app, Console& io);
void add_board(CLI::App& app, Console& io);
void add_compare(CLI::App& app, Console& io);
void add_completion(CLI::App& app, Console& io);
void add_dynamics(CLI::App& app, Console& io);
/// The papers' simulations: tools/experiments.
void add_experiment(CLI::App& app, Console& io);
/// Prints what `app` contains when it is called, so it may be added before the other commands.
void add_help(CLI::App& app, Console& io);
void add_log(CLI::App& app, Console& io);
void add_motion(CLI::App& app, Console& io);
void add_ports(CLI::App& app, Console& io);
/// `robot generate`, below the command `robot`, which is added if it does not exist.
void add_robot_generate(CLI::App& app, Console& io);
void add_replay(CLI::App& app, Console& io);
/// Scenes under contact: tools/scenario.
void add_run(CLI::App& app, Console& io);
/// Gains: tools/tune.
void add_tune(CLI::App& app, Console& io);
void add_verify(CLI::App& app, Console& io);
void add_version(CLI::App& app, Console& io);

/// The commands of the program `kagami`, in the order of its help. Those of
/// tools/cli/subprogram.hpp have a name and a text here, and fail when they are called: their
/// programs are missing then.
void add_main_commands(CLI::App& app, Console& io);

}  // namespace kagami::tools
