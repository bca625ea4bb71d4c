#include "tools/robot/memory_image.hpp"

#include <algorithm>

#include "models/base/idx.hpp"
#include "tools/robot/stored_motions.hpp"

namespace kagami::tools {
namespace {

namespace vr = drivers::virtual_robot;

// of the work on one board, roughly by the number of questions
constexpr double kMotionShare = 0.7;
constexpr double kScenarioShare = 0.1;

/// After an unanswered question: the board answers another one, so it does not know the first.
/// Throws LinkError when it is silent.
void require_answer(BoardSession& session, int board) {
  static_cast<void>(read_agreed(session, board, {.command = rcb1::Command::kGetSwitches},
                                board_text(session, board) + ": switch bits"));
}

BoardImage read_board_image(BoardSession& session, int board, const MemoryProgress& progress) {
  const std::string name = board_text(session, board);
  const auto note = [&](double share, const std::string& what) {
    if (progress) progress((board + share) / session.num_boards(), name + ", " + what);
  };
  BoardImage image;
  image.memory.id = static_cast<std::uint8_t>(session.board_id(board));
  image.switches =
      read_agreed(session, board, {.command = rcb1::Command::kGetSwitches}, name + ": switch bits")
          .bits;
  image.memory.home =
      read_agreed(session, board, {.command = rcb1::Command::kGetHome}, name + ": home").counts;
  image.memory.trim_deg =
      read_agreed(session, board, {.command = rcb1::Command::kGetTrim}, name + ": trim").trim_deg;
  for (int m = 0; m < vr::kMotions; ++m) {
    note(kMotionShare * m / vr::kMotions, "motion " + std::to_string(m));
    image.memory.motions[idx(m)] = read_motion_of(session, board, m);
  }
  image.has_scenarios = answers_for_scenarios(session, board);
  for (int s = 0; image.has_scenarios && s < vr::kScenarios; ++s) {
    note(kMotionShare + kScenarioShare * s / vr::kScenarios, "scenario " + std::to_string(s));
    image.memory.scenarios[idx(s)] = read_scenario_of(session, board, s);
  }
  note(kMotionShare + kScenarioShare, "keys");
  image.keys_answered = read_keys(session, board, image.memory.keys);
  return image;
}

struct DifferenceList {
  std::vector<std::string> sentences;
  std::string board;

