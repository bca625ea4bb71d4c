/// The virtual KHR-1: two RCB-1 boards in front, the ODE plant behind, on one time line, without
/// threads.
///
/// Times are int64 nanoseconds of the caller's clock. The robot is switched on at begin_at(); from
/// then on its plant steps on a fixed 1 ms grid, and the same bytes at the same times give the same
/// answers, bit for bit. How the boards behave where the manual is silent: docs/virtual_robot.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drivers/virtual/board_behaviour.hpp"
#include "drivers/virtual/faults.hpp"
#include "drivers/virtual/rcb1_board.hpp"
#include "models/base/disturbance.hpp"
#include "models/base/servo_parameters.hpp"
#include "models/base/types.hpp"
#include "models/base/wiring.hpp"
#include "models/robot/robot_folder.hpp"

namespace kagami::drivers::virtual_robot {

/// How the robot is when it is switched on.
struct VirtualStart {
  JointArray<double> angle{};    ///< rad, model order; boards know whole degrees
  Mat3 R_WB = Mat3::Identity();  ///< on the floor: of the base
};

struct VirtualRobotConfig {
  models::RobotDescription robot;  ///< with a fixed base
  ServoSet servos;                 ///< the plant's, model order
  BoardBehaviour behaviour;
  std::filesystem::path memory_file;      ///< board memory; empty = not kept
  std::optional<double> floor_friction;   ///< 0..: the robot is on the floor; none: on the stand
  std::optional<VirtualStart> start;      ///< none: upright, at the home of the boards
  std::vector<Disturbance> disturbances;  ///< that act on the robot, see disturb_from()
  std::uint64_t seed = 1;                 ///< draws which board answers FE when both receive it
};

/// Reads `plant.json` of the robot's folder, or `file` when not empty; "twin" takes the robot's own
/// parameters. Throws ConfigError.
ServoSet read_plant_servos(const models::RobotDescription& robot,
                           const std::filesystem::path& robot_folder, const std::string& file);

/// Where the root link is and whether the robot has fallen: available from the plant alone.
struct PlantBase {
  double x = 0.0;        ///< m, world
  double y = 0.0;        ///< m, world
  double z = 0.0;        ///< m, world
  double heading = 0.0;  ///< rad, about the world's z axis
  double tilt = 0.0;     ///< rad, from upright
  bool on_stand = true;  ///< held by the world: nothing above ever changes
  bool fell = false;     ///< tilted or low: models::has_fallen
};

/// What passed the line since the robot was switched on.
struct RobotCounters {
  std::uint64_t bytes_received = 0;  ///< from the host, complete on the wire
  std::uint64_t bytes_refused = 0;   ///< from the host, no room on the wire (receive() reported it)
  std::uint64_t bytes_ignored = 0;   ///< outside requests, or while every board was busy
  std::uint64_t requests = 0;        ///< good frames for a board of ours
  std::uint64_t bad_frames = 0;      ///< bad sum, unknown command, field out of range
  std::uint64_t replies = 0;         ///< answers put on the wire
  std::uint64_t bytes_sent = 0;      ///< bytes of answers put on the wire
};

/// One thread at a time. Nothing throws after construction.
class VirtualRobot {
 public:
  /// Reads the memory file. Throws ConfigError or ModelError; for a disturbance that cannot act on
  /// this robot, with its place.
  explicit VirtualRobot(const VirtualRobotConfig& config);
  /// Writes what is unsaved of the board memory.
  ~VirtualRobot();
  VirtualRobot(VirtualRobot&&) noexcept;

  /// Switches the robot on at this time: zero of the plant's grid and of the servo frames. Without
  /// a call, time 0. No-op when it is on already. InMemoryPort and PtyServer call it.
  void begin_at(std::int64_t at_ns) noexcept;

  /// The disturbances' time 0 is `zero_ns`, caller's clock; without a call none of them acts. Any
  /// thread, at any time: from the plant's next step on.
  void disturb_from(std::int64_t zero_ns) noexcept;

  /// Bytes that the host writes at `at_ns`; on the wire they take 86.8 us each from then on, one
  /// after the other. Returns how many were taken; the rest found the wire's buffer full.
  std::size_t receive(std::span<const std::uint8_t> bytes, std::int64_t at_ns) noexcept;
  /// How many bytes receive() would take now.
  [[nodiscard]] std::size_t input_room() const noexcept;

  /// Boards and plant up to `to_ns`. No-op for the past.
  void advance_to(std::int64_t to_ns) noexcept;
  /// Boards alone up to `to_ns`, the plant only as far as a reading needs it: for servers that are
  /// about to send. A later advance_to() brings the plant up.
  void advance_line_to(std::int64_t to_ns) noexcept;
  /// Earliest time at which `count` bytes of answers can be complete at the host: exact once the
  /// answers are on their way, before that the time of the next event on the line (ask again then).
  /// Nothing when nothing is on its way.
  [[nodiscard]] std::optional<std::int64_t> next_output_ns(std::size_t count = 1) const noexcept;
  /// Bytes of answers that are known but not yet taken.
  [[nodiscard]] std::size_t pending_output() const noexcept;
  /// Bytes complete at the host by now (the time of the last advance); returns how many.
  std::size_t take_output(std::span<std::uint8_t> bytes) noexcept;

  /// The host's DTR line; high = no answer at all.
  void set_dtr(bool high) noexcept;
  /// Faults of one board, in place of its earlier ones. Throws ConfigError for a board index
  /// outside 0..1 or a combination that contradicts itself. The thread that steps the robot.
  void inject(int board, const BoardFaults& faults);
  /// The same, beside its earlier ones: further windows of time.
  void add_faults(int board, const BoardFaults& faults);

  /// The pose that a board (index) began last, streamed or stored; caller's clock.
  [[nodiscard]] BegunPose begun_pose(int board) const noexcept;
  /// True joint angles of the plant at its newest step, rad, model order.
  [[nodiscard]] JointArray<double> plant_angles() const noexcept;
  /// Time of that step, caller's clock.
  [[nodiscard]] std::int64_t plant_time_ns() const noexcept;
  [[nodiscard]] int joint_count() const noexcept;
  [[nodiscard]] PlantBase plant_base() const noexcept;
  [[nodiscard]] const RobotCounters& counters() const noexcept;
  /// Why the memory file could not be written the last time; empty = it holds what the boards do,
  /// but for the changes of the last 0.2 s.
  [[nodiscard]] std::string memory_error() const;
  /// Writes changes that are not in the memory file yet, and tries again where that failed. The
  /// thread that steps the robot.
  void save_memory() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kagami::drivers::virtual_robot
