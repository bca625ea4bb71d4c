/// Detects frozen readings of a board, and a restart of the board during a silence.
#pragma once

#include <cstdint>

#include "drivers/link/samples.hpp"
#include "models/base/angle.hpp"
#include "models/base/types.hpp"
#include "runtime/cycle/joint_watch.hpp"

namespace kagami::runtime {

/// The joints of one board and what they read; model order.
struct BoardAngles {
  std::int64_t at_ns = 0;  ///< when the board read its servos
  const drivers::ChannelCounts& counts;
  const JointArray<double>& simulated;  ///< rad, the model at that time
  const JointArray<double>& commanded;  ///< rad, acknowledged by the board
  const JointArray<double>& sent;       ///< rad, acknowledged or not
  const JointArray<double>& residual;   ///< rad, simulated minus measured
  const JointArray<std::int8_t>& board_of_joint;
  int board = 0;
  int num_joints = 0;
};

/// All counts of a board stay the same while several of its joints move in the model and in the
/// commands: a robot that is quicker than the model has arrived while the model alone still moves.
/// Cycle code.
class FrozenBoardWatch {
 public:
  static constexpr double kModelMoved = to_rad(6.0);
  static constexpr int kJointsMoved = 2;  ///< one joint alone may be jammed
  static constexpr std::int64_t kDecideNs = 300'000'000;
  static constexpr std::int64_t kWindowNs = 5'000'000'000;

  void restart() noexcept { begun_ = false; }
  void add(const BoardAngles& angles) noexcept;
  [[nodiscard]] bool is_frozen() const noexcept { return frozen_; }
  /// rad, the farthest that a joint moved in the model meanwhile.
  [[nodiscard]] double model_moved() const noexcept { return farthest_; }

 private:
  void begin(const BoardAngles& angles) noexcept;

  bool begun_ = false;
  bool frozen_ = false;
  std::int64_t begun_ns_ = 0;
  std::int64_t moved_ns_ = -1;
  double farthest_ = 0.0;
  drivers::ChannelCounts counts_{};
  JointArray<ValueRange> simulated_{};
  JointArray<ValueRange> commanded_{};
};

/// Questions without an answer, and right after them several joints in another place than the
/// model, which rests there: it moves by acknowledged commands only. A board that this computer did
/// not ask was not silent; one that is on the way to commands it did not acknowledge has not
/// restarted. Cycle code.
class RestartWatch {
 public:
  static constexpr std::int64_t kSilenceNs = 150'000'000;  ///< plus what skipped readings add
  static constexpr std::int64_t kAfterNs =
      100'000'000;  ///< later the model moves again and differs by its lag
  static constexpr double kPoseChange = to_rad(8.0);
  static constexpr int kJointsChanged = 2;
  static constexpr int kUnanswered = 3;

  /// `silence_ns`: a longer gap between two readings is a silence.
  void set_silence(std::int64_t silence_ns) noexcept { silence_ns_ = silence_ns; }
  void restart() noexcept { last_ns_ = -1; }
  /// `unanswered`: the board failed to answer in a row before this reading.
  void add(const BoardAngles& angles, int unanswered) noexcept;
  [[nodiscard]] bool has_restarted() const noexcept { return restarted_; }
  /// rad, largest change of a joint against the model over the silence.
  [[nodiscard]] double change() const noexcept { return change_; }

 private:
  std::int64_t silence_ns_ = kSilenceNs;
  std::int64_t last_ns_ = -1;
  std::int64_t back_ns_ = -1;  ///< first reading after a silence; -1 = none to judge
  bool restarted_ = false;
  double change_ = 0.0;
  JointArray<double> before_{};  ///< rad, residual before the silence
};

}  // namespace kagami::runtime
