/// kagami motion record: poses set by hand.
#pragma once

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

/// Adds the command to `motion`.
void add_motion_record(Command& motion, Console& io);

}  // namespace kagami::tools