  void add(const std::string& what, rcb1::Command question, const Reply& found,
           const Reply& expected) {
    const std::string difference = difference_text(question, found, expected);
    if (!difference.empty()) sentences.push_back(board + ", " + what + ": " + difference);
  }
};

Reply reply_of(const vr::StoredPose& pose) {
  Reply reply;
  reply.speed = pose.speed;
  reply.counts = pose.counts;
  return reply;
}

Reply reply_of_count(std::uint8_t count) {
  Reply reply;
  reply.count = count;
  return reply;
}

void add_motions(const vr::BoardMemory& found, const vr::BoardMemory& expected,
                 DifferenceList& list) {
  for (int m = 0; m < vr::kMotions; ++m) {
    const StoredMotion& a = found.motions[idx(m)];
    const StoredMotion& b = expected.motions[idx(m)];
    const std::string what = "motion " + std::to_string(m);
    list.add(what + ", number of poses", rcb1::Command::kGetMotionSize, reply_of_count(a.count),
             reply_of_count(b.count));
    for (int k = 0; k < std::min(a.count, b.count); ++k) {
      list.add(what + ", pose " + std::to_string(k), rcb1::Command::kGetPose,
               reply_of(a.poses[idx(k)]), reply_of(b.poses[idx(k)]));
    }
  }
}

void add_scenarios(const vr::BoardMemory& found, const vr::BoardMemory& expected,
                   DifferenceList& list) {
  for (int s = 0; s < vr::kScenarios; ++s) {
    const StoredScenario& a = found.scenarios[idx(s)];
    const StoredScenario& b = expected.scenarios[idx(s)];
    const std::string what = "scenario " + std::to_string(s);
    list.add(what + ", number of motions", rcb1::Command::kGetScenarioSize, reply_of_count(a.count),
             reply_of_count(b.count));
    for (int k = 0; k < std::min(a.count, b.count); ++k) {
      Reply there;
      Reply wanted;
      there.motion = a.motions[idx(k)];
      wanted.motion = b.motions[idx(k)];
      list.add(what + ", entry " + std::to_string(k), rcb1::Command::kGetScenarioEntry, there,
               wanted);
    }
  }
}

void add_keys(const BoardImage& found, const BoardImage& expected, DifferenceList& list) {
  for (int key = 0; key < std::max(found.keys_answered, expected.keys_answered); ++key) {
    Reply there;
    Reply wanted;
    there.key_bytes = found.memory.keys[idx(key)];
    wanted.key_bytes = expected.memory.keys[idx(key)];
    list.add("key " + std::to_string(key), rcb1::Command::kGetKey, there, wanted);
  }
}

void add_home(const vr::BoardMemory& found, const vr::BoardMemory& expected,
              const RobotWiring& wiring, int board, DifferenceList& list) {
  // channels without a servo hold whatever was read from them
  Reply there;
  Reply wanted;
  for (const JointWiring& joint : wiring.joints) {
    if (joint.board() != board) continue;
    there.counts[idx(joint.slot())] = found.home[idx(joint.slot())];
    wanted.counts[idx(joint.slot())] = expected.home[idx(joint.slot())];
  }
  list.add("home", rcb1::Command::kGetHome, there, wanted);
}

}  // namespace

int read_keys(BoardSession& session, int board, KeyBytes& keys) {
  for (int key = 0; key < kReadableKeys; ++key) {
    const std::optional<Reply> reply = try_read_agreed(
        session, board, {.command = rcb1::Command::kGetKey, .key = static_cast<std::uint8_t>(key)},
        board_text(session, board) + ": key " + std::to_string(key));
    if (!reply) {
      require_answer(session, board);
      return key;
    }
    keys[idx(key)] = reply->key_bytes;
  }
  return kReadableKeys;
}

bool answers_for_scenarios(BoardSession& session, int board) {
  const std::optional<Reply> reply =
      try_read_agreed(session, board, {.command = rcb1::Command::kGetScenarioSize},
                      board_text(session, board) + ": scenario 0");
  if (!reply) require_answer(session, board);
  return reply.has_value();
}

MemoryImage read_memory_image(BoardSession& session, const MemoryProgress& progress) {
  MemoryImage image;
  for (int b = 0; b < session.num_boards(); ++b) {
    image.boards.push_back(read_board_image(session, b, progress));
  }
  return image;
}

std::vector<std::string> memory_differences(const BoardSession& session, const MemoryImage& found,
                                            const MemoryImage& expected, bool with_home) {
  DifferenceList list;
  for (std::size_t b = 0; b < found.boards.size(); ++b) {
    const BoardImage& there = found.boards[b];
    const BoardImage& wanted = expected.boards[b];
    list.board = board_text(session, static_cast<int>(b));
    add_motions(there.memory, wanted.memory, list);
    add_scenarios(there.memory, wanted.memory, list);
    add_keys(there, wanted, list);
    Reply trim_there;
    Reply trim_wanted;
    trim_there.trim_deg = there.memory.trim_deg;
    trim_wanted.trim_deg = wanted.memory.trim_deg;
    list.add("trim", rcb1::Command::kGetTrim, trim_there, trim_wanted);
    Reply bits_there;
    Reply bits_wanted;
    bits_there.bits = there.switches;
    bits_wanted.bits = wanted.switches;
    list.add("switch bits", rcb1::Command::kGetSwitches, bits_there, bits_wanted);
    if (with_home) {
      add_home(there.memory, wanted.memory, session.wiring(), static_cast<int>(b), list);
    }
  }
  return list.sentences;
}

std::vector<std::string> home_differences(const BoardSession& session, const MemoryImage& found,
                                          const MemoryImage& expected) {
  DifferenceList list;
  for (std::size_t b = 0; b < found.boards.size(); ++b) {
    list.board = board_text(session, static_cast<int>(b));
    add_home(found.boards[b].memory, expected.boards[b].memory, session.wiring(),
             static_cast<int>(b), list);
  }
  return list.sentences;
}
}  // namespace kagami::tools
