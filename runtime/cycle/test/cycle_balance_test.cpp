// Balance inside the cycle, on the floor: it stays upright, its records verify, it holds when its
// support foot hangs in the air.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "runtime/cycle/cycle_cdr.hpp"
#include "runtime/cycle/test/support/closed_loop.hpp"
#include "runtime/cycle/verify.hpp"
#include "runtime/test/support/khr1_joints.hpp"

namespace kagami::runtime {
namespace {

using control::ControlStatus;
using test::ClosedLoop;
using test::khr1_on_floor;
using test::kKhr1Joints;

CycleConfig balanced() {
  CycleConfig config;
  config.play.mode = motions::PlayMode::kStream;
  config.play.settle = 1.0;
  config.floor = models::FloorOptions{};
  config.control.gains = {
      read_text_file(KAGAMI_SOURCE_DIR "/control/data/gains/khr1_balance.json")};
  return config;
}

motions::Motion still() {
  return test::make_motion(khr1_on_floor(), {{1.0, {}, 6}, {1.0, {}, 6}});
}

TEST(CycleBalance, ABalancedReferenceModelStandsStillWithBothSolesWhereTheyWere) {
  ClosedLoop loop(test::khr1(), khr1_on_floor(), still(), balanced());
  ASSERT_TRUE(loop.run_until(Phase::kDone));
  EXPECT_EQ(loop.events(EventCode::kControlBegan).size(), 1u);
  double most = 0.0;
  for (const CycleRecord& row : loop.rows()) {
    for (std::size_t j = 0; j < kKhr1Joints && row.out.controller == 0; ++j) {
      most = std::max(most, std::abs(row.out.q_loop[j]));
    }
  }
  EXPECT_LT(most, 1e-6);  // rad; gravity alone, which its torques carry
}

TEST(CycleBalance, RecordsVerifyBitForBit) {
  ClosedLoop loop(test::khr1(), khr1_on_floor(), still(), balanced());
  ASSERT_TRUE(loop.run_until(Phase::kDone));
  CycleCore core(khr1_on_floor(), still(), balanced());
  std::vector<std::byte> bytes;
  auto at = loop.rows().begin();
  const VerifyResult result = verify(
      [&](CycleRecord& row) {
        if (at == loop.rows().end()) return false;
        write_cycle_cdr(*at++, kKhr1Joints, bytes);
        int joints = 0;
        return read_cycle_cdr(bytes, row, joints) == CdrStatus::kOk;
      },
      core);
  EXPECT_TRUE(result.identical) << result.field << " at " << result.tick;
}

/// One event with the foot's height, and the robot rests at its last target.
void expect_held_in_air(ClosedLoop& loop) {
  const std::vector<Event> found = loop.events(EventCode::kControlFootInAir);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].joint, -1);
  EXPECT_GT(found[0].value, 0.02);  // m
  EXPECT_LT(found[0].value, 0.2);
  EXPECT_EQ(loop.out().phase, Phase::kHeld);
  EXPECT_EQ(loop.out().controller, -1);
  EXPECT_EQ(loop.out().control_status, ControlStatus::kFootInAir);
  const JointArray<double> target = loop.out().targets.angle;
  loop.run(300);
  EXPECT_EQ(loop.out().targets.angle, target);
  EXPECT_EQ(loop.events(EventCode::kControlFootInAir).size(), 1u);
}

// another source has commanded the boards to lift the right leg: the shadow does what they
// acknowledge
TEST(CycleBalance, HoldsWhenItsSupportFootIsLifted) {
  ClosedLoop loop(test::khr1(), khr1_on_floor(), still(), balanced());
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.run(200);
  EXPECT_EQ(loop.out().controller, 0);
  loop.spoil = [](CycleInput& in) {
    static const int hip = test::joint_index(khr1_on_floor(), "right_hip_pitch");
    static const JointWiring& wiring = khr1_on_floor().wiring.joints[static_cast<std::size_t>(hip)];
    drivers::BoardCommand& command = in.sample.command[static_cast<std::size_t>(wiring.board())];
    command.counts[static_cast<std::size_t>(wiring.slot())] =
        static_cast<std::uint8_t>(wiring.home_deg - wiring.sign * 60);
    command.sequence = 1'000'000;  // not the cycle's own
    command.effective_ns = in.now_ns;
  };
  ASSERT_TRUE(loop.run_until(Phase::kHeld, 1500));
  expect_held_in_air(loop);
}

// it lies on its back: there is no floor under its sole to begin with
TEST(CycleBalance, DoesNotBeginOnAFootInTheAir) {
  CycleConfig config = balanced();
  const double half = std::sqrt(0.5);
  config.start.turn = {half, 0.0, -half, 0.0};
  config.start.tilt = to_rad(90.0);
  ClosedLoop loop(test::khr1(), khr1_on_floor(), still(), config);
  ASSERT_TRUE(loop.run_until(Phase::kHeld));
  EXPECT_TRUE(loop.events(EventCode::kControlBegan).empty());
  expect_held_in_air(loop);
}

}  // namespace
}  // namespace kagami::runtime
