#include "tools/cli/stop_signals.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>

namespace kagami::tools {
namespace {

using runtime::StopLevel;
using runtime::StopRequest;

TEST(StopSignals, EachSignalIsOneStepOfTheLadder) {
  StopRequest stop;
  const StopSignals signals(stop);
  EXPECT_EQ(stop.level(), StopLevel::kNone);
  std::raise(SIGINT);
  EXPECT_EQ(stop.level(), StopLevel::kSlowDown);
  std::raise(SIGTERM);
  EXPECT_EQ(stop.level(), StopLevel::kHoldNow);
  std::raise(SIGINT);
  EXPECT_EQ(stop.level(), StopLevel::kRelease);
  std::raise(SIGINT);
  EXPECT_EQ(stop.level(), StopLevel::kRelease);
}

TEST(StopSignals, AHangUpOrASuspensionSlowsDownHoweverOftenItComes) {
  for (const int signal : {SIGHUP, SIGTSTP}) {
    StopRequest stop;
    const StopSignals signals(stop);
    for (int k = 0; k < 4; ++k) std::raise(signal);
    EXPECT_EQ(stop.level(), StopLevel::kSlowDown) << signal;
  }
}

TEST(StopSignals, AQuitHoldsAtOnceAndNeverReleases) {
  StopRequest stop;
  const StopSignals signals(stop);
  for (int k = 0; k < 4; ++k) std::raise(SIGQUIT);
  EXPECT_EQ(stop.level(), StopLevel::kHoldNow);
}

TEST(StopSignals, AnIgnoredHangUpStaysIgnored) {
  std::signal(SIGHUP, SIG_IGN);  // as nohup does
  {
    StopRequest stop;
    const StopSignals signals(stop);
    std::raise(SIGHUP);
    EXPECT_EQ(stop.level(), StopLevel::kNone);
  }
  std::signal(SIGHUP, SIG_DFL);
}

TEST(OutputSignals, ABrokenPipeIsAnErrorOfTheWriteAndNoSignal) {
  ignore_output_signals();
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ::close(ends[0]);
  EXPECT_EQ(::write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  ::close(ends[1]);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
}

TEST(StopSignals, GiveTheHandlersBack) {
  StopRequest outer;
  std::signal(SIGINT, SIG_IGN);
  {
    const StopSignals signals(outer);
    std::raise(SIGINT);
  }
  std::raise(SIGINT);  // ignored again: neither counted nor deadly
  EXPECT_EQ(outer.level(), StopLevel::kSlowDown);
  std::signal(SIGINT, SIG_DFL);
}

TEST(StopSignals, AreHeldByOneObject) {
  StopRequest stop;
  const StopSignals signals(stop);
  EXPECT_THROW(StopSignals{stop}, std::logic_error);
}

}  // namespace
}  // namespace kagami::tools
