/// The boards' own memory: stored motions, home, trim. Everything written is read back. Set-up.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "drivers/rcb1/khr1_link.hpp"

namespace kagami::drivers {

using BoardTrim = std::array<std::int8_t, kChannelsPerBoard>;  ///< deg, -20..19

/// One pose of a stored motion, both halves of it.
struct StoredPose {
  std::uint8_t speed = 0;                          ///< 0 fastest .. 7
  std::array<ChannelCounts, kMaxBoards> counts{};  ///< by board index; 225 in unused channels
};

/// Called after each pose: poses done, poses in all.
using StoreProgress = std::function<void(int, int)>;

// All of these wait up to 30 ms for each answer, throw LinkError naming board and value when a
// board does not answer or holds another value than was written, PortError when the port goes away,
// and ConfigError for a value that no board can hold. `name` is the port as the user knows it.

/// Writes `poses` (1..100) as motion 0..39 on all boards: F9 for each, then F7, then F6 and F8 to
/// compare. Poses that a board holds already are not written again: it wears its memory.
void store_motion(Khr1Link& link, const std::string& name, int motion,
                  std::span<const StoredPose> poses, const StoreProgress& progress = {});
/// Reads motion 0..39. The boards must agree on number and speed of the poses.
std::vector<StoredPose> read_motion(Khr1Link& link, const std::string& name, int motion);

/// Home of one board (index), counts.
ChannelCounts read_home(Khr1Link& link, const std::string& name, int board);
/// Makes the present pose the home of one board and returns what the board then holds.
ChannelCounts store_home(Khr1Link& link, const std::string& name, int board);

BoardTrim read_trim(Khr1Link& link, const std::string& name, int board);
void write_trim(Khr1Link& link, const std::string& name, int board, const BoardTrim& trim_deg);

}  // namespace kagami::drivers
