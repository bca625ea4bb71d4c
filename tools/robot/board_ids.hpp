/// Which boards are on the line, and a new ID for the only one.
#pragma once

#include <set>
#include <string>

#include "tools/robot/board_questions.hpp"

namespace kagami::tools {

/// Who answers. Every ID is asked for its switch bits; FE is asked several times beside that.
struct BoardsOnLine {
  std::set<int> ids;       ///< that answered a question to them
  std::set<int> at_large;  ///< that answered the question to all
  std::string noise;       ///< answers that no single board gives; empty: none
};

/// Takes up to 7 s on a real line. Throws PortError.
BoardsOnLine find_boards(BoardSession& session);

/// Why FF must not be sent: it would give its ID to every board that receives it. Empty: exactly
/// one board answers.
std::string set_id_problem(const BoardsOnLine& line);

/// FF, then the answers of the new and of the old ID. Throws LinkError that says what is known.
void set_board_id(BoardSession& session, int from, int to);

}  // namespace kagami::tools
