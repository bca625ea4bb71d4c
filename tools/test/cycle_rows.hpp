/// Rows of /cycle of a made-up robot with two joints on two boards.
#pragma once

#include <limits>
#include <vector>

#include "models/base/wiring.hpp"
#include "runtime/channels/cycle_types.hpp"

namespace kagami::test {

inline RobotWiring two_joint_wiring() {
  RobotWiring wiring;
  wiring.boards = {{0, false}, {1, false}};
  JointWiring left;
  left.joint = "left_knee";
  left.channel = 3;  // board 0
  JointWiring right;
  right.joint = "right_knee";
  right.channel = 15;  // board 1
  wiring.joints = {left, right};
  return wiring;
}

/// A row at `ms` after an arbitrary epoch, both joints at `q` in the model, no new sample.
inline runtime::CycleRecord row_at(int ms, runtime::Phase phase, double q) {
  runtime::CycleRecord row;
  row.in.tick = ms;
  row.in.now_ns = 777'000'000'000 + std::int64_t{1'000'000} * ms;
  row.out.phase = phase;
  for (std::size_t j = 0; j < 2; ++j) row.out.q_simulated[j] = q;
  return row;
}

/// Adds a reading of `board` taken at `ms`.
inline void add_reading(runtime::CycleRecord& row, std::size_t board, double ms, double angle) {
  row.in.sample_is_new = true;
  row.in.sample.reading[board].is_new = true;
  row.in.sample.reading[board].sampled_ns =
      777'000'000'000 + static_cast<std::int64_t>(1'000'000.0 * ms);
  row.in.sample.angle[board] = angle;  // joint index = board index in this robot
}

}  // namespace kagami::test
