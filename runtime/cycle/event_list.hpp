/// The events of one cycle: bounded, what finds no room is counted. Cycle code.
#pragma once

#include "runtime/channels/cycle_types.hpp"

namespace kagami::runtime {

/// Writes into the output of the present tick.
class EventList {
 public:
  EventList(CycleOutput& out, std::int64_t tick, std::uint64_t& lost) noexcept
      : out_(out), tick_(tick), lost_(lost) {}

  void add(EventCode code, double value = 0.0, int joint = -1) noexcept {
    if (out_.num_events >= kMaxEventsPerCycle) {
      ++lost_;
      return;
    }
    out_.events[static_cast<std::size_t>(out_.num_events++)] = {
        tick_, code, static_cast<std::int16_t>(joint), value};
  }

 private:
  CycleOutput& out_;
  std::int64_t tick_;
  std::uint64_t& lost_;
};

}  // namespace kagami::runtime
