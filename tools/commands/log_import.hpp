/// kagami log import: a record out of what another program measured.
#pragma once

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

/// Adds the command to `log`.
void add_log_import(Command& log, Console& io);

}  // namespace kagami::tools
