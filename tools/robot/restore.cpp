#include "tools/robot/restore.hpp"

#include <algorithm>

#include "drivers/rcb1/protocol.hpp"
#include "models/base/errors.hpp"
#include "models/base/idx.hpp"

namespace kagami::tools {
namespace {

namespace vr = drivers::virtual_robot;

constexpr std::uint8_t kLargestByte = 0xE7;  // of a request: beyond, a board sees a new one
constexpr std::uint8_t kKnownBits = rcb1::kSwitchSleep | rcb1::kSwitchMotion;

bool can_be_sent(std::uint8_t count) {
  return count <= rcb1::kMaxCount || (count >= rcb1::kFree && count <= rcb1::kOutputHigh);
}

std::uint8_t to_byte(int value) {
  return static_cast<std::uint8_t>(value);
}

/// Makes an image of what may be sent, and says what changed.
class Sendable {
 public:
  Sendable(const BoardSession& session, RestorePlan& plan) : session_(session), plan_(plan) {
    for (const JointWiring& joint : session.wiring().joints) {
      joint_at_[idx(joint.board())][idx(joint.slot())] = &joint;
    }
  }
  void clean() {
    for (int b = 0; b < session_.num_boards(); ++b) {
      BoardImage& board = plan_.wanted.boards[idx(b)];
      for (int m = 0; m < vr::kMotions; ++m) clean_motion(b, m, board.memory.motions[idx(m)]);
      for (int s = 0; s < vr::kScenarios; ++s) clear_rest(board.memory.scenarios[idx(s)]);
      keep_unknown_scenarios(b, board);
      clean_keys(b, board);
      clean_switches(b, board);
    }
  }

 private:
  void clean_motion(int b, int m, vr::StoredMotion& motion) {
    for (int k = 0; k < vr::kPosesPerMotion; ++k) {
      vr::StoredPose& pose = motion.poses[idx(k)];
      if (k >= motion.count) pose = {};  // does not play and is not read
      for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
        std::uint8_t& count = pose.counts[idx(slot)];
        if (can_be_sent(count)) continue;
        const std::string place = board_text(session_, b) + ", motion " + std::to_string(m) +
                                  ", pose " + std::to_string(k) + ", channel " +
                                  std::to_string(slot + 1);
        const JointWiring* joint = joint_at_[idx(b)][idx(slot)];
        if (joint != nullptr) {
          throw ConfigError(place + " (" + joint->joint + ") is " + std::to_string(count) +
                            ", which must not be sent to a servo; expected 0..180 or 221..226. "
                            "Nothing was written");
        }
        ++replaced_;
        if (replaced_ == 1) {
          plan_.notes.push_back(place + ": " + std::to_string(count) +
                                " is written as 225, which unused channels carry (the same for "
                                "all others of this kind)");
        }
        count = rcb1::kOutputLow;
      }
    }
  }

  static void clear_rest(vr::StoredScenario& scenario) {
    std::fill(scenario.motions.begin() + scenario.count, scenario.motions.end(), std::uint8_t{0});
  }

  void keep_unknown_scenarios(int b, BoardImage& board) {
    const BoardImage& present = plan_.present.boards[idx(b)];
    if (present.has_scenarios && board.has_scenarios) return;
    if (present.has_scenarios != board.has_scenarios) {
      plan_.notes.push_back(board_text(session_, b) + ": scenarios stay as they are: " +
                            (present.has_scenarios ? "the backup has none of them"
                                                   : "the board does not answer for them"));
    }
    board.has_scenarios = present.has_scenarios;
    board.memory.scenarios = present.memory.scenarios;
  }

  void clean_keys(int b, BoardImage& board) {
    const BoardImage& present = plan_.present.boards[idx(b)];
    int refused = 0;
    for (int key = 0; key < vr::kKeys; ++key) {
      auto& bytes = board.memory.keys[idx(key)];
      const bool is_sendable =
          std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t v) { return v <= kLargestByte; });
      if (key < present.keys_answered && key < board.keys_answered && is_sendable) continue;
      if (bytes != present.memory.keys[idx(key)]) ++refused;
      bytes = present.memory.keys[idx(key)];
    }
    board.keys_answered = present.keys_answered;
    if (refused > 0) {
      plan_.notes.push_back(board_text(session_, b) + ": " + std::to_string(refused) +
                            " keys stay as they are: the board does not answer for them, or their "
                            "bytes cannot be sent");
    }
  }

  void clean_switches(int b, BoardImage& board) {
    const int unknown = board.switches & ~kKnownBits;
    if (unknown == 0) return;
    plan_.notes.push_back(board_text(session_, b) + ", switch bits: the bits " +
                          std::to_string(unknown) + " have no known meaning and are not written");
    board.switches = to_byte(board.switches & kKnownBits);
  }

  const BoardSession& session_;
  RestorePlan& plan_;
  std::array<std::array<const JointWiring*, kChannelsPerBoard>, kMaxBoards> joint_at_{};
  int replaced_ = 0;
};

