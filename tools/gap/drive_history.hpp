/// What drove each joint in a run and how the shadow model moved: all that is needed to repeat the
/// run of one servo with other parameters.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "drivers/rcb1/calibration.hpp"
#include "models/actuator/board_ramp.hpp"
#include "models/base/servo_parameters.hpp"
#include "models/robot/robot_folder.hpp"
#include "motions/play/stored_program.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "tools/analysis/run_record.hpp"

namespace kagami::tools {

/// One joint on the grid of its history.
struct JointDrive {
  ServoParameters servo;      ///< of the shadow model
  double inertia = 0.0;       ///< kg m^2, of what the joint carries, in the robot's zero posture
  std::vector<float> ramp;    ///< rad, the board's output
  std::vector<float> driven;  ///< 1, or 0 while the servo is released
  std::vector<float> angle;   ///< rad, of the shadow model
  /// N m, the load of the rest of the robot on the joint in the step that begins here: torque minus
  /// inertia times acceleration, of the shadow model.
  std::vector<float> load;
};

/// Readings of a joint with the shadow model's angle at each reading's own time.
struct AlignedReadings {
  std::vector<double> time;      ///< s since the first grid point
  std::vector<float> measured;   ///< rad
  std::vector<float> simulated;  ///< rad, not rounded
  std::vector<float> reference;  ///< rad, what the motion asked
};

struct DriveHistory {
  double step = 0.004;  ///< s, of the grid
  std::vector<std::string> names;
  std::vector<int> channels;  ///< 1..24
  std::vector<JointDrive> drive;
  std::vector<AlignedReadings> readings;
  std::string ended_early;  ///< why the rest of the run is left out; "" = it is not

  [[nodiscard]] std::size_t num_joints() const { return names.size(); }
};

/// Makes the history out of the rows of a run, in their order. Readings count as in SeriesBuilder:
/// from the first pose of the motion until the servos are released; not those at an end of the
/// boards' range, where the joint may be beyond it. The history ends where the shadow model was
/// restarted and where more than a second is missing.
class DriveHistoryBuilder {
 public:
  /// `stored`: what the boards play by themselves.
  explicit DriveHistoryBuilder(const models::RobotDescription& robot,
                               const motions::StoredProgram& stored = {});

  void add(const runtime::CycleRecord& row);
  /// The history so far; the builder is spent.
  [[nodiscard]] DriveHistory take();

 private:
  /// The shadow model and the motion at a tick.
  struct Tick {
    std::int64_t at_ns = 0;
    JointArray<double> q{};
    JointArray<double> qd{};
    JointArray<double> torque{};
    JointArray<double> reference{};
  };

  void start(const runtime::CycleRecord& row);
  void follow_commands(const drivers::ServoSample& sample);
  void follow_stored(std::int64_t until_ns);
  void add_readings(const runtime::CycleRecord& row);
  [[nodiscard]] std::string reason_to_end(const runtime::CycleRecord& row) const;
  [[nodiscard]] bool is_at_end(const drivers::ServoSample& sample, std::size_t joint) const;
  void add_grid_points(std::int64_t until_ns);
  void add_grid_point(std::int64_t at_ns);
  [[nodiscard]] Tick shadow_at(std::int64_t at_ns) const;

  drivers::rcb1::Calibration calibration_;
  motions::StoredPlayback stored_;
  std::vector<models::BoardRamp> ramps_;
  std::vector<int> board_of_;
  DriveHistory history_;
  JointArray<double> commanded_{};
  std::array<drivers::BoardCommand, kMaxBoards> command_{};
  std::array<std::int64_t, kMaxBoards> last_sampled_ns_{};
  std::deque<Tick> recent_;
  std::optional<std::int64_t> first_ns_;  // of the grid
  std::int64_t next_ns_ = 0;              // grid point to come
  std::optional<Tick> last_point_;
  std::optional<std::int64_t> began_ns_;
  bool is_over_ = false;
};

}  // namespace kagami::tools
