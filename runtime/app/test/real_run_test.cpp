// The threads of a run on the machine's clock, over a real pseudo-terminal. Order and content only:
// no wall-clock measurement decides.
#include <gtest/gtest.h>

#include <string>

#include "models/base/errors.hpp"
#include "runtime/app/run.hpp"
#include "runtime/test/support/run_case.hpp"
#include "runtime/threads/realtime.hpp"

namespace kagami::runtime {
namespace {

using test::shipped_run;
using test::TempDir;

RunConfig real_run(const std::string& motion, const std::filesystem::path& out) {
  RunConfig c = shipped_run(motion, out);
  c.clock = ClockKind::kReal;
  c.rate_hz = 500.0;  // leaves a loaded machine or a sanitizer some air
  return c;
}

TEST(RealRun, PlaysAMotionOverThePseudoTerminalAndItsRecordVerifies) {
  for (const char* library : {"libserial", "asio"}) {
    const TempDir dir;
    RunConfig c = real_run("home", dir.path());
    c.port_library = library;
    int reports = 0;
    RunHooks hooks;
    hooks.progress = [&](const Progress&) { ++reports; };
    const RunResult r = run(c, hooks);
    EXPECT_EQ(r.end, RunEnd::kCompleted) << r.end_text;
    EXPECT_EQ(r.lost_records, 0u);
    EXPECT_GT(reports, 2);
    EXPECT_TRUE(r.cycle_us.has_value());
    EXPECT_TRUE(r.wake_us.has_value());
    double parts = 0.0;
    for (const std::optional<Durations>& part : r.part_us) {
      ASSERT_TRUE(part.has_value());
      parts += part->p50;
    }
    EXPECT_GT(r.part_us[static_cast<std::size_t>(CyclePart::kShadow)]->p50, 0.0);
    EXPECT_LT(parts, 2.0 * r.cycle_us->p50 + 1.0);  // us: they make up the whole
    EXPECT_GT(r.line.counters.answered, 0u);
    EXPECT_EQ(test::rows_of(r.record).size(), static_cast<std::size_t>(r.ticks));
    EXPECT_TRUE(verify_record(r.record).identical);
  }
}

TEST(RealRun, StopsOnRequestWithTheServosHolding) {
  const TempDir dir;
  StopRequest stop;
  RunHooks hooks;
  hooks.stop = &stop;
  hooks.progress = [&](const Progress& p) {
    if (p.motion_time > 0.3) stop.raise_to(StopLevel::kSlowDown);
  };
  const RunResult r = run(real_run("walk_forward", dir.path()), hooks);
  EXPECT_EQ(r.end, RunEnd::kInterrupted) << r.end_text;
  EXPECT_TRUE(test::sleep_requests(test::frames_of(r.record)).empty());
  EXPECT_TRUE(verify_record(r.record).identical);
}

TEST(RealRun, AStopAfterTheHoldStillReleasesTheServos) {
  const TempDir dir;
  StopRequest stop;
  RunHooks hooks;
  hooks.stop = &stop;
  hooks.progress = [&](const Progress& p) {
    if (p.phase == Phase::kHeld) {
      stop.raise_to(StopLevel::kRelease);
    } else if (p.motion_time > 0.3) {
      stop.raise_to(StopLevel::kHoldNow);
    }
  };
  const RunResult r = run(real_run("walk_forward", dir.path()), hooks);
  EXPECT_EQ(r.end, RunEnd::kInterrupted) << r.end_text;
  ASSERT_TRUE(r.sleep_confirmed.has_value());
  EXPECT_TRUE(*r.sleep_confirmed);
  EXPECT_GE(test::sleep_requests(test::frames_of(r.record)).size(), 2u);
}

TEST(RealRun, OpensNoPortThatIsNotThere) {
  const TempDir dir;
  RunConfig c = real_run("home", dir.path());
  c.robot = "/dev/kagami-absent";
  c.unproven = true;
  EXPECT_THROW(run(c, {}), PortError);
}

TEST(Realtime, ReportsWhatWasGrantedAndRequestsNothingWhenOff) {
  const Realtime off(RealtimeRequest::kOff);
  EXPECT_FALSE(off.granted());
  EXPECT_EQ(off.why(), "not requested");
  try {
    const Realtime required(RealtimeRequest::kRequire);
    EXPECT_TRUE(required.granted());
  } catch (const PortError& e) {
    EXPECT_NE(std::string(e.what()).find("--realtime require"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("rtprio"), std::string::npos);
  }
  EXPECT_GT(peak_memory_mib(), 1.0);
  EXPECT_FALSE(kernel_text().empty());
}

}  // namespace
}  // namespace kagami::runtime