template <class Part>
bool differs(const RestorePlan& plan, Part part) {
  for (std::size_t b = 0; b < plan.wanted.boards.size(); ++b) {
    if (!(part(plan.present.boards[b]) == part(plan.wanted.boards[b]))) return true;
  }
  return false;
}

std::vector<RestoreItem> items_of(const RestorePlan& plan) {
  std::vector<RestoreItem> items;
  for (int m = 0; m < vr::kMotions; ++m) {
    const auto motion = [m](const BoardImage& b) { return b.memory.motions[idx(m)]; };
    if (differs(plan, motion)) {
      items.push_back({RestoreKind::kMotion, m, "motion " + std::to_string(m)});
    }
  }
  for (int s = 0; s < vr::kScenarios; ++s) {
    const auto scenario = [s](const BoardImage& b) { return b.memory.scenarios[idx(s)]; };
    if (differs(plan, scenario)) {
      items.push_back({RestoreKind::kScenario, s, "scenario " + std::to_string(s)});
    }
  }
  if (differs(plan, [](const BoardImage& b) { return b.memory.keys; })) {
    items.push_back({RestoreKind::kKeys, 0, "keys"});
  }
  if (differs(plan, [](const BoardImage& b) { return b.memory.trim_deg; })) {
    items.push_back({RestoreKind::kTrim, 0, "trim"});
  }
  if (differs(plan, [](const BoardImage& b) { return b.switches; })) {
    items.push_back({RestoreKind::kSwitches, 0, "switch bits"});
  }
  return items;
}

/// Writes one item; `state` says at any time what a failure would leave behind.
class ItemWriter {
 public:
  ItemWriter(BoardSession& session, const RestorePlan& plan) : session_(session), plan_(plan) {}

  std::string state;

  void write(const RestoreItem& item) {
    switch (item.kind) {
      case RestoreKind::kMotion:
        return motion(item.number);
      case RestoreKind::kScenario:
        return scenario(item.number);
      case RestoreKind::kKeys:
        return each_board([this](int b) { keys(b); });
      case RestoreKind::kTrim:
        return each_board([this](int b) { trim(b); });
      case RestoreKind::kSwitches:
        return each_board([this](int b) { switches(b); });
    }
  }

 private:
  const BoardImage& present(int b) const { return plan_.present.boards[idx(b)]; }
  const BoardImage& wanted(int b) const { return plan_.wanted.boards[idx(b)]; }

  template <class Write>
  void each_board(Write write_board) {
    for (int b = 0; b < session_.num_boards(); ++b) {
      state = b == 0 ? "unchanged or written in part on " + board_text(session_, 0)
                     : "written on " + board_text(session_, 0) + " alone";
      write_board(b);
    }
  }

  void motion_size(int b, int m, std::uint8_t count) {
    Reply expected;
    expected.count = count;
    write_verified(session_, b,
                   {.command = rcb1::Command::kSetMotionSize, .motion = to_byte(m), .count = count},
                   {.command = rcb1::Command::kGetMotionSize, .motion = to_byte(m)}, expected,
                   board_text(session_, b) + ", motion " + std::to_string(m) + ", number of poses");
  }

  void motion(int m) {
    state = "its poses are unchanged, but a board may hold 0 as their number";
    for (int b = 0; b < session_.num_boards(); ++b) {
      if (present(b).memory.motions[idx(m)].count != 0) motion_size(b, m, 0);
    }
    state = "written in part; the boards hold 0 as its number of poses, so that it does not play";
    for (int b = 0; b < session_.num_boards(); ++b) poses(b, m);
    state = "its poses are written, but a board may hold 0 as their number";
    for (int b = 0; b < session_.num_boards(); ++b) {
      const std::uint8_t count = wanted(b).memory.motions[idx(m)].count;
      if (count != 0) motion_size(b, m, count);
    }
  }

  void poses(int b, int m) {
    const vr::StoredMotion& there = present(b).memory.motions[idx(m)];
    const vr::StoredMotion& motion = wanted(b).memory.motions[idx(m)];
    for (int k = 0; k < motion.count; ++k) {
      const vr::StoredPose& pose = motion.poses[idx(k)];
      if (k < there.count && there.poses[idx(k)] == pose) continue;  // spares the EEPROM
      Request request{.command = rcb1::Command::kSetPose,
                      .speed = pose.speed,
                      .motion = to_byte(m),
                      .pose = to_byte(k)};
      request.counts = pose.counts;
      Reply expected;
      expected.speed = pose.speed;
      expected.counts = pose.counts;
      write_verified(session_, b, request,
                     {.command = rcb1::Command::kGetPose, .motion = to_byte(m), .pose = to_byte(k)},
                     expected,
                     board_text(session_, b) + ", motion " + std::to_string(m) + ", pose " +
                         std::to_string(k));
    }
  }

