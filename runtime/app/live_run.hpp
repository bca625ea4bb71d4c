/// The parts of one run in the order in which they lean on each other; the clock decides who calls
/// them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "drivers/port/byte_port.hpp"
#include "drivers/port/clock.hpp"
#include "drivers/rcb1/khr1_link.hpp"
#include "drivers/virtual/virtual_robot.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/app/run.hpp"
#include "runtime/app/timeline.hpp"
#include "runtime/channels/thread_channels.hpp"
#include "runtime/cycle/cycle_core.hpp"
#include "runtime/threads/realtime.hpp"
#include "runtime/threads/recorder.hpp"
#include "runtime/threads/recording_port.hpp"
#include "runtime/threads/run_state.hpp"
#include "runtime/threads/runner.hpp"
#include "runtime/threads/serial_loop.hpp"

namespace kagami::runtime {

/// Why boards that this process serves are late, and what helps.
inline constexpr const char* kBusyComputer =
    "this computer was too busy to serve its virtual boards in time: close other programs, allow "
    "real-time priorities, or use --clock virtual";

/// What the result and the record's header say about where the run takes place.
struct RunPlace {
  std::string realtime_why{};
  bool realtime_granted = false;
  std::int64_t clock_epoch_ns = 0;  ///< CLOCK_MONOTONIC at time 0 of the run's clock; 0 = simulated
  std::string plant_text{};         ///< parameters of the virtual robot; empty = a real one
  drivers::virtual_robot::BoardBehaviour behaviour{};  ///< of the virtual boards
  /// A thread of this process serves the boards, which answer in time whenever it gets to run: what
  /// comes late is late because this computer is busy.
  bool serves_boards = false;
};

/// Built at set-up, lives on the heap. Port, clock and setup outlive it.
struct LiveRun {
  LiveRun(const RunSetup& setup, const RunPlace& place, drivers::BytePort& line_port,
          drivers::Clock& clock, const RunHooks& hooks);
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  ThreadChannels channels;
  RunState state;
  RecordingPort port;
  drivers::Khr1Link link;
  SerialLoop serial;
  CycleCore core;
  Runner runner;
  Recorder recorder;
  LiveControl* live;       ///< null: the run takes no changes
  EventNames fixed_names;  ///< of a run that takes none
  /// What the sentences of events call controllers, gains and motions. Any thread.
  [[nodiscard]] EventNames event_names() const;
  std::vector<std::string> refused{};  ///< requests of the timeline
  bool failure_is_reported = false;    ///< that recording stopped; the thread that calls `report`
};

/// First contact before the first tick: boards that answer, differences from robot.json, servos
/// awake unless a stop is requested meanwhile. Throws LinkError or PortError in a sentence;
/// warnings go to the log.
void meet_boards(LiveRun& run, const std::string& port_name, const RunHooks& hooks);
/// RunHooks::restore_memory after the last round.
void restore_memory(LiveRun& run, drivers::Clock& clock, const RunHooks& hooks);
/// Runs in simulated time, on the calling thread alone.
RunResult run_in_virtual_time(const RunSetup& setup, const RunHooks& hooks);
/// Runs on the machine's clock with threads.
RunResult run_in_real_time(const RunSetup& setup, const RunHooks& hooks);

/// Tells the hooks about events and, when `progress` is newer, about the progress.
void report(LiveRun& run, const RunSetup& setup, const RunHooks& hooks);
/// Asks for what the timeline has until now; after its last request the run ends with its next
/// rest.
void follow_timeline(Timeline& timeline, std::int64_t now_ns, const RunSetup& setup,
                     const RunHooks& hooks);
/// Gathers the result after all threads have ended, and closes the record with it.
RunResult finish(LiveRun& run, const RunSetup& setup, const RunPlace& place,
                 const drivers::virtual_robot::VirtualRobot* robot);

/// The virtual robot of this configuration, with its plant's parameters in `place`.
drivers::virtual_robot::VirtualRobot make_virtual_robot(const RunSetup& setup, RunPlace& place);

}  // namespace kagami::runtime
