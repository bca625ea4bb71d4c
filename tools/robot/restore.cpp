#include "tools/robot/restore.hpp"

#include <algorithm>

#include "drivers/rcb1/protocol.hpp"
#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "tools/robot/board_writes.hpp"
#include "tools/robot/home_store.hpp"

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
    // those do not play and are not read
    std::fill(motion.poses.begin() + motion.count, motion.poses.end(), vr::StoredPose{});
    if (motion == plan_.present.boards[idx(b)].memory.motions[idx(m)]) return;
    for (int k = 0; k < motion.count; ++k) {
      vr::StoredPose& pose = motion.poses[idx(k)];
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

std::vector<RestoreItem> items_of(const RestorePlan& plan, bool stores_home) {
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
  if (stores_home) items.push_back({RestoreKind::kHome, 0, "home"});
  // a board is woken to store its home
  const bool was_asleep =
      std::any_of(plan.present.boards.begin(), plan.present.boards.end(),
                  [](const BoardImage& b) { return (b.switches & rcb1::kSwitchSleep) != 0; });
  if (differs(plan, [](const BoardImage& b) { return b.switches; }) ||
      (stores_home && was_asleep)) {
    items.push_back({RestoreKind::kSwitches, 0, "switch bits"});
  }
  return items;
}

/// Writes one item; `state` says at any time what a failure would leave behind.
class ItemWriter {
 public:
  ItemWriter(BoardSession& session, const RestorePlan& plan,
             const std::function<bool()>& stop_requested)
      : session_(session), plan_(plan), stop_requested_(stop_requested) {}

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
      case RestoreKind::kHome:
        return home();
      case RestoreKind::kSwitches:
        return each_board([this](int b) { write_switches(session_, b, wanted(b).switches); });
    }
  }

 private:
  const BoardImage& present(int b) const { return plan_.present.boards[idx(b)]; }
  const BoardImage& wanted(int b) const { return plan_.wanted.boards[idx(b)]; }

  template <class Write>
  void each_board(Write write_board) {
    std::string written;
    for (int b = 0; b < session_.num_boards(); ++b) {
      state = written + "unchanged or written in part on " + board_text(session_, b);
      write_board(b);
      written += "written on " + board_text(session_, b) + ", ";
    }
  }

  void motion(int m) {
    state = "its poses are unchanged, but a board may hold 0 as their number";
    for (int b = 0; b < session_.num_boards(); ++b) {
      if (present(b).memory.motions[idx(m)].count != 0) write_motion_size(session_, b, m, 0);
    }
    state = "written in part; the boards hold 0 as its number of poses, so that it does not play";
    for (int b = 0; b < session_.num_boards(); ++b) poses(b, m);
    state = "its poses are written, but a board may hold 0 as their number";
    for (int b = 0; b < session_.num_boards(); ++b) {
      const std::uint8_t count = wanted(b).memory.motions[idx(m)].count;
      if (count != 0) write_motion_size(session_, b, m, count);
    }
  }

  void poses(int b, int m) {
    const vr::StoredMotion& there = present(b).memory.motions[idx(m)];
    const vr::StoredMotion& motion = wanted(b).memory.motions[idx(m)];
    for (int k = 0; k < motion.count; ++k) {
      const vr::StoredPose& pose = motion.poses[idx(k)];
      if (k < there.count && there.poses[idx(k)] == pose) continue;  // spares the EEPROM
      write_pose(session_, b, m, k, pose);
    }
  }

  void scenario(int s) {
    state = "written in part; a board may hold 0 as its number of motions";
    std::vector<StoredScenario> there;
    std::vector<StoredScenario> all;
    for (int b = 0; b < session_.num_boards(); ++b) {
      there.push_back(present(b).memory.scenarios[idx(s)]);
      all.push_back(wanted(b).memory.scenarios[idx(s)]);
    }
    write_scenario(session_, s, there, all);
  }

  void keys(int b) {
    for (int key = 0; key < wanted(b).keys_answered; ++key) {
      const auto& bytes = wanted(b).memory.keys[idx(key)];
      if (bytes != present(b).memory.keys[idx(key)]) write_key(session_, b, key, bytes);
    }
  }

  void trim(int b) {
    const auto& trim_deg = wanted(b).memory.trim_deg;
    if (trim_deg != present(b).memory.trim_deg) write_trim(session_, b, trim_deg);
  }

  void home() {
    state = "the robot may hold its new home; the error states on which boards it is stored";
    std::vector<ChannelCounts> pose;
    for (const BoardImage& board : plan_.wanted.boards) pose.push_back(board.memory.home);
    static_cast<void>(store_home(session_, pose, {.stop_requested = stop_requested_}));
  }

  BoardSession& session_;
  const RestorePlan& plan_;
  const std::function<bool()>& stop_requested_;
};

}  // namespace

RestorePlan plan_restore(const BoardSession& session, const MemoryImage& present,
                         const MemoryImage& file, bool with_home) {
  RestorePlan plan;
  plan.present = present;
  plan.wanted = file;
  Sendable(session, plan).clean();
  const bool stores_home =
      with_home && !home_differences(session, plan.present, plan.wanted).empty();
  plan.items = items_of(plan, stores_home);
  return plan;
}

RestoreResult run_restore(BoardSession& session, const RestorePlan& plan,
                          const MemoryProgress& progress,
                          const std::function<bool()>& stop_requested) {
  RestoreResult result;
  ItemWriter writer(session, plan, stop_requested);
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
  } catch (const HomeInterrupted&) {
    result.is_interrupted = true;
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
