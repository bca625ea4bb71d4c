/// Steps of commands in a run, and how robot and model answered them.
#pragma once

#include <optional>
#include <vector>

#include "tools/tune/metrics.hpp"

namespace kagami::tools {

/// A command that rested, jumped and rested again, with the curves from the jump on.
struct StepResponse {
  int joint = 0;      ///< model order
  double time = 0.0;  ///< s, of the jump
  double from_deg = 0.0;
  double to_deg = 0.0;
  std::vector<double> measured_time;  ///< s from the jump
  std::vector<double> measured_deg;
  std::vector<double> simulated_time;
  std::vector<double> simulated_deg;
  std::optional<StepMetrics> measured;  ///< empty: too few readings
  std::optional<StepMetrics> simulated;
};

/// Finds the largest steps of one joint while its rows pass. A step is a jump by at least 3 deg
/// within 50 ms, between a rest of 0.2 s before and 0.4 s after it, whose curves begin near the old
/// target and end near the new one. They end with the rest, at the latest after 2 s.
class StepWatch {
 public:
  explicit StepWatch(int joint) : joint_(joint) {}

  /// Each tick, times rising: s and deg; a value that is not finite is not known.
  void add_tick(double time, double command_deg, double simulated_deg);
  void add_reading(double time, double measured_deg);
  /// The largest steps, the first in time first. The watch is spent.
  [[nodiscard]] std::vector<StepResponse> take();

 private:
  void finish(double time);
  void keep(StepResponse step);

  int joint_;
  std::optional<double> level_;  // at which the command rests, deg
  double since_ = 0.0;           // s, the command has not changed since then
  std::optional<StepResponse> open_;
  std::vector<StepResponse> kept_;
};

}  // namespace kagami::tools
