/// Completion scripts for shells: commands, options, fixed values, and file names where an option
/// takes one.
#pragma once

#include <string>

#include "tools/cli/command_help.hpp"

namespace kagami::tools {

/// Each takes the description of the whole program. A value called COMMAND is completed with the
/// names of the commands.
std::string bash_completion(const CommandHelp& program);
std::string zsh_completion(const CommandHelp& program);
std::string fish_completion(const CommandHelp& program);

}  // namespace kagami::tools
