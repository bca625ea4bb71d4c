/// The switch bits of the boards: sleep, and whether stored motions may play.
#pragma once

#include <string>
#include <vector>

#include "tools/robot/board_questions.hpp"

namespace kagami::tools {

/// One board after a command that set its bits.
struct SwitchResult {
  bool is_confirmed = false;  ///< the board reports the bits
  std::uint8_t bits = 0;      ///< that it reports; valid when `problem` is empty
  std::string problem;        ///< why not
};

/// Sets the bits of one board (F1) and asks for them (F0): one answer decides, so that
/// servos are freed without delay. Throws PortError alone.
SwitchResult set_switches(BoardSession& session, int board, std::uint8_t bits);

/// Sets the sleep bit of every board, whatever the others answer; the motion bit is kept where it
/// is known. Throws PortError alone.
std::vector<SwitchResult> free_all(BoardSession& session);

/// free_all, confirmed by every board. Throws LinkError that names those that do not confirm and
/// ends with `consequence`, PortError.
void require_free(BoardSession& session, const std::string& consequence);

/// The bits of every board. Throws LinkError, PortError.
std::vector<std::uint8_t> read_switches(BoardSession& session);

/// "sleep", "sleep, motion", "none".
std::string switches_text(std::uint8_t bits);
/// Of such a text or of a number 0..3. Throws ConfigError.
std::uint8_t parse_switches(const std::string& text);

/// "board 1 is asleep ..." when a board would acknowledge and not move; empty: none.
std::string asleep_problem(BoardSession& session);

}  // namespace kagami::tools
