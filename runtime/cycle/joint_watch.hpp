/// Whether one joint's readings follow the model that gets the same commands.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/angle.hpp"

namespace kagami::runtime {

/// Smallest and largest of the values so far.
struct ValueRange {
  double least = 0.0;
  double most = 0.0;
  void restart(double value) noexcept { least = most = value; }
  void add(double value) noexcept {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  [[nodiscard]] double width() const noexcept { return most - least; }
};

/// One reading and the model at the reading's own time.
struct WatchedAngle {
  std::int64_t at_ns = 0;
  double measured = 0.0;   ///< rad
  double simulated = 0.0;  ///< rad
  double commanded = 0.0;  ///< rad, acknowledged by the board
  [[nodiscard]] double residual() const noexcept { return simulated - measured; }
};

/// Compares how far the reading, the model and the command moved in windows that begin at a
/// reading. A robot that is quicker than the model has arrived while the model still moves, and a
/// slower one still moves; a reading that stays while both model and command move is neither. Cycle
/// code.
class FollowWatch {
 public:
  static constexpr double kModelMoved = to_rad(10.0);       ///< model and command: enough to decide
  static constexpr double kReadingStayed = to_rad(2.5);     ///< less means: does not follow
  static constexpr double kReadingMoved = to_rad(5.0);      ///< more means: follows again
  static constexpr double kFrozenPath = to_rad(40.0);       ///< of the model, back and forth
  static constexpr std::int64_t kDecideNs = 300'000'000;    ///< a real servo's lag, several times
  static constexpr std::int64_t kWindowNs = 5'000'000'000;  ///< without enough motion: a new one

  void restart() noexcept { begun_ = false; }
  void add(const WatchedAngle& angle) noexcept;
  /// The reading stays, the model has moved.
  [[nodiscard]] bool does_not_follow() const noexcept { return stays_; }
  /// Not even by one degree, over a long way of the model.
  [[nodiscard]] bool is_frozen() const noexcept {
    return stays_ && measured_.width() == 0.0 && path_ >= kFrozenPath;
  }

 private:
  void begin(const WatchedAngle& angle) noexcept;

  bool begun_ = false;
  bool stays_ = false;
  std::int64_t begun_ns_ = 0;
  std::int64_t moved_ns_ = -1;  ///< when the model had moved enough; -1 = not yet
  double last_simulated_ = 0.0;
  double path_ = 0.0;  ///< rad
  ValueRange measured_;
  ValueRange simulated_;
  ValueRange commanded_;
};

/// How much of a motion is in the reading: the slope of reading over motion, by least squares. Near
/// 1 where a joint follows, also with an offset; less the more they are apart in time; about 0
/// where a limp joint swings freely. Cycle code.
class Slope {
 public:
  void restart(double motion, double reading) noexcept;
  void add(double motion, double reading) noexcept;
  /// rad^2, of the motion.
  [[nodiscard]] double variance() const noexcept;
  [[nodiscard]] double value() const noexcept;

 private:
  int count_ = 0;
  double motion_0_ = 0.0;  ///< sums are relative to the first
  double reading_0_ = 0.0;
  double s_ = 0.0;   ///< sums: motion,
  double m_ = 0.0;   ///< reading,
  double ss_ = 0.0;  ///< squares of the motion,
  double sm_ = 0.0;  ///< products
};

/// Whether the reading moves with the model or with the command, in windows of fixed length. A
/// robot that is quicker than the model lies between the two; in a swing that is short beside the
/// model's lag it moves with neither of them, but its reading, as late as a slow servo, moves with
/// the model. Cycle code.
class GainWatch {
 public:
  static constexpr double kLag = 0.15;                 ///< s, time constant of the late reading
  static constexpr double kLeastMotion = to_rad(6.0);  ///< standard deviation of both
  static constexpr double kLost = 0.25;                ///< less: does not follow
  static constexpr double kBack = 0.5;                 ///< more: follows again
  static constexpr std::int64_t kWindowNs = 2'000'000'000;

  void restart() noexcept {
    begun_ = false;
    last_ns_ = -1;
  }
  void add(const WatchedAngle& angle) noexcept;
  [[nodiscard]] bool is_lost() const noexcept { return lost_; }

 private:
  void judge() noexcept;

  bool lost_ = false;
  bool begun_ = false;
  std::int64_t begun_ns_ = 0;
  std::int64_t last_ns_ = -1;
  double late_ = 0.0;  ///< rad, the late reading
  Slope of_model_;     ///< reading over model,
  Slope of_command_;   ///< reading over command,
  Slope of_late_;      ///< late reading over model
};

/// Finds a difference between reading and model that is constant while both move, or the same at
/// two rests between which both moved. A robot that is late (boards that queue poses) differs by
/// its lag times the speed, constant in a steady move: the difference must outlast a way back or a
/// rest of the model. Cycle code.
class OffsetWatch {
 public:
  static constexpr double kOffset = to_rad(15.0);        ///< more is implausible
  static constexpr double kOffsetEnd = to_rad(10.0);     ///< less ends it
  static constexpr double kSpread = to_rad(6.0);         ///< of a constant difference
  static constexpr double kMoved = to_rad(6.0);          ///< both, within a window or between rests
  static constexpr std::int64_t kHoldsNs = 500'000'000;  ///< so long it is constant

  static constexpr double kStill = to_rad(1.0);         ///< of the model at rest
  static constexpr std::int64_t kRestNs = 300'000'000;  ///< longer than a robot is late

  void restart() noexcept { begun_ = had_rest_ = false; }
  void add(const WatchedAngle& angle) noexcept;
  [[nodiscard]] bool is_implausible() const noexcept { return implausible_; }

 private:
  void begin(const WatchedAngle& angle) noexcept;
  /// Follows the model's way, back and forth, and its rests.
  void add_way(const WatchedAngle& angle) noexcept;
  /// The model rests: compares the difference with the one at the rest before. True: the same.
  [[nodiscard]] bool same_as_before(double difference, const WatchedAngle& angle) noexcept;

  bool begun_ = false;
  bool implausible_ = false;
  std::int64_t begun_ns_ = 0;
  std::int64_t near_since_ns_ = -1;
  double last_simulated_ = 0.0;
  double up_ = 0.0;    ///< rad, the model's way within the window
  double down_ = 0.0;  ///< rad
  ValueRange still_;   ///< of the model since it rests
  std::int64_t still_since_ns_ = 0;
  bool rested_ = false;  ///< within the window
  ValueRange residual_;
  ValueRange measured_;
  ValueRange simulated_;
  bool had_rest_ = false;
  double rest_difference_ = 0.0;  ///< rad, at the last rest
  ValueRange measured_since_rest_;
  ValueRange simulated_since_rest_;
};

}  // namespace kagami::runtime
