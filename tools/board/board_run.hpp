/// `kagami board`: from the first byte to the last line.
#pragma once

#include "tools/board/board_options.hpp"
#include "tools/board/board_view.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

/// Serves the terminal until a signal, the end of `opt.seconds`, of the program of --exec or of the
/// mirrored port; then prints the result. `make_view`: for --view. Throws ConfigError, ModelError,
/// PortError, RecordError.
void run_board(const BoardOptions& opt, const MakeBoardView& make_view, Console& io);

}  // namespace kagami::tools
