// What disks, power cuts and foreign bytes do to a record.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "models/base/errors.hpp"
#include "runtime/record/mcap_bytes.hpp"
#include "runtime/record/mcap_recover.hpp"
#include "runtime/record/test/support/record_samples.hpp"
#include "runtime/record/test/support/small_disk.hpp"

namespace kagami::runtime {
namespace {

using test::all_messages;
using test::Copied;
using test::sample_bytes;
using test::SmallDisk;
using test::TempFile;
using test::write_file;
using test::write_sample;

TEST(FullDisk, StopsAtTheLastWholeRecordWhateverTheByte) {
  const std::size_t whole = sample_bytes().size();
  const TempFile file("full.mcap");
  for (std::size_t room = 40; room < whole; room += 37) {
    SCOPED_TRACE(room);
    std::vector<std::byte> bytes;
    std::size_t capacity = room;
    WriterCounters counters;
    std::string cause;
    std::size_t offered = 0;
    bool closed = false;
    {
      McapWriter writer(std::make_unique<SmallDisk>(bytes, capacity),
                        {.chunk_duration_ns = 10'000'000});
      offered = write_sample(writer, 120).size();
      closed = writer.close();  // true where a chunk did not fit, but the shorter tail did
      EXPECT_TRUE(!closed || writer.counters().lost_messages > 0);
      counters = writer.counters();
      cause = writer.cause();
    }
    EXPECT_EQ(counters.messages + counters.lost_messages, offered);
    EXPECT_EQ(counters.bytes, bytes.size());
    EXPECT_NE(cause.find("small.mcap: recording stopped at byte"), std::string::npos) << cause;
    EXPECT_NE(cause.find("disk full, " + std::to_string(counters.messages) + " messages kept"),
              std::string::npos)
        << cause;
    write_file(file.path(), bytes);
    const McapReader reader(file.path());
    EXPECT_EQ(reader.statistics().message_count, counters.messages);
    EXPECT_EQ(reader.damage().sentence.empty(), closed);
    EXPECT_EQ(reader.damage().missing_bytes, 0u);  // nothing half written is left
    EXPECT_EQ(all_messages(reader).size(), counters.messages);
  }
}

TEST(FullDisk, ContinuesAfterSpaceWasMadeAndShowsTheGap) {
  std::vector<std::byte> bytes;
  std::size_t capacity = 1000;
  McapWriter writer(std::make_unique<SmallDisk>(bytes, capacity), {.zstd_level = 0});
  const ChannelId early = writer.add_channel("/early", 0, "");
  const std::vector<std::byte> data(400);
  EXPECT_TRUE(writer.write(early, 1, 1, data));
  writer.flush();
  EXPECT_TRUE(writer.write(early, 2, 2, data));
  writer.flush();  // does not fit
  EXPECT_TRUE(writer.stopped());
  EXPECT_FALSE(writer.write(early, 3, 3, data));
  const ChannelId late = writer.add_channel("/late", writer.add_schema("s", "", ""), "");
  capacity = 100'000;
  EXPECT_FALSE(writer.write(late, 4, 4, data));  // requires resume() first
  EXPECT_TRUE(writer.resume());
  EXPECT_TRUE(writer.write(late, 5, 5, data));
  EXPECT_TRUE(writer.write(early, 6, 6, data));
  EXPECT_TRUE(writer.close());
  EXPECT_FALSE(writer.resume());
  EXPECT_EQ(writer.counters().messages, 3u);
  EXPECT_EQ(writer.counters().lost_messages, 3u);
  EXPECT_EQ(writer.counters().stops, 1u);

  const TempFile file("resumed.mcap");
  write_file(file.path(), bytes);
  for (const bool rebuild : {false, true}) {
    const McapReader reader(file.path(), {.rebuild = rebuild});
    const std::vector<Copied> read = all_messages(reader);
    ASSERT_EQ(read.size(), 3u);
    EXPECT_EQ(read[1].topic, "/late");
    EXPECT_EQ(read[2].sequence, 3u);  // 1 and 2 are missing
    EXPECT_EQ(reader.schemas().size(), 1u);
  }
}

/// Fails every N-th write once with EIO.
class FlickeringDisk final : public ByteSink {
 public:
  FlickeringDisk(std::vector<std::byte>& bytes, std::size_t& capacity) : disk_(bytes, capacity) {}
  SinkResult write_at(std::uint64_t offset, std::span<const std::byte> in) noexcept override {
    return ++writes_ % 5 == 0 ? SinkResult{0, EIO} : disk_.write_at(offset, in);
  }
  int truncate(std::uint64_t size) noexcept override { return disk_.truncate(size); }
  int sync() noexcept override { return disk_.sync(); }
  const std::string& name() const noexcept override { return disk_.name(); }

