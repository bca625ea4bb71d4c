// What a disk that fails and a cycle that stalls do to the record of a run.
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/robot/robot_folder.hpp"
#include "runtime/app/run.hpp"
#include "runtime/clock/clock.hpp"
#include "runtime/test/support/run_case.hpp"
#include "runtime/threads/recorder.hpp"

namespace kagami::runtime {
namespace {

using test::rows_of;
using test::shipped_run;
using test::TempDir;

/// Which writes fail, counted from 0.
struct Failures {
  int error = EIO;
  int first = 0;
  int count = 0;
  int period = 0;  ///< again after so many; 0 = never

  [[nodiscard]] bool hit(int write) const noexcept {
    const int k = write - first;
    return k >= 0 && (period > 0 ? k % period : k) < count;
  }
};

/// The file of a record on a disk that fails now and then.
class FailingDisk final : public ByteSink {
 public:
  FailingDisk(std::unique_ptr<ByteSink> file, Failures failures)
      : file_(std::move(file)), failures_(failures) {}
  SinkResult write_at(std::uint64_t offset, std::span<const std::byte> bytes) noexcept override {
    return failures_.hit(writes_++) ? SinkResult{0, failures_.error}
                                    : file_->write_at(offset, bytes);
  }
  int truncate(std::uint64_t size) noexcept override { return file_->truncate(size); }
  int sync() noexcept override { return file_->sync(); }
  const std::string& name() const noexcept override { return file_->name(); }

 private:
  std::unique_ptr<ByteSink> file_;
  Failures failures_;
  int writes_ = 0;
};

struct Recorded {
  RunResult result;
  std::vector<std::string> log;
};

Recorded run_on(const TempDir& dir, const Failures& failures) {
  Recorded r;
  RunHooks hooks;
  hooks.log = [&r](std::string_view sentence) { r.log.emplace_back(sentence); };
  hooks.disk = [&failures](std::unique_ptr<ByteSink> file) -> std::unique_ptr<ByteSink> {
    return std::make_unique<FailingDisk>(std::move(file), failures);
  };
  r.result = run(shipped_run("bow", dir.path()), hooks);
  return r;
}

int count_of(const std::vector<std::string>& log, const std::string& text) {
  int count = 0;
  for (const std::string& sentence : log) {
    if (sentence.find(text) != std::string::npos) ++count;
  }
  return count;
}

TEST(RecordDisk, SingleErrorsLoseNothing) {
  const TempDir dir;
  const Recorded r = run_on(dir, {.error = EIO, .first = 5, .count = 2, .period = 7});
  EXPECT_EQ(r.result.end, RunEnd::kCompleted);
  EXPECT_TRUE(r.result.record_complete) << r.result.record_cause;
  EXPECT_EQ(r.result.record_cause, "");
  EXPECT_EQ(r.result.lost_records, 0u);
  const VerifyResult v = verify_record(r.result.record);
  EXPECT_TRUE(v.identical);
  EXPECT_TRUE(v.complete);
  EXPECT_EQ(v.rows, static_cast<std::uint64_t>(r.result.ticks));
}

TEST(RecordDisk, ErrorsForASecondAreReportedAtOnceAndAtTheEndAndTheRecordContinues) {
  const TempDir dir;
  const Recorded r = run_on(dir, {.error = EIO, .first = 40, .count = 30});
  EXPECT_EQ(r.result.end, RunEnd::kCompleted);
  EXPECT_FALSE(r.result.record_complete);
  EXPECT_NE(r.result.record_cause.find("Input/output error"), std::string::npos)
      << r.result.record_cause;
  EXPECT_GT(r.result.lost_records, 0u);
  EXPECT_EQ(count_of(r.log, "recording stopped at byte"), 1);
  // before, a gap, and the end of the run
  const std::vector<CycleRecord> rows = rows_of(r.result.record);
  ASSERT_FALSE(rows.empty());
  EXPECT_LT(rows.size(), static_cast<std::size_t>(r.result.ticks));
  EXPECT_EQ(rows.front().in.tick, 0);
  EXPECT_EQ(rows.back().in.tick, r.result.ticks - 1);
  const VerifyResult v = verify_record(r.result.record);
  EXPECT_FALSE(v.complete);
  EXPECT_EQ(v.missing, static_cast<std::uint64_t>(r.result.ticks) - rows.size());
  EXPECT_NE(v.incomplete.find(" of " + std::to_string(r.result.ticks)), std::string::npos)
      << v.incomplete;
}

TEST(RecordDisk, ADiskThatStaysFullKeepsWhatCameBefore) {
  const TempDir dir;
  const Recorded r = run_on(dir, {.error = ENOSPC, .first = 40, .count = 1'000'000});
  EXPECT_EQ(r.result.end, RunEnd::kCompleted);
  EXPECT_FALSE(r.result.record_complete);
  EXPECT_NE(r.result.record_cause.find("disk full"), std::string::npos) << r.result.record_cause;
  EXPECT_EQ(count_of(r.log, "disk full"), 1);
  const VerifyResult v = verify_record(r.result.record);
  EXPECT_TRUE(v.identical);  // what is there
  EXPECT_FALSE(v.complete);
  EXPECT_NE(v.incomplete, "");
  EXPECT_GT(v.rows, 100u);
}

TEST(RecordDisk, AReplacementThatCouldNotBeFinishedLeavesTheOldRecord) {
  const TempDir dir;
  const RunResult first = run(shipped_run("home", dir.path()), {});
  const Recorded r = run_on(dir, {.error = ENOSPC, .first = 40, .count = 1'000'000});
  EXPECT_FALSE(r.result.record_complete);
  EXPECT_NE(r.result.record, first.record);
  EXPECT_NE(r.result.record_cause.find("was not replaced"), std::string::npos);
  EXPECT_TRUE(verify_record(first.record).complete);
  EXPECT_GT(verify_record(r.result.record).rows, 100u);
}

/// A recorder alone, with generated rows.
struct RecorderCase {
  TempDir dir;
  models::RobotDescription robot = models::read_robot_folder(
      std::filesystem::path(KAGAMI_SOURCE_DIR) / "models/data/khr1", models::BaseKind::kFloating);
  std::unique_ptr<ThreadChannels> channels = std::make_unique<ThreadChannels>();
  SimulatedClock clock;
  std::filesystem::path file = dir.path() / "run.mcap";
  Recorder recorder{{.file = file}, robot, *channels, clock};

