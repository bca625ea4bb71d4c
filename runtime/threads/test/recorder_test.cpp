#include "runtime/threads/recorder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "models/base/temporary_folder.hpp"
#include "runtime/clock/clock.hpp"
#include "runtime/cycle/cycle_cdr.hpp"
#include "runtime/record/mcap_reader.hpp"

namespace kagami::runtime {
namespace {

/// Log time of the one row at 5 ms of the run's clock, in a record with this epoch.
std::uint64_t log_time_of_row(std::int64_t unix_epoch_ns) {
  const TemporaryFolder folder;
  const models::RobotDescription robot = models::read_robot_folder(
      std::filesystem::path(KAGAMI_SOURCE_DIR) / "models/data/khr1", models::BaseKind::kFixed);
  const auto channels = std::make_unique<ThreadChannels>();
  SimulatedClock clock;
  Recorder recorder({.file = folder.file("run.mcap"), .unix_epoch_ns = unix_epoch_ns}, robot,
                    *channels, clock);
  const auto row = std::make_unique<CycleRecord>();
  row->in.now_ns = 5'000'000;
  EXPECT_TRUE(channels->records.push(*row));
  EXPECT_TRUE(recorder.close("{}", 1));
  const McapReader reader(folder.file("run.mcap"));
  std::uint64_t log_time_ns = 0;
  MessageFilter filter;
  filter.topics = {kCycleTopic};
  reader.for_each(filter, [&](const MessageView& m) { log_time_ns = m.log_time_ns; });
  return log_time_ns;
}

// viewers show the day and hour of a real run; a simulated one has none
TEST(Recorder, TimesOfMessagesBeginAtTheGivenEpoch) {
  EXPECT_EQ(log_time_of_row(0), 5'000'000u);
  EXPECT_EQ(log_time_of_row(1'700'000'000'000'000'000), 1'700'000'000'005'000'000u);
}

}  // namespace
}  // namespace kagami::runtime
