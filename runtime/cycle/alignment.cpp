#include "runtime/cycle/alignment.hpp"

namespace kagami::runtime {

void StateHistory::push(std::int64_t time_ns, const JointArray<double>& q) noexcept {
  if (count_ > 0 && time_ns <= state(count_ - 1).time_ns) return;
  if (count_ == kHistorySize) {
    oldest_ = (oldest_ + 1) % kHistorySize;
    --count_;
  }
  states_[static_cast<std::size_t>((oldest_ + count_) % kHistorySize)] = {time_ns, q};
  ++count_;
}

HistoryAnswer StateHistory::at(std::int64_t time_ns, JointArray<double>& q) const noexcept {
  if (count_ == 0 || time_ns < state(0).time_ns) return HistoryAnswer::kTooOld;
  const State& newest = state(count_ - 1);
  if (time_ns >= newest.time_ns) {
    q = newest.q;
    return time_ns == newest.time_ns ? HistoryAnswer::kInterpolated : HistoryAnswer::kNewest;
  }

  // the last state at or before the time, by bisection
  int low = 0;
  int high = count_ - 1;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (state(middle).time_ns <= time_ns ? low : high) = middle;
  }

  const State& before = state(low);
  const State& after = state(high);
  const double part = static_cast<double>(time_ns - before.time_ns) /
                      static_cast<double>(after.time_ns - before.time_ns);
  for (std::size_t i = 0; i < q.size(); ++i) {
    q[i] = before.q[i] + part * (after.q[i] - before.q[i]);
  }
  return HistoryAnswer::kInterpolated;
}

}  // namespace kagami::runtime
