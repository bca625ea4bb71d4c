/// One function per command of docs/commands.md; each adds its options and its action.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

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

/// What `kagami --version` and `kagami version` print.
std::string version_text();

/// All commands of this build, in the order of the help.
void add_all_commands(CLI::App& app, Console& io);

}  // namespace kagami::tools
