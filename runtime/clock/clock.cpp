#include "runtime/clock/clock.hpp"

#include <algorithm>
#include <cerrno>

namespace kagami::runtime {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

std::int64_t monotonic_ns() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * kNsPerSecond + t.tv_nsec;
}

}  // namespace

SteadyClock::SteadyClock() noexcept : epoch_ns_(monotonic_ns()) {}

std::int64_t SteadyClock::now_ns() const noexcept {
  return monotonic_ns() - epoch_ns_;
}

void SteadyClock::sleep_until(std::int64_t at_ns) noexcept {
  const std::int64_t at = at_ns + epoch_ns_;
  const timespec t{.tv_sec = at / kNsPerSecond, .tv_nsec = at % kNsPerSecond};
  // an absolute sleep that a signal cut short is simply repeated
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
  }
}

void SimulatedClock::sleep_until(std::int64_t at_ns) noexcept {
  if (running_) return;
  running_ = true;
  at_ns = wakes_ns(Stalled::kSleeper, at_ns);
  for (;;) {
    // the earliest entry; the first registered wins among equals
    Entry* next = nullptr;
    for (Entry& entry : entries_) {
      if (entry.due_ns < 0 || wakes_ns(Stalled::kTasks, entry.due_ns) > at_ns) continue;
      if (next == nullptr || entry.due_ns < next->due_ns) next = &entry;
    }
    if (next == nullptr) break;
    now_ns_ = std::max(now_ns_, wakes_ns(Stalled::kTasks, next->due_ns));
    const std::int64_t again_ns = next->task->run_at(now_ns_);
    // a task that requests the same instant again would never let time pass
    next->due_ns = again_ns < 0 ? -1 : std::max(again_ns, now_ns_ + 1);
  }
  now_ns_ = std::max(now_ns_, at_ns);
  running_ = false;
}

void SimulatedClock::stall(Stalled what, std::int64_t from_ns, std::int64_t until_ns) {
  const Stall stall{what, from_ns, until_ns};
  const auto later = [](const Stall& a, const Stall& b) { return a.from_ns < b.from_ns; };
  stalls_.insert(std::upper_bound(stalls_.begin(), stalls_.end(), stall, later), stall);
}

std::int64_t SimulatedClock::wakes_ns(Stalled who, std::int64_t at_ns) const noexcept {
  for (const Stall& stall : stalls_) {
    if (stall.what != who && stall.what != Stalled::kComputer) continue;
    if (at_ns >= stall.from_ns && at_ns < stall.until_ns) at_ns = stall.until_ns;
  }
  return at_ns;
}

void SimulatedClock::add(TimedTask& task, std::int64_t first_ns) {
  entries_.push_back({.task = &task, .due_ns = std::max(first_ns, now_ns_)});
}

}  // namespace kagami::runtime
