/// One function per command of docs/commands.md; each adds its words and what they do.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/cli/console.hpp"

namespace kagami::tools {

void add_bench(CLI::App& app, Console& io);
void add_board(CLI::App& app, Console& io);
void add_compare(CLI::App& app, Console& io);
void add_dynamics(CLI::App& app, Console& io);
/// The papers' simulations: tools/experiments.
void add_experiment(CLI::App& app, Console& io);
void add_log(CLI::App& app, Console& io);
void add_motion(CLI::App& app, Console& io);
void add_ports(CLI::App& app, Console& io);
/// `robot generate`, below the command `robot`, which it makes where nobody has.
void add_robot_generate(CLI::App& app, Console& io);
void add_replay(CLI::App& app, Console& io);
/// Scenes under contact: tools/scenario.
void add_run(CLI::App& app, Console& io);
/// Gains: tools/tune.
void add_tune(CLI::App& app, Console& io);
void add_verify(CLI::App& app, Console& io);

/// All commands of this build, in the order of the help.
void add_all_commands(CLI::App& app, Console& io);

}  // namespace kagami::tools
