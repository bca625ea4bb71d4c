// Opening by footer and summary, and loading a chunk.
#include <algorithm>

#include "runtime/record/crc32.hpp"
#include "runtime/record/mcap_bytes.hpp"
#include "runtime/record/mcap_load.hpp"
#include "runtime/record/zstd_codec.hpp"

namespace kagami::runtime {
namespace {

constexpr std::uint64_t kFooterBody = 8 + 8 + 4;
constexpr std::uint64_t kFooterRecord = kRecordHead + kFooterBody;

struct Footer {
  std::uint64_t at = 0;  ///< offset of its record
  std::uint64_t summary_start = 0;
  std::uint64_t summary_offset_start = 0;
  std::uint32_t summary_crc = 0;
};

std::string read_footer(const FileSource& file, Footer& footer) {
  if (file.size() < 2 * kMcapMagic.size() + kFooterRecord) return "it has no footer";
  footer.at = file.size() - kMcapMagic.size() - kFooterRecord;
  std::vector<std::byte> bytes;
  file.read(footer.at, kFooterRecord + kMcapMagic.size(), bytes);
  BytesIn in(bytes);
  const bool is_footer = in.number<std::uint8_t>() == static_cast<std::uint8_t>(McapOp::kFooter) &&
                         in.number<std::uint64_t>() == kFooterBody;
  footer.summary_start = in.number<std::uint64_t>();
  footer.summary_offset_start = in.number<std::uint64_t>();
  footer.summary_crc = in.number<std::uint32_t>();
  const std::span<const std::byte> magic = bytes_of(kMcapMagic);
  if (!is_footer || !std::equal(magic.begin(), magic.end(), in.left().begin(), in.left().end())) {
    return "it has no footer";
  }
  if (footer.summary_start == 0) return "it has no summary";
  if (footer.summary_start < kMcapMagic.size() || footer.summary_start > footer.at) {
    return "its footer points outside the file";
  }
  const bool has_offsets = footer.summary_offset_start != 0;
  if (has_offsets && (footer.summary_offset_start < footer.summary_start ||
                      footer.summary_offset_start > footer.at)) {
    return "its footer points outside the file";
  }
  return "";
}

template <class T, class Use>
bool use_if(std::optional<T> value, Use use) {
  if (value) use(std::move(*value));
  return value.has_value();
}

/// Enters one record of the summary. @return false when it is malformed
bool enter(const RecordView& record, McapContents& c, bool& has_statistics) {
  switch (record.op) {
    case McapOp::kSchema:
      return use_if(parse_schema(record.body), [&](Schema s) {
        if (s.id != 0) c.schemas.emplace(s.id, std::move(s));
      });
    case McapOp::kChannel:
      return use_if(parse_channel(record.body),
                    [&](Channel ch) { c.channels.emplace(ch.id, std::move(ch)); });
    case McapOp::kChunkIndex:
      return use_if(parse_chunk_index(record.body),
                    [&](ChunkIndex i) { c.chunks.push_back(std::move(i)); });
    case McapOp::kAttachmentIndex:
      return use_if(parse_attachment_index(record.body),
                    [&](AttachmentIndex i) { c.attachments.push_back(std::move(i)); });
    case McapOp::kMetadataIndex:
      return use_if(parse_metadata_index(record.body),
                    [&](MetadataIndex i) { c.metadata.push_back(std::move(i)); });
    case McapOp::kStatistics:
      has_statistics = true;
      return use_if(parse_statistics(record.body),
                    [&](Statistics s) { c.statistics = std::move(s); });
    default:
      return true;  // unknown kinds are skipped, as the specification requires
  }
}

template <class Index>
bool all_inside(const std::vector<Index>& indexes, std::uint64_t end) {
  for (const Index& i : indexes) {
    if (i.offset < kMcapMagic.size() || i.offset > end || i.length > end - i.offset) return false;
  }
  return true;
}

/// Does the summary describe the whole data section?
std::string check(const McapContents& c, bool has_statistics, std::uint64_t summary_start) {
  if (!has_statistics) return "its summary has no statistics";
  const Statistics& s = c.statistics;
  if (s.chunk_count != c.chunks.size() || (s.message_count > 0 && c.chunks.empty()) ||
      s.attachment_count != c.attachments.size() || s.metadata_count != c.metadata.size()) {
    return "its summary does not list all that its statistics count";
  }
  const auto unknown = [&c](const auto& entry) { return !c.channels.contains(entry.first); };
  const auto has_unknown = [&unknown](const auto& map) {
    return std::any_of(map.begin(), map.end(), unknown);
  };
  bool all_known = s.channel_count <= c.channels.size() && !has_unknown(s.channel_message_counts);
  for (const ChunkIndex& i : c.chunks) {
    all_known = all_known && !has_unknown(i.message_index_offsets);
  }
  if (!all_known) return "its summary does not describe all channels";
  if (!all_inside(c.chunks, summary_start) || !all_inside(c.attachments, summary_start) ||
      !all_inside(c.metadata, summary_start)) {
    return "its summary points outside the data section";
  }
  return "";
}

}  // namespace

std::string read_summary(const FileSource& file, McapContents& contents) {
  Footer footer;
  if (std::string why = read_footer(file, footer); !why.empty()) return why;

  // the CRC covers the footer up to itself
  std::vector<std::byte> bytes;
  const std::uint64_t covered = footer.at + kFooterRecord - 4 - footer.summary_start;
  file.read(footer.summary_start, covered, bytes);
  if (footer.summary_crc != 0 && crc32(bytes) != footer.summary_crc) {
    return "the CRC of its summary differs";
  }
  const std::uint64_t end =
      footer.summary_offset_start != 0 ? footer.summary_offset_start : footer.at;
  std::span<const std::byte> left =
      std::span<const std::byte>(bytes).first(static_cast<std::size_t>(end - footer.summary_start));
  bool has_statistics = false;
  while (!left.empty()) {
    const std::optional<RecordView> record = next_record(left);
    if (!record || !enter(*record, contents, has_statistics)) return "its summary is malformed";
  }

  // the header comes first, after the magic
  std::vector<std::byte> head;
  file.read(kMcapMagic.size(), kRecordHead, head);
  BytesIn in(head);
  const bool is_header = in.number<std::uint8_t>() == static_cast<std::uint8_t>(McapOp::kHeader);
  const std::uint64_t length = in.number<std::uint64_t>();
  if (!is_header || length > file.size()) return "it has no header";
  file.read(kMcapMagic.size() + kRecordHead, length, head);
  BytesIn header(head);
  contents.profile = header.text();
  contents.library = header.text();
  if (!header.ok()) return "its header is malformed";
  return check(contents, has_statistics, footer.summary_start);
}

std::string load_chunk(const FileSource& file, const ChunkIndex& index, std::uint64_t max_bytes,
                       ChunkBuffers& buffers) {
  file.read(index.offset, index.length, buffers.stored);
  std::span<const std::byte> bytes(buffers.stored);
  const std::optional<RecordView> record = next_record(bytes);
  if (!record || record->op != McapOp::kChunk) return "is no chunk";
  const std::optional<ChunkHead> chunk = parse_chunk(record->body);
  if (!chunk) return "is malformed";
  if (chunk->uncompressed_size > max_bytes) {
    return "promises " + std::to_string(chunk->uncompressed_size) + " bytes, more than the " +
           std::to_string(max_bytes) + " allowed";
  }
  if (chunk->compression.empty()) {
    if (chunk->records.size() != chunk->uncompressed_size)
      return "has a size that differs from its header";
    buffers.records.assign(chunk->records.begin(), chunk->records.end());
  } else if (chunk->compression == "zstd") {
    std::string why = zstd_decode(chunk->records, chunk->uncompressed_size, buffers.records);
    if (!why.empty()) return why;
  } else {
    return "is compressed with '" + chunk->compression.substr(0, 16) +
           "'; zstd and none are read (convert it with another tool first)";
  }
  if (chunk->crc != 0 && crc32(buffers.records) != chunk->crc)
    return "has a CRC that does not match its content";
  return "";
}

}  // namespace kagami::runtime
