#include "runtime/threads/stop_request.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace kagami::runtime {
namespace {

TEST(StopRequest, ClimbsOneLevelPerRaiseAndStaysAtRelease) {
  StopRequest stop;
  EXPECT_EQ(stop.level(), StopLevel::kNone);
  stop.raise();
  EXPECT_EQ(stop.level(), StopLevel::kSlowDown);
  stop.raise();
  EXPECT_EQ(stop.level(), StopLevel::kHoldNow);
  stop.raise();
  EXPECT_EQ(stop.level(), StopLevel::kRelease);
  stop.raise();
  EXPECT_EQ(stop.level(), StopLevel::kRelease);
}

TEST(StopRequest, NeverGoesBack) {
  StopRequest stop;
  stop.raise_to(StopLevel::kHoldNow);
  stop.raise_to(StopLevel::kSlowDown);
  EXPECT_EQ(stop.level(), StopLevel::kHoldNow);
}

TEST(StopRequest, RearmsWhatWasSeenButNeverARelease) {
  StopRequest stop;
  stop.raise();
  const std::uint32_t seen = stop.seen();
  stop.raise();
  EXPECT_FALSE(stop.rearm(seen));  // a stop was requested since
  EXPECT_EQ(stop.level(), StopLevel::kHoldNow);
  EXPECT_TRUE(stop.rearm(stop.seen()));
  EXPECT_EQ(stop.level(), StopLevel::kNone);
  stop.raise_to(StopLevel::kRelease);
  EXPECT_FALSE(stop.rearm(stop.seen()));
  EXPECT_EQ(stop.level(), StopLevel::kRelease);
}

TEST(StopRequest, LosesNoRaiseOfTwoThreads) {
  for (int i = 0; i < 200; ++i) {
    StopRequest stop;
    std::thread other([&] { stop.raise(); });
    stop.raise();
    other.join();
    ASSERT_EQ(stop.level(), StopLevel::kHoldNow);
  }
}

}  // namespace
}  // namespace kagami::runtime
