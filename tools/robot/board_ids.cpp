#include "tools/robot/board_ids.hpp"

#include <algorithm>
#include <array>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

constexpr int kLastId = 31;
constexpr int kBroadcasts = 12;  // two boards: one chance in 2000 that the same answers them all
constexpr int kRepeats = 4;

std::string ids_text(const std::set<int>& ids) {
  std::string text;
  for (const int id : ids) text += (text.empty() ? "" : ", ") + std::to_string(id);
  return text;
}

Request to_id(rcb1::Command command, int id) {
  return {.command = command, .board = static_cast<std::uint8_t>(id)};
}

bool answers(BoardSession& session, int id, std::string& noise) {
  bool is_there = false;
  for (int k = 0; k < 2 && !is_there; ++k) {
    std::string problem;
    is_there = ask_once(session, to_id(rcb1::Command::kGetSwitches, id), problem).has_value();
    if (!is_there && problem != kNoAnswer) noise = "ID " + std::to_string(id) + ": " + problem;
  }
  return is_there;
}

// two boards with one ID answer at once: their answers differ in home, trim or positions
void listen_for_doubles(BoardSession& session, int id, std::string& noise) {
  constexpr std::array kQuestions = {rcb1::Command::kGetPositions, rcb1::Command::kGetHome,
                                     rcb1::Command::kGetTrim};
  for (const rcb1::Command question : kQuestions) {
    for (int k = 0; k < kRepeats && noise.empty(); ++k) {
      std::string problem;
      const std::uint64_t before = session.line().counters().unexpected_bytes;
      const bool is_clean = ask_once(session, to_id(question, id), problem).has_value();
      session.wait(0.005);
      static_cast<void>(session.line().settle({session.now_ns() + 2'000'000}));
      if (!is_clean) {
        noise = "ID " + std::to_string(id) + ": " + problem;
      } else if (session.line().counters().unexpected_bytes != before) {
        noise = "ID " + std::to_string(id) + ": more bytes than one answer";
      }
    }
  }
}

}  // namespace

BoardsOnLine find_boards(BoardSession& session) {
  BoardsOnLine line;
  for (int id = 0; id <= kLastId; ++id) {
    if (answers(session, id, line.noise)) line.ids.insert(id);
  }
  for (int k = 0; k < kBroadcasts; ++k) {
    std::string problem;
    const std::optional<Reply> reply = ask_once(session, to_id(rcb1::Command::kGetId, 0), problem);
    if (reply) line.at_large.insert(reply->board);
    if (!reply && !line.ids.empty()) line.noise = "the question to all boards: " + problem;
  }
  if (line.ids.size() == 1 && line.noise.empty()) {
    listen_for_doubles(session, *line.ids.begin(), line.noise);
  }
  return line;
}

std::string set_id_problem(const BoardsOnLine& line) {
  std::set<int> all = line.ids;
  all.insert(line.at_large.begin(), line.at_large.end());
  if (all.empty()) return "no board answers";
  if (all.size() > 1) {
    return std::to_string(all.size()) + " boards answer (ID " + ids_text(all) +
           "), and both would take the new ID: unplug the other one";
  }
  if (line.ids.empty()) {
    return "a board with ID " + ids_text(all) +
           " answers the question to all boards, but not a question to its ID";
  }
  if (!line.noise.empty()) {
    return "the answers are not those of a single board (" + line.noise +
           "): two boards with the same ID may be plugged in";
  }
  return "";
}

void set_board_id(BoardSession& session, int from, int to) {
  Request request = to_id(rcb1::Command::kSetId, to);
  std::string problem;
  static_cast<void>(ask_once(session, request, problem));  // once; the questions below decide
  std::string noise;
  const bool is_new = answers(session, to, noise);
  const bool is_old = from != to && answers(session, from, noise);
  if (is_new && !is_old) return;
  throw LinkError(session.name() + ": the ID was not changed for certain: ID " +
                  std::to_string(to) + (is_new ? " answers" : " does not answer") + ", ID " +
                  std::to_string(from) + (is_old ? " answers" : " does not answer") +
                  (problem.empty() ? "" : " (" + problem + ")"));
}

}  // namespace kagami::tools
