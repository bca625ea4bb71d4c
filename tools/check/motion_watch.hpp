/// What the twin does while it plays a motion, row by row: balance, feet, links, servos.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "models/robot/robot_folder.hpp"
#include "motions/file/motion.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "tools/check/posed_body.hpp"
#include "tools/check/self_collision.hpp"
#include "tools/check/servo_load.hpp"

namespace kagami::tools {

/// A value and the sample at which it was found.
struct AtSample {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::size_t sample = 0;
};

/// How far a foot slid on the floor between two lifts.
struct FootSlip {
  BodyIndex body = kWorld;
  double distance = 0.0;   ///< m, the longest slide
  std::size_t sample = 0;  ///< at its end
};

/// Two boxes in each other.
struct Overlap {
  BoxPair pair;
  double depth = 0.0;     ///< m, deepest
  std::size_t first = 0;  ///< sample
  std::size_t deepest = 0;
  std::size_t last = 0;
};

/// Samples first .. last in which the twin did not stand.
struct Lying {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Fed with the rows of one run, 100 per second. One thread; the robot outlives it.
class MotionWatch {
 public:
  /// `speed_limit`: rad/s, of the boards' fastest speed code. A motion that begins with the robot
  /// lying has no loads before it begins: the simulations let the robot down onto the floor then.
  MotionWatch(const models::RobotDescription& robot, double speed_limit,
              motions::Start start = motions::Start::kStanding);

  void add(const runtime::CycleRecord& row);

  /// Seconds of the motion's time, per sample: negative before it begins, beyond its end while the
  /// servos settle. Set when the rows are complete.
  [[nodiscard]] std::vector<double> times() const;

  std::vector<double> margin;  ///< m, per sample, see balance_margin; NaN: none
  std::vector<double>
      torque_share;                 ///< largest |torque| over stall torque of all joints; NaN: none
  std::vector<double> speed_share;  ///< largest speed that the motion requires over the limit
  std::vector<ServoLoad> loads;     ///< per joint, model order
  AtSample least_margin;
  double outside = 0.0;    ///< s with a negative margin
  double supported = 0.0;  ///< s with a margin
  std::vector<FootSlip> slips;
  std::vector<Overlap> overlaps;
  /// Nearest that two links came that may meet (m), and which.
  AtSample nearest;
  BoxPair nearest_pair;
  std::vector<Lying> lying;

 private:
  [[nodiscard]] double load(const runtime::CycleRecord& row, double dt);
  void balance(const runtime::CycleRecord& row, double dt);
  void slide();
  void collide();

  PosedBody body_;
  SelfCollision collision_;
  motions::Start start_;
  std::vector<double> speed_limit_;  // rad/s, per joint
  std::vector<std::size_t> overlap_of_;

  /// The corners of a foot in W at the last sample, and how far it has slid since it touched.
  struct Foot {
    std::vector<Vec3> corners;  // in the body's frame
    std::vector<Vec3> before;   // in W
    double slid = 0.0;
  };
  std::vector<Foot> feet_;  // as slips
  bool has_before_ = false;

  std::vector<double> run_time_;     // s, of the run's clock
  std::vector<double> motion_time_;  // s
  std::optional<std::size_t> begins_;
  std::optional<std::size_t> ends_;
};

/// How far the point of the floor below the mass centre lies inside what touches the floor (m),
/// negative outside; NaN where nothing touches.
double balance_margin(const PosedBody& body);

}  // namespace kagami::tools
