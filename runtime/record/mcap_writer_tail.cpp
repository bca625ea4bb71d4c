// Attachments, metadata, and the end of the file: data end, summary, summary offsets, footer.
#include <cerrno>
#include <cstring>

#include "runtime/record/crc32.hpp"
#include "runtime/record/mcap_bytes.hpp"
#include "runtime/record/mcap_writer.hpp"
#include "runtime/record/zstd_codec.hpp"

namespace kagami::runtime {

bool McapWriter::add_attachment(std::string_view name, std::string_view media_type,
                                std::uint64_t log_time_ns, std::span<const std::byte> data,
                                std::uint64_t create_time_ns) {
  scratch_.clear();
  BytesOut out(scratch_);
  const std::size_t record = out.begin_record(McapOp::kAttachment);
  out.number(log_time_ns);
  out.number(create_time_ns);
  out.text(name);
  out.text(media_type);
  out.number(static_cast<std::uint64_t>(data.size()));
  out.raw(data);
  out.number(crc32(std::span<const std::byte>(scratch_).subspan(record)));
  out.end_record(record);

  const std::uint64_t begin = offset_;
  if (closed_ || !append(scratch_)) {
    ++counters_.lost_attachments;
    return false;
  }
  BytesOut index(attachment_indexes_);
  const std::size_t entry = index.begin_record(McapOp::kAttachmentIndex);
  index.number(begin);
  index.number(static_cast<std::uint64_t>(scratch_.size()));
  index.number(log_time_ns);
  index.number(create_time_ns);
  index.number(static_cast<std::uint64_t>(data.size()));
  index.text(name);
  index.text(media_type);
  index.end_record(entry);
  ++statistics_.attachment_count;
  return true;
}

bool McapWriter::add_metadata(std::string_view name, const StringMap& entries) {
  scratch_.clear();
  BytesOut out(scratch_);
  const std::size_t record = out.begin_record(McapOp::kMetadata);
  out.text(name);
  out.map(entries);
  out.end_record(record);

  const std::uint64_t begin = offset_;
  if (closed_ || !append(scratch_)) {
    ++counters_.lost_attachments;
    return false;
  }
  BytesOut index(metadata_indexes_);
  const std::size_t entry = index.begin_record(McapOp::kMetadataIndex);
  index.number(begin);
  index.number(static_cast<std::uint64_t>(scratch_.size()));
  index.text(name);
  index.end_record(entry);
  ++statistics_.metadata_count;
  return true;
}

bool McapWriter::close() {
  if (closed_) return !stopped_;
  if (stopped_) resume();
  flush();
  std::vector<std::byte> tail;
  compose_tail(tail);
  const bool whole = append(tail);
  closed_ = true;
  const int error = whole ? sink_->sync() : 0;
  // EINVAL: a device or pipe without this query
  if (error != 0 && error != EINVAL) stop(error, offset_);
  sink_.reset();
  return !stopped_;
}

/// Everything after the data section. Records of one kind stand together, in the order in which
/// readers need them; the summary CRC covers the summary, its offsets and the footer so far.
void McapWriter::compose_tail(std::vector<std::byte>& tail) const {
  BytesOut out(tail);
  const std::size_t data_end = out.begin_record(McapOp::kDataEnd);
  out.number(data_crc_);
  out.end_record(data_end);
  const std::size_t summary = tail.size();

  struct Group {
    McapOp op;
    std::size_t begin, end;
  };
  std::vector<Group> groups;
  const auto close_group = [&](McapOp op) {
    const std::size_t begin = groups.empty() ? summary : groups.back().end;
    if (tail.size() > begin) groups.push_back({op, begin, tail.size()});
  };
  Statistics statistics = statistics_;
  for (const SchemaState& s : schemas_) {
    if (!s.written) continue;
    write_schema(out, s.schema);
    ++statistics.schema_count;
  }
  close_group(McapOp::kSchema);
  for (const ChannelState& c : channels_) {
    if (!c.written) continue;
    write_channel(out, c.channel);
    ++statistics.channel_count;
    if (c.count > 0) statistics.channel_message_counts.emplace(c.channel.id, c.count);
  }
  close_group(McapOp::kChannel);
  write_statistics(out, statistics);
  close_group(McapOp::kStatistics);
  out.raw(chunk_indexes_);
  close_group(McapOp::kChunkIndex);
  out.raw(attachment_indexes_);
  close_group(McapOp::kAttachmentIndex);
  out.raw(metadata_indexes_);
  close_group(McapOp::kMetadataIndex);

  const std::size_t offsets = tail.size();
  for (const Group& g : groups) {
    const std::size_t record = out.begin_record(McapOp::kSummaryOffset);
    out.number(static_cast<std::uint8_t>(g.op));
    out.number(offset_ + g.begin);
    out.number(static_cast<std::uint64_t>(g.end - g.begin));
    out.end_record(record);
  }
  const std::size_t footer = out.begin_record(McapOp::kFooter);
  out.number(offset_ + summary);
  out.number(offset_ + offsets);
  const std::uint64_t footer_length = 8 + 8 + 4;
  std::memcpy(tail.data() + footer - sizeof(footer_length), &footer_length, sizeof(footer_length));
  out.number(crc32(std::span<const std::byte>(tail).subspan(summary)));
  out.raw(bytes_of(kMcapMagic));
}

}  // namespace kagami::runtime
