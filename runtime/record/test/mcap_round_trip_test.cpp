#include <gtest/gtest.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <cstring>
#include <random>

#include "models/base/errors.hpp"
#include "runtime/record/crc32.hpp"
#include "runtime/record/mcap_recover.hpp"
#include "runtime/record/test/support/record_samples.hpp"

namespace kagami::runtime {
namespace {

using test::all_messages;
using test::Copied;
using test::kSampleStart;
using test::TempFile;
using test::write_sample;

TEST(Crc32, EqualsBoostsOnAllLengthsAndInPieces) {
  std::mt19937 random(1);
  std::vector<std::byte> bytes(300);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    boost::crc_32_type oracle;
    oracle.process_bytes(bytes.data(), size);
    const std::span<const std::byte> whole = std::span<const std::byte>(bytes).first(size);
    EXPECT_EQ(crc32(whole), oracle.checksum());
    EXPECT_EQ(crc32(whole.subspan(size / 3), crc32(whole.first(size / 3))), oracle.checksum());
  }
  EXPECT_EQ(crc32({}, 0x12345678u), 0x12345678u);        // nothing changes no sum
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xCBF43926u);  // the catalogued check value of CRC-32
}

class RoundTrip : public testing::TestWithParam<int> {};  // parameter: zstd level, 0 = none

TEST_P(RoundTrip, GivesBackEveryMessageInOrder) {
  const TempFile file("round.mcap");
  std::vector<Copied> offered;
  {
    McapWriter writer(file.path(), {.profile = "p", .library = "l", .zstd_level = GetParam()});
    offered = write_sample(writer, 333);
    EXPECT_TRUE(writer.close());
    EXPECT_EQ(writer.counters().messages, offered.size());
    EXPECT_EQ(writer.counters().lost_messages, 0u);
    EXPECT_EQ(writer.counters().bytes, test::read_file(file.path()).size());
  }
  for (const bool rebuild : {false, true}) {
    SCOPED_TRACE(rebuild);
    const McapReader reader(file.path(), {.rebuild = rebuild});
    EXPECT_EQ(all_messages(reader), offered);
    EXPECT_EQ(reader.profile(), "p");
    EXPECT_EQ(reader.library(), "l");
    EXPECT_EQ(reader.damage().sentence, "");
    EXPECT_FALSE(reader.damage().cut);
    const Statistics& s = reader.statistics();
    EXPECT_EQ(s.message_count, 333u + 34u);
    EXPECT_EQ(s.chunk_count, 7u);  // 333 ms in chunks of 50 ms
    EXPECT_EQ(s.channel_message_counts.at(0), 333u);
    EXPECT_EQ(s.channel_message_counts.at(1), 34u);
    EXPECT_EQ(s.start_time_ns, kSampleStart);
    EXPECT_EQ(s.end_time_ns, kSampleStart + 332'000'000);
    EXPECT_EQ(s.schema_count, 2u);
    EXPECT_EQ(s.channel_count, 2u);
  }
}
INSTANTIATE_TEST_SUITE_P(Levels, RoundTrip, testing::Values(0, 1, 3));

TEST(Mcap, KeepsDefinitionsMetadataAndAttachments) {
  const TempFile file("meta.mcap");
  {
    McapWriter writer(file.path());
    write_sample(writer, 20);
  }  // the destructor closes
  for (const bool rebuild : {false, true}) {
    const McapReader reader(file.path(), {.rebuild = rebuild});
    const Channel* cycle = reader.channel("/cycle");
    ASSERT_NE(cycle, nullptr);
    EXPECT_EQ(cycle->message_encoding, "cdr");
    EXPECT_EQ(cycle->metadata, (StringMap{{"rate", "1000"}}));
    ASSERT_NE(reader.schema_of(*cycle), nullptr);
    EXPECT_EQ(reader.schema_of(*cycle)->text(), "int64 tick\nfloat64[4] q\n");
    EXPECT_EQ(reader.schema_of(*cycle)->encoding, "ros2msg");
    EXPECT_EQ(reader.channel("/nothing"), nullptr);

    ASSERT_EQ(reader.metadata().size(), 2u);
    EXPECT_EQ(reader.metadata("kagami.run"),
              (StringMap{{"motion", "walk_forward"}, {"版", "鏡 \"1\""}}));
    EXPECT_EQ(reader.metadata("none"), std::nullopt);

    const std::optional<Attachment> urdf = reader.attachment("robot.urdf");
    ASSERT_TRUE(urdf.has_value());
    EXPECT_EQ(urdf->text(), "<robot name='khr1'/>");
    EXPECT_EQ(urdf->media_type, "text/xml");
    EXPECT_EQ(urdf->log_time_ns, kSampleStart);
    EXPECT_EQ(urdf->create_time_ns, 7u);
    EXPECT_FALSE(reader.attachment("none").has_value());
  }
}

