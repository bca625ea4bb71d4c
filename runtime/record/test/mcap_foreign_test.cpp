// Records by other hands: unusual, damaged, random.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "models/base/errors.hpp"
#include "models/base/test/support/long_run.hpp"
#include "runtime/record/mcap_bytes.hpp"
#include "runtime/record/mcap_recover.hpp"
#include "runtime/record/test/support/record_samples.hpp"
#include "runtime/record/test/support/small_disk.hpp"

namespace kagami::runtime {
namespace {

using test::all_messages;
using test::Copied;
using test::sample_bytes;
using test::TempFile;
using test::write_file;

/// A file made by hand: magic, header and the given records.
std::vector<std::byte> file_of(
    const std::vector<std::pair<McapOp, std::vector<std::byte>>>& records) {
  std::vector<std::byte> bytes;
  BytesOut out(bytes);
  out.raw(bytes_of(kMcapMagic));
  const std::size_t header = out.begin_record(McapOp::kHeader);
  out.text("");
  out.text("by hand");
  out.end_record(header);
  for (const auto& [op, body] : records) {
    const std::size_t record = out.begin_record(op);
    out.raw(body);
    out.end_record(record);
  }
  return bytes;
}

std::vector<std::byte> chunk_body(std::string_view compression, std::uint64_t uncompressed_size,
                                  std::span<const std::byte> records) {
  std::vector<std::byte> bytes;
  BytesOut out(bytes);
  out.number(std::uint64_t{0});
  out.number(std::uint64_t{9});
  out.number(uncompressed_size);
  out.number(std::uint32_t{0});
  out.text(compression);
  out.number(static_cast<std::uint64_t>(records.size()));
  out.raw(records);
  return bytes;
}

TEST(ForeignRecord, UnknownKindsAreSkippedAndLooseMessagesRead) {
  std::vector<std::byte> channel_record;
  BytesOut channel_out(channel_record);
  write_channel(channel_out, Channel{3, 0, "/loose", "json", {}});
  const std::vector<std::byte> channel(channel_record.begin() + kRecordHead, channel_record.end());
  std::vector<std::byte> message;
  BytesOut message_out(message);
  message_out.number(ChannelId{3});
  message_out.number(std::uint32_t{1});
  message_out.number(std::uint64_t{50});
  message_out.number(std::uint64_t{40});
  message_out.raw(bytes_of("{}"));
  std::vector<std::byte> orphan = message;
  orphan[0] = std::byte{4};

  const TempFile file("loose.mcap");
  write_file(file.path(), file_of({{McapOp{0x90}, {std::byte{1}}},
                                   {McapOp::kChannel, channel},
                                   {McapOp::kMessage, message},
                                   {McapOp::kMessage, orphan},
                                   {McapOp{0x7F}, {}},
                                   {McapOp::kMessage, message},
                                   {McapOp::kDataEnd, std::vector<std::byte>(4)}}));
  const McapReader reader(file.path());
  EXPECT_FALSE(reader.damage().cut);
  EXPECT_EQ(reader.damage().orphan_messages, 1u);
  const std::vector<Copied> read = all_messages(reader);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].publish_time_ns, 40u);
  EXPECT_EQ(reader.damage().sentence,
            "index rebuilt: it has no footer; 1 message of unknown channels");
}

TEST(ForeignRecord, RefusesWhatItCannotDecompressBeforeTakingMemory) {
  const TempFile file("refuse.mcap");
  const std::vector<std::byte> some(20);
  const std::uint64_t huge = std::uint64_t{1} << 60;
  for (const auto& body : {chunk_body("lz4", 20, some), chunk_body("zstd", huge, some),
                           chunk_body("zstd", 1u << 27, some), chunk_body("zstd", 20, some),
                           chunk_body("", 21, some), chunk_body("", huge, some)}) {
    write_file(file.path(), file_of({{McapOp::kChunk, body}}));
    const McapReader reader(file.path());
    EXPECT_EQ(reader.damage().damaged_chunks, 1u);
  }
  write_file(file.path(), file_of({{McapOp::kChunk, chunk_body("lz4", 20, some)}}));
  EXPECT_NE(McapReader(file.path()).damage().sentence.find("compressed with 'lz4'"),
            std::string::npos);
}

