/// A whole program as a function of its arguments and its streams.
#pragma once

#include <span>
#include <string>

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

/// Adds commands with their options and actions.
using AddCommands = void(Command& app, Console& io);

/// Runs one command line, without the program's name, and returns its exit code. Every exception
/// ends here, as a sentence on standard error and its code.
int run_cli(std::span<const std::string> args, Console& io, AddCommands* add_commands);

/// Runs this process: the program `kagami`, or the subprogram of a command if one is named.
int run_process(int argc, char** argv, AddCommands* add_commands, const char* subprogram = nullptr);

/// What `kagami --version` and `kagami version` print.
std::string version_text();

}  // namespace kagami::tools
