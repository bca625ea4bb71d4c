#include "tools/cli/stop_signals.hpp"

#include <gtest/gtest.h>

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
