#include "runtime/record/mcap_recover.hpp"

#include <filesystem>
#include <map>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "runtime/record/mcap_writer.hpp"

namespace kagami::runtime {
namespace {

void must(bool written, const McapWriter& writer) {
  if (!written) throw RecordError(writer.cause());
}

void copy_messages(const McapReader& reader, McapWriter& writer, RecoverReport& report) {
  std::map<SchemaId, SchemaId> schemas{{SchemaId{0}, SchemaId{0}}};
  for (const auto& [id, s] : reader.schemas()) {
    schemas[id] = writer.add_schema(s.name, s.encoding, s.text());
  }
  std::map<ChannelId, ChannelId> channels;
  for (const auto& [id, c] : reader.channels()) {
    // a schema that the input refers to but does not have becomes "none"
    channels[id] =
        writer.add_channel(c.topic, schemas[c.schema_id], c.message_encoding, c.metadata);
  }
  reader.for_each({}, [&](const MessageView& m) {
    must(
        writer.write(channels[m.channel->id], m.sequence, m.log_time_ns, m.publish_time_ns, m.data),
        writer);
    ++report.messages;
    report.end_time_ns = m.log_time_ns;
  });
}

void copy_rest(const McapReader& reader, McapWriter& writer, RecoverReport& report) {
  const auto readable = [&report](const auto& read) {
    try {
      read();
      return true;
    } catch (const RecordError&) {
      ++report.damaged_attachments;
      return false;
    }
  };
  for (const AttachmentIndex& index : reader.attachments()) {
    Attachment a;
    if (!readable([&] { a = reader.attachment(index); })) continue;
    must(writer.add_attachment(a.name, a.media_type, a.log_time_ns, a.data, a.create_time_ns),
         writer);
    ++report.attachments;
  }
  for (const MetadataIndex& index : reader.metadata()) {
    StringMap entries;
    if (!readable([&] { entries = reader.metadata(index); })) continue;
    must(writer.add_metadata(index.name, entries), writer);
  }
  const DamageReport& d = report.damage;
  must(writer.add_metadata("kagami.recovered",
                           {{"damaged_attachments", std::to_string(report.damaged_attachments)},
                            {"damaged_chunks", std::to_string(d.damaged_chunks)},
                            {"ended_early", d.cut ? "true" : "false"},
                            {"missing_bytes", std::to_string(d.missing_bytes)},
                            {"orphan_messages", std::to_string(d.orphan_messages)}}),
       writer);
}

}  // namespace

RecoverReport recover(const std::string& input, const std::string& output) {
  const McapReader reader(input, {.rebuild = true});
  std::error_code error;
  if (std::filesystem::equivalent(input, output, error)) {
    throw RecordError(output + ": is the record itself; name another file for the copy");
  }
  FileReplacement replacement(output);
  McapWriter writer(replacement.beside().string(),
                    {.profile = reader.profile(), .library = reader.library()});
  RecoverReport report;
  report.damage = reader.damage();
  copy_messages(reader, writer, report);
  copy_rest(reader, writer, report);
  must(writer.close(), writer);
  replacement.commit();
  return report;
}

}  // namespace kagami::runtime
