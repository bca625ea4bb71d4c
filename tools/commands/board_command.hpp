/// The command `kagami board`, with a view or without.
#pragma once

#include "tools/board/board_view.hpp"
#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

/// An empty function = no view: --view is an error.
void add_board_with(Command& app, Console& io, const MakeBoardView& make_view);

}  // namespace kagami::tools
