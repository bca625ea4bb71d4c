#include "drivers/rcb1/board_memory.hpp"

#include "models/base/errors.hpp"

namespace kagami::drivers {
namespace {

using rcb1::Command;
using rcb1::Reply;
using rcb1::Request;

constexpr int kMaxPoses = 100;
constexpr int kMaxMotion = 39;

std::string board_text(Khr1Link& link, const std::string& name, int board) {
  return name + ": board " + std::to_string(link.board(board).id()) + ": ";
}

IoStatus ask_once(Khr1Link& link, const std::string& name, int board, const Request& request,
                  Reply& reply) {
  const Deadline deadline{link.line().clock().now_ns() + kAskNs};
  const IoStatus s = link.board(board).ask(request, reply, deadline);
  if (s == IoStatus::kGone) throw PortError(name + ": the port went away");
  if (s == IoStatus::kRefused) {
    throw ConfigError(board_text(link, name, board) +
                      "a value is outside what the board can hold (0..180 deg, speed 0..7, trim "
                      "-20..19 deg)");
  }
  return s;
}

/// Reading a value may be repeated freely.
Reply read_back(Khr1Link& link, const std::string& name, int board, const Request& request,
                const std::string& what) {
  IoStatus s = IoStatus::kTimedOut;
  for (int i = 0; i < kAskTries; ++i) {
    Reply reply;
    s = ask_once(link, name, board, request, reply);
    if (s == IoStatus::kOk) return reply;
  }
  throw LinkError(board_text(link, name, board) + "its " + what +
                  " cannot be read: " + io_status_text(s));
}

/// Writes until `holds` says that the board has it. A write that was not acknowledged may have been
/// done all the same: look first, write again only when it was not.
template <class Holds>
void write_until(Khr1Link& link, const std::string& name, int board, const Request& request,
                 const std::string& what, const Holds& holds) {
  for (int i = 0; i < kAskTries; ++i) {
    Reply reply;
    static_cast<void>(ask_once(link, name, board, request, reply));
    if (holds()) return;
  }
  throw LinkError(board_text(link, name, board) + "does not hold the " + what +
                  " that was written, after " + std::to_string(kAskTries) + " tries");
}

std::string pose_text(int motion, std::size_t pose) {
  return "pose " + std::to_string(pose) + " of motion " + std::to_string(motion);
}

void require_motion(int motion) {
  if (motion >= 0 && motion <= kMaxMotion) return;
  throw ConfigError("motion " + std::to_string(motion) + " is outside 0..39");
}

Request for_motion(Command command, int motion, std::size_t pose = 0) {
  return {.command = command,
          .motion = static_cast<std::uint8_t>(motion),
          .pose = static_cast<std::uint8_t>(pose)};
}

void store_pose(Khr1Link& link, const std::string& name, int board, int motion, std::size_t index,
                const StoredPose& pose) {
  const ChannelCounts& counts = pose.counts[static_cast<std::size_t>(board)];
  const std::string what = pose_text(motion, index);
  const auto holds = [&] {
    const Reply r =
        read_back(link, name, board, for_motion(Command::kGetPose, motion, index), what);
    return r.speed == pose.speed && r.counts == counts;
  };
  if (holds()) return;
  Request request = for_motion(Command::kSetPose, motion, index);
  request.speed = pose.speed;
  request.counts = counts;
  write_until(link, name, board, request, what, holds);
}

int motion_size(Khr1Link& link, const std::string& name, int board, int motion) {
  return read_back(link, name, board, for_motion(Command::kGetMotionSize, motion),
                   "size of motion " + std::to_string(motion))
      .count;
}

}  // namespace

void store_motion(Khr1Link& link, const std::string& name, int motion,
                  std::span<const StoredPose> poses, const StoreProgress& progress) {
  require_motion(motion);
  if (poses.empty() || poses.size() > kMaxPoses) {
    throw ConfigError("motion " + std::to_string(motion) + " has " + std::to_string(poses.size()) +
                      " poses, expected 1..100");
  }
  for (std::size_t i = 0; i < poses.size(); ++i) {
    for (int b = 0; b < link.num_boards(); ++b) store_pose(link, name, b, motion, i, poses[i]);
    if (progress) progress(static_cast<int>(i) + 1, static_cast<int>(poses.size()));
  }
  for (int b = 0; b < link.num_boards(); ++b) {
    Request request = for_motion(Command::kSetMotionSize, motion);
    request.count = static_cast<std::uint8_t>(poses.size());
    const auto holds = [&] { return motion_size(link, name, b, motion) == request.count; };
    if (holds()) continue;
    write_until(link, name, b, request, "size of motion " + std::to_string(motion), holds);
  }
}

std::vector<StoredPose> read_motion(Khr1Link& link, const std::string& name, int motion) {
  require_motion(motion);
  const int size = motion_size(link, name, 0, motion);
  std::vector<StoredPose> poses(static_cast<std::size_t>(size));
  for (int b = 0; b < link.num_boards(); ++b) {
    if (const int other = motion_size(link, name, b, motion); other != size) {
      throw LinkError(board_text(link, name, b) + "motion " + std::to_string(motion) + " has " +
                      std::to_string(other) + " poses, on the first board " + std::to_string(size));
    }
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const Reply r =
          read_back(link, name, b, for_motion(Command::kGetPose, motion, i), pose_text(motion, i));
      if (b > 0 && r.speed != poses[i].speed) {
        throw LinkError(board_text(link, name, b) + pose_text(motion, i) + " has speed " +
                        std::to_string(r.speed) + ", on the first board " +
                        std::to_string(poses[i].speed));
      }
      poses[i].speed = r.speed;
      poses[i].counts[static_cast<std::size_t>(b)] = r.counts;
    }
  }
  return poses;
}

ChannelCounts read_home(Khr1Link& link, const std::string& name, int board) {
  return read_back(link, name, board, {.command = Command::kGetHome}, "home").counts;
}

ChannelCounts store_home(Khr1Link& link, const std::string& name, int board) {
  for (int i = 0; i < kAskTries; ++i) {
    const ChannelCounts before =
        read_back(link, name, board, {.command = Command::kGetPositions}, "positions").counts;
    Reply reply;
    const IoStatus s = ask_once(link, name, board, {.command = Command::kStoreHome}, reply);
    const ChannelCounts home = read_home(link, name, board);
    // without an acknowledgement only the board's memory tells whether it was done
    if (s == IoStatus::kOk || home == before) return home;
  }
  throw LinkError(board_text(link, name, board) + "does not store its home");
}

BoardTrim read_trim(Khr1Link& link, const std::string& name, int board) {
  return read_back(link, name, board, {.command = Command::kGetTrim}, "trim").trim_deg;
}

void write_trim(Khr1Link& link, const std::string& name, int board, const BoardTrim& trim_deg) {
  Request request{.command = Command::kSetTrim};
  request.trim_deg = trim_deg;
  write_until(link, name, board, request, "trim",
              [&] { return read_trim(link, name, board) == trim_deg; });
}

}  // namespace kagami::drivers
