/// Questions to the boards outside a run: repeated until the answer is certain, or refused with the
/// reason. What is written is read back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/robot/board_session.hpp"

namespace kagami::tools {

using drivers::ChannelCounts;
namespace rcb1 = drivers::rcb1;
using drivers::rcb1::Reply;
using drivers::rcb1::Request;

/// "board 1".
std::string board_text(const BoardSession& session, int board);

/// Why ask_once has nothing when the boards are silent.
inline constexpr const char* kNoAnswer = "no answer";

/// Asks once and waits for a late answer, so that it cannot answer the next question. Nothing:
/// `problem` says why ("no answer"). Throws PortError when the port is gone.
std::optional<Reply> ask_once(BoardSession& session, const Request& request, std::string& problem);

/// The question to a board by index, with at most six questions until two answers in a row
/// agree. Throws LinkError that begins with `what` ("board 1: home").
Reply read_agreed(BoardSession& session, int board, Request request, const std::string& what);
/// The same, but nothing when the board answered none of the questions: it may not know them.
/// Throws LinkError, too, when its answers were damaged or did not agree.
std::optional<Reply> try_read_agreed(BoardSession& session, int board, Request request,
                                     const std::string& what);

/// All fields.
bool is_same_reply(const Reply& a, const Reply& b);

/// Writes, reads back by `question` and compares with `expected`; at most three times. The command
/// must have the same effect a second time. Throws LinkError that begins with `what` and names the
/// difference.
void write_verified(BoardSession& session, int board, Request write, Request question,
                    const Reply& expected, const std::string& what);
/// What differs between two answers of this command, by channel: "channel 5: 90, expected 92".
std::string difference_text(rcb1::Command question, const Reply& found, const Reply& expected);

/// The boards answer as robot.json states: the probe of a run. Returns its warnings. Throws
/// LinkError with what was measured, PortError.
std::vector<std::string> require_boards(BoardSession& session);

}  // namespace kagami::tools
