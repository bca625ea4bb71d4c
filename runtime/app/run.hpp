/// The one entry of a run: everything is built from a RunConfig, run, recorded and taken down.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "control/factory/factory.hpp"
#include "drivers/port/byte_port.hpp"
#include "drivers/port/clock.hpp"
#include "runtime/app/live_control.hpp"
#include "runtime/app/run_config.hpp"
#include "runtime/app/run_result.hpp"
#include "runtime/channels/thread_channels.hpp"
#include "runtime/clock/clock.hpp"
#include "runtime/cycle/verify.hpp"
#include "runtime/record/byte_sink.hpp"
#include "runtime/threads/progress.hpp"
#include "runtime/threads/stop_request.hpp"

namespace kagami::runtime {

/// What the caller may hook into a run. All but `row`, `test` and `line` are called on the thread
/// that called `run`.
struct RunHooks {
  std::function<void(const Progress&)> progress;  ///< ten times per second of the run's clock
  std::function<void(std::string_view)> log;      ///< sentences for a person: warnings, events
  /// Rows of /cycle, on the thread that writes the record (in virtual time: the one that called
  /// `run`): at most 100 per second of the run's clock, and each that carries an event. Must not
  /// throw; what it takes delays the record, never the cycle.
  std::function<void(const CycleRecord&)> row;
  /// Every row of a joint test, while its out.test is not kNone; else as `row`, which comes first.
  std::function<void(const CycleRecord&)> test;
  /// What went over the line, in order; on the thread of `row`, which comes first.
  std::function<void(const LineFrame&)> line;
  const StopRequest* stop = nullptr;  ///< outlives the run
  /// Controls the run in progress; then it ends only after a `finish` or a release. Built on the
  /// same `stop`. Outlives the run.
  LiveControl* live = nullptr;
  /// With `live`: after a release too the run continues until a `finish`, with the servos limp.
  bool stay_released = false;
  /// The clock of a run in virtual time, with stalls and tasks of the caller; null: one of the
  /// run's own. Used once, outlives the run.
  SimulatedClock* simulated = nullptr;
  /// What the record is written through; empty: its file.
  RecordDisk disk;
  /// With RunMode::kStored: writes the motion to the boards' memories, once they are met; what it
  /// throws ends the run before anything moves.
  std::function<void(drivers::BytePort&, drivers::Clock&)> store_motion;
  /// After the robot's last command, with the same line; must not throw. `is_still`: the boards
  /// play no stored motion any more, by its time or by their confirmation of a stop.
  std::function<void(drivers::BytePort&, drivers::Clock&, bool is_still)> restore_memory;
  /// Makes the run's controller; null: one of Kagami's own. Outlives the run.
  const control::ControllerFactory* controllers = nullptr;
};

/// Runs to the end of the motion or of the stop. Throws ConfigError, ModelError, PortError,
/// LinkError, RecordError from the set-up; once the robot was sent a command it returns a result
/// and has closed the record.
RunResult run(const RunConfig& config, const RunHooks& hooks);

/// Feeds the inputs of /cycle to a core rebuilt from the record's attachments and compares every
/// output bit. Throws RecordError when the file is no record of a run.
VerifyResult verify_record(
    const std::filesystem::path& file,
    const control::ControllerFactory& controllers = control::ControllerFactory());

}  // namespace kagami::runtime
