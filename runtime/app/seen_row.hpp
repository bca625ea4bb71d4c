/// What requests are judged by: the newest row of the run, and why it stopped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/types.hpp"
#include "runtime/channels/cycle_types.hpp"

namespace kagami::runtime {

/// Of the newest row that the writer has seen.
class SeenRow {
 public:
  void see(const CycleRecord& row, const std::vector<std::string>& joint_names);

  SupervisorState state = SupervisorState::kIdle;
  Phase phase = Phase::kWaiting;
  std::int64_t tick = -1;
  std::int64_t now_ns = 0;    ///< of the run's clock
  std::uint64_t version = 0;  ///< of the tuning that the cycle goes by
  bool paused = false;
  bool reverse = false;
  bool testing = false;
  std::int32_t leads = -1;        ///< controller, from 0; -1: none
  JointArray<double> standing{};  ///< rad, what the joints' references stand at
  std::string reason;             ///< LiveStatus::reason

 private:
  void note_cause(const Event& event, const std::vector<std::string>& joint_names);
};

}  // namespace kagami::runtime
