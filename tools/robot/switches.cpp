#include "tools/robot/switches.hpp"

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

using drivers::rcb1::kSwitchMotion;
using drivers::rcb1::kSwitchSleep;

constexpr int kSwitchTries = 3;

Request question_of_switches(const BoardSession& session, int board) {
  return {.command = rcb1::Command::kGetSwitches,
          .board = static_cast<std::uint8_t>(session.board_id(board))};
}

}  // namespace

SwitchResult set_switches(BoardSession& session, int board, std::uint8_t bits) {
  const Request set{.command = rcb1::Command::kSetSwitches,
                    .board = static_cast<std::uint8_t>(session.board_id(board)),
                    .bits = bits};
  SwitchResult result;
  for (int k = 0; k < kSwitchTries && !result.is_confirmed; ++k) {
    result = {};
    // unanswered or not, the bits decide
    static_cast<void>(ask_once(session, set, result.problem));
    const std::optional<Reply> reply =
        ask_once(session, question_of_switches(session, board), result.problem);
    if (!reply) continue;
    result.bits = reply->bits;
    result.is_confirmed = reply->bits == bits;
    result.problem = result.is_confirmed ? "" : "it reports " + switches_text(reply->bits);
  }
  return result;
}

std::vector<SwitchResult> free_all(BoardSession& session) {
  std::vector<SwitchResult> results;
  for (int b = 0; b < session.num_boards(); ++b) {
    std::string unanswered;
    const std::optional<Reply> before =
        ask_once(session, question_of_switches(session, b), unanswered);
    const int kept = before ? before->bits & kSwitchMotion : 0;
    results.push_back(set_switches(session, b, static_cast<std::uint8_t>(kept | kSwitchSleep)));
  }
  return results;
}

void require_free(BoardSession& session, const std::string& consequence) {
  std::string problems;
  const std::vector<SwitchResult> results = free_all(session);
  for (std::size_t b = 0; b < results.size(); ++b) {
    if (results[b].is_confirmed) continue;
    problems += (problems.empty() ? "" : "; ") + board_text(session, static_cast<int>(b)) + ": " +
                results[b].problem;
  }
  if (problems.empty()) return;
  throw LinkError(session.name() + ": not confirmed that the servos are free (" + problems +
                  "): " + consequence);
}

std::vector<std::uint8_t> read_switches(BoardSession& session) {
  std::vector<std::uint8_t> bits;
  for (int b = 0; b < session.num_boards(); ++b) {
    bits.push_back(read_agreed(session, b, {.command = rcb1::Command::kGetSwitches},
                               board_text(session, b) + ": switch bits")
                       .bits);
  }
  return bits;
}

std::string switches_text(std::uint8_t bits) {
  std::string text;
  if ((bits & kSwitchSleep) != 0) text = "sleep";
  if ((bits & kSwitchMotion) != 0) text += text.empty() ? "motion" : ", motion";
  const int others = bits & ~(kSwitchSleep | kSwitchMotion);
  if (others != 0) text += (text.empty() ? "" : ", ") + std::string("+") + std::to_string(others);
  return text.empty() ? "none" : text;
}

std::uint8_t parse_switches(const std::string& text) {
  for (int bits = 0; bits <= 3; ++bits) {
    const auto value = static_cast<std::uint8_t>(bits);
    if (text == std::to_string(bits) || text == switches_text(value)) return value;
  }
  if (text == "sleep,motion" || text == "motion,sleep") return 3;
  throw ConfigError("switch bits '" + text +
                    "': expected none, sleep, motion, sleep,motion, or 0..3");
}

std::string asleep_problem(BoardSession& session) {
  const std::vector<std::uint8_t> bits = read_switches(session);
  for (std::size_t b = 0; b < bits.size(); ++b) {
    if ((bits[b] & kSwitchSleep) == 0) continue;
    return board_text(session, static_cast<int>(b)) +
           " is asleep and would not move: 'kagami robot switch --set none' clears its sleep bit";
  }
  return "";
}

}  // namespace kagami::tools
