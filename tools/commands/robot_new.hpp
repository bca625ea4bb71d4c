/// kagami robot new: the folder of a robot to begin with.
#pragma once

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

/// Adds the command to `robot`.
void add_robot_new(Command& robot, Console& io);

}  // namespace kagami::tools
