/// First contact with the boards: who answers, how well, how fast, and whether they are what
/// robot.json says. Set-up.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "drivers/rcb1/khr1_link.hpp"

namespace kagami::drivers {

/// One board as it was found.
struct BoardReport {
  int id = 0;
  std::uint8_t switches = 0;  ///< bits before the probe changed them
  bool has_positions = false;
  ChannelCounts positions{};  ///< newest reading
  bool has_home = false;
  ChannelCounts home{};
  bool has_trim = false;
  std::array<std::int8_t, kChannelsPerBoard> trim_deg{};
  std::int64_t acknowledge_ns = 0;  ///< smallest turnaround of a short answer seen
  std::int64_t reading_ns = 0;      ///< smallest turnaround of a position reading seen
};

struct ProbeReport {
  std::vector<BoardReport> boards;    ///< in the order of robot.json
  std::vector<std::string> warnings;  ///< whole sentences
};

/// Asks every board of the wiring five times for its switch bits, eight times for its positions,
/// once for home and trim, and lets the link learn their turnarounds. With `wake` it then clears
/// the switch bits, so that the boards drive their servos. `name` is the port as the user knows it.
/// Throws LinkError when a board is silent, missing, damaged, doubled or another one, or when the
/// line echoes; PortError when the port goes away. Takes about 0.1 s, 0.6 s at worst, on the link's
/// clock.
ProbeReport probe(Khr1Link& link, const std::string& name, bool wake = true);

}  // namespace kagami::drivers