 private:
  SmallDisk disk_;
  int writes_ = 0;
};

TEST(FullDisk, AWriteThatFailsOnceLosesNothing) {
  std::vector<std::byte> bytes;
  std::size_t capacity = std::size_t{1} << 20;
  McapWriter writer(std::make_unique<FlickeringDisk>(bytes, capacity),
                    {.chunk_duration_ns = 10'000'000});
  const std::size_t offered = write_sample(writer, 120).size();
  EXPECT_TRUE(writer.close());
  EXPECT_EQ(writer.counters().messages, offered);
  EXPECT_EQ(writer.counters().lost_messages, 0u);
  EXPECT_EQ(writer.cause(), "");
}

TEST(FullDisk, AFileSizeLimitIsAResultAndNoSignal) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const TempFile file("limit.mcap");
  rlimit small = before;
  small.rlim_cur = 3000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  McapWriter writer(file.path(), {.chunk_duration_ns = 10'000'000});
  write_sample(writer, 120);
  const bool closed = writer.close();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_FALSE(closed);
  EXPECT_NE(writer.cause().find("File too large"), std::string::npos) << writer.cause();
  const McapReader reader(file.path());
  EXPECT_EQ(reader.statistics().message_count, writer.counters().messages);
  EXPECT_GT(writer.counters().messages, 0u);
}

/// Ends of the chunk records in a whole file, with the messages up to each.
std::vector<std::pair<std::size_t, std::size_t>> chunk_ends(const std::string& path) {
  const McapReader reader(path, {.rebuild = true});
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (const ChunkIndex& c : reader.chunks()) {
    const std::size_t count = all_messages(reader, {.end_ns = c.end_time_ns}).size();
    out.emplace_back(static_cast<std::size_t>(c.offset + c.length), count);
  }
  return out;
}

TEST(CutRecord, KeepsAllWholeChunksWhereverItIsCut) {
  const TempFile file("cut.mcap");
  std::vector<Copied> offered;
  const std::vector<std::byte> whole = sample_bytes(&offered);
  write_file(file.path(), whole);
  const auto ends = chunk_ends(file.path());
  ASSERT_EQ(ends.size(), 12u);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    write_file(file.path(), {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    if (size < kMcapMagic.size()) {
      EXPECT_THROW(McapReader(file.path()), RecordError);
      continue;
    }
    std::size_t expected = 0;
    for (const auto& [end, count] : ends) expected = size >= end ? count : expected;
    const McapReader reader(file.path());
    const std::vector<Copied> read = all_messages(reader);
    ASSERT_EQ(read.size(), expected);
    EXPECT_TRUE(std::equal(read.begin(), read.end(), offered.begin()));
    EXPECT_TRUE(reader.damage().rebuilt);
    EXPECT_NE(reader.damage().sentence, "");
    EXPECT_LT(reader.damage().missing_bytes, 600u);  // bytes; the largest record here
  }
}

TEST(CutRecord, ReportsWhenItEndsAndHowMuchIsMissing) {
  const TempFile file("refusal.mcap");
  std::vector<std::byte> bytes = sample_bytes();
  write_file(file.path(), bytes);
  const auto ends = chunk_ends(file.path());
  bytes.resize(ends[4].first + 5);  // within the message index that follows
  write_file(file.path(), bytes);
  EXPECT_EQ(McapReader(file.path()).damage().sentence,
            "ends early at 0.049 s (log time 1049000000 ns); 5 bytes at its end belong to no whole "
            "record");
  // zeros after the end, as a power cut leaves them
  bytes.resize(ends[4].first);
  bytes.resize(bytes.size() + 4096);
  write_file(file.path(), bytes);
  const McapReader reader(file.path());
  EXPECT_EQ(reader.damage().missing_bytes, 4096u);
  EXPECT_EQ(reader.statistics().end_time_ns, 1'049'000'000u);
}

TEST(CutRecord, AKilledWriterLosesAtMostTheOpenChunk) {
  const TempFile file("killed.mcap");
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const int ticks = 1 + seed * 37 % 500;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      McapWriter writer(file.path());
      write_sample(writer, ticks);
      ::kill(::getpid(), SIGKILL);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const McapReader reader(file.path());
    EXPECT_TRUE(reader.damage().cut);
    const std::vector<Copied> read = all_messages(reader, {.topics = {"/cycle"}});
    // chunks of 50 ms at 1 kHz
    EXPECT_EQ(read.size(), static_cast<std::size_t>((ticks - 1) / 50 * 50));
  }
}

TEST(DamagedRecord, AChunkWithAWrongCrcIsAnErrorAndRecoverLeavesItOut) {
  for (const int level : {0, 1}) {
    SCOPED_TRACE(level);
    const TempFile file("crc.mcap");
    const TempFile copy("crc_copy.mcap");
    std::vector<std::byte> bytes = sample_bytes(nullptr, level);
    write_file(file.path(), bytes);
    const ChunkIndex third = McapReader(file.path()).chunks()[2];
    bytes[static_cast<std::size_t>(third.offset + third.length) - 30] ^= std::byte{0x10};
    write_file(file.path(), bytes);
    const McapReader reader(file.path());
    try {
      all_messages(reader);
      ADD_FAILURE() << "a damaged chunk was read";
    } catch (const RecordError& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find("the chunk at byte " + std::to_string(third.offset)), std::string::npos)
          << text;
    }
    const RecoverReport report = recover(file.path(), copy.path());
    EXPECT_EQ(report.damage.damaged_chunks, 1u);
    EXPECT_EQ(report.messages, 132u - 11u);
    EXPECT_EQ(all_messages(McapReader(copy.path())).size(), 132u - 11u);
  }
}

TEST(DamagedRecord, ASummaryWithAWrongCrcIsNotUsed) {
  const TempFile file("summary.mcap");
  std::vector<std::byte> bytes = sample_bytes();
  bytes[bytes.size() - 200] ^= std::byte{1};
  write_file(file.path(), bytes);
  const McapReader reader(file.path());
  EXPECT_EQ(reader.damage().sentence, "index rebuilt: the CRC of its summary differs");
  EXPECT_EQ(all_messages(reader).size(), 132u);
}

TEST(DamagedRecord, AnAttachmentWithAWrongCrcIsAnError) {
  const TempFile file("attachment.mcap");
  std::vector<std::byte> bytes = sample_bytes();
  const std::string_view text = "<robot name";
  const auto at =
      std::search(bytes.begin(), bytes.end(), bytes_of(text).begin(), bytes_of(text).end());
  ASSERT_NE(at, bytes.end());
  *at ^= std::byte{1};
  write_file(file.path(), bytes);
  const McapReader reader(file.path());
  EXPECT_THROW((void)reader.attachment("robot.urdf"), RecordError);
  EXPECT_THROW((void)reader.attachment(AttachmentIndex{8, 20, 0, 0, 0, "no", ""}), RecordError);
  EXPECT_THROW((void)reader.metadata(MetadataIndex{1u << 30, 20, ""}), RecordError);
  const TempFile copy("attachment_copy.mcap");
  EXPECT_EQ(recover(file.path(), copy.path()).damaged_attachments, 1u);
}

}  // namespace
}  // namespace kagami::runtime
