/// Writes MCAP files: chunks with CRC and message indexes as it goes, summary and footer at the
/// end.
///
/// A full disk is a normal result: recording stops at the last whole record, calls go on and are
/// counted as lost, and resume() tries again. Independent of the content of the messages.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/record/byte_sink.hpp"
#include "runtime/record/mcap_types.hpp"

namespace kagami::runtime {

class ZstdEncoder;

struct McapWriterOptions {
  std::string profile{};                           ///< "" = none of the well-known ones
  std::string library = "kagami";                  ///< who wrote the file, with version
  std::uint64_t chunk_duration_ns = 50'000'000;    ///< a chunk spans less log time than this
  std::size_t chunk_bytes = std::size_t{1} << 20;  ///< a chunk with more than this is closed
  int zstd_level = 1;                              ///< 0 = chunks are not compressed
};

/// What was kept and what was not.
struct WriterCounters {
  std::uint64_t messages = 0;          ///< in whole chunks in the file
  std::uint64_t lost_messages = 0;     ///< offered while stopped, or in a chunk that did not fit
  std::uint64_t lost_attachments = 0;  ///< likewise, attachments and metadata records
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;  ///< length of the file
  std::uint32_t stops = 0;  ///< how often recording stopped
};

/// One file being written. One thread. Buffers are reused: after the first chunks a message costs
/// no allocation, but 0.2 kB of chunk index stay in memory per chunk (14 MB an hour at 20 a
/// second).
class McapWriter {
 public:
  /// Creates the file. @throws RecordError when the path cannot be written, naming it and why
  explicit McapWriter(const std::string& path, McapWriterOptions options = {});
  explicit McapWriter(std::unique_ptr<ByteSink> sink, McapWriterOptions options = {});
  /// Closes, if close() was not called.
  ~McapWriter();
  McapWriter(const McapWriter&) = delete;
  McapWriter& operator=(const McapWriter&) = delete;

  /// Reaches the file with the first channel that uses it.
  /// @return the schema's number, from 1. @throws RecordError when 65535 are in use
  SchemaId add_schema(std::string_view name, std::string_view encoding, std::string_view text);
  /// @throws RecordError for a schema that was not added (0 = none is fine), or too many channels
  ChannelId add_channel(std::string_view topic, SchemaId schema, std::string_view message_encoding,
                        StringMap metadata = {});

  /// Appends a message to the open chunk, after closing it where it is old or full. The sequence
  /// number counts the calls per channel from 0, lost ones too.
  /// @return false when the message is lost (recording stopped, closed, or unknown channel)
  bool write(ChannelId channel, std::uint64_t log_time_ns, std::uint64_t publish_time_ns,
             std::span<const std::byte> data);
  /// The same with the sequence number given; for copies of records.
  bool write(ChannelId channel, std::uint32_t sequence, std::uint64_t log_time_ns,
             std::uint64_t publish_time_ns, std::span<const std::byte> data);

  /// @return false when it is lost
  bool add_attachment(std::string_view name, std::string_view media_type, std::uint64_t log_time_ns,
                      std::span<const std::byte> data, std::uint64_t create_time_ns = 0);
  bool add_metadata(std::string_view name, const StringMap& entries);

  /// Closes the open chunk if its first message is chunk_duration_ns old. Call it when idle.
  void flush_due(std::uint64_t now_ns);
  /// Closes the open chunk now and gives it to the operating system.
  void flush();
  /// Tries to go on after a stop. @return true when recording
  bool resume();
  /// Writes the rest, the summary and the footer. @return false when that did not fit: the file
  /// then ends at its last whole record and McapReader rebuilds the index
  bool close();

  [[nodiscard]] bool stopped() const noexcept { return stopped_; }
  /// Why recording stopped the last time, with the file, the cause and what was kept; "" = never.
  [[nodiscard]] const std::string& cause() const noexcept { return cause_; }
  [[nodiscard]] const WriterCounters& counters() const noexcept { return counters_; }

 private:
  struct IndexEntry {
    std::uint64_t log_time_ns = 0;
    std::uint64_t offset = 0;  ///< in the uncompressed chunk
  };
  struct SchemaState {
    Schema schema;
    bool written = false;
  };
  struct ChannelState {
    Channel channel;
    bool written = false;
    std::uint32_t next_sequence = 0;
    std::uint64_t count = 0;        ///< messages in the file
    std::vector<IndexEntry> index;  ///< of the open chunk
    std::size_t index_at = 0;       ///< where its message index begins in block_
  };

  void start();
  bool append(std::span<const std::byte> bytes);
  void stop(int error, std::uint64_t at);
  bool write_definitions(ChannelState& state);
  std::uint64_t compose_chunk();
  void note_chunk(std::uint64_t begin, std::uint64_t chunk_length);
  void forget_chunk(bool kept);
  void compose_tail(std::vector<std::byte>& tail) const;

  std::string name_;  // for messages: the path
  std::unique_ptr<ByteSink> sink_;
  McapWriterOptions options_;
  std::unique_ptr<ZstdEncoder> encoder_;  // null = not compressed
  std::vector<SchemaState> schemas_;      // id - 1
  std::vector<ChannelState> channels_;    // id
  std::vector<std::byte> chunk_;          // uncompressed records of the open chunk
  std::vector<std::byte> block_;          // chunk record and message indexes, as they go out
  std::vector<std::byte> scratch_;        // small records
  std::vector<std::byte> chunk_indexes_, attachment_indexes_, metadata_indexes_;  // for the summary
  Statistics statistics_;
  WriterCounters counters_;
  std::uint64_t offset_ = 0;  // end of the last whole record
  std::uint32_t data_crc_ = 0;
  std::uint64_t chunk_opened_ns_ = 0;  // log time of the open chunk's first message
  std::uint64_t chunk_start_ns_ = 0, chunk_end_ns_ = 0;
  std::uint64_t chunk_messages_ = 0;
  std::uint64_t stored_size_ = 0;  // of the chunk in block_
  std::string_view compression_;   // of the chunk in block_
  bool stopped_ = false;
  bool closed_ = false;
  std::string cause_;
};

}  // namespace kagami::runtime
