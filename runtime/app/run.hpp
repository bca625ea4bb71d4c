/// The one entry of a run: everything is built from a RunConfig, run, recorded and taken down.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/app/run_config.hpp"
#include "runtime/app/run_result.hpp"
#include "runtime/app/stop_request.hpp"
#include "runtime/cycle/cycle_types.hpp"

namespace kagami::runtime {

/// A look at a run that goes on.
struct Progress {
  Phase phase = Phase::kWaiting;
  double fraction = 0.0;     ///< 0..1 of the whole run
  double time_s = 0.0;       ///< of the run's clock
  double motion_time = 0.0;  ///< s into the motion
  double rms_deg = 0.0;      ///< residual over all joints until now; NaN before the first
  std::int64_t ticks = 0;
};

/// What the caller may hook into a run. All are called on the thread that called `run`.
struct RunHooks {
  std::function<void(const Progress&)> progress;  ///< ten times per second of the run's clock
  std::function<void(std::string_view)> log;      ///< sentences for a person: warnings, events
  const StopRequest* stop = nullptr;              ///< outlives the run
};

/// Runs to the end of the motion or of the stop. Throws ConfigError, ModelError, PortError,
/// LinkError, RecordError from the set-up; once the robot was sent a command it returns a result
/// and has closed the record.
RunResult run(const RunConfig& config, const RunHooks& hooks);

/// Answer of `verify_record`.
struct Verification {
  bool identical = false;
  std::int64_t ticks = 0;  ///< compared
  std::int64_t tick = -1;  ///< the first that differs
  std::string field;       ///< its first field that differs, e.g. "out.q_simulated[3]"
  std::string recorded;    ///< value there
  std::string recomputed;
  std::string notice;  ///< e.g. the file ends early
};

/// Feeds the inputs of /cycle to a core rebuilt from the record's attachments and compares every
/// output bit. Throws RecordError when the file is no record of a run.
Verification verify_record(const std::filesystem::path& file);

}  // namespace kagami::runtime
