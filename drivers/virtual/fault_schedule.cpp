#include "drivers/virtual/fault_schedule.hpp"

#include <algorithm>

#include "models/base/time.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

template <class T>
void set_if(std::optional<T>& value, const std::optional<T>& other) noexcept {
  if (other) value = other;
}

void merge(BoardFaults& all, const BoardFaults& f) noexcept {
  all.mute |= f.mute;
  all.off |= f.off;
  all.reset |= f.reset;
  all.echo |= f.echo;
  all.ack_only |= f.ack_only;
  all.zeros |= f.zeros;
  set_if(all.drop_byte, f.drop_byte);
  if (f.flip_byte) all.flip_bit = f.flip_bit;
  set_if(all.flip_byte, f.flip_byte);
  set_if(all.wrong_id, f.wrong_id);
  set_if(all.acknowledge, f.acknowledge);
  all.extra_bytes = std::max(all.extra_bytes, f.extra_bytes);
  all.late += f.late;
  all.frozen |= f.frozen;
  all.never_follows |= f.never_follows;
  all.no_sleep |= f.no_sleep;
  all.stuck |= f.stuck;
  all.limp |= f.limp;
  for (std::size_t slot = 0; slot < f.reads.size(); ++slot) {
    set_if(all.reads[slot], f.reads[slot]);
    if (f.offset_deg[slot] != 0) all.offset_deg[slot] = f.offset_deg[slot];
  }
}

}  // namespace

void FaultSchedule::begin_at(std::int64_t at_ns) noexcept {
  if (has_begun_) return;
  has_begun_ = true;
  begin_ns_ = at_ns;
}

void FaultSchedule::replace(const BoardFaults& faults) {
  entries_.clear();
  add(faults);
}

void FaultSchedule::add(const BoardFaults& faults) {
  if (faults.any()) entries_.push_back({faults, faults.answers});
}

BoardFaults FaultSchedule::at(std::int64_t at_ns) const noexcept {
  BoardFaults all;
  if (empty()) return all;
  const double t = seconds(at_ns);
  for (const Entry& entry : entries_) {
    if (entry.acts(t)) merge(all, entry.faults);
  }
  return all;
}

void FaultSchedule::count_answer(std::int64_t at_ns) noexcept {
  const double t = seconds(at_ns);
  for (Entry& entry : entries_) {
    if (entry.faults.answers > 0 && entry.acts(t)) --entry.answers_left;
  }
}

double FaultSchedule::seconds(std::int64_t at_ns) const noexcept {
  if (!has_begun_) return 0.0;
  return kagami::seconds(std::max<std::int64_t>(0, at_ns - begin_ns_));
}

}  // namespace kagami::drivers::virtual_robot
