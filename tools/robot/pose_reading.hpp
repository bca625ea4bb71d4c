/// The angles of the joints as the boards read them now: fresh, complete, twice alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/robot/board_questions.hpp"

namespace kagami::tools {

/// When a reading is accepted.
struct ReadingRules {
  int agree_deg = 2;      ///< two readings in a row differ at most by this on every joint
  double apart_s = 0.05;  ///< time between them
  int tries = 6;          ///< questions to each board
};

/// One board's reading.
struct BoardPose {
  ChannelCounts counts{};
  std::int64_t read_ns = 0;  ///< when its answer arrived, the session's clock
};

/// The second of two readings of a board that agree. Nothing: `problem` says why ("all positions
/// read 0"). All-zero answers and joints outside 0..180 are never accepted. Throws PortError.
std::optional<BoardPose> read_board_pose(BoardSession& session, int board,
                                         const ReadingRules& rules, std::string& problem);

/// The pose of all boards. Throws LinkError that names the board and the reason, PortError.
std::vector<BoardPose> read_pose(BoardSession& session, const ReadingRules& rules = {});

/// rad, model order.
JointArray<double> joint_angles(const BoardSession& session, const std::vector<BoardPose>& pose);
/// Degrees of one joint at this count; whole.
int joint_degrees(const JointWiring& joint, int count);

/// The joint whose count differs most, and by how many degrees; -1 when none differs.
struct LargestDifference {
  int joint = -1;  ///< model order
  int degrees = 0;
};
LargestDifference largest_difference(const BoardSession& session,
                                     const std::vector<ChannelCounts>& a,
                                     const std::vector<ChannelCounts>& b);
/// The counts alone.
std::vector<ChannelCounts> counts_of(const std::vector<BoardPose>& pose);

}  // namespace kagami::tools
