/// Single parts of a board's memory, written and read back. Each function throws LinkError that
/// names board and part, or PortError.
#pragma once

#include <array>
#include <vector>

#include "tools/robot/stored_motions.hpp"

namespace kagami::tools {

void write_motion_size(BoardSession& session, int board, int motion, std::uint8_t poses);
void write_pose(BoardSession& session, int board, int motion, int pose,
                const drivers::virtual_robot::StoredPose& value);
/// Writes one scenario on all boards, entry by entry where it differs. It is emptied first and gets
/// its number of motions last, so that a part of it cannot play.
void write_scenario(BoardSession& session, int scenario, const std::vector<StoredScenario>& present,
                    const std::vector<StoredScenario>& wanted);
void write_key(BoardSession& session, int board, int key, const std::array<std::uint8_t, 3>& bytes);
void write_trim(BoardSession& session, int board,
                const std::array<std::int8_t, kChannelsPerBoard>& trim_deg);
void write_switches(BoardSession& session, int board, std::uint8_t bits);

}  // namespace kagami::tools
