/// What a run's rows tell its viewers: rows of /cycle in, messages of the channels out.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/robot/robot_folder.hpp"
#include "runtime/app/live_gains.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "runtime/record/viewer_json.hpp"
#include "runtime/threads/body_frames.hpp"
#include "runtime/threads/pace.hpp"
#include "runtime/threads/row_messages.hpp"
#include "tools/dashboard/balance_view.hpp"
#include "tools/dashboard/bus_view.hpp"
#include "tools/dashboard/live_topics.hpp"

namespace kagami::tools {

/// Time in ns since the epoch.
using Publish = std::function<void(Topic topic, std::uint64_t time_ns, std::string payload)>;
/// All values of a set that has come into force, as parameters.
using PublishGains = std::function<void(const runtime::AppliedGains& gains)>;

/// Times of the run's clock as times since the epoch: viewers order by those.
class WallTime {
 public:
  /// Since the epoch, ns, of a time of the run's clock; the first call fixes the difference.
  std::uint64_t at(std::int64_t run_ns) noexcept;

 private:
  bool is_known_ = false;
  std::int64_t offset_ns_ = 0;
};

/// Called by RunHooks::row and line, on the one thread that writes the record. The robot and
/// `gains` outlive it.
class RowStream {
 public:
  RowStream(const models::RobotDescription& robot, const runtime::LiveGains& gains, Publish publish,
            PublishGains publish_gains);

  void row(const runtime::CycleRecord& row);
  /// RunHooks::line
  void line(const runtime::LineFrame& frame) { bus_.frame(frame); }
  /// Of the newest row, ns since the epoch by the run's clock; 0 before the first. Any thread.
  [[nodiscard]] std::uint64_t now() const noexcept { return now_; }

 private:
  void curves(const runtime::CycleRecord& row);
  void whole(const runtime::CycleRecord& row);
  void readings(const runtime::CycleRecord& row);
  void events(const runtime::CycleRecord& row);
  void gains(const runtime::CycleRecord& row);

  const runtime::LiveGains& gains_;
  const Publish publish_;
  const PublishGains publish_gains_;
  runtime::RowMessages messages_;
  runtime::BodyFrames measured_frames_;
  std::vector<std::string> measured_names_;  // "measured/..." of each frame: parent, child
  BalanceView balance_;
  BusView bus_;
  runtime::ViewerJson json_;
  WallTime wall_;
  std::atomic<std::uint64_t> now_{0};  // of the row, since the epoch
  runtime::Pace curves_pace_, balance_pace_, bus_pace_, cycle_pace_;
  std::vector<std::byte> cdr_;
  std::array<runtime::Pace, kMaxBoards> board_pace_;
  bool reported_ = false;
  std::uint64_t version_ = 0;
};

}  // namespace kagami::tools
