#include "runtime/threads/recorder.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/time.hpp"
#include "runtime/cycle/cycle_cdr.hpp"
#include "runtime/record/cdr.hpp"
#include "runtime/threads/build_info.hpp"

namespace kagami::runtime {
namespace {

constexpr std::int64_t kViewerPeriodNs = 10'000'000;  // 100 Hz
constexpr std::int64_t kProgressPeriodNs = 100'000'000;
// with the writer's period of 5 ms this leaves a busy machine 70 ms until a sample is 100 ms old
constexpr std::uint64_t kChunkDurationNs = 25'000'000;
constexpr std::int64_t kRetryPeriodNs = 100'000'000;
// two boards share the channel of measured angles
constexpr std::int64_t kBoardPeriodNs = kMaxBoards * kViewerPeriodNs;

constexpr const char* kLineSchema =
    "int64 at_ns     # before the write, or when the last byte had been read\n"
    "bool outgoing   # from us to the boards\n"
    "uint8[] bytes\n";

McapWriterOptions writer_options() {
  McapWriterOptions options;
  options.library = "kagami " + program_version();
  options.chunk_duration_ns = kChunkDurationNs;
  return options;
}

std::optional<FileReplacement> replacement_of(const RecordHeader& header) {
  if (!header.replace) return std::nullopt;
  return std::optional<FileReplacement>(std::in_place, header.file);
}

std::unique_ptr<ByteSink> sink_of(const RecordHeader& header,
                                  const std::optional<FileReplacement>& replacement) {
  std::unique_ptr<ByteSink> file = replacement ? open_file_sink(replacement->beside().string())
                                               : create_file_sink(header.file.string());
  return header.disk ? header.disk(std::move(file)) : std::move(file);
}

}  // namespace

Recorder::Recorder(const RecordHeader& header, const models::RobotDescription& robot,
                   ThreadChannels& channels, const drivers::Clock& clock)
    : channels_(channels),
      clock_(clock),
      unix_epoch_ns_(header.unix_epoch_ns),
      file_(header.file),
      replacement_(replacement_of(header)),
      writer_(sink_of(header, replacement_), writer_options()),
      messages_(robot,
                [this](RowTopic topic, std::uint64_t time_ns, std::string_view json) {
                  writer_.write(message_channels_[static_cast<std::size_t>(topic)],
                                log_time(now_ns_), time_ns, bytes_of(json));
                }),
      residuals_(robot.wiring),
      control_(static_cast<int>(robot.joint_names.size())) {
  writer_.add_metadata(kRunMetadata, header.metadata);
  for (const RecordAttachment& a : header.attachments) {
    writer_.add_attachment(a.name, a.media_type, 0, bytes_of(a.text));
  }

  const SchemaId cycle = writer_.add_schema(kCycleSchemaName, kCycleSchemaEncoding, cycle_schema());
  const SchemaId line = writer_.add_schema("kagami_msgs/msg/LineFrame", "ros2msg", kLineSchema);
  const auto add = [&](RowTopic topic, const char* name, const ViewerSchema& schema) {
    message_channels_[static_cast<std::size_t>(topic)] = writer_.add_channel(
        name, writer_.add_schema(schema.name, "jsonschema", schema.text), "json");
  };
  cycle_ = writer_.add_channel(kCycleTopic, cycle, kCycleMessageEncoding);
  line_ = writer_.add_channel("/line", line, "cdr");
  add(RowTopic::kMeasured, "/joint_states/measured", kJointStatesSchema);
  add(RowTopic::kSimulated, "/joint_states/simulated", kJointStatesSchema);
  add(RowTopic::kCommanded, "/joint_states/commanded", kJointStatesSchema);
  add(RowTopic::kReference, "/joint_states/reference", kJointStatesSchema);
  add(RowTopic::kResidual, "/residual", kResidualSchema);
  add(RowTopic::kEvents, "/events", kLogSchema);
  add(RowTopic::kTransforms, "/tf", kFrameTransformsSchema);
}

Recorder::~Recorder() {
  if (closed_) return;
  std::error_code ignored;
  if (!has_begun_ && !replacement_) std::filesystem::remove(file_, ignored);
  if (has_begun_ && replacement_) replacement_->keep_beside();
}

std::uint64_t Recorder::log_time(std::int64_t ns) const noexcept {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(unix_epoch_ns_ + ns, 0));
}

std::size_t Recorder::drain() {
  std::size_t rows = 0;
  if (writer_.stopped() && retry_pace_.due(now_ns_, kRetryPeriodNs)) writer_.resume();
  while (rows < kRecordCapacity && channels_.records.pop(row_)) {
    write_row(row_);
    ++rows;
  }
  write_line_frames();
  write_attachments();
  // by the clock, not by the newest row: a cycle that stalls must not keep the last rows in memory
  if (rows == 0) writer_.flush_due(log_time(clock_.now_ns()));
  note_delay();
  note_failure();
  return rows;
}

void Recorder::note_failure() {
  if (writer_.cause().empty() || has_failed_.load(std::memory_order_relaxed)) return;
  first_cause_ = writer_.cause();
  has_failed_.store(true, std::memory_order_release);
}

void Recorder::note_delay() noexcept {
  const WriterCounters& c = writer_.counters();
  delay_.note(c.chunks + c.stops, clock_.now_ns());
}