  void scenario_size(int b, int s, std::uint8_t count) {
    Reply expected;
    expected.count = count;
    write_verified(
        session_, b,
        {.command = rcb1::Command::kSetScenarioSize, .scenario = to_byte(s), .count = count},
        {.command = rcb1::Command::kGetScenarioSize, .scenario = to_byte(s)}, expected,
        board_text(session_, b) + ", scenario " + std::to_string(s) + ", number of motions");
  }

  void scenario(int s) {
    state = "written in part; a board may hold 0 as its number of motions";
    for (int b = 0; b < session_.num_boards(); ++b) {
      if (present(b).memory.scenarios[idx(s)].count != 0) scenario_size(b, s, 0);
    }
    for (int b = 0; b < session_.num_boards(); ++b) entries(b, s);
    for (int b = 0; b < session_.num_boards(); ++b) {
      const std::uint8_t count = wanted(b).memory.scenarios[idx(s)].count;
      if (count != 0) scenario_size(b, s, count);
    }
  }

  void entries(int b, int s) {
    const vr::StoredScenario& there = present(b).memory.scenarios[idx(s)];
    const vr::StoredScenario& scenario = wanted(b).memory.scenarios[idx(s)];
    for (int k = 0; k < scenario.count; ++k) {
      if (k < there.count && there.motions[idx(k)] == scenario.motions[idx(k)]) continue;
      Reply expected;
      expected.motion = scenario.motions[idx(k)];
      write_verified(session_, b,
                     {.command = rcb1::Command::kSetScenarioEntry,
                      .motion = scenario.motions[idx(k)],
                      .scenario = to_byte(s),
                      .index = to_byte(k)},
                     {.command = rcb1::Command::kGetScenarioEntry,
                      .scenario = to_byte(s),
                      .index = to_byte(k)},
                     expected,
                     board_text(session_, b) + ", scenario " + std::to_string(s) + ", entry " +
                         std::to_string(k));
    }
  }

  void keys(int b) {
    for (int key = 0; key < wanted(b).keys_answered; ++key) {
      const auto& bytes = wanted(b).memory.keys[idx(key)];
      if (bytes == present(b).memory.keys[idx(key)]) continue;
      Reply expected;
      expected.key_bytes = bytes;
      write_verified(session_, b,
                     {.command = rcb1::Command::kSetKey, .key = to_byte(key), .key_bytes = bytes},
                     {.command = rcb1::Command::kGetKey, .key = to_byte(key)}, expected,
                     board_text(session_, b) + ", key " + std::to_string(key));
    }
  }

  void trim(int b) {
    const auto& trim_deg = wanted(b).memory.trim_deg;
    if (trim_deg == present(b).memory.trim_deg) return;
    Request request{.command = rcb1::Command::kSetTrim};
    request.trim_deg = trim_deg;
    Reply expected;
    expected.trim_deg = trim_deg;
    write_verified(session_, b, request, {.command = rcb1::Command::kGetTrim}, expected,
                   board_text(session_, b) + ", trim");
  }

  void switches(int b) {
    if (wanted(b).switches == present(b).switches) return;
    Reply expected;
    expected.bits = wanted(b).switches;
    write_verified(session_, b, {.command = rcb1::Command::kSetSwitches, .bits = expected.bits},
                   {.command = rcb1::Command::kGetSwitches}, expected,
                   board_text(session_, b) + ", switch bits");
  }

  BoardSession& session_;
  const RestorePlan& plan_;
};

}  // namespace

RestorePlan plan_restore(const BoardSession& session, const MemoryImage& present,
                         const MemoryImage& file) {
  RestorePlan plan;
  plan.present = present;
  plan.wanted = file;
  Sendable(session, plan).clean();
  plan.items = items_of(plan);
  return plan;
}

RestoreResult run_restore(BoardSession& session, const RestorePlan& plan,
                          const MemoryProgress& progress,
                          const std::function<bool()>& stop_requested) {
  RestoreResult result;
  ItemWriter writer(session, plan);
  std::size_t k = 0;
  try {
    for (; k < plan.items.size(); ++k) {
      result.is_interrupted = stop_requested && stop_requested();
      if (result.is_interrupted) break;
      if (progress) {
        progress(static_cast<double>(k) / static_cast<double>(plan.items.size()),
                 plan.items[k].name);
      }
      writer.write(plan.items[k]);
      result.written.push_back(plan.items[k].name);
    }
  } catch (const PortError& error) {
    result.failure = error.what();
    result.port_is_gone = true;
  } catch (const LinkError& error) {
    result.failure = error.what();
  }
  if (result.is_interrupted) {
    result.failure = session.name() + ": interrupted";
  } else if (k < plan.items.size()) {
    result.cut_off = plan.items[k].name + ": " + writer.state;
    ++k;
  }
  for (; k < plan.items.size(); ++k) result.untouched.push_back(plan.items[k].name);
  return result;
}

}  // namespace kagami::tools
