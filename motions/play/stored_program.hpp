/// A motion as the boards play it from their own memories: every board for itself, each pose as
/// soon as the one before has ended there.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/base/wiring.hpp"
#include "motions/file/motion.hpp"
#include "motions/play/move.hpp"

namespace kagami::motions {

/// Throws ConfigError for what a board's memory cannot hold: a pose without a speed code, more than
/// kMaxStoredPoses, a pose that lasts longer than its code takes. The motion is bound.
void check_stored(const Motion& motion, const RobotWiring& wiring);

/// Built at set-up; everything else is cycle code. Times count from the start of a board.
class StoredProgram {
 public:
  struct Pose {
    JointArray<double> angle{};  ///< rad, whole degrees; joints of other boards too
    std::uint8_t code = 0;
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;  ///< the board begins the next one
  };

  StoredProgram() = default;
  /// The boards start in the motion's first pose. Throws ConfigError as check_stored.
  StoredProgram(const Motion& motion, const RobotWiring& wiring);

  [[nodiscard]] bool is_empty() const noexcept { return boards_[0].empty(); }
  /// What this board plays, in order.
  [[nodiscard]] const std::vector<Pose>& poses(int board) const noexcept {
    return boards_[static_cast<std::size_t>(board)];
  }
  /// s until the last board has ended.
  [[nodiscard]] double duration() const noexcept;
  /// s from the end of the first board to that of the last.
  [[nodiscard]] double spread() const noexcept;
  /// Where boards that started together are at `t` s.
  void point(double t, MovePoint& point) const noexcept;
  [[nodiscard]] const BoardLayout& layout() const noexcept { return layout_; }

 private:
  BoardLayout layout_;
  std::array<std::vector<Pose>, kMaxBoards> boards_;
  int num_boards_ = 0;
};

/// When the boards of a program, each started at its own time, begin their poses. Cycle code after
/// construction.
class StoredPlayback {
 public:
  StoredPlayback() = default;
  explicit StoredPlayback(StoredProgram program) : program_(std::move(program)) {}

  /// What was playing is over.
  void stop(int board) noexcept { playing_[static_cast<std::size_t>(board)] = {}; }
  void start(int board, std::int64_t at_ns) noexcept;
  /// The next pose that a board begins before `until_ns`; each is returned once.
  struct Begin {
    int board = 0;
    const StoredProgram::Pose* pose = nullptr;
    std::int64_t at_ns = 0;
  };
  [[nodiscard]] std::optional<Begin> next(std::int64_t until_ns) noexcept;
  /// Of this board: one of its poses has begun.
  [[nodiscard]] bool has_begun(int board) const noexcept {
    return playing_[static_cast<std::size_t>(board)].next > 0;
  }
  /// Which board moves each joint.
  [[nodiscard]] const BoardLayout& layout() const noexcept { return program_.layout(); }

 private:
  struct Playing {
    bool is_on = false;
    std::size_t next = 0;  // pose
    std::int64_t start_ns = 0;
  };
  StoredProgram program_;
  std::array<Playing, kMaxBoards> playing_{};
};

}  // namespace kagami::motions