TEST(Mcap, TheDataEndHoldsTheCrcOfEverythingBeforeIt) {
  const TempFile file("crc.mcap");
  {
    McapWriter writer(file.path());
    write_sample(writer, 120);
  }
  const std::vector<std::byte> bytes = test::read_file(file.path());
  // from the end: magic 8, summary CRC 4, two offsets of 8, of which the first is the summary's
  std::uint64_t summary = 0;
  std::memcpy(&summary, bytes.data() + bytes.size() - 8 - 4 - 16, sizeof(summary));
  const std::size_t data_end = static_cast<std::size_t>(summary) - 9 - 4;
  ASSERT_EQ(bytes.at(data_end), std::byte{0x0F});
  std::uint32_t crc = 0;
  std::memcpy(&crc, bytes.data() + data_end + 9, sizeof(crc));
  boost::crc_32_type oracle;
  oracle.process_bytes(bytes.data(), data_end);
  EXPECT_EQ(crc, oracle.checksum());
}

TEST(Mcap, FiltersByTopicAndTime) {
  const TempFile file("filter.mcap");
  std::vector<Copied> offered;
  {
    McapWriter writer(file.path());
    offered = write_sample(writer, 200);
  }
  const std::uint64_t from = kSampleStart + 47'000'000;
  const std::uint64_t to = kSampleStart + 110'000'000;
  const McapReader reader(file.path());
  for (const std::string topic : {"/cycle", "/events", "/none"}) {
    std::vector<Copied> expected;
    std::copy_if(offered.begin(), offered.end(), std::back_inserter(expected),
                 [&](const Copied& m) {
                   return m.topic == topic && m.log_time_ns >= from && m.log_time_ns <= to;
                 });
    EXPECT_EQ(all_messages(reader, {.topics = {topic}, .start_ns = from, .end_ns = to}), expected);
  }
}

TEST(Mcap, ClosesAChunkWhenTimeOrSizeIsReached) {
  const TempFile file("due.mcap");
  McapWriter writer(file.path(), {.chunk_duration_ns = 50'000'000, .chunk_bytes = 1000});
  const ChannelId channel = writer.add_channel("/raw", 0, "");
  const std::vector<std::byte> small(10);
  const std::vector<std::byte> large(1000);
  writer.write(channel, 100, 100, small);
  writer.flush_due(49'999'999);
  EXPECT_EQ(writer.counters().chunks, 0u);
  writer.flush_due(50'000'100);
  EXPECT_EQ(writer.counters().chunks, 1u);
  writer.write(channel, 60'000'000, 60'000'000, large);
  EXPECT_EQ(writer.counters().chunks, 2u);  // too large to wait
  writer.write(channel, 70'000'000, 70'000'000, small);
  writer.write(channel, 120'000'000, 120'000'000, small);
  EXPECT_EQ(writer.counters().chunks, 3u);  // the open one was 50 ms old
  // all but the last is with the operating system, whatever happens to this process
  EXPECT_EQ(McapReader(file.path()).statistics().message_count, 3u);
}

