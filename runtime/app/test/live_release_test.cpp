// What a run still reports and allows while it continues: the ticks of its values, gains after a
// release.
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "runtime/app/live_control.hpp"
#include "runtime/test/support/live_case.hpp"
#include "runtime/test/support/run_case.hpp"

namespace kagami::runtime {
namespace {

using test::at;
using test::config_with;
using test::run_with;
using test::TempDir;

TEST(LiveControl, ReportsForEachValueTheTickFromWhichItHasBeenInForce) {
  const TempDir dir;
  StopRequest stop;
  LiveControl live(stop);
  std::vector<LiveAnswer> answers(3);
  const auto since = [&](const std::string& name) {
    const AppliedGains gains = live.gains().applied();
    for (std::size_t i = 0; i < gains.values.size(); ++i) {
      if (gains.values[i].name == name) return gains.since.at(i);
    }
    return std::int64_t{-1};
  };
  const auto applied = [&](std::size_t k) {
    return [&, k](const CycleRecord&) {
      return live.tickets().acknowledged(answers[k].ticket).has_value();
    };
  };
  const auto turn = [&](std::size_t k, const char* name) {
    const control::TunableValue changes[] = {{name, 0.4}};
    answers[k] = live.gains().propose(changes);
    EXPECT_TRUE(answers[k].ok()) << answers[k].sentence();
  };
  run_with(config_with(dir), live, stop,
           {{at(0.2), [&](const CycleRecord&) { turn(0, "pid/left_knee/kp"); }},
            {applied(0), [&](const CycleRecord&) { turn(1, "pid/left_knee/ki"); }},
            {applied(1),
             [&](const CycleRecord&) {
               EXPECT_EQ(since("pid/left_knee/kp"), live.tickets().acknowledged(answers[0].ticket));
               EXPECT_EQ(since("pid/left_knee/ki"), live.tickets().acknowledged(answers[1].ticket));
               EXPECT_EQ(since("pid/right_knee/kp"), 0);
               answers[2] = live.gains().undo();  // of ki
             }},
            {applied(2), [&](const CycleRecord&) {
               EXPECT_EQ(since("pid/left_knee/kp"), live.tickets().acknowledged(answers[0].ticket));
               EXPECT_EQ(since("pid/left_knee/ki"), live.tickets().acknowledged(answers[2].ticket));
             }}});
}

TEST(LiveControl, ContinuesReleasedWhereTheRunStaysAndStillSavesTheGains) {
  const TempDir dir;
  StopRequest stop;
  LiveControl live(stop);
  const std::filesystem::path file = dir.path() / "kept.json";
  std::int64_t released = 0;
  const auto is_released = [&](const CycleRecord& row) {
    if (row.out.phase != Phase::kReleased) return false;
    if (released == 0) released = row.in.tick;
    return row.in.tick > released + 3000;  // 3 s: longer than anything waits for at a run's end
  };
  const RunResult result =
      run_with(config_with(dir), live, stop,
               {{at(0.2), [&](const CycleRecord&) { live.stop(StopLevel::kRelease); }},
                {is_released,
                 [&](const CycleRecord& row) {
                   EXPECT_TRUE(row.out.confirmed);
                   EXPECT_EQ(live.status().state, SupervisorState::kReleased);
                   EXPECT_FALSE(live.motion().play().ok());
                   live.gains().save(file, "after a release");
                 }}},
               true);
  EXPECT_EQ(result.sleep_confirmed, true);
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_TRUE(verify_record(result.record).identical);
}

}  // namespace
}  // namespace kagami::runtime
