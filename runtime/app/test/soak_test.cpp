// Long: ten minutes of walking in virtual time. `./kagami test --long`.
#include <gtest/gtest.h>

#include "runtime/app/run.hpp"
#include "runtime/test/support/run_case.hpp"

namespace kagami::runtime {
namespace {

using test::shipped_run;
using test::TempDir;

TEST(Soak, TenMinutesOfWalkingLoseNothingAndVerify) {
  constexpr double kSeconds = 600.0;
  const TempDir dir;
  StopRequest stop;
  RunHooks hooks;
  hooks.stop = &stop;
  RunConfig c = shipped_run("walk_forward", dir.path());
  c.loop = true;
  hooks.progress = [&](const Progress& p) {
    if (p.time_s > kSeconds) stop.raise_to(StopLevel::kSlowDown);
  };
  const RunResult r = run(c, hooks);
  EXPECT_EQ(r.end, RunEnd::kInterrupted) << r.end_text;
  EXPECT_GT(r.duration_s, kSeconds - 1.0);
  EXPECT_EQ(r.lost_records, 0u);
  EXPECT_EQ(r.line.counters.sent, r.line.counters.answered);
  ASSERT_TRUE(r.memory_mib.has_value());
  EXPECT_LT(*r.memory_mib, 64.0);  // MiB: nothing grows with the length of a run
  EXPECT_TRUE(verify_record(r.record).identical);
}

}  // namespace
}  // namespace kagami::runtime
