#include "tools/robot/home_store.hpp"

#include <algorithm>
#include <cstdlib>

#include "drivers/rcb1/protocol.hpp"
#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "tools/robot/failure_text.hpp"
#include "tools/robot/switches.hpp"

namespace kagami::tools {
namespace {

using drivers::rcb1::kMaxCount;
using drivers::rcb1::kOutputLow;
using drivers::rcb1::kSwitchSleep;

constexpr double kSettleSeconds = 0.5;  // after the boards' ramp, until the joints are at rest
constexpr const char* kNothing = "; no home was stored";

/// Channels without a servo carry what they carry in a run.
std::vector<ChannelCounts> on_joints_alone(const BoardSession& session,
                                           const std::vector<ChannelCounts>& pose) {
  std::vector<ChannelCounts> clean(pose.size());
  for (ChannelCounts& board : clean) board.fill(kOutputLow);
  for (const JointWiring& joint : session.wiring().joints) {
    const auto board = static_cast<std::size_t>(joint.board());
    const auto slot = static_cast<std::size_t>(joint.slot());
    const std::uint8_t count = pose[board][slot];
    if (count > kMaxCount) {
      throw LinkError(session.name() + ": " + joint.joint + " is to be held at " +
                      std::to_string(count) + ", expected 0..180");
    }
    clean[board][slot] = count;
  }
  return clean;
}

void wake_for_hold(BoardSession& session, int board) {
  const Reply before = read_agreed(session, board, {.command = rcb1::Command::kGetSwitches},
                                   board_text(session, board) + ": switch bits");
  if ((before.bits & kSwitchSleep) == 0) return;
  const auto awake = static_cast<std::uint8_t>(before.bits & drivers::rcb1::kSwitchMotion);
  const SwitchResult result = set_switches(session, board, awake);
  if (result.is_confirmed) return;
  throw LinkError(session.name() + ": " + board_text(session, board) +
                  " does not confirm that it is awake (" + result.problem + ")");
}

// no board moves before all of them are awake
void hold(BoardSession& session, const std::vector<ChannelCounts>& pose, int speed) {
  for (int b = 0; b < session.num_boards(); ++b) wake_for_hold(session, b);
  for (int b = 0; b < session.num_boards(); ++b) {
    Request request{.command = rcb1::Command::kSetPositions,
                    .board = static_cast<std::uint8_t>(session.board_id(b)),
                    .speed = static_cast<std::uint8_t>(speed)};
    request.counts = pose[static_cast<std::size_t>(b)];
    std::string problem;
    // the same positions twice are harmless
    const bool is_held = ask_once(session, request, problem) || ask_once(session, request, problem);
    if (is_held) continue;
    throw LinkError(session.name() + ": " + board_text(session, b) +
                    " does not acknowledge the pose to hold (" + problem + ")");
  }
}

/// A servo under load stops beside its target: moves the targets by what is missing, at most twice
/// `agree_deg` from the pose. False: nothing is left to correct.
bool correct_targets(const BoardSession& session, const StoredHome& home, int agree_deg,
                     std::vector<ChannelCounts>& target) {
  bool is_changed = false;
  for (const JointWiring& joint : session.wiring().joints) {
    const std::size_t board = idx(joint.board());
    const std::size_t slot = idx(joint.slot());
    const int wanted = home.held[board][slot];
    const int missing = wanted - int{home.read[board][slot]};
    const int lowest = std::max(0, wanted - 2 * agree_deg);
    const int highest = std::min(int{kMaxCount}, wanted + 2 * agree_deg);
    const int next = std::clamp(int{target[board][slot]} + missing, lowest, highest);
    is_changed |= next != int{target[board][slot]};
    target[board][slot] = static_cast<std::uint8_t>(next);
  }
  return is_changed;
}

std::string stored_so_far(const BoardSession& session, int boards) {
  std::string text;
  for (int b = 0; b < session.num_boards(); ++b) {
    text += (b == 0 ? "; " : ", ") + board_text(session, b) +
            (b < boards    ? " has the new home"
             : b == boards ? " was not confirmed"
                           : " was not changed");
  }
  return text;
}

/// FB once: what it stores depends on when it is executed.
ChannelCounts store_on(BoardSession& session, int board, const ChannelCounts& read) {
  std::string problem;
  const Request store{.command = rcb1::Command::kStoreHome,
                      .board = static_cast<std::uint8_t>(session.board_id(board))};
  static_cast<void>(ask_once(session, store, problem));
  const ChannelCounts stored = read_agreed(session, board, {.command = rcb1::Command::kGetHome},
                                           board_text(session, board) + ": home")
                                   .counts;
  for (const JointWiring& joint : session.wiring().joints) {
    if (joint.board() != board) continue;
    const std::size_t slot = idx(joint.slot());
    if (std::abs(int{stored[slot]} - int{read[slot]}) <= 1) continue;
    throw LinkError(session.name() + ": " + board_text(session, board) + ": home of " +
                    joint.joint + " reads back as " + std::to_string(stored[slot]) +
                    " deg, the joint read " + std::to_string(read[slot]) + " deg" +
                    (problem.empty() ? "" : " (" + problem + ")"));
  }
  return stored;
}

void end_if_stopped(const BoardSession& session, const HomeRules& rules) {
  if (!rules.stop_requested || !rules.stop_requested()) return;
  throw HomeInterrupted(session.name() + ": interrupted" + kNothing);
}

/// Holds the pose until it is read, as store_home states it.
void hold_until_read(BoardSession& session, const std::optional<std::vector<ChannelCounts>>& pose,
                     const HomeRules& rules, StoredHome& home) {
  home.before = read_homes(session);
  const std::vector<ChannelCounts> present = counts_of(read_pose(session));
  home.held = on_joints_alone(session, pose.value_or(present));
  std::vector<ChannelCounts> target = home.held;
  std::vector<ChannelCounts> from = present;
  for (int k = 0; k < rules.rounds; ++k) {
    end_if_stopped(session, rules);
    hold(session, target, rules.speed);
    const int travel = largest_difference(session, from, target).degrees;
    session.wait(session.wiring().speed.duration(rules.speed, travel) + kSettleSeconds);
    home.read = counts_of(read_pose(session));
    from = target;
    if (!correct_targets(session, home, rules.agree_deg, target)) break;
  }
  const LargestDifference off = largest_difference(session, home.held, home.read);
  if (off.degrees > rules.agree_deg) {
    throw LinkError(session.name() + ": " + session.wiring().joints[idx(off.joint)].joint +
                    " reads " + std::to_string(off.degrees) +
                    " deg beside what is held, expected at most " +
                    std::to_string(rules.agree_deg));
  }
  end_if_stopped(session, rules);
}

}  // namespace

std::vector<ChannelCounts> read_homes(BoardSession& session) {
  std::vector<ChannelCounts> homes;
  for (int b = 0; b < session.num_boards(); ++b) {
    homes.push_back(read_agreed(session, b, {.command = rcb1::Command::kGetHome},
                                board_text(session, b) + ": home")
                        .counts);
  }
  return homes;
}

StoredHome store_home(BoardSession& session, const std::optional<std::vector<ChannelCounts>>& pose,
                      const HomeRules& rules) {
  StoredHome home;
  with_failure_text([&] { hold_until_read(session, pose, rules, home); }, [] { return kNothing; });
  for (int b = 0; b < session.num_boards(); ++b) {
    home.stored.push_back(with_failure_text([&] { return store_on(session, b, home.read[idx(b)]); },
                                            [&] { return stored_so_far(session, b); }));
  }
  return home;
}

}  // namespace kagami::tools
