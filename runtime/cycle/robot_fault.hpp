/// Faults of the robot itself: which kinds there are, and the episodes of each during a run.
#pragma once

#include <array>
#include <cstdint>

#include "models/base/types.hpp"
#include "models/base/wiring.hpp"
#include "runtime/cycle/event_list.hpp"

namespace kagami::runtime {

enum class RobotFault : std::uint8_t {
  kDoesNotFollow,     ///< joint: the model moves under the acknowledged commands, the reading stays
  kFrozen,            ///< joint: the reading stays exactly the same while the model moves
  kBoardFrozen,       ///< board: the same for all its channels
  kImplausibleJoint,  ///< joint: a constant difference from the model while the joint follows
  kBoardRestarted,    ///< board: silent for a while, then in another pose
  kGateShortfall,     ///< joint: the safety gate passes less than was requested
  kModelFell,         ///< the model does not stand at the end of its motion
};
inline constexpr int kNumRobotFaults = 7;
/// "does_not_follow", ...; "unknown" outside the enumeration.
const char* name(RobotFault fault) noexcept;
/// One episode of it is enough to hold the robot: its readings are not reliable.
bool makes_hold(RobotFault fault) noexcept;
/// Its place is a board, not a joint.
bool is_of_board(RobotFault fault) noexcept;

/// All episodes of one fault at one joint or board.
struct FaultEpisodes {
  int count = 0;
  bool is_active = false;
  std::int64_t since_ns = 0;  ///< start of the newest one
  double seconds = 0.0;       ///< of those that have ended
  double worst = 0.0;         ///< rad, largest absolute difference
};

/// Starts and ends episodes, each with one event. Cycle code.
class FaultLedger {
 public:
  /// Starts per tick: the events of a cycle are bounded, a start that finds no room comes with a
  /// later reading.
  static constexpr int kMaxStartsPerTick = 3;

  void begin_tick(std::int64_t now_ns) noexcept;
  /// Starts an episode at a joint (model order) or board, `difference` in rad. False: no room in
  /// this tick. No-op when one is active.
  bool start(RobotFault fault, int place, double difference, EventList& events) noexcept;
  /// Ends the active episode; no-op without one.
  void end(RobotFault fault, int place, EventList& events) noexcept;
  /// Keeps the largest difference (rad) of an active episode.
  void worsen(RobotFault fault, int place, double difference) noexcept;

  [[nodiscard]] bool is_active(RobotFault fault, int place) const noexcept {
    return at(fault, place).is_active;
  }
  [[nodiscard]] const FaultEpisodes& at(RobotFault fault, int place) const noexcept;
  [[nodiscard]] std::int64_t now_ns() const noexcept { return now_ns_; }

 private:
  std::array<JointArray<FaultEpisodes>, kNumRobotFaults> episodes_{};
  std::int64_t now_ns_ = 0;
  int starts_ = 0;
};

}  // namespace kagami::runtime
