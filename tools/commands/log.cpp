// kagami log info|export|recover: what is in a record, and other forms of it.
#include <memory>
#include <nlohmann/json.hpp>

#include "runtime/record/mcap_recover.hpp"
#include "tools/analysis/record_answers.hpp"
#include "tools/analysis/record_checks.hpp"
#include "tools/analysis/run_record.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/log_changes.hpp"
#include "tools/commands/log_import.hpp"
#include "tools/commands/log_sessions.hpp"
#include "tools/commands/log_tests.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using runtime::McapReader;

struct ChannelLine {
  std::string topic;
  std::string encoding;
  std::string schema;
  std::uint64_t messages = 0;
  std::optional<double> rate_hz;  ///< empty = fewer than two messages
};

/// s from the first message to the last
double duration_of(const McapReader& reader) {
  const runtime::Statistics& all = reader.statistics();
  return 1e-9 * static_cast<double>(all.end_time_ns - all.start_time_ns);
}

std::vector<ChannelLine> channels_of(const McapReader& reader) {
  std::vector<ChannelLine> lines;
  const double duration = duration_of(reader);
  const auto& counts = reader.statistics().channel_message_counts;
  for (const auto& [id, channel] : reader.channels()) {
    ChannelLine line;
    line.topic = channel.topic;
    line.encoding = channel.message_encoding.empty() ? "raw" : channel.message_encoding;
    if (const runtime::Schema* schema = reader.schema_of(channel)) line.schema = schema->name;
    if (const auto count = counts.find(id); count != counts.end()) line.messages = count->second;
    if (line.messages > 1 && duration > 0.0)
      line.rate_hz = static_cast<double>(line.messages - 1) / duration;
    lines.push_back(std::move(line));
  }
  return lines;
}

struct Sizes {
  std::uint64_t chunks = 0;
  std::uint64_t stored = 0;        // bytes
  std::uint64_t uncompressed = 0;  // bytes
  std::string compression;
};

Sizes sizes_of(const McapReader& reader) {
  Sizes sizes;
  for (const runtime::ChunkIndex& chunk : reader.chunks()) {
    ++sizes.chunks;
    sizes.stored += chunk.stored_size;
    sizes.uncompressed += chunk.uncompressed_size;
    if (sizes.compression.find(chunk.compression) == std::string::npos)
      sizes.compression += (sizes.compression.empty() ? "" : " ") + chunk.compression;
  }
  if (sizes.compression.empty()) sizes.compression = "none";
  return sizes;
}

/// The text of metadata and attachments of the file, in the order of the file.
std::string extras_text(const McapReader& reader) {
  std::string text;
  for (const runtime::MetadataIndex& index : reader.metadata()) {
    text += "\nmetadata " + index.name + "\n";
    for (const auto& [key, value] : reader.metadata(index))
      text += "  " + key + ": " + value + "\n";
  }
  if (!reader.attachments().empty()) text += "\nattachments\n";
  for (const runtime::AttachmentIndex& index : reader.attachments())
    text += "  " + index.name + ", " + size_text(static_cast<double>(index.data_size)) + "\n";
  return text;
}

std::string info_text(const McapReader& reader) {
  const Sizes sizes = sizes_of(reader);
  Table table({{"channel", Align::kLeft},
               {"messages"},
               {"Hz"},
               {"encoding", Align::kLeft},
               {"schema", Align::kLeft}});
  for (const ChannelLine& line : channels_of(reader))
    table.add_row({line.topic, std::to_string(line.messages), fixed(line.rate_hz, 1), line.encoding,
                   line.schema});
  return reader.path() + "\n" + size_text(static_cast<double>(fs::file_size(reader.path()))) +
         ", " + fixed(duration_of(reader), 2) + " s, " +
         std::to_string(reader.statistics().message_count) + " messages in " +
         std::to_string(sizes.chunks) + " chunks, compression " + sizes.compression + " (" +
         size_text(static_cast<double>(sizes.uncompressed)) + " to " +
         size_text(static_cast<double>(sizes.stored)) + ")\nwritten by " + reader.library() +
         (reader.damage().rebuilt ? "\nindex rebuilt: " + reader.damage().why : "") + "\n\n" +
         table.text() + extras_text(reader);
}

