/// The inputs that the cycle benchmarks run over: one replay in virtual time.
#pragma once

#include <string>
#include <vector>

#include "runtime/app/run_config.hpp"
#include "runtime/channels/cycle_types.hpp"

namespace kagami::bench {

struct RecordedRun {
  runtime::RunConfig config;
  int num_joints = 0;
  std::vector<runtime::CycleRecord> rows;
};

/// Replays a shipped motion on the virtual KHR-1 into a temporary folder and reads its rows back.
/// `gains`: file of a shipped gain set, empty: no controller. Throws what a run throws.
RecordedRun record_run(const std::string& motion, runtime::Scene on, const std::string& gains,
                       models::Algorithm dynamics = models::Algorithm::kAba);

}  // namespace kagami::bench
