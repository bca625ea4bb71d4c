/// Writes a motion to the boards' memories as a program with stored mode does, for runs in tests.
#pragma once

#include <gtest/gtest.h>

#include "drivers/rcb1/khr1_link.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/app/run.hpp"

namespace kagami::test {

/// The motion of `setup` into its slot on every board.
inline void store_motion(const runtime::RunSetup& setup, drivers::BytePort& port,
                         drivers::Clock& clock) {
  using drivers::rcb1::Command;
  using drivers::rcb1::Request;
  drivers::Khr1Link link(port, clock, setup.robot.wiring);
  const auto slot = static_cast<std::uint8_t>(setup.config.stored_slot);
  const auto write = [&](int board, const Request& request) {
    drivers::rcb1::Reply reply;
    EXPECT_EQ(link.board(board).ask(request, reply, {clock.now_ns() + drivers::kAskNs}),
              drivers::IoStatus::kOk);
  };
  for (int b = 0; b < link.num_boards(); ++b) {
    const auto& poses = setup.cycle.stored.poses(b);
    for (std::size_t k = 0; k < poses.size(); ++k) {
      Request pose{.command = Command::kSetPose,
                   .speed = poses[k].code,
                   .motion = slot,
                   .pose = static_cast<std::uint8_t>(k)};
      int refused = -1;
      EXPECT_EQ(link.calibration().to_counts(b, poses[k].angle, pose.counts, refused),
                drivers::IoStatus::kOk);
      write(b, pose);
    }
    write(b, {.command = Command::kSetMotionSize,
              .motion = slot,
              .count = static_cast<std::uint8_t>(poses.size())});
  }
}

/// For RunHooks::store_motion of a run of this configuration.
inline std::function<void(drivers::BytePort&, drivers::Clock&)> storing(
    const runtime::RunConfig& config) {
  return [config](drivers::BytePort& port, drivers::Clock& clock) {
    store_motion(runtime::read_setup(config), port, clock);
  };
}

}  // namespace kagami::test