TEST(Mcap, OrdersByLogTimeAcrossOverlappingChunks) {
  const TempFile file("overlap.mcap");
  std::mt19937 random(3);
  std::vector<std::uint64_t> times;
  {
    McapWriter writer(file.path(), {.chunk_bytes = 600});
    const ChannelId channel = writer.add_channel("/raw", 0, "");
    for (std::uint64_t i = 0; i < 500; ++i) {
      const std::uint64_t time = i * 1000 + random() % 40'000;  // chunks overlap by several others
      times.push_back(time);
      writer.write(channel, time, i, bytes_of("0123456789"));
    }
  }
  std::sort(times.begin(), times.end());
  const std::vector<Copied> read = all_messages(McapReader(file.path()));
  ASSERT_EQ(read.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(read[i].log_time_ns, times[i]);
  EXPECT_THROW(all_messages(McapReader(file.path(), {.max_stream_bytes = 1000})), RecordError);
}

TEST(Mcap, AnEmptyRecordIsValid) {
  const TempFile file("empty.mcap");
  { McapWriter writer(file.path()); }
  const McapReader reader(file.path());
  EXPECT_EQ(reader.damage().sentence, "");
  EXPECT_TRUE(all_messages(reader).empty());
}

TEST(Mcap, RefusesASchemaThatWasNotAddedAndCountsAnUnknownChannel) {
  const TempFile file("misuse.mcap");
  McapWriter writer(file.path());
  EXPECT_THROW(writer.add_channel("/x", 1, "json"), RecordError);
  EXPECT_FALSE(writer.write(9, 1, 1, {}));
  EXPECT_EQ(writer.counters().lost_messages, 1u);
  EXPECT_TRUE(writer.close());
  EXPECT_FALSE(writer.write(9, 1, 1, {}));
  EXPECT_FALSE(writer.add_metadata("late", {}));
  EXPECT_FALSE(writer.add_attachment("late", "", 0, {}));
  EXPECT_EQ(writer.counters().lost_attachments, 2u);
  EXPECT_TRUE(writer.close());  // again: nothing happens
}

TEST(Mcap, NamesFileAndCauseWhenItCannotBeOpened) {
  const auto message_of = [](const auto& open) -> std::string {
    try {
      open();
    } catch (const RecordError& e) {
      return e.what();
    }
    return "nothing thrown";
  };
  EXPECT_EQ(message_of([] { McapWriter("/nowhere/run.mcap"); }),
            "/nowhere/run.mcap: cannot be created: No such file or directory");
  EXPECT_EQ(message_of([] { McapReader("/nowhere/run.mcap"); }),
            "/nowhere/run.mcap: cannot be opened: No such file or directory");
  EXPECT_EQ(message_of([] { McapReader("/tmp"); }), "/tmp: not a regular file");
  EXPECT_NE(message_of([] { McapWriter("/dev/full"); }).find("disk full"), std::string::npos);
  const TempFile file("text.mcap");
  test::write_file(file.path(), {std::byte{'a'}});
  EXPECT_NE(message_of([&] { McapReader(file.path()); }).find("not an MCAP file"),
            std::string::npos);
}

TEST(Recover, MakesACleanCopyWithNumbersKept) {
  const TempFile whole("whole.mcap");
  const TempFile cut("cut.mcap");
  const TempFile copy("copy.mcap");
  std::vector<Copied> offered;
  {
    McapWriter writer(whole.path());
    offered = write_sample(writer, 333);
  }
  std::vector<std::byte> bytes = test::read_file(whole.path());
  bytes.resize(bytes.size() / 2);
  test::write_file(cut.path(), bytes);

  const RecoverReport report = recover(cut.path(), copy.path());
  EXPECT_TRUE(report.damage.cut);
  EXPECT_GT(report.damage.missing_bytes, 0u);
  EXPECT_EQ(report.attachments, 1u);
  const McapReader reader(copy.path());
  EXPECT_EQ(reader.damage().sentence, "");
  const std::vector<Copied> read = all_messages(reader);
  EXPECT_EQ(read.size(), report.messages);
  ASSERT_GT(read.size(), 100u);
  offered.resize(read.size());
  EXPECT_EQ(read, offered);
  EXPECT_EQ(reader.metadata("kagami.recovered")->at("ended_early"), "true");
  EXPECT_EQ(reader.attachment("robot.urdf")->create_time_ns, 7u);
  EXPECT_THROW(recover(copy.path(), copy.path()), RecordError);
  EXPECT_THROW(recover(copy.path(), "/dev/full"), RecordError);
}

}  // namespace
}  // namespace kagami::runtime
