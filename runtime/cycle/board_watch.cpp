#include "runtime/cycle/board_watch.hpp"

#include <algorithm>
#include <cmath>

namespace kagami::runtime {
namespace {

/// Calls `visit` with the place of each joint of the board.
template <class Visit>
void for_each_joint(const BoardAngles& angles, Visit visit) noexcept {
  for (int j = 0; j < angles.num_joints; ++j) {
    const auto i = static_cast<std::size_t>(j);
    if (angles.board_of_joint[i] == angles.board) visit(i);
  }
}

/// rad, how far a reading is outside the way from the model to the commands that were sent.
double outside_way(const BoardAngles& angles, std::size_t joint) noexcept {
  const double model = angles.simulated[joint];
  const double measured = model - angles.residual[joint];
  const auto [low, high] = std::minmax(model, angles.sent[joint]);
  return std::max({low - measured, measured - high, 0.0});
}

}  // namespace

void FrozenBoardWatch::begin(const BoardAngles& angles) noexcept {
  begun_ = true;
  begun_ns_ = angles.at_ns;
  moved_ns_ = -1;
  farthest_ = 0.0;
  counts_ = angles.counts;
  for_each_joint(angles, [&](std::size_t i) noexcept {
    simulated_[i].restart(angles.simulated[i]);
    commanded_[i].restart(angles.commanded[i]);
  });
}

void FrozenBoardWatch::add(const BoardAngles& angles) noexcept {
  if (!begun_ || angles.counts != counts_) {
    frozen_ = false;
    return begin(angles);
  }
  int moved = 0;
  for_each_joint(angles, [&](std::size_t i) noexcept {
    simulated_[i].add(angles.simulated[i]);
    commanded_[i].add(angles.commanded[i]);
    farthest_ = std::max(farthest_, simulated_[i].width());
    if (std::min(simulated_[i].width(), commanded_[i].width()) >= kModelMoved) ++moved;
  });
  if (moved_ns_ < 0 && moved >= kJointsMoved) moved_ns_ = angles.at_ns;
  if (moved_ns_ >= 0 && angles.at_ns - moved_ns_ >= kDecideNs) frozen_ = true;
  if (moved_ns_ < 0 && angles.at_ns - begun_ns_ >= kWindowNs) begin(angles);
}

void RestartWatch::add(const BoardAngles& angles, int unanswered) noexcept {
  const bool was_silent =
      last_ns_ >= 0 && angles.at_ns - last_ns_ > silence_ns_ && unanswered >= kUnanswered;
  last_ns_ = angles.at_ns;
  if (was_silent && back_ns_ < 0 && !restarted_) back_ns_ = angles.at_ns;

  int changed = 0;
  double largest = 0.0;
  for_each_joint(angles, [&](std::size_t i) noexcept {
    // both: a difference while it moved is lag, one that was there before is no restart
    const double change =
        std::min(std::abs(angles.residual[i] - before_[i]), outside_way(angles, i));
    largest = std::max(largest, change);
    if (change >= kPoseChange) ++changed;
  });
  if (back_ns_ >= 0 && changed >= kJointsChanged) {
    restarted_ = true;
    change_ = largest;
    back_ns_ = -1;
  }
  if (back_ns_ >= 0 && angles.at_ns - back_ns_ > kAfterNs) back_ns_ = -1;
  if (restarted_ && largest < 0.5 * kPoseChange) restarted_ = false;
  if (back_ns_ >= 0 || restarted_) return;
  for_each_joint(angles, [&](std::size_t i) noexcept { before_[i] = angles.residual[i]; });
}

}  // namespace kagami::runtime
