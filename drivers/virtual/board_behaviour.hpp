/// Everything about an RCB-1 that its manual leaves open, settable.
#pragma once

#include <cstdint>
#include <string>

namespace kagami::drivers::virtual_robot {

/// What the servos do between power-on and the first position command.
enum class PowerOn : std::uint8_t { kHome, kFree };

/// Times in seconds, 0..10. A command takes effect, and a reading is taken, in the middle of the
/// latency: nothing is known about the real place.
struct BoardBehaviour {
  double acknowledge_latency = 0.001;  ///< last byte of the request to first byte of the answer
  double read_latency = 0.001;         ///< the same for FC
  double store_latency = 0.001;   ///< the same for all that write memory: FF FB F9 F7 F5 F3 ED E9
  double reading_age = 0.0;       ///< fixed age of the angles in an FC answer, 0..0.2
  double servo_frame = 0.0;       ///< the reading table is refreshed at this period; 0 = at once
  double gap_timeout = 0.020;     ///< a pause this long inside a request drops the request
  bool buffers_poses = false;     ///< streamed FD are queued (4 deep), not replaced
  bool motion_bit_gates = false;  ///< EF and EE play only while switch bit 0x02 is set
  PowerOn power_on = PowerOn::kHome;
  bool dtr_high = false;     ///< DTR at the start; high = no reply at all
  bool pace_bytes = true;    ///< answers leave byte by byte at 115200, else frame by frame
  bool scaled_rates = true;  ///< false: one rate for every channel, whatever robot.json states
};

/// Presets "fast", "slow", "burst" (docs/virtual_robot.md). Throws ConfigError for another name.
BoardBehaviour board_preset(const std::string& name);

/// Throws ConfigError that names the field when a time is negative, not finite or too long.
void check(const BoardBehaviour& behaviour);

}  // namespace kagami::drivers::virtual_robot
