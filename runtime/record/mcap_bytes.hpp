/// MCAP's serialization: little-endian numbers, length-prefixed strings, records; bounded reading.
/// Source: mcap.dev/spec, "Serialization". Internal to this folder.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "runtime/record/mcap_types.hpp"

namespace kagami::runtime {

static_assert(std::endian::native == std::endian::little, "numbers go out as the memory has them");

inline constexpr std::string_view kMcapMagic = "\x89MCAP0\r\n";
inline constexpr std::size_t kRecordHead = 9;  ///< opcode and length

/// Appends to a buffer of the caller.
class BytesOut {
 public:
  explicit BytesOut(std::vector<std::byte>& out) : out_(out) {}

  template <class T>
  requires std::is_unsigned_v<T>
  void number(T value) { raw(std::as_bytes(std::span(&value, 1))); }
  void raw(std::span<const std::byte> bytes) {
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }
  void text(std::string_view text) {
    number(static_cast<std::uint32_t>(text.size()));
    raw(bytes_of(text));
  }
  void map(const StringMap& entries);

  /// Begins a record or a length-prefixed field; end_* writes its length.
  [[nodiscard]] std::size_t begin_record(McapOp op);
  void end_record(std::size_t begin);
  [[nodiscard]] std::size_t begin_array();
  void end_array(std::size_t begin);
  [[nodiscard]] std::size_t size() const noexcept { return out_.size(); }

 private:
  std::vector<std::byte>& out_;
};

/// Takes values from the front of a span. From the first one that is not there on, ok() is false
/// and everything that comes is 0 or empty; what it returns borrows from the span.
class BytesIn {
 public:
  explicit BytesIn(std::span<const std::byte> bytes) : left_(bytes) {}

  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] std::span<const std::byte> left() const noexcept { return left_; }

  template <class T>
  requires std::is_unsigned_v<T> T number()
  noexcept {
    T value = 0;
    const std::span<const std::byte> bytes = raw(sizeof(T));
    if (ok_) std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  std::span<const std::byte> raw(std::uint64_t size) noexcept;
  std::string text();
  StringMap map();
  std::map<ChannelId, std::uint64_t> number_map();

 private:
  std::span<const std::byte> left_;
  bool ok_ = true;
};

/// One record where it lies: its opcode and its content.
struct RecordView {
  McapOp op{};
  std::span<const std::byte> body;
};

/// Takes the next record from the front of in; nullopt at the end or when it is not whole.
std::optional<RecordView> next_record(std::span<const std::byte>& in) noexcept;

// record contents; nullopt = malformed
std::optional<Schema> parse_schema(std::span<const std::byte> body);
std::optional<Channel> parse_channel(std::span<const std::byte> body);
std::optional<ChunkIndex> parse_chunk_index(std::span<const std::byte> body);
std::optional<AttachmentIndex> parse_attachment_index(std::span<const std::byte> body);
std::optional<MetadataIndex> parse_metadata_index(std::span<const std::byte> body);
std::optional<Statistics> parse_statistics(std::span<const std::byte> body);

/// A message without its channel looked up.
struct RawMessage {
  ChannelId channel = 0;
  std::uint32_t sequence = 0;
  std::uint64_t log_time_ns = 0;
  std::uint64_t publish_time_ns = 0;
  std::span<const std::byte> data;
};
std::optional<RawMessage> parse_message(std::span<const std::byte> body) noexcept;

/// What precedes the records of a chunk.
struct ChunkHead {
  std::uint64_t start_time_ns = 0;
  std::uint64_t end_time_ns = 0;
  std::uint64_t uncompressed_size = 0;
  std::uint32_t crc = 0;  ///< of the uncompressed records, 0 = not given
  std::string compression;
  std::span<const std::byte> records;
};
std::optional<ChunkHead> parse_chunk(std::span<const std::byte> body);

void write_schema(BytesOut& out, const Schema& schema);
void write_channel(BytesOut& out, const Channel& channel);
void write_statistics(BytesOut& out, const Statistics& statistics);

}  // namespace kagami::runtime
