#include "runtime/threads/serial_loop.hpp"

#include <ctime>

namespace kagami::runtime {
namespace {

std::int64_t thread_processor_ns() noexcept {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}

void add(LineUse& use, const drivers::LineCounters& before, const drivers::LineCounters& after,
         std::int64_t ns, std::int64_t processor_ns) noexcept {
  ++use.rounds;
  use.ns += ns;
  use.processor_ns += processor_ns;
  use.moved.sent += after.sent - before.sent;
  use.moved.answered += after.answered - before.answered;
  use.moved.bytes_out += after.bytes_out - before.bytes_out;
  use.moved.bytes_in += after.bytes_in - before.bytes_in;
}

}  // namespace

void SerialLoop::round() noexcept {
  // what is at rest before this round is in its readings afterwards
  const std::uint32_t rest = state_.present_rest();
  state_.stop_waits.store(false, std::memory_order_release);
  static_cast<void>(channels_.targets.fetch(targets_));
  const drivers::LineCounters before = sample_.counters;
  const std::int64_t begin_ns = clock_.now_ns();
  const std::int64_t processor_begin_ns = thread_processor_ns();

  // the status is in the sample: counters, ages and port_gone; the cycle decides what it means
  static_cast<void>(link_.exchange(targets_, sample_, {.at_ns = begin_ns + kRoundBudgetNs}));
  channels_.sample.publish(sample_);

  const std::uint64_t sent = sample_.counters.sent - before.sent;
  if (sent == 0) {
    clock_.sleep_until(begin_ns + kIdleNs);
  } else {
    const std::int64_t ns = clock_.now_ns() - begin_ns;
    const std::int64_t processor_ns = thread_processor_ns() - processor_begin_ns;
    add(busy_, before, sample_.counters, ns, processor_ns);
    if (sent == 2 * static_cast<std::uint64_t>(num_boards_)) {
      add(full_, before, sample_.counters, ns, processor_ns);
    }
  }
  state_.end_line(rest);
}

}  // namespace kagami::runtime
