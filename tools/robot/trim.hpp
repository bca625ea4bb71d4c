/// Trims of all channels, read and written on all boards or on none.
#pragma once

#include <array>
#include <vector>

#include "tools/robot/board_questions.hpp"

namespace kagami::tools {

/// Per board, -20..19 deg for each channel.
using BoardTrims = std::vector<std::array<std::int8_t, kChannelsPerBoard>>;

/// Throws LinkError, PortError.
BoardTrims read_trims(BoardSession& session);

/// Writes the boards that differ and reads them back. When one fails, those before it get their
/// earlier trim again; LinkError or PortError says in which state each board is.
void write_trims(BoardSession& session, const BoardTrims& before, const BoardTrims& after);

}  // namespace kagami::tools