  void tick(std::int64_t tick) {
    clock.sleep_until(tick * 1'000'000);
    CycleRecord row;
    row.in.tick = tick;
    row.in.now_ns = clock.now_ns();
    ASSERT_TRUE(channels->records.push(row));
  }
};

TEST(RecordDelay, SamplesAreWrittenAlsoWhenNoneFollow) {
  RecorderCase c;
  for (std::int64_t tick = 0; tick < 20; ++tick) {
    c.tick(tick);
    c.recorder.drain();
  }
  for (int k = 0; k < 5; ++k) {  // the cycle stalls, the writer polls every 5 ms
    c.clock.sleep_until(c.clock.now_ns() + 5'000'000);
    c.recorder.drain();
  }
  EXPECT_EQ(rows_of(c.file).size(), 20u);
  EXPECT_GE(c.recorder.longest_delay_ns(), 25'000'000);
  EXPECT_LE(c.recorder.longest_delay_ns(), 30'000'000);
}

TEST(RecordDelay, ALateWriterShowsInTheStatistics) {
  RecorderCase c;
  for (std::int64_t tick = 0; tick < 300; ++tick) c.tick(tick);
  c.recorder.drain();
  EXPECT_EQ(c.recorder.longest_delay_ns(), 299'000'000);
}

TEST(RecordDelay, IsInTheAnswerOfARun) {
  const TempDir dir;
  const RunResult r = run(shipped_run("bow", dir.path()), {});
  EXPECT_GT(r.longest_record_delay_s, 0.02);
  EXPECT_LT(r.longest_record_delay_s, 0.035);
}

}  // namespace
}  // namespace kagami::runtime
