/// The writer's side of a run: drains the queues into the MCAP record.
#pragma once

#include <array>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/robot/robot_folder.hpp"
#include "runtime/app/progress.hpp"
#include "runtime/border/border.hpp"
#include "runtime/cycle/residual.hpp"
#include "runtime/record/mcap_writer.hpp"
#include "runtime/record/viewer_json.hpp"
#include "runtime/threads/body_frames.hpp"
#include "runtime/threads/figure_window.hpp"

namespace kagami::runtime {

/// What a record says about its run besides the channels.
struct RecordAttachment {
  std::string name;
  std::string media_type;
  std::string text;
};
/// Who else sees the rows; all on the writer's thread. What is empty is not called.
struct RecordListener {
  std::function<void(const CycleRecord&)> every;      ///< each row
  std::function<void(const CycleRecord&)> paced;      ///< at most 100 Hz, and each with an event
  std::function<void(const CycleRecord&)> test;       ///< each of a joint test
  std::function<void(const LineFrame&)> line;         ///< each frame of the line
  std::function<bool(RecordAttachment&)> attachment;  ///< fills in what belongs into the record
};
struct RecordHeader {
  std::filesystem::path file;
  StringMap metadata{};  ///< "kagami.run"
  std::vector<RecordAttachment> attachments{};
};

/// Real time: the writer thread calls `drain` again and again. Virtual time: the one thread does.
/// What viewers see is written at most at 100 Hz per channel of the run's clock; /cycle and /line
/// hold everything. Allocates; never called by the cycle or the serial thread.
class Recorder {
 public:
  /// Creates the file. Throws RecordError. The robot must outlive it.
  Recorder(const RecordHeader& header, const models::RobotDescription& robot, Border& border);

  /// Before the first drain.
  void listen(RecordListener listener) { listener_ = std::move(listener); }
  /// Writes what waits in the queues; returns how many rows of /cycle that were.
  std::size_t drain();
  /// Writes the rest and the result, and ends the file. False when the disk did not take all of it;
  /// the file is readable up to its last whole record.
  bool close(const std::string& result_text);

  /// Why recording stopped (a full disk), empty when it did not.
  [[nodiscard]] const std::string& cause() const noexcept { return writer_.cause(); }
  [[nodiscard]] const WriterCounters& counters() const noexcept { return writer_.counters(); }
  [[nodiscard]] const ControlStatistics& control() const noexcept { return control_; }
  [[nodiscard]] const ResidualStatistics& residuals() const noexcept { return residuals_; }

  /// Newest state and events for the thread that talks to the user.
  LatestValue<Progress> progress;
  boost::lockfree::spsc_queue<Event, boost::lockfree::capacity<256>> notices;

 private:
  /// At most one message per 10 ms.
  struct Pace {
    std::int64_t next_ns = 0;
    bool due(std::int64_t now_ns, std::int64_t period_ns) noexcept;
  };

  void write_row(const CycleRecord& row);
  void write_joint_states(const CycleRecord& row);
  void write_measured(const CycleRecord& row);
  void write_events_until(std::int64_t tick, std::int64_t now_ns);
  void write_line_frames();
  void write_attachments();
  void tell(const CycleRecord& row);
  void tell_progress(const CycleRecord& row);
  void write_text(ChannelId channel, std::int64_t now_ns, std::string_view json);

  Border& border_;
  RobotWiring wiring_;
  std::vector<std::string> joint_names_;
  std::array<std::vector<std::string>, kMaxBoards> names_of_board_;
  std::array<std::vector<int>, kMaxBoards> joints_of_board_;
  McapWriter writer_;
  BodyFrames frames_;
  ViewerJson json_;
  ResidualStatistics residuals_;
  ControlStatistics control_;
  ChannelId cycle_ = 0, line_ = 0, events_ = 0, residual_ = 0;
  ChannelId measured_ = 0, simulated_ = 0, commanded_ = 0, reference_ = 0, tf_ = 0;
  Pace states_pace_, residual_pace_, progress_pace_, listener_pace_;
  RecordListener listener_;
  LoopFigures loop_;
  FigureWindow window_;
  std::int64_t stop_tick_ = -1;
  std::array<Pace, kMaxBoards> measured_pace_;
  std::vector<std::byte> bytes_;
  std::int64_t now_ns_ = 0;  // of the newest row
  CycleRecord row_{};
  bool closed_ = false;
};

}  // namespace kagami::runtime
