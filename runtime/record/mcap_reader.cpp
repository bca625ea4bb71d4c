#include "runtime/record/mcap_reader.hpp"

#include <algorithm>
#include <cstdio>

#include "models/base/errors.hpp"
#include "runtime/record/crc32.hpp"
#include "runtime/record/mcap_bytes.hpp"
#include "runtime/record/mcap_load.hpp"

namespace kagami::runtime {
namespace {

void check_magic(const FileSource& file) {
  std::vector<std::byte> bytes;
  const std::span<const std::byte> magic = bytes_of(kMcapMagic);
  file.read(0, std::min<std::uint64_t>(file.size(), magic.size()), bytes);
  if (!std::equal(bytes.begin(), bytes.end(), magic.begin(), magic.end())) {
    throw RecordError(file.path() +
                      ": not an MCAP file: its first 8 bytes are not 89 'MCAP0' 0D 0A");
  }
}

std::string plural(std::uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// What a person should know, "" = nothing.
std::string sentence_of(const McapContents& c) {
  const DamageReport& d = c.damage;
  std::string out;
  if (d.cut) {
    char seconds[32];
    const Statistics& s = c.statistics;
    std::snprintf(seconds, sizeof(seconds), "%.3f s",
                  static_cast<double>(s.end_time_ns - s.start_time_ns) * 1e-9);
    out = "ends early at " + std::string(seconds) + " (log time " + std::to_string(s.end_time_ns) +
          " ns); " + plural(d.missing_bytes, "byte") + " at its end belong to no whole record";
  } else if (!d.why.empty()) {
    out = "index rebuilt: " + d.why;
  }
  const auto add = [&out](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  if (d.damaged_chunks > 0) {
    add(plural(d.damaged_chunks, "damaged chunk") + " left out (" + d.first_damage + ")");
  }
  if (d.orphan_messages > 0) add(plural(d.orphan_messages, "message") + " of unknown channels");
  return out;
}

/// Reads the record that an index points to and checks its kind.
std::span<const std::byte> record_at(const FileSource& file, std::uint64_t offset,
                                     std::uint64_t length, McapOp op,
                                     std::vector<std::byte>& bytes) {
  file.read(offset, length, bytes);
  std::span<const std::byte> left(bytes);
  const std::optional<RecordView> record = next_record(left);
  if (!record || record->op != op) {
    throw RecordError(file.path() + ": no record of kind " + std::to_string(static_cast<int>(op)) +
                      " at byte " + std::to_string(offset) + ", where the index has one");
  }
  return record->body;
}

}  // namespace

McapReader::McapReader(const std::string& path, McapReaderOptions options)
    : file_(std::make_unique<FileSource>(path)), options_(options) {
  check_magic(*file_);
  std::string why = options.rebuild ? "" : read_summary(*file_, contents_);
  if (options.rebuild || !why.empty()) {
    contents_ = scan_file(*file_, options_);
    contents_.damage.why = std::move(why);
  }
  contents_.damage.sentence = sentence_of(contents_);
}

McapReader::~McapReader() = default;
McapReader::McapReader(McapReader&&) noexcept = default;
McapReader& McapReader::operator=(McapReader&&) noexcept = default;

const std::string& McapReader::path() const noexcept {
  return file_->path();
}

const Channel* McapReader::channel(std::string_view topic) const noexcept {
  for (const auto& [id, channel] : contents_.channels) {
    if (channel.topic == topic) return &channel;
  }
  return nullptr;
}

const Schema* McapReader::schema_of(const Channel& channel) const noexcept {
  const auto found = contents_.schemas.find(channel.schema_id);
  return found == contents_.schemas.end() ? nullptr : &found->second;
}

Attachment McapReader::attachment(const AttachmentIndex& index) const {
  std::vector<std::byte> bytes;
  const std::span<const std::byte> body =
      record_at(*file_, index.offset, index.length, McapOp::kAttachment, bytes);
  BytesIn in(body);
  Attachment a;
  a.log_time_ns = in.number<std::uint64_t>();
  a.create_time_ns = in.number<std::uint64_t>();
  a.name = in.text();
  a.media_type = in.text();
  const std::span<const std::byte> data = in.raw(in.number<std::uint64_t>());
  const std::size_t covered = body.size() - in.left().size();
  const std::uint32_t crc = in.number<std::uint32_t>();
  if (!in.ok() || (crc != 0 && crc != crc32(body.first(covered)))) {
    throw RecordError(file_->path() + ": attachment '" + index.name + "' at byte " +
                      std::to_string(index.offset) +
                      (in.ok() ? " has a CRC that does not match its content" : " is malformed"));
  }
  a.data.assign(data.begin(), data.end());
  return a;
}

std::optional<Attachment> McapReader::attachment(std::string_view name) const {
  const auto& all = contents_.attachments;
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [&](const AttachmentIndex& a) { return a.name == name; });
  if (found == all.rend()) return std::nullopt;
  return attachment(*found);
}

StringMap McapReader::metadata(const MetadataIndex& index) const {
  std::vector<std::byte> bytes;
  BytesIn in(record_at(*file_, index.offset, index.length, McapOp::kMetadata, bytes));
  in.text();
  StringMap entries = in.map();
  if (!in.ok()) {
    throw RecordError(file_->path() + ": metadata '" + index.name + "' at byte " +
                      std::to_string(index.offset) + " is malformed");
  }
  return entries;
}

std::optional<StringMap> McapReader::metadata(std::string_view name) const {
  const auto& all = contents_.metadata;
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [&](const MetadataIndex& m) { return m.name == name; });
  if (found == all.rend()) return std::nullopt;
  return metadata(*found);
}

}  // namespace kagami::runtime
