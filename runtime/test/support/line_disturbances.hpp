/// Stalls, spoiled answers and stops of one run, drawn from a seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/app/run_config.hpp"
#include "runtime/clock/clock.hpp"
#include "runtime/threads/stop_request.hpp"

namespace kagami::test {

struct DrawnStall {
  runtime::Stalled what = runtime::Stalled::kComputer;
  std::int64_t from_ns = 0;
  std::int64_t until_ns = 0;
};

/// Presses of Ctrl-C: each raises the stop by one level.
struct LineDisturbances {
  std::vector<DrawnStall> stalls;
  std::vector<std::string> faults;  ///< "BOARD:FAULT"
  std::vector<std::int64_t> presses_ns;
  runtime::OnStop on_stop = runtime::OnStop::kHold;
  std::string board = "fast";
  double speed = 1.0;

  [[nodiscard]] bool is_clean() const { return stalls.empty() && faults.empty(); }
  [[nodiscard]] std::int64_t stalled_ns() const;
  /// When the first press reaches the run; -1: none.
  [[nodiscard]] std::int64_t stopped_at_ns() const;
  /// For a message: everything, so that the run can be repeated by hand.
  [[nodiscard]] std::string text() const;
};

/// One run in seven has no disturbance but a stop. Times are of the run's clock, up to `length_s`.
LineDisturbances draw_disturbances(unsigned seed, double length_s);

/// Raises the stop at the drawn times.
class Presses final : public runtime::TimedTask {
 public:
  Presses(runtime::StopRequest& stop, std::vector<std::int64_t> times)
      : stop_(stop), times_(std::move(times)) {}
  std::int64_t run_at(std::int64_t /*at_ns*/) noexcept override {
    stop_.raise();
    ++next_;
    return next_ < times_.size() ? times_[next_] : -1;
  }

 private:
  runtime::StopRequest& stop_;
  std::vector<std::int64_t> times_;
  std::size_t next_ = 0;
};

}  // namespace kagami::test
