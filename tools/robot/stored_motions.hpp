/// Motions and scenarios in the boards' memories: read, compared between the boards, started.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "drivers/virtual/board_memory.hpp"
#include "tools/robot/pose_reading.hpp"

namespace kagami::tools {

using drivers::virtual_robot::StoredMotion;
using drivers::virtual_robot::StoredScenario;

/// Motions with poses, or scenarios with entries, among these.
template <class AllStored>
int in_use(const AllStored& all) {
  return static_cast<int>(
      std::count_if(all.begin(), all.end(), [](const auto& stored) { return stored.count > 0; }));
}

/// The poses of one motion that play, on one board.
StoredMotion read_motion_of(BoardSession& session, int board, int motion);
/// The entries of one scenario that play, on one board.
StoredScenario read_scenario_of(BoardSession& session, int board, int scenario);
/// The same from every board.
std::vector<StoredMotion> read_stored_motion(BoardSession& session, int motion);
std::vector<StoredScenario> read_stored_scenario(BoardSession& session, int scenario);

/// Why the boards would not play it together: "is empty", "board 0 has 12 poses, board 1 has 14",
/// "pose 3: speed 2 on board 0, 4 on board 1". Empty: they would.
std::string motion_problem(const BoardSession& session, const std::vector<StoredMotion>& boards);
std::string scenario_problem(const BoardSession& session,
                             const std::vector<StoredScenario>& boards);

/// s that each board needs for the motion, by the speed codes, when its channels are at `at`, which
/// becomes where the motion leaves them.
std::vector<double> play_through(const BoardSession& session,
                                 const std::vector<StoredMotion>& boards,
                                 std::vector<ChannelCounts>& at);

/// Sends EF or EE once to each board in order. A board is not started after one that did not
/// acknowledge. Throws LinkError that says which boards play.
void start_on_all(BoardSession& session, Request request);

}  // namespace kagami::tools
