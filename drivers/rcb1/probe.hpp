/// First contact with the boards: who answers, how well, how fast, and whether they are what
/// robot.json states. Set-up.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
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
  std::vector<BoardReport> boards;    ///< in the order of robot.json; fewer when it was interrupted
  std::vector<std::string> warnings;  ///< whole sentences
  bool interrupted = false;           ///< a stop was requested; nothing was sent after it
};

struct ProbeOptions {
  /// Clear the switch bits at the end, so that the boards drive their servos; the motion bit stays.
  bool wake = true;
  /// Asked before everything that is sent; empty: never.
  std::function<bool()> stop_requested{};
};

/// Asks every board of the wiring five times for its switch bits and for its positions, and for
/// home and trim until two answers agree, and sets the link's turnaround times; then wakes the
/// servos. `name` is the port as the user entered it. Throws LinkError with what was measured
/// (probe_verdict.hpp) when a board is silent, slow, damaged, doubled or another one, or when the
/// line echoes; with `wake` also when its positions cannot be read; PortError when the port goes
/// away. Nothing is concluded from one answer. Takes about 0.2 s, 2.5 s at worst, on the link's
/// clock.
ProbeReport probe(Khr1Link& link, const std::string& name, const ProbeOptions& options = {});

}  // namespace kagami::drivers
