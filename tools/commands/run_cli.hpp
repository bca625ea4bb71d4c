/// The whole program as a function of its arguments and its streams.
#pragma once

#include <span>
#include <string>

#include "tools/cli/console.hpp"

namespace kagami::tools {

/// Runs one command line, without the program's name, and returns its exit code. Every exception
/// ends here, as a sentence on standard error and its code.
int run_cli(std::span<const std::string> args, Console& io);

}  // namespace kagami::tools
