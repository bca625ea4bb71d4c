/// Reads MCAP files, whole or cut, without loading them.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/record/mcap_types.hpp"

namespace kagami::runtime {

class FileSource;
class MessageStream;

struct McapReaderOptions {
  bool rebuild = false;  ///< do not trust the summary; read the whole file to make the index
  std::uint64_t max_chunk_bytes = std::uint64_t{256} << 20;    ///< one chunk, uncompressed
  std::uint64_t max_stream_bytes = std::uint64_t{1024} << 20;  ///< overlapping chunks held at once
};

/// What a file lacks; all zero for a whole one.
struct DamageReport {
  bool rebuilt = false;               ///< the index comes from reading all chunks
  bool cut = false;                   ///< the data section has no end
  std::string why;                    ///< why the summary was not used, "" = it was
  std::uint64_t missing_bytes = 0;    ///< at the end of the file, in no whole record
  std::uint64_t damaged_chunks = 0;   ///< wrong CRC or not decodable: skipped
  std::string first_damage;           ///< what is wrong with the first of them, and where
  std::uint64_t orphan_messages = 0;  ///< of channels that the file does not describe: skipped

  /// One sentence for people, with the last log time that was kept; "" when nothing is missing.
  std::string sentence;
};

/// Which messages; the default is all.
struct MessageFilter {
  std::vector<std::string> topics{};                                 ///< empty = all
  std::uint64_t start_ns = 0;                                        ///< log time, from here
  std::uint64_t end_ns = std::numeric_limits<std::uint64_t>::max();  ///< up to and with this
};

/// What a file holds besides its messages.
struct McapContents {
  std::string profile, library;
  std::map<SchemaId, Schema> schemas;
  std::map<ChannelId, Channel> channels;
  std::vector<ChunkIndex> chunks;
  std::vector<ChunkIndex> loose;  ///< runs of messages outside chunks: only times, offset, length
  std::vector<AttachmentIndex> attachments;
  std::vector<MetadataIndex> metadata;
  Statistics statistics;
  DamageReport damage;
};

/// One open file. Set-up code: throws RecordError with file, offset, cause. One thread.
class McapReader {
 public:
  /// Opens by the summary, or by reading all chunks where the file has none or a wrong one.
  /// @throws RecordError when it cannot be read or is no MCAP file
  explicit McapReader(const std::string& path, McapReaderOptions options = {});
  ~McapReader();
  McapReader(McapReader&&) noexcept;
  McapReader& operator=(McapReader&&) noexcept;

  [[nodiscard]] const std::string& path() const noexcept;
  [[nodiscard]] const std::string& profile() const noexcept { return contents_.profile; }
  [[nodiscard]] const std::string& library() const noexcept { return contents_.library; }
  [[nodiscard]] const std::map<SchemaId, Schema>& schemas() const { return contents_.schemas; }
  [[nodiscard]] const std::map<ChannelId, Channel>& channels() const { return contents_.channels; }
  /// First channel of a topic, nullptr = none.
  [[nodiscard]] const Channel* channel(std::string_view topic) const noexcept;
  /// The channel's schema, nullptr = none.
  [[nodiscard]] const Schema* schema_of(const Channel& channel) const noexcept;
  [[nodiscard]] const Statistics& statistics() const noexcept { return contents_.statistics; }
  [[nodiscard]] const DamageReport& damage() const noexcept { return contents_.damage; }
  [[nodiscard]] const std::vector<ChunkIndex>& chunks() const { return contents_.chunks; }
  [[nodiscard]] const std::vector<AttachmentIndex>& attachments() const {
    return contents_.attachments;
  }
  [[nodiscard]] const std::vector<MetadataIndex>& metadata() const { return contents_.metadata; }

  /// Reads and checks one attachment. @throws RecordError on a wrong CRC
  [[nodiscard]] Attachment attachment(const AttachmentIndex& index) const;
  /// The last one of a name, nullopt = none.
  [[nodiscard]] std::optional<Attachment> attachment(std::string_view name) const;
  [[nodiscard]] StringMap metadata(const MetadataIndex& index) const;
  [[nodiscard]] std::optional<StringMap> metadata(std::string_view name) const;

  /// Messages in the order of log time, ties in the order of the file. Borrows this reader.
  [[nodiscard]] MessageStream messages(const MessageFilter& filter = {}) const;
  /// Calls visit(const MessageView&) for each of them.
  template <class Visit>
  void for_each(const MessageFilter& filter, Visit&& visit) const;

 private:
  friend class MessageStream;

  std::unique_ptr<FileSource> file_;
  McapReaderOptions options_;
  McapContents contents_;
};

/// Messages one by one; holds only the chunks whose times overlap.
class MessageStream {
 public:
  MessageStream(MessageStream&&) noexcept;
  MessageStream& operator=(MessageStream&&) noexcept;
  ~MessageStream();

  /// @return false at the end. The view holds until the next call.
  /// @throws RecordError on a wrong CRC or a chunk that cannot be decoded, naming its offset
  bool next(MessageView& message);

 private:
  friend class McapReader;
  struct State;
  explicit MessageStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

template <class Visit>
void McapReader::for_each(const MessageFilter& filter, Visit&& visit) const {
  MessageStream stream = messages(filter);
  MessageView message;
  while (stream.next(message)) visit(static_cast<const MessageView&>(message));
}

}  // namespace kagami::runtime
