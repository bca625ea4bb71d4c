#include "tools/robot/stored_slot.hpp"

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "motions/play/stored_program.hpp"
#include "tools/robot/board_writes.hpp"

namespace kagami::tools {
namespace {

namespace vr = drivers::virtual_robot;

std::vector<StoredMotion> by_board(const motions::Motion& motion, const RobotWiring& wiring) {
  motions::check_stored(motion, wiring);
  const drivers::rcb1::Calibration calibration(wiring);
  std::vector<StoredMotion> boards(wiring.boards.size());
  for (std::size_t k = 0; k < motion.poses.size(); ++k) {
    JointArray<double> angles{};
    for (std::size_t j = 0; j < motion.joints.size(); ++j) {
      angles[j] = motion.poses[k].angle[j].value_or(0.0);
    }
    for (std::size_t b = 0; b < boards.size(); ++b) {
      vr::StoredPose& pose = boards[b].poses[k];
      pose.speed = static_cast<std::uint8_t>(motion.poses[k].speed.value_or(0));
      int refused = -1;
      const drivers::IoStatus status =
          calibration.to_counts(static_cast<int>(b), angles, pose.counts, refused);
      if (status == drivers::IoStatus::kOk) continue;
      throw ConfigError("--mode stored: pose " + std::to_string(k) + ": " +
                        wiring.joints[idx(refused)].joint + " is outside the counts 0..180");
    }
  }
  for (StoredMotion& board : boards) board.count = static_cast<std::uint8_t>(motion.poses.size());
  return boards;
}

bool plays_same(const std::vector<StoredMotion>& a, const std::vector<StoredMotion>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const StoredMotion& left, const StoredMotion& right) {
                      return left.count == right.count &&
                             std::equal(left.poses.begin(), left.poses.begin() + left.count,
                                        right.poses.begin());
                    });
}

bool is_empty(const std::vector<StoredMotion>& boards) {
  return in_use(boards) == 0;
}

int stored_size(BoardSession& session, int board, int slot) {
  const auto motion = static_cast<std::uint8_t>(slot);
  return read_agreed(session, board, {.command = rcb1::Command::kGetMotionSize, .motion = motion},
                     board_text(session, board) + ": motion " + std::to_string(slot))
      .count;
}

// "1, 4..7": motions that are empty on every board
std::string free_slots(BoardSession& session) {
  std::string text;
  int first = -1;  // of a run of free ones
  for (int slot = 0; slot <= vr::kMotions; ++slot) {
    bool is_free = slot < vr::kMotions;
    for (int b = 0; is_free && b < session.num_boards(); ++b) {
      is_free = stored_size(session, b, slot) == 0;
    }
    if (is_free && first < 0) first = slot;
    if (is_free || first < 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(first);
    if (slot - 1 > first) text += ".." + std::to_string(slot - 1);
    first = -1;
  }
  return text;
}

[[noreturn]] void refuse_used(BoardSession& session, int slot,
                              const std::vector<StoredMotion>& boards) {
  std::string text = "--mode stored: motion " + std::to_string(slot) + " of the boards is in use (";
  for (std::size_t b = 0; b < boards.size(); ++b) {
    text += (b == 0 ? "" : ", ") + board_text(session, static_cast<int>(b)) + ": " +
            std::to_string(boards[b].count) + " poses";
  }
  const std::string free = free_slots(session);
  text += free.empty()
              ? "), and so are all 40; expected --slot-overwrite"
              : "); expected --slot with one that is free (" + free + "), or --slot-overwrite";
  throw ConfigError(text + ", with --slot-restore to put its motion back after the run");
}

}  // namespace

StoredSlot::StoredSlot(const StoredSlotChoice& choice, const motions::Motion& motion,
                       const RobotWiring& wiring, std::string port_name)
    : choice_(choice),
      wiring_(wiring),
      port_name_(std::move(port_name)),
      motion_(by_board(motion, wiring)) {}

void StoredSlot::store(drivers::BytePort& port, drivers::Clock& clock,
                       const std::function<bool()>& is_stopped) {
  if (is_stopped && is_stopped()) return;
  BoardSession session(port, clock, wiring_, port_name_);
  before_ = read_stored_motion(session, choice_.slot);
  const std::string where = std::to_string(motion_.front().count) + " poses are in motion " +
                            std::to_string(choice_.slot) + " of every board";
  if (plays_same(before_, motion_)) {
    text_ = where + ", as before";
    return;
  }
  if (!is_empty(before_) && !choice_.overwrites) refuse_used(session, choice_.slot, before_);
  try {
    is_written_ = write_all(session, motion_, is_stopped);
  } catch (const LinkError& error) {
    throw LinkError(error.what() + left_after_failure(port, clock));
  } catch (const PortError& error) {
    throw PortError(error.what() + left_after_failure(port, clock));
  }
  text_ = is_written_ ? where + ", written and read back"
                      : "the motion was not written: a stop was requested";
}

// "; its former motion is back"
std::string StoredSlot::left_after_failure(drivers::BytePort& port, drivers::Clock& clock) {
  restore(port, clock, true);
  if (is_restored_) return "; its former motion is back";
  return "; " + (problem_.empty() ? doubt() : problem_);
}

// what may be in the slot after a failure
std::string StoredSlot::doubt() const {
  return "do not play motion " + std::to_string(choice_.slot) + " before it is written again";
}

bool StoredSlot::write_all(BoardSession& session, const std::vector<StoredMotion>& boards,
                           const std::function<bool()>& is_stopped) {
  is_changed_ = true;
  for (int b = 0; b < session.num_boards(); ++b) write_motion_size(session, b, choice_.slot, 0);
  for (int b = 0; b < session.num_boards(); ++b) {
    const StoredMotion& board = boards[idx(b)];
    for (int k = 0; k < board.count; ++k) {
      if (is_stopped && is_stopped()) return false;
      write_pose(session, b, choice_.slot, k, board.poses[idx(k)]);
    }
  }
  for (int b = 0; b < session.num_boards(); ++b) {
    if (boards[idx(b)].count > 0) write_motion_size(session, b, choice_.slot, boards[idx(b)].count);
  }
  return true;
}

void StoredSlot::restore(drivers::BytePort& port, drivers::Clock& clock, bool is_still) noexcept {
  if (!choice_.restores || !is_changed_ || is_restored_) return;
  const std::string what =
      "motion " + std::to_string(choice_.slot) + " of the boards was NOT put back: ";
  if (!is_still) {
    problem_ = what +
               "the stop is not confirmed, and a board that still plays must not be written to; it "
               "holds the motion of this run";
    return;
  }
  try {
    BoardSession session(port, clock, wiring_, port_name_);
    is_restored_ = write_all(session, before_, {});
    problem_.clear();
  } catch (const std::exception& error) {
    problem_ = what + error.what() + "; " + doubt();
  }
}

nlohmann::json StoredSlot::json() const {
  return {{"slot", choice_.slot},
          {"written", is_written_},
          {"restored", choice_.restores && is_changed_ ? nlohmann::json(is_restored_)
                                                       : nlohmann::json(nullptr)},
          {"problem", problem_.empty() ? nlohmann::json(nullptr) : nlohmann::json(problem_)}};
}

}  // namespace kagami::tools