bool Recorder::close(const std::string& result_text, std::uint64_t samples) {
  if (closed_) return true;
  closed_ = true;
  while (drain() > 0) {
  }
  // events whose rows were lost
  write_events_until(INT64_MAX);
  writer_.add_attachment("result.json", "application/json", log_time(now_ns_),
                         bytes_of(result_text));
  writer_.add_metadata(kRecordEndMetadata,
                       record_end_entries({.samples = samples, .sample_hash = samples_.value()}));
  const bool is_whole = writer_.close();
  cause_ = writer_.cause();
  return put_in_place(is_whole);
}

// what could not be finished stays beside the record that it was to replace
bool Recorder::put_in_place(bool is_whole) {
  if (!replacement_) return is_whole;
  try {
    if (is_whole) replacement_->commit();
  } catch (const RecordError& error) {
    is_whole = false;
    cause_ = error.what();
  }
  if (is_whole) return true;
  replacement_->keep_beside();
  cause_ += "; the record in " + file_.string() + " was not replaced";
  file_ = replacement_->beside();
  return false;
}

void Recorder::write_row(const CycleRecord& row) {
  now_ns_ = row.in.now_ns;
  const int joints = static_cast<int>(messages_.joint_names().size());
  write_cycle_cdr(row, joints, bytes_);
  const bool is_kept = writer_.write(cycle_, log_time(now_ns_), log_time(now_ns_), bytes_);
  note_delay();
  if (is_kept) delay_.add(now_ns_);
  samples_.add(bytes_);
  has_begun_ = true;

  residuals_.add(row.out);
  control_.add(row.out);
  write_curves(row);
  write_readings(row);
  if (listener_.every) listener_.every(row);  // what it takes over has a name in the events
  write_events_until(row.in.tick);
  notify_listeners(row);
  tell_progress(row);
}

void Recorder::notify_listeners(const CycleRecord& row) {
  if (listener_.paced) {
    const bool due = listener_pace_.due(now_ns_, kViewerPeriodNs);
    if (due || row.out.num_events > 0) listener_.paced(row);
  }
  if (listener_.test && row.out.test != JointTestStage::kNone) listener_.test(row);
}

void Recorder::tell_progress(const CycleRecord& row) {
  if (row.in.stop == StopLevel::kNone) stop_tick_ = -1;
  if (row.in.stop != StopLevel::kNone && stop_tick_ < 0) stop_tick_ = row.in.tick;
  if (!progress_pace_.due(now_ns_, kProgressPeriodNs)) return;
  static_cast<void>(channels_.loop.fetch(loop_));
  const RateWindow::Rates rates = window_.next(row);
  progress.publish({.phase = row.out.phase,
                    .fraction = row.out.progress,
                    .time_s = seconds(now_ns_),
                    .motion_time = row.out.motion_time,
                    .rms_deg = to_deg(residuals_.rms()),
                    .ticks = row.in.tick + 1,
                    .state = row.out.state,
                    .confirmed = row.out.confirmed,
                    .stop = row.in.stop,
                    .stop_tick = stop_tick_,
                    .rate_hz = rates.rate_hz,
                    .controller = row.out.controller,
                    .tuning_version = row.out.tuning_version,
                    .loop = loop_,
                    .line = rates.line,
                    .recording = {.bytes = writer_.counters().bytes,
                                  .lost = loop_.lost_records + writer_.counters().lost_messages,
                                  .is_writing = !writer_.stopped()}});
}

void Recorder::write_attachments() {
  RecordAttachment a;
  while (listener_.attachment && listener_.attachment(a)) {
    writer_.add_attachment(a.name, a.media_type, log_time(now_ns_), bytes_of(a.text));
  }
}

void Recorder::write_curves(const CycleRecord& row) {
  if (row.out.phase == Phase::kWaiting || !states_pace_.due(now_ns_, kViewerPeriodNs)) return;
  messages_.curves(row.out, log_time(now_ns_));
}

void Recorder::write_readings(const CycleRecord& row) {
  bool any = false;
  for (std::size_t b = 0; b < kMaxBoards; ++b) {
    const drivers::BoardReading& reading = row.in.sample.reading[b];
    const bool is_new = row.in.sample_is_new && reading.is_new;
    any = any || row.out.residual_is_new[b];
    if (!is_new || !measured_pace_[b].due(now_ns_, kBoardPeriodNs)) continue;
    // each board's angles bear the time at which that board took them
    messages_.measured(row.in.sample.angle, b, log_time(reading.sampled_ns));
  }
  if (!any || !residual_pace_.due(now_ns_, kViewerPeriodNs)) return;
  messages_.residual(row.out, log_time(now_ns_));
}

void Recorder::write_events_until(std::int64_t tick) {
  while (channels_.events.read_available() > 0 && channels_.events.front().cycle <= tick) {
    const Event event = channels_.events.front();
    channels_.events.pop();
    static_cast<void>(notices.push(event));  // full: not read; the record has it
    messages_.event(event, listener_.names ? listener_.names() : EventNames{}, log_time(now_ns_));
  }
}

void Recorder::write_line_frames() {
  LineFrame frame;
  while (channels_.line.pop(frame)) {
    if (listener_.line) listener_.line(frame);
    CdrWriter out(bytes_);
    out.put(frame.at_ns);
    out.put(frame.outgoing);
    out.put_sequence(std::span<const std::uint8_t>(frame.bytes).first(frame.size));
    writer_.write(line_, log_time(frame.at_ns), log_time(frame.at_ns), bytes_);
  }
}

}  // namespace kagami::runtime
