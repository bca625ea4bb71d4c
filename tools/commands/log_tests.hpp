/// kagami log tests: the joint tests of a recorded run.
#pragma once

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

/// Adds the command to `log`.
void add_log_tests(Command& log, Console& io);

}  // namespace kagami::tools
