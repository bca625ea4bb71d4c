#include "runtime/record/mcap_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "models/base/errors.hpp"
#include "runtime/record/crc32.hpp"
#include "runtime/record/mcap_bytes.hpp"
#include "runtime/record/zstd_codec.hpp"

namespace kagami::runtime {
namespace {

constexpr int kWriteAttempts = 3;

}  // namespace

McapWriter::McapWriter(const std::string& path, McapWriterOptions options)
    : McapWriter(open_file_sink(path), std::move(options)) {}

McapWriter::McapWriter(std::unique_ptr<ByteSink> sink, McapWriterOptions options)
    : name_(sink->name()), sink_(std::move(sink)), options_(std::move(options)) {
  if (options_.zstd_level > 0) encoder_ = std::make_unique<ZstdEncoder>(options_.zstd_level);
  chunk_.reserve(options_.chunk_bytes + options_.chunk_bytes / 8);
  block_.reserve(options_.chunk_bytes + options_.chunk_bytes / 8);
  start();
}

McapWriter::~McapWriter() {
  if (!closed_) close();
}

void McapWriter::start() {
  BytesOut out(scratch_);
  out.raw(bytes_of(kMcapMagic));
  const std::size_t begin = out.begin_record(McapOp::kHeader);
  out.text(options_.profile);
  out.text(options_.library);
  out.end_record(begin);
  if (!append(scratch_)) {
    closed_ = true;
    throw RecordError(cause_);
  }
}

// --- bytes to the sink ---------------------------------------------------------------------------

/// All of the bytes or none: what was begun is cut off again. A write that fails is repeated at
/// once, because a single error of a disk (EIO) must not cost the samples of a chunk.
bool McapWriter::append(std::span<const std::byte> bytes) {
  if (stopped_) return false;
  std::size_t done = 0;
  int failures = 0;  // in a row
  while (done < bytes.size()) {
    const SinkResult r = sink_->write_at(offset_ + done, bytes.subspan(done));
    if (r.error != 0 || r.count == 0) {
      if (++failures < kWriteAttempts) continue;
      stop(r.error != 0 ? r.error : ENOSPC, offset_ + done);
      return false;
    }
    failures = 0;
    done += r.count;
  }
  offset_ += bytes.size();
  counters_.bytes = offset_;
  data_crc_ = crc32(bytes, data_crc_);
  return true;
}

void McapWriter::stop(int error, std::uint64_t at) {
  stopped_ = true;
  ++counters_.stops;
  const char* what = error == ENOSPC ? "disk full" : std::strerror(error);
  cause_ = name_ + ": recording stopped at byte " + std::to_string(at) + ": " + what + ", " +
           std::to_string(counters_.messages) + " messages kept";
  const int cut = sink_->truncate(offset_);
  // a record that was begun stays behind: readers see a cut file, resume() writes over it
  if (cut != 0) cause_ += std::string("; could not cut the file: ") + std::strerror(cut);
}

bool McapWriter::resume() {
  if (closed_) return false;
  stopped_ = false;
  return true;
}

// --- definitions ---------------------------------------------------------------------------------

SchemaId McapWriter::add_schema(std::string_view name, std::string_view encoding,
                                std::string_view text) {
  if (schemas_.size() >= 0xFFFF) throw RecordError(name_ + ": more than 65535 schemas");
  const std::span<const std::byte> data = bytes_of(text);
  SchemaState& state = schemas_.emplace_back();
  state.schema = Schema{static_cast<SchemaId>(schemas_.size()),
                        std::string(name),
                        std::string(encoding),
                        {data.begin(), data.end()}};
  return state.schema.id;
}

ChannelId McapWriter::add_channel(std::string_view topic, SchemaId schema,
                                  std::string_view message_encoding, StringMap metadata) {
  if (schema > schemas_.size()) {
    throw RecordError(name_ + ": channel " + std::string(topic) + " requires schema " +
                      std::to_string(schema) + ", only 1 to " + std::to_string(schemas_.size()) +
                      " were added");
  }
  if (channels_.size() >= 0xFFFF) throw RecordError(name_ + ": more than 65535 channels");
  ChannelState& state = channels_.emplace_back();
  state.channel = Channel{static_cast<ChannelId>(channels_.size() - 1), schema, std::string(topic),
                          std::string(message_encoding), std::move(metadata)};
  if (!closed_) write_definitions(state);
  return state.channel.id;
}

/// Schema and channel go straight into the data section, before the first chunk that uses them, so
/// that no lost or damaged chunk takes them along.
bool McapWriter::write_definitions(ChannelState& state) {
  if (state.written) return true;
  scratch_.clear();
  BytesOut out(scratch_);
  SchemaState* const schema =
      state.channel.schema_id == 0 ? nullptr : &schemas_[state.channel.schema_id - 1u];
  if (schema != nullptr && !schema->written) write_schema(out, schema->schema);
  write_channel(out, state.channel);
  state.written = append(scratch_);
  if (schema != nullptr && state.written) schema->written = true;
  return state.written;
}

// --- messages ------------------------------------------------------------------------------------

bool McapWriter::write(ChannelId channel, std::uint64_t log_time_ns, std::uint64_t publish_time_ns,
                       std::span<const std::byte> data) {
  const std::uint32_t sequence = channel < channels_.size() ? channels_[channel].next_sequence : 0;
  return write(channel, sequence, log_time_ns, publish_time_ns, data);
}

bool McapWriter::write(ChannelId channel, std::uint32_t sequence, std::uint64_t log_time_ns,
                       std::uint64_t publish_time_ns, std::span<const std::byte> data) {
  if (channel < channels_.size()) channels_[channel].next_sequence = sequence + 1;
  flush_due(log_time_ns);
  if (closed_ || stopped_ || channel >= channels_.size() ||
      !write_definitions(channels_[channel])) {
    ++counters_.lost_messages;
    return false;
  }
  if (chunk_messages_ == 0) chunk_opened_ns_ = chunk_start_ns_ = chunk_end_ns_ = log_time_ns;
  chunk_start_ns_ = std::min(chunk_start_ns_, log_time_ns);
  chunk_end_ns_ = std::max(chunk_end_ns_, log_time_ns);
  ++chunk_messages_;
  channels_[channel].index.push_back({log_time_ns, chunk_.size()});

  BytesOut out(chunk_);
  const std::size_t begin = out.begin_record(McapOp::kMessage);
  out.number(channel);
  out.number(sequence);
  out.number(log_time_ns);
  out.number(publish_time_ns);
  out.raw(data);
  out.end_record(begin);
  if (chunk_.size() >= options_.chunk_bytes) flush();
  return !stopped_;
}

void McapWriter::flush_due(std::uint64_t now_ns) {
  const bool due =
      now_ns >= chunk_opened_ns_ && now_ns - chunk_opened_ns_ >= options_.chunk_duration_ns;
  if (chunk_messages_ > 0 && due) flush();
}

void McapWriter::flush() {
  if (closed_ || chunk_messages_ == 0) return;
  const std::uint64_t begin = offset_;
  const std::uint64_t chunk_length = compose_chunk();
  const bool kept = append(block_);
  if (kept) note_chunk(begin, chunk_length);
  forget_chunk(kept);
}

/// Builds block_: the chunk record, then one message index per channel in it.
/// @return length of the chunk record
std::uint64_t McapWriter::compose_chunk() {
  std::span<const std::byte> stored = chunk_;
  compression_ = "";
  if (encoder_) {
    const std::span<const std::byte> compressed = encoder_->encode(chunk_);
    // empty when zstd got no memory: better a large chunk than none
    if (!compressed.empty()) {
      stored = compressed;
      compression_ = "zstd";
    }
  }
  stored_size_ = stored.size();
  block_.clear();
  BytesOut out(block_);
  const std::size_t chunk = out.begin_record(McapOp::kChunk);
  out.number(chunk_start_ns_);
  out.number(chunk_end_ns_);
  out.number(static_cast<std::uint64_t>(chunk_.size()));
  out.number(crc32(chunk_));
  out.text(compression_);
  out.number(static_cast<std::uint64_t>(stored.size()));
  out.raw(stored);
  out.end_record(chunk);
  const std::uint64_t length = block_.size();

  for (ChannelState& state : channels_) {
    if (state.index.empty()) continue;
    state.index_at = block_.size();
    const std::size_t index = out.begin_record(McapOp::kMessageIndex);
    out.number(state.channel.id);
    const std::size_t entries = out.begin_array();
    for (const IndexEntry& e : state.index) {
      out.number(e.log_time_ns);
      out.number(e.offset);
    }
    out.end_array(entries);
    out.end_record(index);
  }
  return length;
}

/// Enters the chunk that block_ holds, now in the file at begin, into index and statistics.
void McapWriter::note_chunk(std::uint64_t begin, std::uint64_t chunk_length) {
  BytesOut out(chunk_indexes_);
  const std::size_t record = out.begin_record(McapOp::kChunkIndex);
  out.number(chunk_start_ns_);
  out.number(chunk_end_ns_);
  out.number(begin);
  out.number(chunk_length);
  const std::size_t offsets = out.begin_array();
  for (ChannelState& state : channels_) {
    if (state.index.empty()) continue;
    out.number(state.channel.id);
    out.number(begin + state.index_at);
    state.count += state.index.size();
  }
  out.end_array(offsets);
  out.number(static_cast<std::uint64_t>(block_.size()) - chunk_length);
  out.text(compression_);
  out.number(stored_size_);
  out.number(static_cast<std::uint64_t>(chunk_.size()));
  out.end_record(record);

  Statistics& s = statistics_;
  s.start_time_ns =
      s.message_count == 0 ? chunk_start_ns_ : std::min(s.start_time_ns, chunk_start_ns_);
  s.end_time_ns = std::max(s.end_time_ns, chunk_end_ns_);
  s.message_count += chunk_messages_;
  ++s.chunk_count;
  counters_.messages = s.message_count;
  counters_.chunks = s.chunk_count;
}

void McapWriter::forget_chunk(bool kept) {
  if (!kept) counters_.lost_messages += chunk_messages_;
  chunk_messages_ = 0;
  chunk_.clear();
  for (ChannelState& state : channels_) state.index.clear();
}

}  // namespace kagami::runtime
