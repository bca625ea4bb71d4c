// Reads a whole file to rebuild its index, for a cut record.
#include <algorithm>
#include <cstdio>

#include "runtime/record/mcap_bytes.hpp"
#include "runtime/record/mcap_load.hpp"

namespace kagami::runtime {
namespace {

constexpr std::uint64_t kLooseRun = std::uint64_t{1} << 20;        // bytes of messages per run
constexpr std::uint64_t kAttachmentHead = std::uint64_t{1} << 20;  // bytes read of an attachment

class Scan {
 public:
  Scan(const FileSource& file, const McapReaderOptions& options) : file_(file), options_(options) {}
  McapContents run();

 private:
  bool record(McapOp op, std::uint64_t at, std::uint64_t body);
  void chunk(std::uint64_t at, std::uint64_t length);
  void loose_message(std::uint64_t at, std::uint64_t body);
  void attachment(std::uint64_t at, std::uint64_t body);
  void metadata(std::uint64_t at, std::uint64_t body);
  void header(std::uint64_t at, std::uint64_t body);
  void define(const RecordView& r);
  bool count(const RawMessage& m, ChunkIndex& index, bool first);
  void damaged(std::uint64_t at, const std::string& why);
  void finish(std::uint64_t at, bool whole);

  const FileSource& file_;
  const McapReaderOptions& options_;
  McapContents out_;
  std::vector<std::byte> bytes_;
  ChunkBuffers buffers_;
};

McapContents Scan::run() {
  std::uint64_t at = kMcapMagic.size();
  bool whole = false;
  while (!whole && file_.size() - at >= kRecordHead) {
    file_.read(at, kRecordHead, bytes_);
    BytesIn in(bytes_);
    const auto op = static_cast<McapOp>(in.number<std::uint8_t>());
    const std::uint64_t body = in.number<std::uint64_t>();
    // 0 is no opcode: what a power loss leaves are often zeros
    if (op == McapOp{0} || body > file_.size() - at - kRecordHead) break;
    whole = record(op, at, body);
    at += kRecordHead + body;
  }
  finish(at, whole);
  return std::move(out_);
}

/// @return true at the end of the data section
bool Scan::record(McapOp op, std::uint64_t at, std::uint64_t body) {
  switch (op) {
    case McapOp::kHeader:
      header(at, body);
      break;
    case McapOp::kSchema:
    case McapOp::kChannel:
      file_.read(at + kRecordHead, body, bytes_);
      define({op, bytes_});
      break;
    case McapOp::kMessage:
      loose_message(at, body);
      break;
    case McapOp::kChunk:
      chunk(at, kRecordHead + body);
      break;
    case McapOp::kAttachment:
      attachment(at, body);
      break;
    case McapOp::kMetadata:
      metadata(at, body);
      break;
    case McapOp::kDataEnd:
    case McapOp::kFooter:
      return true;
    default:
      break;  // message indexes are not needed; unknown kinds are skipped
  }
  return false;
}

void Scan::damaged(std::uint64_t at, const std::string& why) {
  DamageReport& d = out_.damage;
  if (d.damaged_chunks++ == 0) d.first_damage = "the one at byte " + std::to_string(at) + " " + why;
}

void Scan::header(std::uint64_t at, std::uint64_t body) {
  file_.read(at + kRecordHead, body, bytes_);
  BytesIn in(bytes_);
  out_.profile = in.text();
  out_.library = in.text();
}

void Scan::define(const RecordView& r) {
  if (r.op == McapOp::kSchema) {
    std::optional<Schema> s = parse_schema(r.body);
    if (s && s->id != 0) out_.schemas.emplace(s->id, std::move(*s));
  } else {
    std::optional<Channel> c = parse_channel(r.body);
    if (c) out_.channels.emplace(c->id, std::move(*c));
  }
}

/// Counts a message and widens the time range of where it lies.
bool Scan::count(const RawMessage& m, ChunkIndex& index, bool first) {
  if (!out_.channels.contains(m.channel)) {
    ++out_.damage.orphan_messages;
    return false;
  }
  index.start_time_ns = first ? m.log_time_ns : std::min(index.start_time_ns, m.log_time_ns);
  index.end_time_ns = first ? m.log_time_ns : std::max(index.end_time_ns, m.log_time_ns);
  Statistics& s = out_.statistics;
  s.start_time_ns = s.message_count == 0 ? m.log_time_ns : std::min(s.start_time_ns, m.log_time_ns);
  s.end_time_ns = std::max(s.end_time_ns, m.log_time_ns);
  ++s.message_count;
  ++s.channel_message_counts[m.channel];
  return true;
}

void Scan::chunk(std::uint64_t at, std::uint64_t length) {
  ChunkIndex index;
  index.offset = at;
  index.length = length;
  if (const std::string why = load_chunk(file_, index, options_.max_chunk_bytes, buffers_);
      !why.empty()) {
    damaged(at, why);
    return;
  }
  std::span<const std::byte> whole(buffers_.stored);
  const std::optional<RecordView> record = next_record(whole);
  const std::optional<ChunkHead> head = parse_chunk(record->body);
  index.compression = head->compression;
  index.stored_size = head->records.size();
  index.uncompressed_size = head->uncompressed_size;

  bool first = true;
  std::span<const std::byte> left(buffers_.records);
  while (const std::optional<RecordView> r = next_record(left)) {
    if (r->op == McapOp::kSchema || r->op == McapOp::kChannel) define(*r);
    if (r->op != McapOp::kMessage) continue;
    const std::optional<RawMessage> m = parse_message(r->body);
    if (m && count(*m, index, first)) first = false;
  }
  out_.chunks.push_back(std::move(index));
}

/// Messages outside chunks: neighbours are kept as one run.
void Scan::loose_message(std::uint64_t at, std::uint64_t body) {
  if (body > options_.max_chunk_bytes) {
    damaged(at, "is one message of " + std::to_string(body) + " bytes");
    return;
  }
  file_.read(at + kRecordHead, body, bytes_);
  const std::optional<RawMessage> m = parse_message(bytes_);
  if (!m) return;
  const bool joins = !out_.loose.empty() && out_.loose.back().length < kLooseRun &&
                     out_.loose.back().offset + out_.loose.back().length == at;
  ChunkIndex fresh;
  fresh.offset = at;
  ChunkIndex& run = joins ? out_.loose.back() : fresh;
  if (!count(*m, run, !joins)) return;
  run.length += kRecordHead + body;
  run.stored_size = run.uncompressed_size = run.length;
  if (!joins) out_.loose.push_back(std::move(fresh));
}

void Scan::attachment(std::uint64_t at, std::uint64_t body) {
  file_.read(at + kRecordHead, std::min(body, kAttachmentHead), bytes_);
  BytesIn in(bytes_);
  AttachmentIndex a;
  a.offset = at;
  a.length = kRecordHead + body;
  a.log_time_ns = in.number<std::uint64_t>();
  a.create_time_ns = in.number<std::uint64_t>();
  a.name = in.text();
  a.media_type = in.text();
  a.data_size = in.number<std::uint64_t>();
  if (!in.ok() || a.data_size > body) return;
  out_.attachments.push_back(std::move(a));
}

void Scan::metadata(std::uint64_t at, std::uint64_t body) {
  file_.read(at + kRecordHead, body, bytes_);
  BytesIn in(bytes_);
  MetadataIndex m;
  m.offset = at;
  m.length = kRecordHead + body;
  m.name = in.text();
  if (in.ok()) out_.metadata.push_back(std::move(m));
}

void Scan::finish(std::uint64_t at, bool whole) {
  out_.damage.rebuilt = true;
  out_.damage.cut = !whole;
  out_.damage.missing_bytes = whole ? 0 : file_.size() - at;
  Statistics& s = out_.statistics;
  s.schema_count = static_cast<std::uint16_t>(out_.schemas.size());
  s.channel_count = static_cast<std::uint32_t>(out_.channels.size());
  s.attachment_count = static_cast<std::uint32_t>(out_.attachments.size());
  s.metadata_count = static_cast<std::uint32_t>(out_.metadata.size());
  s.chunk_count = static_cast<std::uint32_t>(out_.chunks.size());
}

}  // namespace

McapContents scan_file(const FileSource& file, const McapReaderOptions& options) {
  return Scan(file, options).run();
}

}  // namespace kagami::runtime
