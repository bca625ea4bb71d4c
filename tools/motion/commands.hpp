/// The commands below `kagami motion`, one function per group.
#pragma once

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

/// `convert`: files of one format into another.
void add_motion_convert(Command& motion, Console& io);
/// `trim`, `reverse`, `mirror`, `join`, `blend`, `retime`, `graph`: new motions from others.
void add_motion_edit(Command& motion, Console& io);
/// `diff`: how two motions differ.
void add_motion_diff(Command& motion, Console& io);

}  // namespace kagami::tools
