/// kagami log list, tag, prune: the recorded sessions.
#pragma once

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

/// Adds the commands to `log`.
void add_log_sessions(Command& log, Console& io);

}  // namespace kagami::tools