nlohmann::json info_json(const McapReader& reader, const runtime::Completeness& state,
                         const std::vector<std::string>& findings) {
  const Sizes sizes = sizes_of(reader);
  nlohmann::json channels = nlohmann::json::array();
  for (const ChannelLine& line : channels_of(reader))
    channels.push_back({{"topic", line.topic},
                        {"messages", line.messages},
                        {"rate_hz", line.rate_hz ? nlohmann::json(*line.rate_hz) : nullptr},
                        {"encoding", line.encoding},
                        {"schema", line.schema}});
  nlohmann::json metadata = nlohmann::json::object();
  for (const runtime::MetadataIndex& index : reader.metadata())
    metadata[index.name] = reader.metadata(index);
  nlohmann::json attachments = nlohmann::json::array();
  for (const runtime::AttachmentIndex& index : reader.attachments())
    attachments.push_back(
        {{"name", index.name}, {"media_type", index.media_type}, {"bytes", index.data_size}});
  const runtime::DamageReport& damage = reader.damage();
  return {{"schema", "kagami.log_info/1"},
          {"file", reader.path()},
          {"bytes", fs::file_size(reader.path())},
          {"duration_s", duration_of(reader)},
          {"messages", reader.statistics().message_count},
          {"chunks", sizes.chunks},
          {"compression", sizes.compression},
          {"uncompressed_bytes", sizes.uncompressed},
          {"stored_bytes", sizes.stored},
          {"library", reader.library()},
          {"index_rebuilt", damage.rebuilt},
          {"damage", damage.sentence},
          {"complete", state.complete},
          {"incomplete", state.why.empty() ? nlohmann::json(nullptr) : nlohmann::json(state.why)},
          {"findings", findings},
          {"samples", state.samples},
          {"expected_samples", state.expected ? nlohmann::json(*state.expected) : nullptr},
          {"channels", channels},
          {"metadata", metadata},
          {"attachments", attachments}};
}

/// Sentences on what is odd about a record. `reads_rows`: also in its samples.
std::vector<std::string> findings_of(const McapReader& reader, bool reads_rows) {
  const runtime::Channel* channel = reader.channel(runtime::kCycleTopic);
  if (channel == nullptr) return {"no channel /cycle: it is no record of a run"};
  const runtime::Schema* schema = reader.schema_of(*channel);
  if (schema == nullptr || schema->text() != runtime::cycle_schema()) {
    return {other_version(reader)};
  }
  if (reads_rows) return record_findings(RunRecord(reader.path()));
  const auto& counts = reader.statistics().channel_message_counts;
  const auto count = counts.find(channel->id);
  const bool is_empty = count == counts.end() || count->second == 0;
  return is_empty ? RecordCheck({}).findings() : std::vector<std::string>{};
}

struct InfoOptions {
  std::string record;
  bool check = false;
};

void info(const InfoOptions& opt, Console& io) {
  const std::string file = record_file(opt.record, io);
  reading_a_record([&] {
    const McapReader reader(file);
    const runtime::Completeness state = runtime::completeness_of(reader, runtime::kCycleTopic);
    const std::vector<std::string> findings = findings_of(reader, opt.check);
    if (!state.complete) {
      io.warn(file + ": incomplete: " + state.why);
      io.exit_with(ExitCode::kFailure);
    }
    for (const std::string& finding : findings) io.warn(file + ": " + finding);
    if (io.json)
      io.print_json(info_json(reader, state, findings));
    else
      io.print(info_text(reader));
  });
}

struct ExportOptions {
  std::string record;
  std::string out;
};

