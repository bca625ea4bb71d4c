#include "runtime/record/mcap_bytes.hpp"

#include <utility>

namespace kagami::runtime {
namespace {

template <class T>
std::optional<T> if_ok(const BytesIn& in, T value) {
  if (!in.ok()) return std::nullopt;
  return value;
}

}  // namespace

std::string Schema::text() const {
  return std::string(reinterpret_cast<const char*>(data.data()), data.size());
}

std::string Attachment::text() const {
  return std::string(reinterpret_cast<const char*>(data.data()), data.size());
}

void BytesOut::map(const StringMap& entries) {
  const std::size_t begin = begin_array();
  for (const auto& [key, value] : entries) {
    text(key);
    text(value);
  }
  end_array(begin);
}

std::size_t BytesOut::begin_record(McapOp op) {
  number(static_cast<std::uint8_t>(op));
  number(std::uint64_t{0});
  return out_.size();
}

void BytesOut::end_record(std::size_t begin) {
  const std::uint64_t length = out_.size() - begin;
  std::memcpy(out_.data() + begin - sizeof(length), &length, sizeof(length));
}

std::size_t BytesOut::begin_array() {
  number(std::uint32_t{0});
  return out_.size();
}

void BytesOut::end_array(std::size_t begin) {
  const std::uint32_t length = static_cast<std::uint32_t>(out_.size() - begin);
  std::memcpy(out_.data() + begin - sizeof(length), &length, sizeof(length));
}

std::span<const std::byte> BytesIn::raw(std::uint64_t size) noexcept {
  if (!ok_ || size > left_.size()) {
    ok_ = false;
    return {};
  }
  const std::span<const std::byte> taken = left_.first(static_cast<std::size_t>(size));
  left_ = left_.subspan(static_cast<std::size_t>(size));
  return taken;
}

std::string BytesIn::text() {
  const std::span<const std::byte> bytes = raw(number<std::uint32_t>());
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

StringMap BytesIn::map() {
  BytesIn entries(raw(number<std::uint32_t>()));
  StringMap out;
  while (entries.ok() && !entries.left().empty()) {
    std::string key = entries.text();
    std::string value = entries.text();
    if (entries.ok()) out.insert_or_assign(std::move(key), std::move(value));
  }
  ok_ = ok_ && entries.ok();
  return out;
}

std::map<ChannelId, std::uint64_t> BytesIn::number_map() {
  BytesIn entries(raw(number<std::uint32_t>()));
  std::map<ChannelId, std::uint64_t> out;
  while (entries.ok() && !entries.left().empty()) {
    const ChannelId key = entries.number<ChannelId>();
    const std::uint64_t value = entries.number<std::uint64_t>();
    if (entries.ok()) out.insert_or_assign(key, value);
  }
  ok_ = ok_ && entries.ok();
  return out;
}

std::optional<RecordView> next_record(std::span<const std::byte>& in) noexcept {
  BytesIn bytes(in);
  RecordView record;
  record.op = static_cast<McapOp>(bytes.number<std::uint8_t>());
  record.body = bytes.raw(bytes.number<std::uint64_t>());
  if (!bytes.ok()) return std::nullopt;
  in = bytes.left();
  return record;
}

std::optional<Schema> parse_schema(std::span<const std::byte> body) {
  BytesIn in(body);
  Schema s;
  s.id = in.number<SchemaId>();
  s.name = in.text();
  s.encoding = in.text();
  const std::span<const std::byte> data = in.raw(in.number<std::uint32_t>());
  s.data.assign(data.begin(), data.end());
  return if_ok(in, std::move(s));
}

std::optional<Channel> parse_channel(std::span<const std::byte> body) {
  BytesIn in(body);
  Channel c;
  c.id = in.number<ChannelId>();
  c.schema_id = in.number<SchemaId>();
  c.topic = in.text();
  c.message_encoding = in.text();
  c.metadata = in.map();
  return if_ok(in, std::move(c));
}

std::optional<ChunkIndex> parse_chunk_index(std::span<const std::byte> body) {
  BytesIn in(body);
  ChunkIndex c;
  c.start_time_ns = in.number<std::uint64_t>();
  c.end_time_ns = in.number<std::uint64_t>();
  c.offset = in.number<std::uint64_t>();
  c.length = in.number<std::uint64_t>();
  c.message_index_offsets = in.number_map();
  c.message_index_length = in.number<std::uint64_t>();
  c.compression = in.text();
  c.stored_size = in.number<std::uint64_t>();
  c.uncompressed_size = in.number<std::uint64_t>();
  return if_ok(in, std::move(c));
}

std::optional<AttachmentIndex> parse_attachment_index(std::span<const std::byte> body) {
  BytesIn in(body);
  AttachmentIndex a;
  a.offset = in.number<std::uint64_t>();
  a.length = in.number<std::uint64_t>();
  a.log_time_ns = in.number<std::uint64_t>();
  a.create_time_ns = in.number<std::uint64_t>();
  a.data_size = in.number<std::uint64_t>();
  a.name = in.text();
  a.media_type = in.text();
  return if_ok(in, std::move(a));
}

std::optional<MetadataIndex> parse_metadata_index(std::span<const std::byte> body) {
  BytesIn in(body);
  MetadataIndex m;
  m.offset = in.number<std::uint64_t>();
  m.length = in.number<std::uint64_t>();
  m.name = in.text();
  return if_ok(in, std::move(m));
}

std::optional<Statistics> parse_statistics(std::span<const std::byte> body) {
  BytesIn in(body);
  Statistics s;
  s.message_count = in.number<std::uint64_t>();
  s.schema_count = in.number<std::uint16_t>();
  s.channel_count = in.number<std::uint32_t>();
  s.attachment_count = in.number<std::uint32_t>();
  s.metadata_count = in.number<std::uint32_t>();
  s.chunk_count = in.number<std::uint32_t>();
  s.start_time_ns = in.number<std::uint64_t>();
  s.end_time_ns = in.number<std::uint64_t>();
  s.channel_message_counts = in.number_map();
  return if_ok(in, std::move(s));
}

std::optional<RawMessage> parse_message(std::span<const std::byte> body) noexcept {
  BytesIn in(body);
  RawMessage m;
  m.channel = in.number<ChannelId>();
  m.sequence = in.number<std::uint32_t>();
  m.log_time_ns = in.number<std::uint64_t>();
  m.publish_time_ns = in.number<std::uint64_t>();
  m.data = in.left();
  return if_ok(in, m);
}

std::optional<ChunkHead> parse_chunk(std::span<const std::byte> body) {
  BytesIn in(body);
  ChunkHead c;
  c.start_time_ns = in.number<std::uint64_t>();
  c.end_time_ns = in.number<std::uint64_t>();
  c.uncompressed_size = in.number<std::uint64_t>();
  c.crc = in.number<std::uint32_t>();
  c.compression = in.text();
  c.records = in.raw(in.number<std::uint64_t>());
  return if_ok(in, std::move(c));
}

void write_schema(BytesOut& out, const Schema& schema) {
  const std::size_t begin = out.begin_record(McapOp::kSchema);
  out.number(schema.id);
  out.text(schema.name);
  out.text(schema.encoding);
  out.number(static_cast<std::uint32_t>(schema.data.size()));
  out.raw(schema.data);
  out.end_record(begin);
}

void write_channel(BytesOut& out, const Channel& channel) {
  const std::size_t begin = out.begin_record(McapOp::kChannel);
  out.number(channel.id);
  out.number(channel.schema_id);
  out.text(channel.topic);
  out.text(channel.message_encoding);
  out.map(channel.metadata);
  out.end_record(begin);
}

void write_statistics(BytesOut& out, const Statistics& statistics) {
  const std::size_t begin = out.begin_record(McapOp::kStatistics);
  out.number(statistics.message_count);
  out.number(statistics.schema_count);
  out.number(statistics.channel_count);
  out.number(statistics.attachment_count);
  out.number(statistics.metadata_count);
  out.number(statistics.chunk_count);
  out.number(statistics.start_time_ns);
  out.number(statistics.end_time_ns);
  const std::size_t counts = out.begin_array();
  for (const auto& [channel, count] : statistics.channel_message_counts) {
    out.number(channel);
    out.number(count);
  }
  out.end_array(counts);
  out.end_record(begin);
}

}  // namespace kagami::runtime
