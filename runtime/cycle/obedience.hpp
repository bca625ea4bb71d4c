/// Compares what the robot does with what its boards acknowledged and reports where they part.
///
/// The detectors, their thresholds and reactions are the table of docs/supervision.md. They see the
/// readings and the shadow at the readings' own times, and what the safety gate passed.
#pragma once

#include <array>

#include "models/base/wiring.hpp"
#include "runtime/cycle/board_watch.hpp"
#include "runtime/cycle/cycle_config.hpp"
#include "runtime/cycle/joint_watch.hpp"
#include "runtime/cycle/robot_fault.hpp"

namespace kagami::runtime {

/// Built at set-up; everything else is cycle code.
class Obedience {
 public:
  /// So many joints that do not follow mean that the readings are not reliable.
  static constexpr int kManyJoints = 3;
  /// rad: the gate passes less than was requested, start and end of an episode.
  static constexpr double kShortfall = to_rad(5.0);
  static constexpr double kShortfallEnd = to_rad(2.0);
  static constexpr std::int64_t kShortfallNs = 300'000'000;

  Obedience(const RobotWiring& wiring, const CycleConfig& config);

  /// What the boards are to do, rad.
  struct Commands {
    const JointArray<double>& acknowledged;
    const JointArray<double>& sent;
  };
  /// After the shadow was compared with the new readings. True: the readings are not reliable,
  /// hold the robot; once per cause.
  [[nodiscard]] bool check_readings(const CycleInput& in, const CycleOutput& out,
                                    const Commands& commands, EventList& events) noexcept;
  /// Targets of one tick around the safety gate, rad.
  struct GateTargets {
    bool pass = false;                    ///< targets go through the gate in this tick
    const JointArray<double>& reference;  ///< of the motion
    const JointArray<double>& requested;  ///< by the motion, or by the controller that leads
    const JointArray<double>& passed;
  };
  /// After the gate.
  void check_gate(const GateTargets& targets, EventList& events) noexcept;
  /// Whether the model is at rest where its motion has ended; on the stand it always does.
  void check_standing(bool at_rest, bool fell, EventList& events) noexcept;

  [[nodiscard]] const FaultLedger& ledger() const noexcept { return ledger_; }
  [[nodiscard]] int num_joints() const noexcept { return num_joints_; }
  [[nodiscard]] int num_boards() const noexcept { return num_boards_; }
  /// rad, the largest shortfall of a joint so far, episodes or not.
  [[nodiscard]] double worst_shortfall(int joint) const noexcept {
    return worst_shortfall_[static_cast<std::size_t>(joint)];
  }

 private:
  void restart() noexcept;
  void check_board(int board, const CycleInput& in, const CycleOutput& out,
                   const Commands& commands, EventList& events) noexcept;
  void check_joint(std::size_t joint, const WatchedAngle& angle, EventList& events) noexcept;
  /// Constantly beside the model; or beside the command, where the model is not near either.
  [[nodiscard]] bool is_implausible(std::size_t joint, const WatchedAngle& angle) noexcept;
  /// Starts or ends an episode; keeps its worst difference.
  void set(RobotFault fault, int place, bool is_so, double difference, EventList& events) noexcept;
  [[nodiscard]] int count(RobotFault fault) const noexcept;

  int num_joints_ = 0;
  int num_boards_ = 0;
  JointArray<std::int8_t> board_{};
  FaultLedger ledger_;
  JointArray<FollowWatch> follow_{};
  JointArray<GainWatch> gain_{};
  JointArray<OffsetWatch> offset_{};          ///< against the model
  JointArray<OffsetWatch> command_offset_{};  ///< against the command: of a robot that is quicker
  JointArray<std::int64_t> far_since_ns_{};   ///< from the model by OffsetWatch::kOffset; -1: near
  std::array<FrozenBoardWatch, kMaxBoards> frozen_{};
  std::array<RestartWatch, kMaxBoards> restarts_{};
  std::array<int, kMaxBoards> unanswered_{};  ///< failed exchanges since the last reading
  bool distrusted_ = false;                   ///< the hold was requested for the present cause

  JointArray<std::int64_t> short_since_ns_{};  ///< -1 = the gate passes it all
  JointArray<double> worst_shortfall_{};       ///< rad
};

}  // namespace kagami::runtime