void export_csv(const ExportOptions& opt, Console& io) {
  const RunRecord record(opt.record);
  std::error_code missing;
  if (fs::equivalent(opt.record, opt.out, missing))
    throw ConfigError("--out names the record itself: " + opt.out);
  const std::uint64_t rows = record.num_rows();
  io.say("writing about " + size_text(expected_csv_bytes(record)) + ": " + std::to_string(rows) +
         " lines to " + opt.out);
  const CsvSummary csv =
      write_csv(record, opt.out, [&](double fraction) { io.progress(fraction, ""); });
  io.end_progress();
  if (csv.left_out > 0)
    io.warn(std::to_string(csv.left_out) + " samples without a new time were left out");
  if (io.json)
    return io.print_json(
        {{"schema", "kagami.log_export/1"},
         {"record", opt.record},
         {"out", opt.out},
         {"key", csv.key.empty() ? nlohmann::json(nullptr) : nlohmann::json(csv.key.string())},
         {"lines", csv.lines},
         {"bytes", csv.bytes}});
  io.print(opt.out + ": " + std::to_string(csv.lines) + " lines, " +
           size_text(static_cast<double>(csv.bytes)) + "\n");
  if (!csv.key.empty()) io.print(csv.key.string() + ": what the columns and their numbers mean\n");
}

void recover(const ExportOptions& opt, Console& io) {
  const runtime::RecoverReport report =
      reading_a_record([&] { return runtime::recover(opt.record, opt.out); });
  if (!report.damage.sentence.empty()) io.say(report.damage.sentence);
  if (io.json)
    return io.print_json({{"schema", "kagami.log_recover/1"},
                          {"record", opt.record},
                          {"out", opt.out},
                          {"messages", report.messages},
                          {"attachments", report.attachments},
                          {"missing_bytes", report.damage.missing_bytes},
                          {"damaged_chunks", report.damage.damaged_chunks},
                          {"damage", report.damage.sentence}});
  io.print(opt.out + ": " + std::to_string(report.messages) + " messages, " +
           std::to_string(report.attachments) + " attachments\n");
}

void add_info(Command& log, Console& io) {
  auto opt = std::make_shared<InfoOptions>();
  Command cmd = log.add_command("info", "Show channels, rates, size and metadata of a record.");
  add_record_argument(cmd, opt->record);
  cmd.add_flag("--check", opt->check, "Read every sample and name what is odd about them.");
  add_json_option(cmd, io);
  add_common_options(cmd, io, "log info run.mcap", "log info run.mcap --check");
  cmd.on_run([opt, &io] { info(*opt, io); });
}

void add_export(Command& log, Console& io) {
  auto opt = std::make_shared<ExportOptions>();
  Command cmd = log.add_command("export", "Write a run as a CSV file, one line per tick.");
  add_record_argument(cmd, opt->record);
  cmd.add_option("--out", opt->out, "The .csv file to write.").value("FILE").required();
  add_json_option(cmd, io);
  add_common_options(cmd, io, "log export run.mcap --out run.csv",
                     "log export run.mcap --out /tmp/run.csv -q");
  cmd.on_run([opt, &io] { export_csv({record_file(opt->record, io), opt->out}, io); });
}

void add_recover(Command& log, Console& io) {
  auto opt = std::make_shared<ExportOptions>();
  Command cmd = log.add_command("recover", "Write a clean copy of a cut or damaged record.");
  add_record_argument(cmd, opt->record);
  cmd.add_option("--out", opt->out, "The .mcap file to write.").value("FILE").required();
  add_json_option(cmd, io);
  add_common_options(cmd, io, "log recover cut.mcap --out whole.mcap",
                     "log recover cut.mcap --out whole.mcap --json");
  cmd.on_run([opt, &io] { recover({record_file(opt->record, io), opt->out}, io); });
}

}  // namespace

void add_log(Command& app, Console& io) {
  Command log = app.add_command("log", "Show, export, import and repair records of runs.");
  log.require_command();
  log.set_examples("log info run.mcap", "log export run.mcap --out run.csv");
  add_log_sessions(log, io);
  add_info(log, io);
  add_log_changes(log, io);
  add_log_tests(log, io);
  add_export(log, io);
  add_log_import(log, io);
  add_recover(log, io);
}

}  // namespace kagami::tools
