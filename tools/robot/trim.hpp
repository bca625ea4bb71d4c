/// Trims of all channels, read and written on all boards or on none.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "tools/robot/board_questions.hpp"

namespace kagami::tools {

/// Per board, -20..19 deg for each channel.
using BoardTrims = std::vector<std::array<std::int8_t, kChannelsPerBoard>>;

/// Throws LinkError, PortError.
BoardTrims read_trims(BoardSession& session);

/// Writes the boards that differ and reads them back. When one fails, the boards get their earlier
/// trim again; LinkError or PortError says in which state each board is.
void write_trims(BoardSession& session, const BoardTrims& before, const BoardTrims& after);

/// The same, then `finish`. When one of the two fails, the boards get their earlier trim again. The
/// error keeps its type and says in which state each board is; `is_certain` becomes false when that
/// may not be the earlier one.
void write_trims_and(BoardSession& session, const BoardTrims& before, const BoardTrims& after,
                     const std::function<void()>& finish, bool& is_certain);

}  // namespace kagami::tools
