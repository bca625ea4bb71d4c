// --clock virtual: one simulated clock, one thread, nothing waits.
#include "drivers/virtual/in_memory_port.hpp"
#include "runtime/app/live_run.hpp"

namespace kagami::runtime {

RunResult run_in_virtual_time(const RunSetup& setup, const RunHooks& hooks) {
  RunPlace place{.realtime_why = "virtual time needs none"};
  SimulatedClock own_clock;
  SimulatedClock& clock = hooks.simulated == nullptr ? own_clock : *hooks.simulated;
  drivers::virtual_robot::VirtualRobot robot = make_virtual_robot(setup, place);
  drivers::virtual_robot::InMemoryPort port(robot, clock);
  const auto run = std::make_unique<LiveRun>(setup, place, port, clock, hooks);
  if (hooks.live != nullptr) check_timeline(setup.config.timeline, *hooks.live);
  meet_boards(*run, "the virtual robot", hooks);
  if (setup.config.mode == RunMode::kStored) hooks.store_motion(run->port, clock);

  // ticks stand on whole periods
  const std::int64_t start_ns =
      (clock.now_ns() / setup.cycle.period_ns + 1) * setup.cycle.period_ns;
  run->runner.start_at(start_ns);
  robot.disturb_from(start_ns);
  clock.add(run->runner, start_ns);

  // the line's waiting lets the time pass, and the clock runs the cycle in it
  Timeline timeline(setup.config.timeline);
  while (!run->state.cycle_is_done.load(std::memory_order_relaxed)) {
    run->serial.round();
    follow_timeline(timeline, clock.now_ns(), setup, hooks);
    run->recorder.drain();
    report(*run, setup, hooks);
  }
  restore_memory(*run, clock, hooks);
  robot.advance_to(clock.now_ns());
  run->refused = timeline.refusals();
  return finish(*run, setup, place, &robot);
}

}  // namespace kagami::runtime
