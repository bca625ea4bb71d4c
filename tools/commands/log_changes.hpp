/// kagami log changes: the values that were changed during a run.
#pragma once

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

/// Adds the command to `log`.
void add_log_changes(Command& log, Console& io);

}  // namespace kagami::tools
