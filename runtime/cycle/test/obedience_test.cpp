/// The detectors together, on readings, model and commands of one joint whose verdict is known.
#include "runtime/cycle/obedience.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "models/base/angle.hpp"
#include "models/base/idx.hpp"
#include "runtime/cycle/test/support/closed_loop.hpp"

namespace kagami::runtime {
namespace {

/// What the boards report of the left knee every 10 ms.
class Knee {
 public:
  Knee() { commands_.fill(0.0); }
  /// `ticks` readings, deg; all other joints stay at 0.
  void run(int ticks, double command, double model, double reading) {
    for (int k = 0; k < ticks; ++k) tick(to_rad(command), to_rad(model), to_rad(reading));
  }
  [[nodiscard]] int implausible() const { return implausible_; }

 private:
  void tick(double command, double model, double reading) {
    now_ns_ += 10'000'000;
    CycleInput in;
    in.tick = now_ns_ / 1'000'000;
    in.now_ns = now_ns_;
    CycleOutput out;
    commands_[joint_] = command;
    in.sample.angle[joint_] = reading;
    out.q_aligned[joint_] = model;
    out.residual[joint_] = model - reading;
    out.residual_is_new.fill(true);
    for (drivers::BoardReading& board : in.sample.reading) {
      board.is_new = true;
      board.sampled_ns = now_ns_;
      board.counts.fill(90);
    }
    EventList events(out, in.tick, lost_);
    static_cast<void>(
        obedience_.check_readings(in, out, {.acknowledged = commands_, .sent = commands_}, events));
    implausible_ +=
        obedience_.ledger().is_active(RobotFault::kImplausibleJoint, static_cast<int>(joint_));
  }

  Obedience obedience_{test::khr1().wiring, CycleConfig{}};
  std::size_t joint_ = idx(test::joint_index(test::khr1(), "left_knee"));
  JointArray<double> commands_{};
  std::int64_t now_ns_ = 0;
  std::uint64_t lost_ = 0;
  int implausible_ = 0;  // ticks
};

// A load bends the joint by 20 deg, in the model too: reading and command differ constantly. That
// becomes a fault when the model is somewhere else, but not for a moment: a robot may be late.
TEST(Obedience, AJointUnderLoadIsImplausibleOnlyFarFromTheModelForHalfASecond) {
  for (const int ticks : {20, 100}) {
    SCOPED_TRACE(ticks);
    Knee knee;
    for (int k = 0; k < 3; ++k) {
      knee.run(100, 40.0, 20.0, 20.0);
      knee.run(100, 0.0, -20.0, -20.0);
    }
    EXPECT_EQ(knee.implausible(), 0);
    knee.run(ticks, 0.0, -4.0, -20.0);
    EXPECT_EQ(knee.implausible() > 0, ticks == 100);
  }
}

}  // namespace
}  // namespace kagami::runtime
