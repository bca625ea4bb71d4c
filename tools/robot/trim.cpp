#include "tools/robot/trim.hpp"

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"

namespace kagami::tools {
namespace {

void write_trim(BoardSession& session, int board,
                const std::array<std::int8_t, kChannelsPerBoard>& trim_deg) {
  Request request{.command = rcb1::Command::kSetTrim};
  request.trim_deg = trim_deg;
  Reply expected;
  expected.trim_deg = trim_deg;
  write_verified(session, board, request, {.command = rcb1::Command::kGetTrim}, expected,
                 board_text(session, board) + ", trim");
}

/// The boards before `failed` get their trim back; what became of them, for the message.
std::string take_back(BoardSession& session, int failed, const BoardTrims& before,
                      const BoardTrims& after) {
  std::string text = "; " + board_text(session, failed) + ": not known";
  for (int b = 0; b < session.num_boards(); ++b) {
    if (b == failed) continue;
    text += ", " + board_text(session, b);
    if (b > failed || before[idx(b)] == after[idx(b)]) {
      text += ": unchanged";
      continue;
    }
    try {
      write_trim(session, b, before[idx(b)]);
      text += ": has its earlier trim again";
    } catch (const Error&) {
      text += ": has the new trim, the earlier one could not be written again";
    }
  }
  return text;
}

}  // namespace

BoardTrims read_trims(BoardSession& session) {
  BoardTrims trims;
  for (int b = 0; b < session.num_boards(); ++b) {
    trims.push_back(read_agreed(session, b, {.command = rcb1::Command::kGetTrim},
                                board_text(session, b) + ": trim")
                        .trim_deg);
  }
  return trims;
}

void write_trims(BoardSession& session, const BoardTrims& before, const BoardTrims& after) {
  for (int b = 0; b < session.num_boards(); ++b) {
    if (before[idx(b)] == after[idx(b)]) continue;
    try {
      write_trim(session, b, after[idx(b)]);
    } catch (const PortError& error) {
      throw PortError(error.what() + take_back(session, b, before, after));
    } catch (const LinkError& error) {
      throw LinkError(error.what() + take_back(session, b, before, after));
    }
  }
}

}  // namespace kagami::tools
