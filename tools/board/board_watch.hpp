/// Watches a line on which another program talks to the boards: the shadow model beside them,
/// comparison, limits, record and views.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/virtual/line_listener.hpp"
#include "drivers/virtual/virtual_robot.hpp"
#include "models/base/base_pose.hpp"
#include "runtime/app/run.hpp"
#include "runtime/clock/clock.hpp"
#include "runtime/threads/recorder.hpp"
#include "tools/board/limit_watch.hpp"
#include "tools/board/line_channels.hpp"
#include "tools/board/line_decoder.hpp"
#include "tools/board/observed_boards.hpp"
#include "tools/board/stored_plays.hpp"
#include "tools/board/unkept_record.hpp"
#include "tools/import/observed_cycle.hpp"

namespace kagami::tools {

struct BoardWatchSettings {
  std::filesystem::path record;  ///< file; empty = none is kept
  bool replace_record = false;
  std::string source;          ///< "a program on /tmp/khr1": what the record is made from
  std::string plant_text;      ///< servo parameters of the virtual robot; empty = real boards
  JointArray<double> start{};  ///< rad, the joints at the start
  std::vector<drivers::virtual_robot::BoardMemory> memory{};  ///< of virtual boards
  bool begins_at_once = false;                                ///< else with the host's first byte
};

/// Simulated minus measured angle of one joint.
struct JointGap {
  std::string joint;
  std::uint64_t readings = 0;
  double rms_deg = 0.0;
  double bias_deg = 0.0;
  double max_deg = 0.0;
  double rounding_deg = 0.0;  ///< RMS that whole degrees alone leave; NaN at rest
};

struct BoardWatchResult {
  double duration_s = 0.0;
  std::optional<double> rms_deg;  ///< over all joints
  std::vector<JointGap> joints;   ///< model order; those with readings
  std::vector<LimitFinding> limits;
  LineCounts line;
  std::uint64_t plays = 0;          ///< stored motions and scenarios
  std::uint64_t unknown_plays = 0;  ///< those of them that the model could not follow
  std::uint64_t lost_bytes = 0;
  std::optional<BasePose> twin_base;  ///< on the floor
  bool twin_fell = false;
  std::filesystem::path record;  ///< empty: none
  std::string record_problem;    ///< why the record is not complete; empty = it is
};

/// `listener` is for the serving thread; the rest belongs to one other thread, which calls `poll`
/// every few milliseconds. Setup and clock outlive it.
class BoardWatch {
 public:
  /// Creates the record. Throws RecordError.
  BoardWatch(BoardWatchSettings settings, const runtime::RunSetup& setup,
             runtime::SteadyClock& clock, runtime::RunHooks hooks);
  ~BoardWatch();
  BoardWatch(const BoardWatch&) = delete;
  BoardWatch& operator=(const BoardWatch&) = delete;

  /// Functions that fill the queues. `robot`: the virtual robot, whose angles are then the measured
  /// ones, at 100 Hz; null = the answers to FC are.
  drivers::virtual_robot::LineListener listener(const drivers::virtual_robot::VirtualRobot* robot);

  /// Computes everything that is older than 15 ms, so that what belongs to one tick is there.
  void poll();
  /// Computes the rest and closes the record. `end_text`: how it ended, a sentence.
  BoardWatchResult finish(const std::string& end_text);

 private:
  void run_until(std::int64_t until_ns);
  void take_chunks(std::int64_t until_ns);
  void take_request(const LineRequest& request);
  void take_stored(std::int64_t until_ns);
  void note_limits(const LineRequest& request);
  void note_frame(const LineChunk& chunk);
  void push_frame();
  void take_plant(std::int64_t until_ns);
  void tick();
  void begin(std::int64_t at_ns);
  void report();
  void note_worst(const runtime::CycleRecord& row);
  [[nodiscard]] std::vector<JointGap> gaps() const;
  [[nodiscard]] std::string result_text(const std::string& end_text) const;

  const BoardWatchSettings settings_;
  const runtime::RunSetup& setup_;
  runtime::SteadyClock& clock_;
  runtime::RunHooks hooks_;
  std::unique_ptr<LineChannels> line_;
  std::unique_ptr<runtime::ThreadChannels> channels_;
  LineDecoder decoder_;
  ObservedBoards boards_;
  StoredPlays plays_;
  LimitWatch limits_;
  ObservedCycle cycle_;
  std::unique_ptr<UnkeptRecord> unkept_;  // where no record is kept
  std::unique_ptr<runtime::Recorder> recorder_;
  bool reads_plant_ = false;
  bool has_begun_ = false;
  std::int64_t begin_ns_ = 0;
  std::int64_t ticks_ = 0;
  runtime::LineFrame frame_;  // that is not complete
  std::int64_t frame_end_ns_ = 0;
  std::optional<PlantSample> newest_plant_;
  JointArray<double> worst_{};  // rad, largest absolute residual
  BasePose twin_base_;
  bool twin_fell_ = false;
  bool problem_is_reported_ = false;
};

}  // namespace kagami::tools
