// --clock real: cycle, serial, writer and (for the virtual robot) board thread on the machine's
// clock; the calling thread talks to the user.
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "drivers/port/open_port.hpp"
#include "drivers/virtual/pty_server.hpp"
#include "models/base/errors.hpp"
#include "runtime/app/live_run.hpp"
#include "runtime/threads/sized_thread.hpp"

namespace kagami::runtime {
namespace {

constexpr std::int64_t kWriterPeriodNs = 5'000'000;
constexpr std::int64_t kReportPeriodNs = 20'000'000;
// every thread is at its first wait before the first tick
constexpr std::int64_t kStartDelayNs = 20'000'000;
// after a stop: time for another press by an operator who needs more than a hold
constexpr std::int64_t kHeldWaitNs = 1'000'000'000;

/// A flag that is raised when its owner goes out of scope, by return or by exception.
class StopFlag {
 public:
  ~StopFlag() { raise(); }
  void raise() noexcept { flag_.store(true, std::memory_order_release); }
  [[nodiscard]] const std::atomic<bool>& flag() const noexcept { return flag_; }

 private:
  std::atomic<bool> flag_{false};
};

/// The virtual boards on their pseudo-terminal, served by a thread of their own.
struct VirtualBoards {
  VirtualBoards(const RunSetup& setup, RunPlace& place, drivers::Clock& clock,
                const Realtime& realtime)
      : robot(make_virtual_robot(setup, place)),
        server(robot, clock),
        thread("boards", [this, &realtime] {
          realtime.enter_thread(kBoardsPriority);
          server.serve(stop.flag());
        }) {}
  ~VirtualBoards() { stop.raise(); }  // and the thread is joined first of the members

  drivers::virtual_robot::VirtualRobot robot;
  drivers::virtual_robot::PtyServer server;
  StopFlag stop;
  SizedThread thread;
};

// slow boards are the user's own: `--latency`
bool answers_in_time(const drivers::virtual_robot::BoardBehaviour& behaviour) {
  constexpr double kInTime = 0.02;  // s
  return std::max(behaviour.acknowledge_latency, behaviour.read_latency) <= kInTime;
}

// what keeps our own boards from answering is this computer
void meet_own_or_foreign(LiveRun& run, const RunPlace& place, const std::string& path,
                         const RunHooks& hooks) {
  try {
    meet_boards(run, path, hooks);
  } catch (const LinkError& e) {
    if (!place.serves_boards) throw;
    throw LinkError(std::string(kBusyComputer) + " (" + e.what() + ")");
  }
}

void write_until(LiveRun& run, drivers::Clock& clock, const std::atomic<bool>& stop) {
  while (!stop.load(std::memory_order_acquire)) {
    if (run.recorder.drain() == 0) clock.sleep_until(clock.now_ns() + kWriterPeriodNs);
  }
}

// threads of a run, joined when this returns; `robot`: the virtual one, or none
void run_threads(LiveRun& run, const RunSetup& setup, const RunHooks& hooks, SteadyClock& clock,
                 const Realtime& realtime, drivers::virtual_robot::VirtualRobot* robot) {
  StopFlag writer_stop;
  const std::int64_t start_ns = clock.now_ns() + kStartDelayNs;
  run.runner.start_at(start_ns);
  if (robot != nullptr) robot->disturb_from(start_ns);
  run.runner.wait_when_held(kHeldWaitNs);
  SizedThread writer("writer", [&] {
    realtime.enter_thread(kWriterPriority);
    write_until(run, clock, writer_stop.flag());
  });
  SizedThread serial("serial", [&] {
    realtime.enter_thread(kSerialPriority);
    run.serial.run();
  });
  SizedThread cycle("cycle", [&] {
    realtime.enter_thread(kCyclePriority);
    run.runner.run();
  });
  Timeline timeline(setup.config.timeline);
  while (!run.state.cycle_is_done.load(std::memory_order_acquire)) {
    clock.sleep_until(clock.now_ns() + kReportPeriodNs);
    follow_timeline(timeline, clock.now_ns(), setup, hooks);
    report(run, setup, hooks);
  }
  cycle.join();
  serial.join();
  writer_stop.raise();
  writer.join();
  run.refused = timeline.refusals();
  report(run, setup, hooks);
}

}  // namespace

RunResult run_in_real_time(const RunSetup& setup, const RunHooks& hooks) {
  const Realtime realtime(setup.config.realtime);  // memory first: what follows is locked too
  if (hooks.log && !realtime.granted() && setup.config.realtime == RealtimeRequest::kPrefer) {
    hooks.log("no real-time rights: " + realtime.why());
  }
  SteadyClock clock;
  RunPlace place{.realtime_why = realtime.why(),
                 .realtime_granted = realtime.granted(),
                 .clock_epoch_ns = clock.epoch_ns()};
  std::unique_ptr<VirtualBoards> boards;
  std::string path = setup.config.robot;
  if (path == "virtual") {
    boards = std::make_unique<VirtualBoards>(setup, place, clock, realtime);
    path = boards->server.path();
    place.serves_boards = setup.config.board_faults.empty() && answers_in_time(place.behaviour);
  }
  const drivers::OpenedPort opened =
      drivers::open_port(path, drivers::port_library(setup.config.port_library), clock);
  if (hooks.log) {
    for (const std::string& note : opened.notes) hooks.log(note);
  }
  const auto run = std::make_unique<LiveRun>(setup, place, *opened.port, clock, hooks);
  if (hooks.live != nullptr) check_timeline(setup.config.timeline, *hooks.live);
  meet_own_or_foreign(*run, place, path, hooks);
  if (setup.config.mode == RunMode::kStored) hooks.store_motion(run->port, clock);
  run_threads(*run, setup, hooks, clock, realtime, boards ? &boards->robot : nullptr);
  restore_memory(*run, clock, hooks);
  if (boards) {
    boards->stop.raise();
    boards->thread.join();
    const std::int64_t lost_ns = boards->server.counters().lost_ns;
    if (hooks.log && lost_ns > 0) {
      hooks.log("this computer was too busy: the virtual robot's time lost " +
                std::to_string(lost_ns / 1'000'000) +
                " ms, and the comparison with the model is wrong from there on");
    }
  }
  return finish(*run, setup, place, boards ? &boards->robot : nullptr);
}

}  // namespace kagami::runtime
