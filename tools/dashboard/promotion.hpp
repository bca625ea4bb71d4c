/// A change on its way to the robot: applied where the prediction begins, and taken back when the
/// readings leave the band.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "models/base/wiring.hpp"
#include "runtime/app/live_control.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "tools/tune/band_watch.hpp"
#include "tools/tune/forecast.hpp"

namespace kagami::tools {

/// Where a run is, of its newest row.
struct RunMoment {
  std::int64_t tick = -1;
  std::int64_t now_ns = 0;
  double motion_time = 0.0;  ///< s
  runtime::Phase phase = runtime::Phase::kWaiting;
  runtime::SupervisorState state = runtime::SupervisorState::kIdle;
  bool paused = false;
  std::uint64_t version = 0;   ///< of the gains that the cycle goes by
  JointArray<double> angle{};  ///< rad, measured

  /// The motion's time runs.
  [[nodiscard]] bool is_playing() const noexcept {
    return phase == runtime::Phase::kPlaying && !paused;
  }
};
RunMoment moment_of(const runtime::CycleRecord& row) noexcept;

/// What became of a promotion that was not simply kept.
struct PromotionNews {
  std::string sentence;      ///< for the events
  bool is_rollback = false;  ///< the old values were proposed again, because of `joint`
  std::string joint{};       ///< that left its band
  std::int64_t tick = -1;    ///< of the reading that was outside
  std::uint64_t ticket = 0;  ///< of the rollback; 0: it was refused, the promoted values hold
};

/// At most one promotion at a time. `arm` from any thread, `row` from the recorder's alone.
class Promotion {
 public:
  Promotion(runtime::LiveControl& live, const RobotWiring& wiring);

  /// Applies the changes once the motion's time is `begin` (at once where nothing plays), where
  /// `predicted` begins too. `done` gets the answer of LiveControl, or a refusal when the
  /// motion does not come there. False while another promotion is watched.
  bool arm(std::vector<control::TunableValue> changes, std::optional<double> begin,
           const Forecast& predicted, std::function<void(const runtime::LiveAnswer&)> done);

  /// Checks a row; news when the gains were taken back, or the watch was given up.
  std::optional<PromotionNews> row(const runtime::CycleRecord& row,
                                   const std::vector<std::string>& joint_names);

 private:
  struct Armed {
    std::vector<control::TunableValue> changes;
    std::optional<double> begin;  // s of the motion's time
    std::function<void(const runtime::LiveAnswer&)> done;
    BandWatch watch;
    std::vector<control::TunableValue> before;
    std::uint64_t ticket = 0;      // 0: not requested yet
    std::int64_t applied_ns = -1;  // -1: not applied yet
    std::int64_t armed_ns = -1;
    std::array<std::int64_t, kMaxBoards> seen_ns{};
  };

  void ask(Armed& armed);
  std::optional<PromotionNews> watch(Armed& armed, const runtime::CycleRecord& row,
                                     const std::vector<std::string>& joint_names);

  runtime::LiveControl& live_;
  const RobotWiring& wiring_;
  std::mutex mutex_;
  std::optional<Armed> armed_;
};

}  // namespace kagami::tools
