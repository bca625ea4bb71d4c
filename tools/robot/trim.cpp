#include "tools/robot/trim.hpp"

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "tools/robot/board_writes.hpp"
#include "tools/robot/failure_text.hpp"

namespace kagami::tools {
namespace {

/// Why a board may not hold its earlier trim; empty: it does.
std::string take_back(BoardSession& session, int board, const BoardTrims& before) {
  const auto& earlier = before[idx(board)];
  try {
    const std::optional<Reply> now =
        try_read_agreed(session, board, {.command = rcb1::Command::kGetTrim}, "trim");
    if (now && now->trim_deg == earlier) return "";
  } catch (const LinkError&) {  // not known: it is written
  }
  try {
    write_trim(session, board, earlier);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

/// The boards get their earlier trim; `begun` of them may have got the new one.
std::string take_all_back(BoardSession& session, int begun, const BoardTrims& before,
                          const BoardTrims& after, bool& is_certain) {
  std::string text;
  for (int b = 0; b < session.num_boards(); ++b) {
    text += (b == 0 ? "; " : ", ") + board_text(session, b) + ": ";
    if (b >= begun || before[idx(b)] == after[idx(b)]) {
      text += "unchanged";
      continue;
    }
    const std::string problem = take_back(session, b, before);
    is_certain &= problem.empty();
    text += problem.empty()
                ? "has its earlier trim again"
                : "may have the new trim, the earlier one is not certain (" + problem + ")";
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

void write_trims_and(BoardSession& session, const BoardTrims& before, const BoardTrims& after,
                     const std::function<void()>& finish, bool& is_certain) {
  int begun = 0;
  const auto write = [&] {
    for (int b = 0; b < session.num_boards(); ++b) {
      begun = b + 1;
      if (before[idx(b)] != after[idx(b)]) write_trim(session, b, after[idx(b)]);
    }
    finish();
  };
  is_certain = true;
  with_failure_text(write,
                    [&] { return take_all_back(session, begun, before, after, is_certain); });
}

void write_trims(BoardSession& session, const BoardTrims& before, const BoardTrims& after) {
  bool is_certain = true;
  write_trims_and(
      session, before, after, [] {}, is_certain);
}

}  // namespace kagami::tools
