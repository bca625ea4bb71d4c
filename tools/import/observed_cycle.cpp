#include "tools/import/observed_cycle.hpp"

#include "models/base/time.hpp"
#include "runtime/cycle/event_list.hpp"

namespace kagami::tools {

ObservedCycle::ObservedCycle(const runtime::RunSetup& setup)
    : setup_(setup),
      shadow_(setup.robot, setup.cycle),
      row_(std::make_unique<runtime::CycleRecord>()) {}

const runtime::CycleRecord& ObservedCycle::step(const ObservedTick& tick) {
  runtime::CycleRecord& row = *row_;
  row = runtime::CycleRecord{};
  row.in.tick = tick.tick;
  row.in.now_ns = tick.now_ns;
  row.in.sample = tick.sample;
  row.in.sample_is_new = tick.has_reading;
  runtime::EventList events(row.out, tick.tick, events_lost_);
  if (!shadow_.is_running()) {
    shadow_.disturb_from(tick.now_ns);
    shadow_.start(row.in.sample, tick.now_ns);
    first_ns_ = tick.now_ns;
  }
  shadow_.follow(row.in.sample);
  shadow_.advance(tick.now_ns, row.in.sample, events);
  shadow_.compare(tick.now_ns, row.in.sample, row.out);
  write_command(tick, row.out);
  row.out.q_loop = runtime::unknown_joints(static_cast<int>(setup_.robot.joint_names.size()));
  row.out.control = row.out.q_loop;
  row.out.phase = tick.phase;
  row.out.state = runtime::SupervisorState::kRunning;
  row.out.motion_time = seconds(tick.now_ns - first_ns_);
  row.out.steps = static_cast<std::uint64_t>(tick.tick) + 1;
  row.out.events_lost = events_lost_;
  return row;
}

void ObservedCycle::write_command(const ObservedTick& tick, runtime::CycleOutput& out) const {
  out.targets.mode = drivers::TargetMode::kPositions;
  out.targets.streamed = true;
  out.targets.sequence = tick.sequence;
  out.targets.cycle = tick.tick;
  for (std::size_t j = 0; j < setup_.robot.joint_names.size(); ++j) {
    out.targets.angle[j] = tick.commanded[j];
    out.q_ref[j] = tick.reference[j];
  }
}

}  // namespace kagami::tools
