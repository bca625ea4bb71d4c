#include "drivers/virtual/board_behaviour.hpp"

#include <cmath>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

void check_time(const char* field, double seconds, double most) {
  if (std::isfinite(seconds) && seconds >= 0.0 && seconds <= most) return;
  throw ConfigError(std::string("board: ") + field + ": " + number_text(seconds) +
                    " is outside [0, " + number_text(most) + "] s");
}

}  // namespace

BoardBehaviour board_preset(const std::string& name) {
  BoardBehaviour board;
  if (name == "fast") return board;
  if (name == "burst") {
    board.buffers_poses = true;
    return board;
  }
  if (name == "slow") {
    // table of docs/virtual_robot.md, "Presets"
    board.acknowledge_latency = 0.002;
    board.read_latency = 0.020;
    board.store_latency = 0.010;
    board.servo_frame = 0.016;
    board.power_on = PowerOn::kFree;
    return board;
  }
  throw ConfigError("board '" + name + "' is unknown, expected one of: fast, slow, burst");
}

void check(const BoardBehaviour& behaviour) {
  check_time("acknowledge_latency", behaviour.acknowledge_latency, 10.0);
  check_time("read_latency", behaviour.read_latency, 10.0);
  check_time("store_latency", behaviour.store_latency, 10.0);
  check_time("reading_age", behaviour.reading_age, 0.2);
  check_time("servo_frame", behaviour.servo_frame, 0.2);
  check_time("gap_timeout", behaviour.gap_timeout, 10.0);
}

}  // namespace kagami::drivers::virtual_robot
