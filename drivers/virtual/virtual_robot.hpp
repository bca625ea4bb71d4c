/// The virtual KHR-1: two RCB-1 boards in front, the ODE plant behind, on one time line, without
/// threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "models/base/servo_parameters.hpp"
#include "models/base/types.hpp"
#include "models/base/wiring.hpp"

namespace kagami::drivers::virtual_robot {

enum class PowerOn : std::uint8_t { kHome, kFree };

/// Everything the manual leaves open, settable. Times in seconds.
struct BoardBehaviour {
  double acknowledge_latency = 0.001;  ///< last byte of the request to first byte of the answer
  double read_latency = 0.001;         ///< the same for FC
  double store_latency = 0.001;        ///< the same for F9, F7, FB, FF
  double reading_age = 0.0;            ///< oldest age of the angles in an FC answer
  double servo_frame = 0.0;    ///< the reading table is refreshed at this period; 0 = at once
  bool buffers_poses = false;  ///< streamed FD are queued, not replaced
  PowerOn power_on = PowerOn::kHome;
  bool dtr_high = false;   ///< no reply at all
  bool pace_bytes = true;  ///< answers leave byte by byte at 115200, else frame by frame
};

/// Presets "fast", "slow", "burst" (design.md section 2). Throws ConfigError for another name.
BoardBehaviour board_preset(const std::string& name);

struct VirtualRobotConfig {
  std::filesystem::path robot_folder;
  ServoSet servos;  ///< the plant's, model order
  BoardBehaviour behaviour;
  std::filesystem::path memory_file;  ///< board memory; empty = not kept
};

/// Reads `plant.json` of the folder, or `file` when not empty; "twin" takes the twin's own
/// parameters.
ServoSet read_plant_servos(const std::filesystem::path& robot_folder, const std::string& file);

class VirtualRobot {
 public:
  explicit VirtualRobot(const VirtualRobotConfig& config);
  ~VirtualRobot();
  VirtualRobot(VirtualRobot&&) noexcept;

  /// Bytes that the host writes at `at_ns`; on the wire they take 86.8 us each from then on.
  void receive(std::span<const std::uint8_t> bytes, std::int64_t at_ns) noexcept;
  /// Boards and plant up to `to_ns`. No-op for the past.
  void advance_to(std::int64_t to_ns) noexcept;
  /// When the next byte of an answer is complete at the host, if any is on its way.
  [[nodiscard]] std::optional<std::int64_t> next_output_ns() const noexcept;
  /// Bytes complete at the host by now (the time of the last advance_to); returns how many.
  std::size_t take_output(std::span<std::uint8_t> bytes) noexcept;

  /// True joint angles of the plant, rad, model order.
  [[nodiscard]] JointArray<double> plant_angles() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kagami::drivers::virtual_robot
