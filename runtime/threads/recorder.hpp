/// The writer's side of a run: drains the queues into the MCAP record.
#pragma once

#include <array>
#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drivers/port/clock.hpp"
#include "models/base/file_replacement.hpp"
#include "models/robot/robot_folder.hpp"
#include "runtime/channels/thread_channels.hpp"
#include "runtime/cycle/residual.hpp"
#include "runtime/record/mcap_writer.hpp"
#include "runtime/record/record_end.hpp"
#include "runtime/threads/pace.hpp"
#include "runtime/threads/progress.hpp"
#include "runtime/threads/rate_window.hpp"
#include "runtime/threads/row_messages.hpp"
#include "runtime/threads/write_delay.hpp"

namespace kagami::runtime {

/// Contents of a record about its run besides the channels.
struct RecordAttachment {
  std::string name;
  std::string media_type;
  std::string text;
};
/// Further receivers of the rows; all on the writer's thread. Empty ones are not called.
struct RecordListener {
  std::function<void(const CycleRecord&)> every;      ///< each row
  std::function<void(const CycleRecord&)> paced;      ///< at most 100 Hz, and each with an event
  std::function<void(const CycleRecord&)> test;       ///< each of a joint test
  std::function<void(const LineFrame&)> line;         ///< each frame of the line
  std::function<bool(RecordAttachment&)> attachment;  ///< fills in what belongs into the record
  std::function<EventNames()> names;                  ///< for the sentences of events
};
struct RecordHeader {
  std::filesystem::path file;
  bool replace = false;  ///< an existing file, once the new record is finished
  /// Unix time (ns) at time 0 of the run's clock, for the times of the messages; 0: they are the
  /// run's own.
  std::int64_t unix_epoch_ns = 0;
  StringMap metadata{};  ///< "kagami.run"
  std::vector<RecordAttachment> attachments{};
  RecordDisk disk{};  ///< empty: the file itself
};

/// Real time: the writer thread calls `drain` again and again. Virtual time: the one thread does.
/// What viewers see is written at most at 100 Hz per channel of the run's clock; /cycle and /line
/// hold everything. Allocates; never called by the cycle or the serial thread.
class Recorder {
 public:
  /// Creates the file, which must not exist unless it is to be replaced. Throws RecordError. The
  /// robot and the run's clock must outlive it.
  Recorder(const RecordHeader& header, const models::RobotDescription& robot,
           ThreadChannels& channels, const drivers::Clock& clock);
  /// Removes the file of a run that has not begun: without a sample and without a `close`.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Before the first drain.
  void listen(RecordListener listener) { listener_ = std::move(listener); }
  /// Writes what waits in the queues; returns how many rows of /cycle that were. Recording that
  /// stopped is tried again every 100 ms of the run's clock.
  std::size_t drain();
  /// Writes the rest, the result and how many `samples` a complete record has, and ends the file.
  /// False when the disk did not take all of it: the file is readable up to its last whole record,
  /// and one that was to be replaced stays.
  bool close(const std::string& result_text, std::uint64_t samples);

  /// Where the record is; with `replace` elsewhere until it is closed.
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
  /// Why recording stopped (a full disk), empty when it did not. After `close`.
  [[nodiscard]] const std::string& cause() const noexcept { return cause_; }
  /// Why recording stopped for the first time, empty when it did not. Any thread.
  [[nodiscard]] std::string_view first_cause() const noexcept {
    return has_failed_.load(std::memory_order_acquire) ? std::string_view(first_cause_)
                                                       : std::string_view();
  }
  /// The longest time from a tick to the write of its sample.
  [[nodiscard]] std::int64_t longest_delay_ns() const noexcept { return delay_.longest_ns(); }
  [[nodiscard]] const WriterCounters& counters() const noexcept { return writer_.counters(); }
  [[nodiscard]] const ControlStatistics& control() const noexcept { return control_; }
  [[nodiscard]] const ResidualStatistics& residuals() const noexcept { return residuals_; }

  /// Newest state and events for the thread that talks to the user.
  LatestValue<Progress> progress;
  boost::lockfree::spsc_queue<Event, boost::lockfree::capacity<256>> notices;

 private:
  /// Of a time of the run's clock, as viewers show it.
  [[nodiscard]] std::uint64_t log_time(std::int64_t ns) const noexcept;
  void write_row(const CycleRecord& row);
  void write_curves(const CycleRecord& row);
  void write_readings(const CycleRecord& row);
  void write_events_until(std::int64_t tick);
  void write_line_frames();
  void write_attachments();
  void notify_listeners(const CycleRecord& row);
  void tell_progress(const CycleRecord& row);
  void note_failure();
  void note_delay() noexcept;
  bool put_in_place(bool is_whole);

  ThreadChannels& channels_;
  const drivers::Clock& clock_;
  std::int64_t unix_epoch_ns_ = 0;
  std::filesystem::path file_;
  std::optional<FileReplacement> replacement_;
  McapWriter writer_;
  SampleHash samples_;
  WriteDelay delay_;
  std::string cause_;
  std::string first_cause_;  // written once, before has_failed_
  std::atomic<bool> has_failed_{false};
  RowMessages messages_;
  ResidualStatistics residuals_;
  ControlStatistics control_;
  ChannelId cycle_ = 0, line_ = 0;
  std::array<ChannelId, kNumRowTopics> message_channels_{};
  Pace states_pace_, residual_pace_, progress_pace_, listener_pace_, retry_pace_;
  RecordListener listener_;
  CycleTiming loop_;
  RateWindow window_;
  std::int64_t stop_tick_ = -1;
  std::array<Pace, kMaxBoards> measured_pace_;
  std::vector<std::byte> bytes_;
  std::int64_t now_ns_ = 0;  // of the newest row
  CycleRecord row_{};
  bool has_begun_ = false;  // a sample came
  bool closed_ = false;
};

}  // namespace kagami::runtime
