#include "runtime/app/live_control.hpp"

namespace kagami::runtime {
namespace {

Tuning first_tuning(const RunSetup& setup, const ControllerList& list) {
  Tuning tuning;
  tuning.speed = setup.config.speed;
  tuning.loop = setup.config.loop;
  tuning.controller = list.size() == 0 ? kMotionAlone : 0;
  for (const double value : list.file_values()) {
    tuning.values[static_cast<std::size_t>(tuning.num_values++)] = value;
  }
  return tuning;
}

bool refuses_joint_test(const CycleOutput& out) {
  for (int k = 0; k < out.num_events; ++k) {
    const EventCode code = out.events[static_cast<std::size_t>(k)].code;
    if (code == EventCode::kJointTestRefused) return true;
  }
  return false;
}

}  // namespace

LiveControl::LiveControl(StopRequest& stop)
    : shared_(stop),
      tickets_(shared_),
      gains_(shared_, tuning_, list_, tickets_),
      motion_(shared_, tuning_),
      controllers_(shared_, {tuning_, list_, tickets_, gains_}),
      excitation_(shared_, tuning_) {}

bool LiveControl::is_open() const {
  const std::lock_guard lock(shared_.mutex);
  return shared_.is_open();
}

LiveStatus LiveControl::status() const {
  const std::lock_guard lock(shared_.mutex);
  const SeenRow& seen = shared_.seen;
  LiveStatus status;
  status.is_open = shared_.is_open();
  status.state = seen.state;
  status.phase = seen.phase;
  status.tick = seen.tick;
  status.version = seen.version;
  status.reason = seen.reason;
  gains_.describe(status);
  motion_.describe(status);
  controllers_.describe(status);
  excitation_.describe(status);
  return status;
}

std::vector<std::string> LiveControl::joint_names() const {
  const std::lock_guard lock(shared_.mutex);
  return joint_names_;
}

void LiveControl::open(const LiveOpening& run) {
  const std::lock_guard lock(shared_.mutex);
  shared_.setup = &run.setup;
  joint_names_ = run.setup.robot.joint_names;
  list_ = ControllerList(run.controllers, run.setup.cycle.control.gains);
  tuning_.open(first_tuning(run.setup, list_), run.channels.tuning);
  tickets_.open();
  gains_.open();
  motion_.open(run.setup);
  controllers_.open(run.factory, run.may_add);
}

void LiveControl::close() {
  std::vector<LiveTickets::Completed> completed;
  {
    const std::lock_guard built(controllers_.building());
    const std::lock_guard lock(shared_.mutex);
    shared_.setup = nullptr;
    tuning_.close();
    completed = tickets_.take_completed();
  }
  for (const LiveTickets::Completed& ticket : completed) ticket.done(ticket.result);
}

void LiveControl::observe(const CycleRecord& row) {
  controllers_.handover().collect();
  std::vector<LiveTickets::Completed> completed;
  {
    const std::lock_guard lock(shared_.mutex);
    take(row);
    completed = tickets_.take_completed();
  }
  for (const LiveTickets::Completed& ticket : completed) ticket.done(ticket.result);
}

void LiveControl::take(const CycleRecord& row) {
  const CycleOutput& out = row.out;
  const std::uint64_t version_before = shared_.seen.version;
  shared_.seen.see(row, joint_names_);
  if (refuses_joint_test(out)) tickets_.note_refused(row.in.tuning.version);
  if (out.tuning_version > version_before) gains_.take(out);
  if (out.tuning_seen > out.tuning_version && !tickets_.is_refused(out.tuning_seen)) {
    gains_.put_back_refused(out.tuning_seen);
  }
  controllers_.see(row);
}

bool LiveControl::take_attachment(RecordAttachment& attachment) {
  const std::lock_guard lock(shared_.mutex);
  return controllers_.take_attachment(attachment);
}

}  // namespace kagami::runtime