TEST(ForeignRecord, ASummaryThatHidesAChannelIsAnErrorWhenAMessageOfItComes) {
  std::vector<std::byte> message;
  BytesOut message_out(message);
  const std::size_t begin = message_out.begin_record(McapOp::kMessage);
  message_out.number(ChannelId{3});
  message_out.raw(std::vector<std::byte>(4 + 8 + 8));
  message_out.end_record(begin);
  const std::vector<std::byte> chunk = chunk_body("", message.size(), message);
  std::vector<std::byte> bytes =
      file_of({{McapOp::kChunk, chunk}, {McapOp::kDataEnd, std::vector<std::byte>(4)}});
  const std::uint64_t chunk_at = bytes.size() - kRecordHead - 4 - kRecordHead - chunk.size();
  const std::uint64_t summary = bytes.size();

  // a summary without that channel, and statistics that do not count it
  BytesOut out(bytes);
  const std::size_t index = out.begin_record(McapOp::kChunkIndex);
  for (const std::uint64_t n :
       {std::uint64_t{0}, std::uint64_t{9}, chunk_at, std::uint64_t{kRecordHead + chunk.size()}}) {
    out.number(n);
  }
  out.number(std::uint32_t{0});
  out.number(std::uint64_t{0});
  out.text("");
  out.number(static_cast<std::uint64_t>(message.size()));
  out.number(static_cast<std::uint64_t>(message.size()));
  out.end_record(index);
  Statistics statistics;
  statistics.message_count = 1;
  statistics.chunk_count = 1;
  write_statistics(out, statistics);
  const std::size_t footer = out.begin_record(McapOp::kFooter);
  out.number(summary);
  out.number(std::uint64_t{0});
  out.number(std::uint32_t{0});
  out.end_record(footer);
  out.raw(bytes_of(kMcapMagic));

  const TempFile file("hidden.mcap");
  write_file(file.path(), bytes);
  const McapReader reader(file.path());
  EXPECT_FALSE(reader.damage().rebuilt);
  EXPECT_THROW(all_messages(reader), RecordError);
  // read without the summary, the message is counted as an orphan
  EXPECT_EQ(McapReader(file.path(), {.rebuild = true}).damage().orphan_messages, 1u);
}

TEST(ForeignRecord, SurvivesMutatedBytes) {
  const TempFile file("mutated.mcap");
  const TempFile copy("mutated_copy.mcap");
  std::size_t refused = 0;
  for (unsigned seed = 0; seed < test::rounds(1500); ++seed) {
    std::mt19937 random(seed);
    std::vector<std::byte> bytes = sample_bytes(nullptr, static_cast<int>(seed % 2));
    const bool keep_crc = seed % 3 != 0;  // else: no CRC, so that the parser behind it is reached
    if (!keep_crc) std::memset(&bytes[bytes.size() - kMcapMagic.size() - 4], 0, 4);
    const int flips = 1 + static_cast<int>(random() % 6);
    const std::size_t begin = seed % 4 == 1 ? bytes.size() - 1500 : 0;
    for (int i = 0; i < flips; ++i) {
      bytes[begin + random() % (bytes.size() - begin)] = static_cast<std::byte>(random());
    }
    write_file(file.path(), bytes);
    try {
      const McapReader reader(file.path());
      all_messages(reader);
      for (const AttachmentIndex& a : reader.attachments()) (void)reader.attachment(a);
      for (const MetadataIndex& m : reader.metadata()) (void)reader.metadata(m);
    } catch (const RecordError&) {
      ++refused;
    }
    if (seed % 10 != 0) continue;
    try {
      recover(file.path(), copy.path());
      EXPECT_EQ(McapReader(copy.path()).damage().sentence, "");
    } catch (const RecordError&) {  // the magic was hit
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(ForeignRecord, SurvivesRandomBytesAfterTheMagic) {
  const TempFile file("random.mcap");
  for (unsigned seed = 0; seed < test::rounds(2000); ++seed) {
    std::mt19937 random(seed);
    std::vector<std::byte> bytes;
    BytesOut out(bytes);
    out.raw(bytes_of(kMcapMagic));
    for (int record = 0; record < 12; ++record) {
      out.number(static_cast<std::uint8_t>(1 + random() % 16));
      const std::size_t size = random() % 60;
      out.number(static_cast<std::uint64_t>(random() % 20 == 0 ? random() : size));
      for (std::size_t i = 0; i < size; ++i) {
        out.number(static_cast<std::uint8_t>(random() % 4 == 0 ? random() % 12 : 0));
      }
    }
    write_file(file.path(), bytes);
    try {
      all_messages(McapReader(file.path()));
    } catch (const RecordError&) {
    }
  }
}

}  // namespace
}  // namespace kagami::runtime
