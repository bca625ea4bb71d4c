#include "runtime/clock/clock.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kagami::runtime {
namespace {

/// Writes its name and the time at every call; optionally tries to sleep inside.
class Diary final : public TimedTask {
 public:
  Diary(char name, std::int64_t period_ns, std::string& text, drivers::Clock* sleeps_on = nullptr)
      : name_(name), period_ns_(period_ns), text_(&text), clock_(sleeps_on) {}
  std::int64_t run_at(std::int64_t at_ns) noexcept override {
    *text_ += name_ + std::to_string(at_ns) + " ";
    if (clock_ != nullptr) clock_->sleep_until(at_ns + 1000);
    return period_ns_ < 0 ? -1 : at_ns + period_ns_;
  }

 private:
  char name_;
  std::int64_t period_ns_;
  std::string* text_;
  drivers::Clock* clock_;
};

TEST(SteadyClock, StartsAtZeroAndWakesNotBeforeTheTime) {
  const SteadyClock started;
  SteadyClock clock;
  const std::int64_t first = clock.now_ns();
  EXPECT_GE(first, 0);
  clock.sleep_until(first + 1'000'000);
  EXPECT_GE(clock.now_ns(), first + 1'000'000);
  EXPECT_GE(clock.epoch_ns(), started.epoch_ns());
  const std::int64_t before = clock.now_ns();
  clock.sleep_until(before - 1'000'000);
  EXPECT_GE(clock.now_ns(), before);
}

TEST(SimulatedClock, RunsTasksInOrderOfTimeAndOfRegistrationAtEqualTimes) {
  SimulatedClock clock;
  std::string text;
  Diary slow('s', 3, text);
  Diary fast('f', 2, text);
  clock.add(slow, 0);
  clock.add(fast, 0);
  clock.sleep_until(6);
  EXPECT_EQ(text, "s0 f0 f2 s3 f4 s6 f6 ");
  EXPECT_EQ(clock.now_ns(), 6);
  clock.sleep_until(6);
  clock.sleep_until(2);
  EXPECT_EQ(text, "s0 f0 f2 s3 f4 s6 f6 ");
  EXPECT_EQ(clock.now_ns(), 6);
  clock.sleep_until(7);
  EXPECT_EQ(clock.now_ns(), 7);
}

TEST(SimulatedClock, StandsStillForATaskThatSleeps) {
  SimulatedClock clock;
  std::string text;
  Diary task('t', 5, text, &clock);
  clock.add(task, 1);
  clock.sleep_until(8);
  EXPECT_EQ(text, "t1 t6 ");
  EXPECT_EQ(clock.now_ns(), 8);
}

TEST(SimulatedClock, DropsAFinishedTaskAndLetsNoTaskStopTheTime) {
  SimulatedClock clock;
  std::string text;
  Diary once('o', -1, text);
  Diary stuck('x', 0, text);
  clock.add(once, 2);
  clock.add(stuck, 3);
  clock.sleep_until(5);
  EXPECT_EQ(text, "o2 x3 x4 x5 ");
}

TEST(SimulatedClock, InAStallNothingRunsUntilItsEnd) {
  SimulatedClock clock;
  std::string text;
  Diary task('t', 10, text);
  clock.add(task, 0);
  clock.stall(Stalled::kComputer, 15, 42);
  clock.sleep_until(18);
  EXPECT_EQ(clock.now_ns(), 42);
  clock.sleep_until(55);
  EXPECT_EQ(text, "t0 t10 t42 t52 ");  // due at 20, ran at 42
}

TEST(SimulatedClock, AStallOfOneOfThemLeavesTheOtherRunning) {
  SimulatedClock clock;
  std::string text;
  Diary task('t', 10, text);
  clock.add(task, 0);
  clock.stall(Stalled::kSleeper, 5, 25);
  clock.stall(Stalled::kTasks, 30, 48);
  clock.sleep_until(6);
  EXPECT_EQ(clock.now_ns(), 25);
  EXPECT_EQ(text, "t0 t10 t20 ");
  clock.sleep_until(35);
  EXPECT_EQ(clock.now_ns(), 35);
  clock.sleep_until(50);
  EXPECT_EQ(text, "t0 t10 t20 t48 ");
}

}  // namespace
}  // namespace kagami::runtime
