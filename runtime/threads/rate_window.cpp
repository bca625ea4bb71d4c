#include "runtime/threads/rate_window.hpp"

#include <algorithm>

#include "models/base/time.hpp"

namespace kagami::runtime {
namespace {

constexpr double kByteTime = 10.0 / 115200.0;  // s, start and stop bit included

}  // namespace

RateWindow::Rates RateWindow::next(const CycleRecord& row) {
  const drivers::LineCounters& line = row.in.sample.counters;
  const std::uint64_t bytes = line.bytes_out + line.bytes_in;
  Rates rates;
  rates.line.counters = line;
  std::int64_t oldest_ns = -1;
  for (const drivers::BoardReading& reading : row.in.sample.reading) {
    if (reading.sampled_ns <= 0) continue;  // no such board, or never read
    oldest_ns = oldest_ns < 0 ? reading.sampled_ns : std::min(oldest_ns, reading.sampled_ns);
  }
  if (oldest_ns >= 0) {
    rates.line.age_ms = static_cast<double>(row.in.now_ns - oldest_ns) * 1e-6;
  }
  const double time = seconds(row.in.now_ns - now_ns_);  // s
  if (has_last_ && time > 0.0) {
    rates.rate_hz = static_cast<double>(row.in.tick - tick_) / time;
    rates.line.cycle_hz = static_cast<double>(row.in.sample.round - round_) / time;
    rates.line.utilisation = static_cast<double>(bytes - bytes_) * kByteTime / time;
  }
  has_last_ = true;
  now_ns_ = row.in.now_ns;
  tick_ = row.in.tick;
  round_ = row.in.sample.round;
  bytes_ = bytes;
  return rates;
}

}  // namespace kagami::runtime
