/// The records of an MCAP file as plain data. Source: mcap.dev/spec ("MCAP Format Specification").
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kagami::runtime {

/// First byte of each record.
enum class McapOp : std::uint8_t {
  kHeader = 0x01,
  kFooter = 0x02,
  kSchema = 0x03,
  kChannel = 0x04,
  kMessage = 0x05,
  kChunk = 0x06,
  kMessageIndex = 0x07,
  kChunkIndex = 0x08,
  kAttachment = 0x09,
  kAttachmentIndex = 0x0A,
  kStatistics = 0x0B,
  kMetadata = 0x0C,
  kMetadataIndex = 0x0D,
  kSummaryOffset = 0x0E,
  kDataEnd = 0x0F,
};

using SchemaId = std::uint16_t;  ///< 0 = no schema
using ChannelId = std::uint16_t;
using StringMap = std::map<std::string, std::string>;

/// How the messages of a channel are built.
struct Schema {
  SchemaId id = 0;
  std::string name;             ///< e.g. "foxglove.JointStates"
  std::string encoding;         ///< "ros2msg", "jsonschema", "" = none
  std::vector<std::byte> data;  ///< the schema's text

  [[nodiscard]] std::string text() const;
};

struct Channel {
  ChannelId id = 0;
  SchemaId schema_id = 0;
  std::string topic;             ///< e.g. "/cycle"
  std::string message_encoding;  ///< "cdr", "json", "" = raw
  StringMap metadata;
};

/// One message where it lies; valid until the stream it came from is advanced.
struct MessageView {
  const Channel* channel = nullptr;
  std::uint32_t sequence = 0;         ///< counts per channel; a gap is a loss
  std::uint64_t log_time_ns = 0;      ///< when it was written down
  std::uint64_t publish_time_ns = 0;  ///< when it was so
  std::span<const std::byte> data;
};

/// Where a chunk lies in the file.
struct ChunkIndex {
  std::uint64_t start_time_ns = 0;  ///< earliest log time in it
  std::uint64_t end_time_ns = 0;    ///< latest log time in it
  std::uint64_t offset = 0;         ///< of the chunk's record
  std::uint64_t length = 0;         ///< of the record, with opcode and length
  std::map<ChannelId, std::uint64_t> message_index_offsets;  ///< empty = unknown
  std::uint64_t message_index_length = 0;
  std::string compression;  ///< "zstd", "" = none
  std::uint64_t stored_size = 0;
  std::uint64_t uncompressed_size = 0;
};

/// A file inside the file.
struct Attachment {
  std::string name;        ///< e.g. "robot.urdf"
  std::string media_type;  ///< e.g. "text/xml"
  std::uint64_t log_time_ns = 0;
  std::uint64_t create_time_ns = 0;  ///< 0 = unknown
  std::vector<std::byte> data;

  [[nodiscard]] std::string text() const;
};

struct AttachmentIndex {
  std::uint64_t offset = 0;  ///< of the attachment's record
  std::uint64_t length = 0;  ///< of the record, with opcode and length
  std::uint64_t log_time_ns = 0;
  std::uint64_t create_time_ns = 0;
  std::uint64_t data_size = 0;
  std::string name;
  std::string media_type;
};

struct MetadataIndex {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::string name;
};

struct Statistics {
  std::uint64_t message_count = 0;
  std::uint16_t schema_count = 0;
  std::uint32_t channel_count = 0;
  std::uint32_t attachment_count = 0;
  std::uint32_t metadata_count = 0;
  std::uint32_t chunk_count = 0;
  std::uint64_t start_time_ns = 0;  ///< earliest log time, 0 without messages
  std::uint64_t end_time_ns = 0;    ///< latest log time
  std::map<ChannelId, std::uint64_t> channel_message_counts;
};

/// The bytes of a text, e.g. of a schema or an attachment. Borrows.
inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace kagami::runtime
