/// The channels of a run in progress, each with its schema. docs/dashboard.md shows their fields.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/dashboard/dashboard_backend.hpp"

namespace kagami::tools {

/// Ids of the channels, from 1.
enum class Topic : std::uint32_t {
  kMeasured = 1,  ///< /joint_states/measured: each board's angles at the board's own time
  kSimulated,     ///< /joint_states/simulated: the twin
  kCommanded,     ///< /joint_states/commanded
  kReference,     ///< /joint_states/reference: the motion
  kLoop,          ///< /joint_states/loop: second curve of a controller
  kResidual,      ///< /residual
  kEvents,        ///< /events
  kTf,            ///< /tf: the twin's links
  kTfMeasured,    ///< /tf_measured: the same by the measured angles, names begin with "measured/"
  kGains,         ///< /gains: what was applied, and why
  kStatus,        ///< /status, 10 Hz
  kBalance,       ///< /balance, 30 Hz, on the floor
  kBus,           ///< /bus, 10 Hz
  kCycle,         ///< /cycle: whole rows as the record has them, CDR: what PlotJuggler reads
};

/// Those of all topics, in the order of their ids.
std::vector<OfferedChannel> live_topics();

}  // namespace kagami::tools
