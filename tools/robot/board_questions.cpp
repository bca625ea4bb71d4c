#include "tools/robot/board_questions.hpp"

#include <algorithm>

#include "drivers/rcb1/probe.hpp"
#include "drivers/rcb1/probe_tally.hpp"
#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

using drivers::Deadline;
using drivers::IoStatus;

constexpr std::int64_t kLateNs = 5'000'000;  // the rest of a damaged answer follows at once
constexpr int kQuestions = 6;
constexpr int kWrites = 3;

std::string failure_text(BoardSession& session, IoStatus status) {
  switch (status) {
    case IoStatus::kTimedOut:
      return session.line().last_answer().empty() ? kNoAnswer : "a short answer";
    case IoStatus::kBadSum:
      return "a damaged answer";
    case IoStatus::kRefused:
      return "a value that must not be sent";
    default:
      return "an answer of another board or to another question";
  }
}

template <class Bytes>
std::string bytes_difference(const Bytes& found, const Bytes& expected, const char* unit) {
  std::string text;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k] == expected[k]) continue;
    text += (text.empty() ? "" : "; ") + std::string("channel ") + std::to_string(k + 1) + ": " +
            std::to_string(found[k]) + unit + ", expected " + std::to_string(expected[k]) + unit;
  }
  return text;
}

void append(std::string& text, const std::string& part) {
  if (part.empty()) return;
  text += (text.empty() ? "" : "; ") + part;
}

std::string value_difference(const char* name, int found, int expected) {
  if (found == expected) return "";
  return (*name == 0 ? std::string() : std::string(name) + " ") + std::to_string(found) +
         ", expected " + std::to_string(expected);
}

/// What came of several questions.
struct Agreement {
  std::optional<Reply> reply;
  std::string problem = "no two answers agree";
  bool is_silent = true;  // no question was answered
};

Agreement ask_until_agreed(BoardSession& session, int board, Request request) {
  request.board = static_cast<std::uint8_t>(session.board_id(board));
  Agreement found;
  std::optional<Reply> before;
  for (int k = 0; k < kQuestions; ++k) {
    const std::optional<Reply> reply = ask_once(session, request, found.problem);
    found.is_silent &= !reply && found.problem == kNoAnswer;
    if (reply) found.problem = "no two answers agree";
    if (reply && before && is_same_reply(*reply, *before)) {
      found.reply = reply;
      return found;
    }
    before = reply;
  }
  return found;
}

[[noreturn]] void throw_unread(const BoardSession& session, const std::string& what,
                               const Agreement& found) {
  throw LinkError(session.name() + ": " + what + " cannot be read: " + found.problem + " in " +
                  std::to_string(kQuestions) + " questions");
}

}  // namespace

std::string board_text(const BoardSession& session, int board) {
  return "board " + std::to_string(session.board_id(board));
}

std::optional<Reply> ask_once(BoardSession& session, const Request& request, std::string& problem) {
  drivers::rcb1::Line& line = session.line();
  Reply reply;
  drivers::rcb1::ExchangeStamps stamps;
  const Deadline limit{session.now_ns() + drivers::rcb1::kProbePatienceNs};
  const IoStatus status = line.run(request, reply, limit, stamps);
  if (status == IoStatus::kOk) return reply;
  problem = failure_text(session, status);
  if (status != IoStatus::kRefused) {
    static_cast<void>(line.settle({session.now_ns() + kLateNs}));
  }
  if (line.gone()) {
    throw PortError(session.name() + ": the port disappeared, the cable may be unplugged");
  }
  return std::nullopt;
}

bool is_same_reply(const Reply& a, const Reply& b) {
  return a.board == b.board && a.speed == b.speed && a.motion == b.motion && a.count == b.count &&
         a.bits == b.bits && a.key_bytes == b.key_bytes && a.counts == b.counts &&
         a.trim_deg == b.trim_deg;
}

Reply read_agreed(BoardSession& session, int board, Request request, const std::string& what) {
  const Agreement found = ask_until_agreed(session, board, request);
  if (found.reply) return *found.reply;
  throw_unread(session, what, found);
}

std::optional<Reply> try_read_agreed(BoardSession& session, int board, Request request,
                                     const std::string& what) {
  const Agreement found = ask_until_agreed(session, board, request);
  if (!found.reply && !found.is_silent) throw_unread(session, what, found);
  return found.reply;
}

void write_verified(BoardSession& session, int board, Request write, Request question,
                    const Reply& expected, const std::string& what) {
  write.board = static_cast<std::uint8_t>(session.board_id(board));
  std::string problem;
  for (int k = 0; k < kWrites; ++k) {
    std::string unanswered;
    const bool is_acknowledged = ask_once(session, write, unanswered).has_value();
    Reply wanted = expected;
    wanted.board = write.board;
    const Reply found = read_agreed(session, board, question, what);
    if (is_same_reply(found, wanted)) return;
    problem = "reads back differently (" + difference_text(question.command, found, wanted) + ")";
    if (!is_acknowledged) problem = "was not acknowledged (" + unanswered + ") and " + problem;
  }
  throw LinkError(session.name() + ": " + what + " " + problem + ", " + std::to_string(kWrites) +
                  " times");
}

std::string difference_text(rcb1::Command question, const Reply& found, const Reply& expected) {
  std::string text;
  switch (question) {
    case rcb1::Command::kGetTrim:
      return bytes_difference(found.trim_deg, expected.trim_deg, " deg");
    case rcb1::Command::kGetPose:
      append(text, value_difference("speed", found.speed, expected.speed));
      append(text, bytes_difference(found.counts, expected.counts, ""));
      return text;
    case rcb1::Command::kGetHome:
    case rcb1::Command::kGetPositions:
      return bytes_difference(found.counts, expected.counts, " deg");
    case rcb1::Command::kGetSwitches:
      return value_difference("bits", found.bits, expected.bits);
    case rcb1::Command::kGetScenarioEntry:
      return value_difference("motion", found.motion, expected.motion);
    case rcb1::Command::kGetKey:
      for (std::size_t k = 0; k < found.key_bytes.size(); ++k) {
        append(text, value_difference("byte", found.key_bytes[k], expected.key_bytes[k]));
      }
      return text;
    default:
      return value_difference("", found.count, expected.count);
  }
}

std::vector<std::string> require_boards(BoardSession& session) {
  return drivers::probe(session.link(), session.name(), {.wake = false, .stop_requested = {}})
      .warnings;
}

}  // namespace kagami::tools
